// SPDX-License-Identifier: GPL-2.0-or-later
/* A command under way: see command.h. */
#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_MS 2000
#define NOT_RUN  127

/* The child: wait at the gate, become the command, or tell why not. */
static void be_command(int gate, int fate, char **argv, const sigset_t *mask)
{
	char byte;
	int err;

	if (read(gate, &byte, 1) != 1)
		_exit(NOT_RUN);
	sigprocmask(SIG_SETMASK, mask, NULL);
	signal(SIGPIPE, SIG_DFL); /* as the caller of pagetape had it */
	execvp(argv[0], argv);
	err = errno;
	if (write(fate, &err, sizeof(err)) < 0)
		(void)err;
	_exit(NOT_RUN);
}

int pt_command_prepare(struct pt_command *c, char **argv, const sigset_t *mask)
{
	int gate[2], fate[2], err;
	pid_t pid;

	if (pipe2(gate, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(fate, O_CLOEXEC) < 0) {
		err = errno;
		close(gate[0]);
		close(gate[1]);
		return -err;
	}
	pid = fork();
	err = errno;
	if (pid == 0) {
		close(gate[1]);
		be_command(gate[0], fate[1], argv, mask);
	}
	close(gate[0]);
	close(fate[1]);
	*c = (struct pt_command){ .pid = pid < 0 ? 0 : pid, .gate = gate[1], .fate = fate[0] };
	return pid < 0 ? -err : 0;
}

int pt_command_go(struct pt_command *c)
{
	int err = 0;
	ssize_t n;

	if (write(c->gate, "", 1) != 1)
		return -errno;
	do {
		n = read(c->fate, &err, sizeof(err)); /* closed by a successful exec */
	} while (n < 0 && errno == EINTR);
	return n == sizeof(err) ? -err : 0;
}

int pt_command_ended(struct pt_command *c)
{
	if (!c->ended && waitpid(c->pid, &c->wait_status, WNOHANG) == c->pid)
		c->ended = 1;
	return c->ended;
}

void pt_command_signal(const struct pt_command *c, int sig)
{
	/* A terminal sends its own to the whole foreground group. */
	if (sig != SIGTERM && isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp())
		return;
	kill(c->pid, sig);
}

void pt_command_stop(struct pt_command *c)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	if (c->gate >= 0)
		close(c->gate);
	if (c->fate >= 0)
		close(c->fate);
	c->gate = c->fate = -1;
	if (!c->pid)
		return;
	for (int i = 0; !pt_command_ended(c); i++) {
		if (i == 0)
			kill(c->pid, SIGTERM);
		if (i == GRACE_MS)
			kill(c->pid, SIGKILL);
		nanosleep(&ms, NULL);
	}
}

int pt_command_status(const struct pt_command *c)
{
	return WIFSIGNALED(c->wait_status) ? 128 + WTERMSIG(c->wait_status)
					   : WEXITSTATUS(c->wait_status);
}
