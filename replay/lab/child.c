// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs of the host: see child.h. */
#include "replay/lab/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/progress.h"

#define OUT_MAX  (16u << 20)
#define ERR_KEEP 4096
#define SLICE_MS 100 /* how late a stop flag may be seen */

/* ---- Finding */

static int is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static int find_in(const char *dirs, const char *name, char **ret_path)
{
	for (const char *p = dirs, *end; *p; p = *end ? end + 1 : end) {
		char *path;

		end = strchrnul(p, ':');
		if (asprintf(&path, "%.*s/%s", end > p ? (int)(end - p) : 1, end > p ? p : ".",
			     name) < 0)
			return -ENOMEM;
		if (is_program(path)) {
			*ret_path = path;
			return 0;
		}
		free(path);
	}
	return -ENOENT;
}

int pt_child_find(const char *name, char **ret_path)
{
	const char *path = getenv("PATH");
	int r;

	if (strchr(name, '/')) {
		if (!is_program(name))
			return -ENOENT;
		*ret_path = strdup(name);
		return *ret_path ? 0 : -ENOMEM;
	}
	r = find_in(path ? path : "", name, ret_path);
	return r == -ENOENT ? find_in("/usr/sbin:/sbin", name, ret_path) : r;
}

/* ---- Starting */

extern char **environ;

/* Ours, but messages in English, so that they can be read by us too. To be freed; NULL: no memory.
 */
static char **plain_environment(void)
{
	static char c_locale[] = "LC_ALL=C";
	size_t n = 0, used = 0;
	char **env;

	while (environ && environ[n])
		n++;
	env = calloc(n + 2, sizeof(*env));
	if (!env)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "LC_ALL=", 7) != 0)
			env[used++] = environ[i];
	env[used] = c_locale;
	return env;
}

struct launch {
	const struct pt_child_start *c;
	const char *path;
	char **env;
	int null_fd, fate_fd;
	pid_t parent;
};

/* A descriptor may be one of 0 to 2 already: dup2() onto itself would leave it close-on-exec. */
static int set_std(int fd, int null_fd, int as)
{
	int from = fd >= 0 ? fd : null_fd;

	if (from == as)
		return fcntl(as, F_SETFD, 0);
	return dup2(from, as);
}

/* In the child of what may be a program with threads: nothing but system calls. */
static void __attribute__((noreturn)) become(const struct launch *l)
{
	const struct pt_child_start *c = l->c;
	sigset_t none;
	int err;

	(void)setpgid(0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != l->parent) /* it died before that */
		_exit(127);
	sigemptyset(&none);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (set_std(c->in_fd, l->null_fd, 0) >= 0 && set_std(c->out_fd, l->null_fd, 1) >= 0 &&
	    set_std(c->err_fd, l->null_fd, 2) >= 0 &&
	    (c->keep_fd < 0 || fcntl(c->keep_fd, F_SETFD, 0) >= 0) &&
	    (!c->dir || chdir(c->dir) == 0))
		(void)execve(l->path, (char *const *)c->argv, l->env);
	err = errno;
	(void)!write(l->fate_fd, &err, sizeof(err));
	_exit(127);
}

static int start_found(const struct pt_child_start *c, const char *path, pid_t *ret_pid)
{
	auto_free char **env = plain_environment();
	auto_close int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	auto_close int fate = -1, fate_in = -1;
	int fds[2], err = 0;
	ssize_t n;
	pid_t pid;

	if (!env)
		return -ENOMEM;
	if (null_fd < 0 || pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	fate = fds[0];
	fate_in = fds[1];
	struct launch l = { c, path, env, null_fd, fate_in, getpid() };

	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		become(&l);
	(void)setpgid(pid, pid); /* whoever comes first: kill() of the group must find it */
	close(steal_fd(&fate_in));
	do
		n = read(fate, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(err)) {
		(void)waitpid(pid, NULL, 0);
		return -err;
	}
	*ret_pid = pid;
	return 0;
}

int pt_child_start(const struct pt_child_start *c, pid_t *ret_pid, struct pt_diag *diag)
{
	auto_free char *path = NULL;
	int r = pt_child_find(c->argv[0], &path);

	if (r == -ENOENT)
		return pt_diag_set(diag, r, PT_NO_OFFSET, "%s is not installed", c->argv[0]);
	if (r == 0)
		r = start_found(c, path, ret_pid);
	return r < 0 ? pt_diag_errno(diag, r, "cannot run %s", c->argv[0]) : 0;
}

/* ---- Ending */

int pt_child_ended(pid_t pid, int *ret_status)
{
	return waitpid(pid, ret_status, WNOHANG) == pid;
}

int pt_child_wait(pid_t pid, uint64_t deadline_ns, const volatile sig_atomic_t *stop,
		  int *ret_status)
{
	unsigned int ms = 1;

	while (!pt_child_ended(pid, ret_status)) {
		if (stop && *stop)
			return -EINTR;
		if (pt_now_ns() >= deadline_ns)
			return -ETIMEDOUT;
		(void)poll(NULL, 0, (int)ms);
		ms = ms * 2 < SLICE_MS ? ms * 2 : SLICE_MS;
	}
	return 0;
}

void pt_child_kill(pid_t pid)
{
	if (pid <= 0)
		return;
	(void)kill(-pid, SIGKILL);
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ---- Running to the end */

/* What a running command says; its last words are kept of stderr. */
struct talk {
	int out, err;
	struct pt_buf text;
	char tail[ERR_KEEP + 1];
	size_t tail_len;
};

static void keep_tail(struct talk *t, const char *p, size_t n)
{
	size_t drop;

	if (n > ERR_KEEP) {
		p += n - ERR_KEEP;
		n = ERR_KEEP;
	}
	drop = t->tail_len + n > ERR_KEEP ? t->tail_len + n - ERR_KEEP : 0;
	memmove(t->tail, t->tail + drop, t->tail_len - drop);
	t->tail_len -= drop;
	memcpy(t->tail + t->tail_len, p, n);
	t->tail_len += n;
	t->tail[t->tail_len] = '\0';
}

/* One read of what is there; the descriptor is closed at its end. */
static int hear(struct talk *t, int *fd)
{
	char chunk[16384];
	ssize_t n = read(*fd, chunk, sizeof(chunk));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (n == 0) {
		close(steal_fd(fd));
		return 0;
	}
	if (fd == &t->err) {
		keep_tail(t, chunk, (size_t)n);
		return 0;
	}
	if (t->text.len + (size_t)n > OUT_MAX)
		return -E2BIG;
	return pt_buf_put(&t->text, chunk, (size_t)n);
}

static int listen_until_end(struct talk *t, uint64_t deadline_ns, const volatile sig_atomic_t *stop)
{
	int r = 0;

	while (r == 0 && (t->out >= 0 || t->err >= 0)) {
		struct pollfd p[2] = { { t->out, POLLIN, 0 }, { t->err, POLLIN, 0 } };

		if (stop && *stop)
			return -EINTR;
		if (pt_now_ns() >= deadline_ns)
			return -ETIMEDOUT;
		if (poll(p, 2, SLICE_MS) <= 0)
			continue;
		if (p[0].revents)
			r = hear(t, &t->out);
		if (r == 0 && p[1].revents)
			r = hear(t, &t->err);
	}
	return r;
}

/* The last line that is not blank. */
static const char *last_line(char *text)
{
	size_t len = strlen(text);
	char *nl;

	while (len && strchr(" \t\r\n", text[len - 1]))
		text[--len] = '\0';
	nl = strrchr(text, '\n');
	return nl ? nl + 1 : text;
}

static int judge(const char *name, int status, struct talk *t, struct pt_diag *diag)
{
	const char *words = last_line(t->tail);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (*words)
		return pt_diag_set(diag, -EIO, PT_NO_OFFSET, "%s: %s", name, words);
	if (WIFSIGNALED(status))
		return pt_diag_set(diag, -EIO, PT_NO_OFFSET, "%s: killed by signal %d", name,
				   WTERMSIG(status));
	return pt_diag_set(diag, -EIO, PT_NO_OFFSET, "%s: it failed with status %d", name,
			   WEXITSTATUS(status));
}

static int talk_open(struct talk *t, int *ret_out, int *ret_err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	t->out = fds[0];
	*ret_out = fds[1];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	t->err = fds[0];
	*ret_err = fds[1];
	return 0;
}

static int run_talking(const struct pt_child_command *c, struct talk *t, struct pt_diag *diag)
{
	auto_close int out = -1, err = -1;
	struct pt_child_start start = { c->argv, c->dir, -1, c->log_fd, c->log_fd, -1 };
	uint64_t deadline_ns = pt_now_ns() + c->limit_s * UINT64_C(1000000000);
	int r = 0, status;
	pid_t pid = 0;

	if (c->log_fd < 0) {
		r = talk_open(t, &out, &err);
		start.out_fd = out;
		start.err_fd = err;
	}
	if (r == 0)
		r = pt_child_start(&start, &pid, diag);
	if (r < 0)
		return r;
	if (c->log_fd < 0) {
		close(steal_fd(&out));
		close(steal_fd(&err));
		r = listen_until_end(t, deadline_ns, c->stop);
	}
	if (r == 0)
		r = pt_child_wait(pid, deadline_ns, c->stop, &status);
	if (r == 0)
		return judge(c->argv[0], status, t, diag);
	pt_child_kill(pid);
	if (r == -ETIMEDOUT)
		pt_diag_set(diag, r, PT_NO_OFFSET, "%s: not done after %u s", c->argv[0],
			    c->limit_s);
	return r;
}

int pt_child_run(const struct pt_child_command *c, char **ret_out, struct pt_diag *diag)
{
	struct talk t = { .out = -1, .err = -1 };
	int r = run_talking(c, &t, diag);

	if (t.out >= 0)
		close(t.out);
	if (t.err >= 0)
		close(t.err);
	if (r == 0 && ret_out) {
		r = pt_buf_put(&t.text, "", 1);
		if (r == 0)
			*ret_out = (char *)steal_ptr(t.text.data);
	}
	pt_buf_done(&t.text);
	return r;
}
