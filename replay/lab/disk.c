// SPDX-License-Identifier: GPL-2.0-or-later
/* A guest's disks: see disk.h. */
#include "replay/lab/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "replay/lab/child.h"
#include "util/cleanup.h"
#include "util/parse.h"

#define MIB          (UINT64_C(1) << 20)
#define GIB          (UINT64_C(1) << 30)
#define MKFS_LIMIT_S 300
#define MAX_ARGS     8
#define SLACK_BYTES  (64 * MIB) /* of the host's file system, for what else is written there */
#define SWAP_MIN     (40 * UINT64_C(1024)) /* mkswap wants ten pages */

/* The same for all, since directories are hashed with it: a guest's disk is not to differ by
 * chance. */
#define UUID "70616765-7461-7065-6c61-62646973006b"

struct fs {
	const char *name, *package;
	const char *options[MAX_ARGS]; /* to make no noise, and not to fill the sparse file */
	uint64_t min_bytes;
};

static const struct fs file_systems[] = {
	[PT_LAB_EXT4] = { "ext4",
			  "e2fsprogs",
			  { "-q", "-F", "-U", UUID, "-E",
			    "lazy_itable_init=1,nodiscard,hash_seed=" UUID },
			  8 * MIB },
	[PT_LAB_XFS] = { "xfs", "xfsprogs", { "-q", "-K", "-m", "uuid=" UUID }, 300 * MIB },
	[PT_LAB_BTRFS] = { "btrfs", "btrfs-progs", { "-q", "-K", "-U", UUID }, 128 * MIB },
	[PT_LAB_F2FS] = { "f2fs", "f2fs-tools", { "-q", "-t", "0" }, 64 * MIB },
};

int pt_lab_fs_parse(const char *name, enum pt_lab_fs *ret_fs)
{
	for (size_t i = 0; i < PT_ARRAY_SIZE(file_systems); i++)
		if (strcmp(name, file_systems[i].name) == 0) {
			*ret_fs = (enum pt_lab_fs)i;
			return 0;
		}
	return -EINVAL;
}

const char *pt_lab_fs_name(enum pt_lab_fs fs)
{
	return file_systems[fs].name;
}

uint64_t pt_lab_fs_min_bytes(enum pt_lab_fs fs)
{
	return file_systems[fs].min_bytes;
}

int pt_disk_check_room(const char *dir, uint64_t bytes, struct pt_diag *diag)
{
	char want[32], have[32];
	struct statvfs v;
	uint64_t room;
	int r;

	if (statvfs(dir, &v) < 0) {
		r = pt_diag_errno(diag, -errno, "cannot tell how much room it has");
		return pt_diag_file(diag, r, dir);
	}
	room = (uint64_t)v.f_bavail * v.f_frsize;
	if (room >= SLACK_BYTES && room - SLACK_BYTES >= bytes)
		return 0;
	r = pt_diag_set(diag, -ENOSPC, PT_NO_OFFSET, "no room for a guest's disks of %s: %s free",
			pt_format_size(bytes, want, sizeof(want)),
			pt_format_size(room, have, sizeof(have)));
	return pt_diag_file(diag, r, dir);
}

/* ---- Making one */

static int make_sparse(const char *path, uint64_t bytes, struct pt_diag *diag)
{
	auto_close int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r;

	if (fd < 0)
		return pt_diag_errno(diag, -errno, "cannot be made");
	if (ftruncate(fd, (off_t)bytes) == 0)
		return 0;
	r = pt_diag_errno(diag, -errno, "cannot be made");
	(void)unlink(path);
	return r;
}

static int check_size(uint64_t bytes, uint64_t min, const char *what, struct pt_diag *diag)
{
	char a[32], b[32];

	if (bytes > INT64_MAX)
		return pt_diag_set(diag, -E2BIG, PT_NO_OFFSET, "the disk is too large");
	if (bytes >= min)
		return 0;
	return pt_diag_set(
		diag, -EINVAL, PT_NO_OFFSET, "a disk of %s is too small for %s: %s at least",
		pt_format_size(bytes, a, sizeof(a)), what, pt_format_size(min, b, sizeof(b)));
}

static int run_maker(const char *const *argv, const char *path, uint64_t bytes, const char *package,
		     const volatile sig_atomic_t *stop, struct pt_diag *diag)
{
	const struct pt_child_command c = {
		.argv = argv, .log_fd = -1, .limit_s = MKFS_LIMIT_S, .stop = stop
	};
	auto_free char *tool = NULL;
	int r = pt_child_find(argv[0], &tool);

	if (r < 0)
		return pt_diag_set(diag, r, PT_NO_OFFSET, "%s is not installed: package %s has it",
				   argv[0], package);
	r = make_sparse(path, bytes, diag);
	if (r < 0)
		return r;
	r = pt_disk_check_room(path, bytes, diag);
	if (r == 0)
		r = pt_child_run(&c, NULL, diag);
	if (r < 0)
		(void)unlink(path);
	return r;
}

int pt_disk_make(const char *path, uint64_t bytes, enum pt_lab_fs fs,
		 const volatile sig_atomic_t *stop, struct pt_diag *diag)
{
	const struct fs *f = &file_systems[fs];
	const char *argv[MAX_ARGS + 3];
	char tool[16];
	size_t n = 0;
	int r = check_size(bytes, f->min_bytes, f->name, diag);

	if (r < 0)
		return r;
	snprintf(tool, sizeof(tool), "mkfs.%s", f->name);
	argv[n++] = tool;
	for (size_t i = 0; i < MAX_ARGS && f->options[i]; i++)
		argv[n++] = f->options[i];
	argv[n++] = path;
	argv[n] = NULL;
	return run_maker(argv, path, bytes, f->package, stop, diag);
}

int pt_disk_make_swap(const char *path, uint64_t bytes, const volatile sig_atomic_t *stop,
		      struct pt_diag *diag)
{
	const char *const argv[] = { "mkswap", path, NULL };
	int r = check_size(bytes, SWAP_MIN, "swap", diag);

	return r < 0 ? r : run_maker(argv, path, bytes, "util-linux", stop, diag);
}
