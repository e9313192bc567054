// SPDX-License-Identifier: GPL-2.0-or-later
/* Waiting for a machine, and telling why nothing comes: see machine_state.h. */
#include "replay/lab/machine_state.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "replay/lab/child.h"
#include "util/progress.h"

#define SLICE_MS    100 /* how late a panic or a stop flag may be seen */
#define CONSOLE_MAX (UINT64_C(64) << 20)
#define END_S       5 /* from a panic to QEMU's end */
#define TCG_FACTOR  2 /* boots take some six times as long; the limits are generous anyway */

uint64_t pt_machine_deadline(const struct pt_machine *m, unsigned int s)
{
	unsigned int factor = m->opt.accel == PT_ACCEL_TCG ? TCG_FACTOR : 1;

	return pt_now_ns() + (uint64_t)s * factor * PT_SECOND_NS;
}

int pt_machine_wait_end(struct pt_machine *m, uint64_t deadline_ns)
{
	int status, r = m->pid ? pt_child_wait(m->pid, deadline_ns, m->opt.stop, &status) : 0;

	if (r == 0)
		m->pid = 0;
	while (pt_console_bytes(m->console) < CONSOLE_MAX &&
	       pt_console_follow(m->console, m->console_fd) > 0)
		;
	return r;
}

/* ---- Verdicts */

/* The first line that QEMU itself said; "" for none. */
static void emulator_words(const struct pt_machine *m, char *buf, size_t size)
{
	ssize_t n = pread(m->error_fd, buf, size - 1, 0);

	buf[n > 0 ? (size_t)n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

static int panicked(const struct pt_machine *m, struct pt_diag *diag)
{
	const char *panic = pt_console_panic(m->console), *hint = "";
	const char *cause = pt_console_complaint(m->console);

	if (strstr(panic, "Unable to mount root fs") || strstr(panic, "Cannot open root device"))
		hint = " (it took no initramfs: CONFIG_BLK_DEV_INITRD, or too little memory)";
	else if (strstr(panic, "No working init found"))
		hint = " (it cannot run programs: CONFIG_BINFMT_ELF)";
	return pt_diag_set(diag, -ENOTRECOVERABLE, PT_NO_OFFSET,
			   "the kernel panicked: %.160s%s%s%s", panic, hint,
			   cause ? ", after " : "", cause ? cause : "");
}

static int ended(const struct pt_machine *m, struct pt_diag *diag)
{
	const char *failure = pt_console_failure(m->console);
	const char *last = pt_console_last_line(m->console);
	char words[200];

	emulator_words(m, words, sizeof(words));
	if (failure)
		return pt_diag_set(diag, -ENOTRECOVERABLE, PT_NO_OFFSET, "the guest gave up: %s",
				   failure);
	if (words[0])
		return pt_diag_set(diag, -ENOTRECOVERABLE, PT_NO_OFFSET, "the machine ended: %s",
				   words);
	if (!last[0])
		return pt_diag_set(diag, -ENOTRECOVERABLE, PT_NO_OFFSET,
				   "the machine ended before its kernel said anything");
	return pt_diag_set(diag, -ENOTRECOVERABLE, PT_NO_OFFSET,
			   "the machine ended; its last words: %s", last);
}

static int hung(const struct pt_machine *m, struct pt_diag *diag)
{
	const char *last = pt_console_last_line(m->console);

	if (m->hello)
		return pt_diag_set(diag, -ETIMEDOUT, PT_NO_OFFSET,
				   "the guest does not answer any more; the last line it said: %s",
				   last);
	if (!last[0])
		return pt_diag_set(diag, -ETIMEDOUT, PT_NO_OFFSET,
				   "the kernel hung: it said nothing at all on its serial console");
	return pt_diag_set(diag, -ETIMEDOUT, PT_NO_OFFSET,
			   "the kernel hung while it booted; the last line it said: %s", last);
}

int pt_machine_lost(struct pt_machine *m, int err, struct pt_diag *diag)
{
	m->dead = true;
	if (err == -EINTR)
		return pt_diag_set(diag, err, PT_NO_OFFSET, "interrupted");
	if (err != -ETIMEDOUT || pt_console_panic(m->console))
		(void)pt_machine_wait_end(m, pt_machine_deadline(m, END_S));
	else
		(void)pt_console_follow(m->console, m->console_fd);
	if (pt_console_panic(m->console))
		return panicked(m, diag);
	if (err == -ETIMEDOUT)
		return hung(m, diag);
	if (err == -EPIPE || err == -ENODATA || err == -ECONNRESET)
		return ended(m, diag);
	return pt_diag_set(diag, err, PT_NO_OFFSET, "the guest talks nonsense");
}

/* ---- Waiting */

int pt_machine_mind_console(struct pt_machine *m, struct pt_diag *diag)
{
	int r = pt_console_follow(m->console, m->console_fd);

	if (pt_console_bytes(m->console)) /* it boots: QEMU has opened all of them */
		pt_machine_files_remove(m);
	if (pt_console_panic(m->console))
		return pt_machine_lost(m, -EPIPE, diag);
	if (pt_console_bytes(m->console) > CONSOLE_MAX) {
		m->dead = true;
		return pt_diag_set(diag, -ENOTRECOVERABLE, PT_NO_OFFSET,
				   "the kernel does not stop talking on its console");
	}
	if (r < 0) {
		m->dead = true;
		return pt_diag_errno(diag, r, "cannot read the console's log");
	}
	return 0;
}

/* What is there for us to take: a frame (1), input at @wake_fd (0), or nothing yet (-EAGAIN). */
static int look(struct pt_machine *m, uint64_t deadline_ns, int wake_fd, struct pt_frame *ret_f,
		struct pt_diag *diag)
{
	struct pollfd p[2] = { { pt_channel_fd(m->channel), POLLIN, 0 }, { wake_fd, POLLIN, 0 } };
	struct pt_diag why = PT_DIAG_INIT;
	uint64_t now = pt_now_ns(), slice_ns = now + SLICE_MS * UINT64_C(1000000);
	int r;

	if (!pt_channel_pending(m->channel)) {
		if (poll(p, 2, SLICE_MS) <= 0)
			return -EAGAIN;
		if (!p[0].revents)
			return 0;
	}
	r = pt_channel_receive(m->channel, slice_ns < deadline_ns ? slice_ns : deadline_ns, ret_f,
			       &why);
	if (r == -ETIMEDOUT) /* a part of a frame */
		return -EAGAIN;
	if (r > 0)
		return ret_f->type == PT_FRAME_LOG ? -EAGAIN : 1;
	if (r == -EBADMSG && diag && why.text[0] && !diag->text[0])
		*diag = why;
	return pt_machine_lost(m, r == 0 ? -EPIPE : r, diag);
}

int pt_machine_wait(struct pt_machine *m, uint64_t deadline_ns, int wake_fd, struct pt_frame *ret_f,
		    struct pt_diag *diag)
{
	int r;

	do {
		if (m->opt.stop && *m->opt.stop)
			return pt_machine_lost(m, -EINTR, diag);
		r = pt_machine_mind_console(m, diag);
		if (r < 0)
			return r;
		r = look(m, deadline_ns, wake_fd, ret_f, diag);
		if (r != -EAGAIN)
			return r;
	} while (pt_now_ns() < deadline_ns);
	return -ETIMEDOUT;
}
