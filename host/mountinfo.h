/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mounts and block devices of this machine.
 *
 * mountinfo names devices as kernel events do; stat(2) does not always (btrfs gives each subvolume
 * a device number of its own).
 */
#ifndef PT_HOST_MOUNTINFO_H
#define PT_HOST_MOUNTINFO_H

#include <stddef.h>
#include <stdint.h>

struct statx;

struct pt_mount_entry {
	uint32_t id;
	uint32_t dev; /* the kernel's encoding: major << 20 | minor */
	const char *root, *point, *type, *options;
};

/* All zero is an empty table. */
struct pt_mounts {
	struct pt_mount_entry *v;
	size_t n;
	char *text; /* what the strings point into */
};

/* Read ROOT/proc/self/mountinfo, octal escapes undone. 0 or -errno. */
int pt_mounts_read(const char *root, struct pt_mounts *ret_m);
void pt_mounts_done(struct pt_mounts *m);

/* The first mount of device @dev, of its whole tree where there is such a one; NULL: none. */
const struct pt_mount_entry *pt_mounts_of(const struct pt_mounts *m, uint32_t dev);

/* The mount with @id; NULL: none. */
const struct pt_mount_entry *pt_mounts_by_id(const struct pt_mounts *m, uint32_t id);

/*
 * The device, as kernel events name it, of a file that statx(2) told of. To tell it of btrfs, @st
 * has to have STATX_MNT_ID.
 */
uint32_t pt_mounts_dev(const struct pt_mounts *m, const struct statx *st);

/* What /sys says of a block device; numbers are UINT64_MAX or UINT32_MAX where not told. */
struct pt_blockdev {
	char name[64], scheduler[32]; /* "" where not told */
	uint64_t size_bytes;
	uint32_t read_ahead_kb, rotational;
};

/* 0, or -ENOENT where there is no such device. A partition's queue is its disk's. */
int pt_blockdev_read(const char *root, uint32_t dev, struct pt_blockdev *ret_d);

#endif
