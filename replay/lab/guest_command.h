/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One command of a guest, run for the host: its output goes out as it comes, input, signals and the
 * terminal's size come in meanwhile.
 */
#ifndef PT_REPLAY_LAB_GUEST_COMMAND_H
#define PT_REPLAY_LAB_GUEST_COMMAND_H

#include "replay/lab/channel.h"

/*
 * Obey the RUN frame @f: OUT and ERR as they come, then EXIT; or FAIL where the command is
 * malformed or could not be started. It is the leader of a session of its own. Output of processes
 * that it leaves behind is taken until it ends, and no longer.
 *
 * @sigchld is a signalfd for SIGCHLD, which the caller has blocked; all children are reaped,
 * orphans too. Returns 0; or, where the channel is of no further use, what it says (-EPIPE: the
 * host closed).
 */
int pt_guest_command_run(struct pt_channel *c, const struct pt_frame *f, int sigchld);

/* Reap what has ended. Returns 1 and *ret_status where @pid (0: none) was among them. */
int pt_guest_command_reap(int sigchld, int pid, int *ret_status);

#endif
