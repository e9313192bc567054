/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine's insides, for machine.c, machine_files.c, machine_talk.c and machine_wait.c alone.
 */
#ifndef PT_REPLAY_LAB_MACHINE_STATE_H
#define PT_REPLAY_LAB_MACHINE_STATE_H

#include <sys/types.h>

#include "replay/lab/channel.h"
#include "replay/lab/console.h"
#include "replay/lab/machine.h"
#include "replay/lab/qemu.h"

#define PT_SECOND_NS UINT64_C(1000000000)

struct pt_machine {
	struct pt_machine_options opt;
	pid_t pid; /* QEMU; 0: not running */
	struct pt_channel *channel;
	struct pt_console *console;
	int console_fd;                /* console.log, read as QEMU writes it */
	int error_fd;                  /* what QEMU complains of; a file without a name */
	char *initramfs, *disk, *swap; /* NULL: none, or removed already */
	json_t *hello;
	bool dead; /* it cannot be talked to any more */
};

/* ---- machine_files.c */

/* Check the options, make what they ask for in opt.dir. 0 or -errno with @diag. */
int pt_machine_files_make(struct pt_machine *m, struct pt_diag *diag);

/* Remove it; what is open stays usable, so this is done as soon as QEMU has opened it. */
void pt_machine_files_remove(struct pt_machine *m);

/* The kernel's command line, to be freed. 0, -E2BIG (longer than kernels take) or -ENOMEM. */
int pt_machine_command_line(const struct pt_machine_options *opt, char **ret_line,
			    struct pt_diag *diag);

/* ---- machine_wait.c */

/* What follows is as slow as the machine: @s seconds from now, more where its CPU is emulated. */
uint64_t pt_machine_deadline(const struct pt_machine *m, unsigned int s);

/* Take in what the console says, and judge it. 0, or a fatal failure of machine.h. */
int pt_machine_mind_console(struct pt_machine *m, struct pt_diag *diag);

/*
 * Wait for the next frame other than LOG, reading the console meanwhile. @wake_fd (-1: none) is
 * watched for input as well. Returns 1 and *ret_f; 0 where @wake_fd has input; -ETIMEDOUT (it may
 * go on); or the fatal failures of machine.h, with @diag.
 */
int pt_machine_wait(struct pt_machine *m, uint64_t deadline_ns, int wake_fd, struct pt_frame *ret_f,
		    struct pt_diag *diag);

/*
 * The verdict on a failure @err of the channel, with what the console says: dead from now on.
 * Returns a fatal failure of machine.h.
 */
int pt_machine_lost(struct pt_machine *m, int err, struct pt_diag *diag);

/* Wait for QEMU's end, then read all it said. 0, -ETIMEDOUT or -EINTR. */
int pt_machine_wait_end(struct pt_machine *m, uint64_t deadline_ns);

#endif
