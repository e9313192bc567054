// SPDX-License-Identifier: GPL-2.0-or-later
/* Starting a command and carrying its bytes: see guest_command.h. */
#include "replay/lab/guest_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "replay/lab/request.h"
#include "util/cleanup.h"

#define PART      (64u << 10)
#define INPUT_MAX (4u << 20) /* bytes that wait for the command: then no more is received */
#define END_KEY   "\004"     /* what a terminal takes for the end of input */

/* A command that runs. */
struct command {
	struct pt_channel *c;
	pid_t pid;
	int in, out, err;    /* our ends; -1: closed or none. A terminal is in and out at once. */
	int terminal;        /* in and out are the same descriptor */
	struct pt_buf input; /* not yet written to in */
	int input_ended;
	int status, ended;
};

/* The ends that the command gets. */
struct ends {
	int in, out, err;
};

static void close_ends(struct ends *e)
{
	pt_close_p(&e->in);
	if (e->out != e->in)
		pt_close_p(&e->out);
	if (e->err != e->out)
		pt_close_p(&e->err);
}

static int set_nonblocking(int fd)
{
	return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0 ? -errno : 0;
}

static int open_terminal(struct command *cmd, struct ends *e)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	char name[64];

	if (master < 0)
		return -errno;
	cmd->terminal = 1;
	cmd->in = cmd->out = master;
	if (grantpt(master) < 0 || unlockpt(master) < 0 ||
	    ptsname_r(master, name, sizeof(name)) != 0)
		return -errno;
	e->in = e->out = e->err = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	return e->in < 0 ? -errno : 0;
}

static int open_pipe(int *ret_read, int *ret_write)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	*ret_read = fds[0];
	*ret_write = fds[1];
	return 0;
}

static int open_pipes(struct command *cmd, uint32_t flags, struct ends *e)
{
	int err = open_pipe(&cmd->out, &e->out);

	if (!err)
		err = open_pipe(&cmd->err, &e->err);
	if (!err && flags & PT_RUN_INPUT)
		err = open_pipe(&e->in, &cmd->in);
	if (!err && !(flags & PT_RUN_INPUT)) {
		e->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
		err = e->in < 0 ? -errno : 0;
	}
	if (!err)
		err = set_nonblocking(cmd->out);
	if (!err)
		err = set_nonblocking(cmd->err);
	if (!err && cmd->in >= 0)
		err = set_nonblocking(cmd->in);
	return err;
}

/* In the child: what is left between fork and exec. Writes errno to @report where that fails. */
static void become(const struct pt_run_request *r, const struct ends *e, int report)
{
	sigset_t none;
	int err;

	setsid();
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(e->in, 0) < 0 || dup2(e->out, 1) < 0 || dup2(e->err, 2) < 0)
		goto out;
	if (r->flags & PT_RUN_TTY && ioctl(0, TIOCSCTTY, 0) < 0)
		goto out;
	if (chdir(r->cwd[0] ? r->cwd : "/") < 0)
		goto out;
	for (size_t i = 0; r->env[i]; i++)
		if (putenv((char *)r->env[i]) != 0)
			goto out;
	execvp(r->argv[0], (char *const *)r->argv);
out:
	err = errno;
	(void)!write(report, &err, sizeof(err));
	_exit(127);
}

/* Fork, and learn whether exec worked: the report's end closes with it. */
static int start(struct command *cmd, const struct pt_run_request *r, const struct ends *e,
		 struct pt_diag *diag)
{
	auto_close int told = -1, report = -1;
	int err = open_pipe(&told, &report), why = 0;
	ssize_t n;

	if (err)
		return pt_diag_errno(diag, err, "cannot run %s", r->argv[0]);
	cmd->pid = fork();
	if (cmd->pid < 0)
		return pt_diag_errno(diag, -errno, "cannot run %s", r->argv[0]);
	if (cmd->pid == 0)
		become(r, e, report);
	close(steal_fd(&report));
	do
		n = read(told, &why, sizeof(why));
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return 0;
	(void)waitpid(cmd->pid, NULL, 0);
	return pt_diag_errno(diag, why ? -why : -EIO, "cannot run %s", r->argv[0]);
}

static void close_input(struct command *cmd)
{
	if (!cmd->terminal && cmd->in >= 0)
		close(steal_fd(&cmd->in));
	cmd->input.len = 0;
}

/* Keys, or bytes for stdin; none of them ends it. What nobody reads any more is dropped. */
static int take_input(struct command *cmd, const struct pt_frame *f)
{
	if (cmd->in < 0 || cmd->input_ended)
		return 0;
	if (f->len)
		return pt_buf_put(&cmd->input, f->data, f->len);
	cmd->input_ended = 1;
	if (cmd->terminal)
		return pt_buf_put(&cmd->input, END_KEY, 1);
	if (!cmd->input.len)
		close_input(cmd);
	return 0;
}

static void set_window(const struct command *cmd, const struct pt_frame *f)
{
	struct winsize w = { 0 };

	if (!cmd->terminal || f->len != 8)
		return;
	w.ws_row = (unsigned short)le32_get(f->data);
	w.ws_col = (unsigned short)le32_get(f->data + 4);
	(void)ioctl(cmd->in, TIOCSWINSZ, &w);
}

/* Whether the host's frame is one that may come now: 0, or -errno that ends the channel. */
static int obey(struct command *cmd, const struct pt_frame *f)
{
	switch (f->type) {
	case PT_FRAME_IN:
		return take_input(cmd, f);
	case PT_FRAME_WINDOW:
		set_window(cmd, f);
		return 0;
	case PT_FRAME_SIGNAL:
		if (f->len != 4)
			return -EBADMSG;
		if (!cmd->ended)
			(void)kill(-cmd->pid, (int)le32_get(f->data));
		return 0;
	default:
		return -EBADMSG;
	}
}

/* Send one part of what the command wrote; at its end the descriptor is closed. */
static int carry_output(struct command *cmd, int *fd, enum pt_frame_type type, int *ret_any)
{
	uint8_t part[PART];
	ssize_t n = read(*fd, part, sizeof(part));

	*ret_any = n > 0;
	if (n > 0)
		return pt_channel_send(cmd->c, type, part, (size_t)n, PT_NO_DEADLINE, NULL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	/* The end; a terminal that nobody has open any more says EIO. */
	if (fd == &cmd->out && cmd->terminal)
		cmd->in = -1;
	close(steal_fd(fd));
	return 0;
}

static void carry_input(struct command *cmd)
{
	ssize_t n = write(cmd->in, cmd->input.data, cmd->input.len);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		close_input(cmd);
	if (n <= 0)
		return;
	memmove(cmd->input.data, cmd->input.data + n, cmd->input.len - (size_t)n);
	cmd->input.len -= (size_t)n;
	if (!cmd->input.len && cmd->input_ended)
		close_input(cmd);
}

int pt_guest_command_reap(int sigchld, int pid, int *ret_status)
{
	struct signalfd_siginfo si;
	int status, found = 0;
	pid_t one;

	while (read(sigchld, &si, sizeof(si)) > 0)
		;
	while ((one = waitpid(-1, &status, WNOHANG)) > 0)
		if (one == pid) {
			*ret_status = status;
			found = 1;
		}
	return found;
}

/* One frame of the host's, where one is whole. */
static int carry_frame(struct command *cmd)
{
	struct pt_frame f;
	int err = pt_channel_receive(cmd->c, 0, &f, NULL);

	if (err == -ETIMEDOUT)
		return 0;
	if (err == 0)
		return -EPIPE;
	return err < 0 ? err : obey(cmd, &f);
}

enum { CHANNEL, CHILD, OUT, ERR, IN, FDS };

static int wait_for_any(struct command *cmd, int sigchld, struct pollfd *p)
{
	int room = cmd->input.len < INPUT_MAX, pending = room && pt_channel_pending(cmd->c);

	p[CHANNEL] = (struct pollfd){ room ? pt_channel_fd(cmd->c) : -1, POLLIN, 0 };
	p[CHILD] = (struct pollfd){ sigchld, POLLIN, 0 };
	p[OUT] = (struct pollfd){ cmd->out, POLLIN, 0 };
	p[ERR] = (struct pollfd){ cmd->err, POLLIN, 0 };
	p[IN] = (struct pollfd){ cmd->input.len ? cmd->in : -1, POLLOUT, 0 };
	if (poll(p, FDS, pending ? 0 : -1) < 0 && errno != EINTR)
		return -errno;
	if (pending)
		p[CHANNEL].revents = POLLIN;
	return 0;
}

/* Until it has ended and the host has all that it wrote. */
static int carry(struct command *cmd, int sigchld)
{
	struct pollfd p[FDS];
	int err = 0, any;

	while (!err && !cmd->ended) {
		err = wait_for_any(cmd, sigchld, p);
		if (!err && p[CHILD].revents)
			cmd->ended = pt_guest_command_reap(sigchld, cmd->pid, &cmd->status);
		if (!err && p[CHANNEL].revents)
			err = carry_frame(cmd);
		if (!err && p[IN].revents && cmd->in >= 0)
			carry_input(cmd);
		if (!err && p[OUT].revents)
			err = carry_output(cmd, &cmd->out, PT_FRAME_OUT, &any);
		if (!err && p[ERR].revents)
			err = carry_output(cmd, &cmd->err, PT_FRAME_ERR, &any);
	}
	for (any = 1; !err && any && cmd->out >= 0;)
		err = carry_output(cmd, &cmd->out, PT_FRAME_OUT, &any);
	for (any = 1; !err && any && cmd->err >= 0;)
		err = carry_output(cmd, &cmd->err, PT_FRAME_ERR, &any);
	return err;
}

static int send_exit(struct command *cmd)
{
	uint8_t status[4];

	le32_put(status, (uint32_t)cmd->status);
	return pt_channel_send(cmd->c, PT_FRAME_EXIT, status, sizeof(status), PT_NO_DEADLINE, NULL);
}

static int start_with_ends(struct command *cmd, const struct pt_run_request *r,
			   struct pt_diag *diag)
{
	struct ends e = { -1, -1, -1 };
	int err = r->flags & PT_RUN_TTY ? open_terminal(cmd, &e) : open_pipes(cmd, r->flags, &e);

	if (err)
		pt_diag_errno(diag, err, "cannot run %s", r->argv[0]);
	else
		err = start(cmd, r, &e, diag);
	close_ends(&e);
	return err;
}

int pt_guest_command_run(struct pt_channel *c, const struct pt_frame *f, int sigchld)
{
	struct command cmd = { .c = c, .in = -1, .out = -1, .err = -1 };
	struct pt_diag diag = PT_DIAG_INIT;
	auto_free char **words = NULL;
	struct pt_run_request r;
	int err = pt_run_request_parse(f, &r, &words, &diag);

	if (!err)
		err = start_with_ends(&cmd, &r, &diag);
	if (err) {
		err = pt_channel_send_fail(c, err, &diag, PT_NO_DEADLINE);
	} else {
		err = carry(&cmd, sigchld);
		if (err)
			(void)kill(-cmd.pid, SIGKILL);
		else
			err = send_exit(&cmd);
	}
	if (!cmd.terminal)
		pt_close_p(&cmd.in);
	pt_close_p(&cmd.out);
	pt_close_p(&cmd.err);
	pt_buf_done(&cmd.input);
	return err;
}
