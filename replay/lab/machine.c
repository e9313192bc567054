// SPDX-License-Identifier: GPL-2.0-or-later
/* A machine from its boot to its end: see machine.h. */
#include "replay/lab/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "replay/lab/child.h"
#include "replay/lab/guest.h"
#include "replay/lab/machine_state.h"
#include "util/cleanup.h"
#include "util/progress.h"

#define OFF_S 120 /* writing back a disk, unmounting it */

/* ---- Boot */

static int start_emulator(struct pt_machine *m, const char *line, struct pt_diag *diag)
{
	const struct pt_machine_options *o = &m->opt;
	auto_close int theirs = -1;
	struct pt_qemu q = {
		.accel = o->accel,
		.deterministic = o->deterministic,
		.kernel = o->image->boot,
		.initramfs = m->initramfs,
		.append = line,
		.ram_bytes = o->ram_bytes,
		.cpus = o->cpus,
		.nodes = o->nodes,
		.disk = { { m->disk, PT_GUEST_DISK }, { m->swap, PT_GUEST_SWAP } },
		.console_fd = m->console_fd,
		.error_fd = m->error_fd,
	};
	int fds[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return pt_diag_errno(diag, -errno, "cannot make a channel to a guest");
	q.channel_fd = theirs = fds[1];
	r = pt_channel_new(fds[0], o->stop, &m->channel);
	return r < 0 ? r : pt_qemu_start(&q, &m->pid, diag);
}

static int read_hello(struct pt_machine *m, const struct pt_frame *f, struct pt_diag *diag)
{
	json_int_t protocol;

	if (f->type != PT_FRAME_HELLO)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET,
				   "the guest begins with %s, not HELLO", pt_frame_name(f->type));
	m->hello = json_loadb((const char *)f->data, f->len, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(m->hello))
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "the guest's HELLO is no JSON");
	protocol = json_integer_value(json_object_get(m->hello, "protocol"));
	if (protocol != PT_CHANNEL_PROTOCOL)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET,
				   "the guest speaks protocol %lld, not %d: another pagetape's?",
				   (long long)protocol, PT_CHANNEL_PROTOCOL);
	return pt_image_check(m->opt.image, m->hello, diag);
}

static int wait_for_hello(struct pt_machine *m, struct pt_diag *diag)
{
	uint64_t deadline_ns = m->opt.boot_limit_s
				       ? pt_now_ns() + m->opt.boot_limit_s * PT_SECOND_NS
				       : pt_machine_deadline(m, PT_MACHINE_BOOT_S);
	struct pt_frame f;
	int r = pt_machine_wait(m, deadline_ns, -1, &f, diag);

	if (r == -ETIMEDOUT)
		r = pt_machine_lost(m, r, diag);
	if (r > 0)
		r = read_hello(m, &f, diag);
	return r;
}

int pt_machine_boot(const struct pt_machine_options *opt, struct pt_machine **ret_m,
		    struct pt_diag *diag)
{
	struct pt_machine *m = calloc(1, sizeof(*m));
	auto_free char *line = NULL;
	int r = m ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	m->opt = *opt;
	m->console_fd = m->error_fd = -1;
	m->console = pt_console_new();
	if (!m->console)
		r = -ENOMEM;
	if (r == 0)
		r = pt_machine_files_make(m, diag);
	if (r == 0)
		r = pt_machine_command_line(opt, &line, diag);
	if (r == 0)
		r = start_emulator(m, line, diag);
	if (r == 0)
		r = wait_for_hello(m, diag);
	if (r < 0) {
		pt_machine_free(m);
		return r;
	}
	pt_machine_files_remove(m); /* where it never said a word on its console */
	*ret_m = m;
	return 0;
}

json_t *pt_machine_hello(const struct pt_machine *m)
{
	return m->hello;
}

/* ---- End */

const char *pt_machine_complaint(const struct pt_machine *m)
{
	return pt_console_complaint(m->console);
}

static int say_off(struct pt_machine *m, struct pt_diag *diag)
{
	uint64_t deadline_ns = pt_machine_deadline(m, OFF_S);
	struct pt_frame f;
	int r = pt_channel_send(m->channel, PT_FRAME_OFF, NULL, 0, deadline_ns, NULL);

	if (r < 0)
		return pt_machine_lost(m, r, diag);
	r = pt_machine_wait(m, deadline_ns, -1, &f, diag);
	if (r > 0 && f.type != PT_FRAME_DONE)
		r = pt_machine_lost(m, -EBADMSG, diag);
	if (r > 0)
		r = pt_machine_wait_end(m, deadline_ns);
	return r == -ETIMEDOUT || r == -EINTR ? pt_machine_lost(m, r, diag) : r;
}

int pt_machine_off(struct pt_machine *m, struct pt_diag *diag)
{
	const char *complaint;
	int r = m->dead ? -ENOTRECOVERABLE : say_off(m, diag);

	m->dead = true;
	if (r < 0)
		return r;
	if (pt_console_panic(m->console))
		return pt_machine_lost(m, -EPIPE, diag);
	complaint = pt_machine_complaint(m);
	if (complaint)
		return pt_diag_set(diag, -EIO, PT_NO_OFFSET, "the kernel complained: %s",
				   complaint);
	return 0;
}

void pt_machine_free(struct pt_machine *m)
{
	if (!m)
		return;
	pt_child_kill(m->pid);
	pt_machine_files_remove(m);
	pt_channel_free(m->channel);
	pt_console_free(m->console);
	if (m->console_fd >= 0)
		close(m->console_fd);
	if (m->error_fd >= 0)
		close(m->error_fd);
	json_decref(m->hello);
	free(m);
}
