/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs of the host that the lab runs: QEMU, mkfs, make, the package manager.
 *
 * Each child has a process group of its own, and dies with the thread that started it. It has our
 * environment with LC_ALL=C. Programs are found by PATH, then in /usr/sbin and /sbin, where mkfs is
 * and users' paths are not.
 */
#ifndef PT_REPLAY_LAB_CHILD_H
#define PT_REPLAY_LAB_CHILD_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/diag.h"

/* Its path, to be freed. 0, -ENOENT or -ENOMEM. */
int pt_child_find(const char *name, char **ret_path);

struct pt_child_start {
	const char *const *argv;   /* NULL-ended */
	const char *dir;           /* to run in; NULL: ours */
	int in_fd, out_fd, err_fd; /* -1: /dev/null. The caller keeps them */
	int keep_fd;               /* a descriptor that it inherits under its number; -1: none */
};

/*
 * Start it. Returns 0 and *ret_pid, or -ENOENT (not installed), or the -errno with which it could
 * not be run; @diag is filled.
 */
int pt_child_start(const struct pt_child_start *c, pid_t *ret_pid, struct pt_diag *diag);

/* Whether it has ended: 1 and *ret_status (of waitpid; it is reaped), or 0. Does not wait. */
int pt_child_ended(pid_t pid, int *ret_status);

/*
 * Wait for its end until @deadline_ns (pt_now_ns()) or *@stop. Returns 0 and *ret_status, or
 * -ETIMEDOUT or -EINTR: it still runs.
 */
int pt_child_wait(pid_t pid, uint64_t deadline_ns, const volatile sig_atomic_t *stop,
		  int *ret_status);

/* Kill it with all its group, and reap it. */
void pt_child_kill(pid_t pid);

struct pt_child_command {
	const char *const *argv;
	const char *dir;                   /* as above */
	int log_fd;                        /* where all its output goes; -1: see below */
	unsigned int limit_s;              /* it is killed after that */
	const volatile sig_atomic_t *stop; /* NULL: none */
};

/*
 * Run it to its end. Without a log, stdout comes back in *ret_out (16 MiB at most; to be freed;
 * NULL: dropped). Returns 0; -EIO where it failed, @diag having the last line it wrote to stderr;
 * -ENOENT where it is not installed; -ETIMEDOUT, -EINTR, -E2BIG or -errno.
 */
int pt_child_run(const struct pt_child_command *c, char **ret_out, struct pt_diag *diag);

#endif
