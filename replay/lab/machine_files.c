// SPDX-License-Identifier: GPL-2.0-or-later
/* What a machine boots from and stands on, as files: see machine_state.h. */
#include "replay/lab/machine_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/lab/guest.h"
#include "replay/lab/hosttsc.h"
#include "replay/lab/initramfs.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/parse.h"
#include "util/text.h"

#define MIB            (UINT64_C(1) << 20)
#define RAM_MIN        (128 * MIB)
#define LINE_MAX_BYTES 2047 /* COMMAND_LINE_SIZE of x86, less its NUL */

/* ---- Options */

static int bad(struct pt_diag *diag, const char *text)
{
	return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "%s", text);
}

static int check_size(const char *what, uint64_t bytes, uint64_t min, struct pt_diag *diag)
{
	char a[32], b[32];

	if (bytes >= min && bytes <= UINT64_C(1) << 46)
		return 0;
	return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "a guest cannot have %s of %s: %s at least",
			   what, pt_format_size(bytes, a, sizeof(a)),
			   pt_format_size(min, b, sizeof(b)));
}

static int check_options(const struct pt_machine_options *o, struct pt_diag *diag)
{
	int r = check_size("memory", o->ram_bytes, RAM_MIN * (o->nodes ? o->nodes : 1), diag);

	if (r < 0)
		return r;
	if (!o->cpus || o->cpus > PT_MACHINE_MAX_CPUS)
		return bad(diag, "a guest has 1 to 64 CPUs");
	if (!o->nodes || o->nodes > PT_MACHINE_MAX_NODES)
		return bad(diag, "a guest has 1 to 8 memory nodes");
	if (o->deterministic && (o->accel != PT_ACCEL_TCG || o->cpus != 1))
		return bad(diag, "a deterministic guest has one CPU, and that is emulated");
	if (o->ramdisk && !o->disk_bytes)
		return bad(diag, "a RAM disk takes a disk size");
	if (o->ramdisk && o->disk_bytes > o->ram_bytes - RAM_MIN)
		return check_size("memory beside a RAM disk", o->ram_bytes, o->disk_bytes + RAM_MIN,
				  diag);
	if (o->swap.kind != PT_LAB_SWAP_NONE && !o->swap.bytes)
		return bad(diag, "swap takes a size");
	return 0;
}

/* ---- The command line */

/*
 * An emulated CPU may not run for a while, which is no lockup, and no timer that does not work
 * ("IO-APIC + timer doesn't work!"); and its time stamps are the host's, in step between CPUs,
 * though 6.1 takes them not to be, and then asks a slow device for the time.
 */
static int put_for_emulation(const struct pt_machine_options *o, struct pt_buf *b)
{
	int r = pt_text_append(b,
			       " tsc=reliable no_timer_check watchdog_thresh=60"
			       " rcupdate.rcu_cpu_stall_timeout=300 workqueue.watchdog_thresh=300");
	uint64_t khz = 0;

	/*
	 * On a busy host a kernel that finds out for itself how fast the counter runs was seen to
	 * be wrong 23 times over, and its clock with it. Where time counts instructions it is not.
	 */
	if (r == 0 && !o->deterministic)
		khz = pt_hosttsc_khz();
	return khz ? pt_text_append(b, " tsc_early_khz=%llu", (unsigned long long)khz) : r;
}

static int put_ours(const struct pt_machine_options *o, struct pt_buf *b)
{
	int r = 0;

	if (o->disk_bytes)
		r = pt_text_append(b, " pagetape.fs=%s", pt_lab_fs_name(o->fs));
	if (r == 0 && o->ramdisk)
		r = pt_text_append(b, " pagetape.ramdisk=1 brd.rd_nr=1 brd.rd_size=%llu",
				   (unsigned long long)(o->disk_bytes >> 10));
	if (r == 0 && o->swap.kind == PT_LAB_SWAP_DISK)
		r = pt_text_append(b, " pagetape.swap=disk");
	if (r == 0 && o->swap.kind == PT_LAB_SWAP_ZRAM)
		r = pt_text_append(b, " pagetape.swap=zram:%llu",
				   (unsigned long long)o->swap.bytes);
	return r;
}

int pt_machine_command_line(const struct pt_machine_options *opt, char **ret_line,
			    struct pt_diag *diag)
{
	struct pt_buf b = { 0 };
	/*
	 * All of the kernel's log but debugging: a WARN is printed at a level that "quiet" hides.
	 * An oops ends it, since nothing after one is to be believed.
	 */
	int r = pt_text_append(
		&b, "console=ttyS0 earlyprintk=ttyS0 loglevel=7 panic=-1 oops=panic psi=1");

	if (r == 0 && opt->accel == PT_ACCEL_TCG)
		r = put_for_emulation(opt, &b);
	if (r == 0 && opt->deterministic)
		r = pt_text_append(&b, " nokaslr");
	if (r == 0)
		r = put_ours(opt, &b);
	if (r == 0 && opt->append && *opt->append)
		r = pt_text_append(&b, " %s", opt->append);
	if (r == 0 && b.len > LINE_MAX_BYTES)
		r = pt_diag_set(diag, -E2BIG, PT_NO_OFFSET,
				"the kernel parameters are longer than the %d bytes it takes",
				LINE_MAX_BYTES);
	if (r == 0)
		r = pt_buf_put(&b, "", 1);
	if (r == 0)
		*ret_line = (char *)steal_ptr(b.data);
	pt_buf_done(&b);
	return r;
}

/* ---- Files */

static int path_in(const struct pt_machine *m, const char *name, char **ret_path)
{
	char *path;

	if (asprintf(&path, "%s/%s", m->opt.dir, name) < 0)
		return -ENOMEM;
	*ret_path = path;
	(void)unlink(path); /* of a machine that was killed here */
	return 0;
}

static int make_initramfs(struct pt_machine *m, struct pt_diag *diag)
{
	const struct pt_machine_options *o = &m->opt;
	struct pt_initramfs_options want = { .program = o->program, .extra = o->extra };
	struct pt_modules *modules = NULL;
	unsigned int needs = 0;
	int r = pt_modules_open(o->image->modules, &modules, diag);

	if (o->disk_bytes || o->swap.kind == PT_LAB_SWAP_DISK)
		needs |= PT_NEED_DISK;
	if (o->ramdisk)
		needs |= PT_NEED_RAMDISK;
	if (o->swap.kind == PT_LAB_SWAP_ZRAM)
		needs |= PT_NEED_ZRAM;
	if (r == 0)
		r = pt_modules_need(modules, o->disk_bytes ? pt_lab_fs_name(o->fs) : NULL, needs,
				    diag);
	if (r < 0 && diag)
		pt_diag_file(diag, r, o->image->boot);
	if (r == 0)
		r = path_in(m, "initramfs", &m->initramfs);
	want.modules = modules;
	if (r == 0)
		r = pt_initramfs_write(m->initramfs, &want, diag);
	pt_modules_free(modules);
	return r;
}

static int make_disks(struct pt_machine *m, struct pt_diag *diag)
{
	const struct pt_machine_options *o = &m->opt;
	uint64_t swap_bytes = o->swap.kind == PT_LAB_SWAP_DISK ? o->swap.bytes : 0;
	int r = pt_disk_check_room(o->dir, o->disk_bytes + swap_bytes, diag);

	if (r == 0 && o->disk_bytes) {
		r = path_in(m, "disk", &m->disk);
		if (r == 0)
			r = pt_disk_make(m->disk, o->disk_bytes, o->fs, o->stop, diag);
	}
	if (r == 0 && swap_bytes) {
		r = path_in(m, "swap", &m->swap);
		if (r == 0)
			r = pt_disk_make_swap(m->swap, swap_bytes, o->stop, diag);
	}
	return r;
}

/* QEMU appends, we read. Its own complaints go to a file that has no name. */
static int open_logs(struct pt_machine *m, struct pt_diag *diag)
{
	auto_free char *path = NULL, *errors = NULL;
	int r = path_in(m, "console.log", &path);

	if (r == 0)
		r = path_in(m, "qemu.err", &errors);
	if (r < 0)
		return r;
	m->console_fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
	if (m->console_fd >= 0)
		m->error_fd = open(errors, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	if (m->console_fd < 0 || m->error_fd < 0) {
		r = pt_diag_errno(diag, -errno, "cannot make the console's log");
		return pt_diag_file(diag, r, m->opt.dir);
	}
	(void)unlink(errors);
	return 0;
}

int pt_machine_files_make(struct pt_machine *m, struct pt_diag *diag)
{
	int r = check_options(&m->opt, diag);

	if (r == 0)
		r = open_logs(m, diag);
	if (r == 0)
		r = make_initramfs(m, diag);
	if (r == 0)
		r = make_disks(m, diag);
	return r;
}

static void remove_one(char **path)
{
	if (*path)
		(void)unlink(*path);
	free(*path);
	*path = NULL;
}

void pt_machine_files_remove(struct pt_machine *m)
{
	remove_one(&m->initramfs);
	remove_one(&m->disk);
	remove_one(&m->swap);
}
