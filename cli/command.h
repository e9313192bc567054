/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command that `record` runs: forked early, so that it can be put where it belongs, and let go
 * once everything is ready.
 */
#ifndef PT_CLI_COMMAND_H
#define PT_CLI_COMMAND_H

#include <signal.h>
#include <sys/types.h>

struct pt_command {
	pid_t pid; /* 0: none */
	int gate;  /* the child waits for a byte from here */
	int fate;  /* from here comes the errno of a failed exec, or nothing */
	int ended;
	int wait_status; /* of waitpid, where ended */
};

#define PT_COMMAND_INIT                \
	{                              \
		.gate = -1, .fate = -1 \
	}

/* Fork a child that will run @argv with signal mask @mask once told to. 0 or -errno. */
int pt_command_prepare(struct pt_command *c, char **argv, const sigset_t *mask);

/* Let it run. 0, or the -errno with which exec failed. */
int pt_command_go(struct pt_command *c);

/* Whether it has ended; does not wait. */
int pt_command_ended(struct pt_command *c);

/* Pass @sig on; SIGINT and SIGHUP of a terminal have reached it already. */
void pt_command_signal(const struct pt_command *c, int sig);

/* End it where it still runs (SIGTERM, and SIGKILL two seconds later), and release. Idempotent. */
void pt_command_stop(struct pt_command *c);

/* As a shell gives it: its exit status, or 128 + the signal that ended it. */
int pt_command_status(const struct pt_command *c);

#endif
