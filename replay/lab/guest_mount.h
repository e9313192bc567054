/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a guest mounts: the kernel's own file systems, the disk on PT_GUEST_MOUNT, and swap.
 */
#ifndef PT_REPLAY_LAB_GUEST_MOUNT_H
#define PT_REPLAY_LAB_GUEST_MOUNT_H

#include <stddef.h>
#include <stdint.h>

#include "util/diag.h"

/*
 * proc, sys, dev, cgroup2 with every controller handed down, tracefs, debugfs, tmpfs on /tmp and
 * /run. Returns 0, or -errno for one that nothing can do without.
 */
int pt_guest_mount_system(struct pt_diag *diag);

/*
 * Mount the disk as pagetape.fs and pagetape.ramdisk of @cmdline say (guest.h). @disk of @size
 * bytes becomes the device's name in /sys/block, "" where none is wanted. Returns 0; -ETIMEDOUT (no
 * such disk until @deadline_ns: the message says which driver to look at) or -errno.
 */
int pt_guest_mount_disk(const char *cmdline, uint64_t deadline_ns, char *disk, size_t size,
			struct pt_diag *diag);

/* The same for pagetape.swap. */
int pt_guest_mount_swap(const char *cmdline, uint64_t deadline_ns, struct pt_diag *diag);

/* Write everything back and let go of the disk, as far as that goes. */
void pt_guest_mount_end(void);

/* The most that may be put into the file system of the folder of @path: a file system in memory
 * gives half of the machine's at most, so that a guest is not killed by what it is sent. */
uint64_t pt_guest_mount_room(const char *path);

#endif
