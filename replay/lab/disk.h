/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disks of a guest: sparse files on the host, with a file system made by the host's own mkfs. It
 * takes no root.
 */
#ifndef PT_REPLAY_LAB_DISK_H
#define PT_REPLAY_LAB_DISK_H

#include <signal.h>
#include <stdint.h>

#include "util/diag.h"

enum pt_lab_fs {
	PT_LAB_EXT4,
	PT_LAB_XFS,
	PT_LAB_BTRFS,
	PT_LAB_F2FS,
};

/* "ext4", "xfs", "btrfs", "f2fs": 0 or -EINVAL. */
int pt_lab_fs_parse(const char *name, enum pt_lab_fs *ret_fs);
const char *pt_lab_fs_name(enum pt_lab_fs fs);

/* The smallest disk on which its mkfs makes a file system of use, in bytes. */
uint64_t pt_lab_fs_min_bytes(enum pt_lab_fs fs);

/*
 * Make the file @path of @bytes with an empty file system. The folder it is in must have room for
 * all of it, since a guest that fills a sparse file on a full host would see write errors. Returns
 * 0; -ENOSPC; -EEXIST; -ENOENT where the host has no such mkfs (the message names the package);
 * -E2BIG or -EINVAL (too small); -EINTR; or -EIO with mkfs's own words. On failure nothing is left.
 */
int pt_disk_make(const char *path, uint64_t bytes, enum pt_lab_fs fs,
		 const volatile sig_atomic_t *stop, struct pt_diag *diag);

/* The same with a swap area instead. */
int pt_disk_make_swap(const char *path, uint64_t bytes, const volatile sig_atomic_t *stop,
		      struct pt_diag *diag);

/* Check that the file system that @dir (or a file) is on has @bytes free. 0, -ENOSPC or -errno. */
int pt_disk_check_room(const char *dir, uint64_t bytes, struct pt_diag *diag);

#endif
