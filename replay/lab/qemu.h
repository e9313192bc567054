/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU as a child: which it is, what it is told, and its start.
 *
 * No network, no display, no default devices, no configuration of the user's. What a guest can
 * reach is its console (a file), the channel (a socket) and its disks (files).
 */
#ifndef PT_REPLAY_LAB_QEMU_H
#define PT_REPLAY_LAB_QEMU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "replay/lab/accel.h"
#include "util/diag.h"

#define PT_QEMU_PROGRAM "qemu-system-x86_64"
#define PT_QEMU_DISKS   2

struct pt_qemu_disk {
	const char *path;   /* raw; NULL: none */
	const char *serial; /* by which the guest finds it */
};

struct pt_qemu {
	enum pt_accel accel;
	bool deterministic;
	const char *kernel, *initramfs; /* files; NULL: no initramfs */
	const char *append;             /* the kernel's command line */
	uint64_t ram_bytes;             /* 0: 256 MiB */
	unsigned int cpus, nodes;       /* 0: 1 */
	struct pt_qemu_disk disk[PT_QEMU_DISKS];
	int console_fd; /* what the serial port says; the caller keeps it */
	int error_fd;   /* what QEMU itself complains of */
	int channel_fd; /* its end of the channel's socket; -1: no channel */
};

/* Start it. Returns 0 and *ret_pid (child.h), -ENOENT with @diag naming the package, or -errno. */
int pt_qemu_start(const struct pt_qemu *q, pid_t *ret_pid, struct pt_diag *diag);

/* "7.2.22 (...)": its version, to be freed. 0, -ENOENT as above, or -errno. */
int pt_qemu_version(char **ret_version, struct pt_diag *diag);

#endif
