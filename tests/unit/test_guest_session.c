// SPDX-License-Identifier: GPL-2.0-or-later
/* replay/lab/guest_session, guest_command: a session in a process of its own, this one its host. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "replay/lab/guest_session.h"
#include "replay/lab/request.h"
#include "replay/lab/transfer.h"
#include "tests/unit/tree.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/outfile.h"
#include "util/textfile.h"

static const uint64_t for_ever = UINT64_C(3600) * 1000000000;

struct host {
	struct pt_channel *c;
	pid_t guest;
	char *root;
	struct pt_buf out, err;
	int status;
};

/* As process 1 would: SIGCHLD blocked, orphans ours. */
static void be_guest(int fd, const char *root)
{
	struct pt_knob_place place = { .root = root, .disk = NULL };
	struct pt_channel *c;
	sigset_t set;
	int sigchld;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigchld = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (sigchld < 0 || pt_channel_new(fd, NULL, &c) < 0)
		_exit(99);
	_exit(pt_guest_session(c, &place, sigchld, NULL) < 0);
}

static struct pt_frame receive(struct host *h)
{
	struct pt_frame f;

	assert_int_equal(pt_channel_receive(h->c, PT_NO_DEADLINE, &f, NULL), 1);
	return f;
}

static int setup(void **state)
{
	struct host *h = calloc(1, sizeof(*h));
	int fds[2];

	h->root = tree_new();
	tree_put(h->root, "proc/sys/vm/swappiness", "60\n");
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	fflush(NULL);
	h->guest = fork();
	if (h->guest == 0) {
		close(fds[0]);
		be_guest(fds[1], h->root);
	}
	close(fds[1]);
	assert_int_equal(pt_channel_new(fds[0], NULL, &h->c), 0);
	assert_int_equal(receive(h).type, PT_FRAME_HELLO);
	*state = h;
	return 0;
}

/* Close, and see that the guest ends by itself. */
static int teardown(void **state)
{
	struct host *h = *state;
	int status;

	pt_channel_free(h->c);
	waitpid(h->guest, &status, 0);
	tree_remove(h->root);
	pt_buf_done(&h->out);
	pt_buf_done(&h->err);
	free(h);
	return status;
}

static void ask(struct host *h, enum pt_frame_type type, const void *data, size_t len)
{
	assert_int_equal(pt_channel_send(h->c, type, data, len, PT_NO_DEADLINE, NULL), 0);
}

static void ask_run(struct host *h, const struct pt_run_request *r)
{
	auto_buf struct pt_buf b = { 0 };

	assert_int_equal(pt_run_request_format(r, &b), 0);
	ask(h, PT_FRAME_RUN, b.data, b.len);
	h->out.len = h->err.len = 0;
}

/* Take output until @text shows in it. */
static void carry(struct host *h, const char *text)
{
	while (!h->out.len || !memmem(h->out.data, h->out.len, text, strlen(text))) {
		struct pt_frame f = receive(h);

		assert_int_equal(f.type, PT_FRAME_OUT);
		assert_int_equal(pt_buf_put(&h->out, f.data, f.len), 0);
	}
}

/* Ask for @script, by sh. */
static void run_flags(struct host *h, const char *script, uint32_t flags)
{
	const char *argv[] = { "sh", "-c", script, NULL };
	const char *env[] = { "COLOUR=green", NULL };

	ask_run(h, &(struct pt_run_request){ .flags = flags, .argv = argv, .env = env });
}

/* All that it writes, each with a NUL behind it, and its status. */
static void take_exit(struct host *h)
{
	for (;;) {
		struct pt_frame f = receive(h);

		if (f.type == PT_FRAME_EXIT) {
			assert_int_equal(f.len, 4);
			h->status = (int)le32_get(f.data);
			assert_int_equal(pt_buf_put(&h->out, "", 1), 0);
			assert_int_equal(pt_buf_put(&h->err, "", 1), 0);
			return;
		}
		assert_true(f.type == PT_FRAME_OUT || f.type == PT_FRAME_ERR);
		assert_int_equal(
			pt_buf_put(f.type == PT_FRAME_OUT ? &h->out : &h->err, f.data, f.len), 0);
	}
}

static void run(struct host *h, const char *script)
{
	run_flags(h, script, 0);
	take_exit(h);
}

static void check_out(const struct host *h, const char *out)
{
	assert_string_equal((const char *)h->out.data, out);
}

static void check_fail(struct host *h, int err, const char *text)
{
	struct pt_frame f = receive(h);
	struct pt_diag d = PT_DIAG_INIT;

	assert_int_equal(f.type, PT_FRAME_FAIL);
	assert_int_equal(pt_frame_failure(&f, &d), err);
	assert_string_equal(d.text, text);
}

static void commands(void **state)
{
	struct host *h = *state;

	run(h, "echo out; echo err >&2; exit 3");
	check_out(h, "out\n");
	assert_string_equal((const char *)h->err.data, "err\n");
	assert_int_equal(WEXITSTATUS(h->status), 3);
	run(h, "pwd; echo $COLOUR; cat; kill -TERM $$");
	check_out(h, "/\ngreen\n");
	assert_int_equal(WTERMSIG(h->status), SIGTERM);
}

static void commands_that_cannot_be(void **state)
{
	struct host *h = *state;
	const char *argv[] = { "/nonexistent/program", NULL };
	struct pt_run_request r = { .argv = argv };

	ask_run(h, &r);
	check_fail(h, -ENOENT, "cannot run /nonexistent/program: No such file or directory");
	argv[0] = "true";
	r.cwd = "/nonexistent";
	ask_run(h, &r);
	check_fail(h, -ENOENT, "cannot run true: No such file or directory");
	ask(h, PT_FRAME_RUN, "nonsense", 8);
	check_fail(h, -EBADMSG, "malformed command");
	run(h, "echo still there");
	check_out(h, "still there\n");
}

static void large_output(void **state)
{
	struct host *h = *state;

	run(h, "head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2");
	assert_int_equal(h->out.len, 3000001);
	assert_int_equal(h->err.len, 2000001);
	assert_int_equal(h->status, 0);
}

static void input_through_a_pipe(void **state)
{
	struct host *h = *state;
	auto_free char *big = malloc(PT_FRAME_MAX);

	memset(big, 'x', PT_FRAME_MAX);
	run_flags(h, "wc -c", PT_RUN_INPUT);
	for (int i = 0; i < 6; i++)
		ask(h, PT_FRAME_IN, big, PT_FRAME_MAX);
	ask(h, PT_FRAME_IN, NULL, 0);
	take_exit(h);
	check_out(h, "6291456\n");
	/* One that does not want it, and ends before all has come. */
	run_flags(h, "exec <&-; echo closed; exit 1", PT_RUN_INPUT);
	for (int i = 0; i < 6; i++)
		ask(h, PT_FRAME_IN, big, PT_FRAME_MAX);
	take_exit(h);
	check_out(h, "closed\n");
	assert_int_equal(WEXITSTATUS(h->status), 1);
	run(h, "echo next");
	check_out(h, "next\n");
}

static void needs_terminals(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		skip();
	close(fd);
}

static void a_terminal(void **state)
{
	struct host *h = *state;
	uint8_t window[8];

	needs_terminals();
	run_flags(h,
		  "test -t 0 && test -t 2 && stty -echo && echo ready && read x && stty size; "
		  "echo $x; cat; echo end",
		  PT_RUN_TTY);
	carry(h, "ready");
	le32_put(window, 33);
	le32_put(window + 4, 99);
	ask(h, PT_FRAME_WINDOW, window, 8);
	ask(h, PT_FRAME_IN, "hello\n", 6);
	ask(h, PT_FRAME_IN, NULL, 0);
	take_exit(h);
	check_out(h, "ready\r\n33 99\r\nhello\r\nend\r\n");
}

static void keys_are_signals(void **state)
{
	struct host *h = *state;

	needs_terminals();
	run_flags(h, "trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 1; done",
		  PT_RUN_TTY);
	carry(h, "ready");
	ask(h, PT_FRAME_IN, "\003", 1);
	take_exit(h);
	assert_int_equal(WEXITSTATUS(h->status), 5);
}

static void signals(void **state)
{
	struct host *h = *state;
	uint8_t number[4];

	run_flags(h, "echo ready; sleep 3600", 0);
	carry(h, "ready");
	le32_put(number, SIGKILL);
	ask(h, PT_FRAME_SIGNAL, number, 4);
	take_exit(h);
	assert_int_equal(WTERMSIG(h->status), SIGKILL);
	/* Nothing runs: they mean nobody. */
	ask(h, PT_FRAME_SIGNAL, number, 4);
	ask(h, PT_FRAME_IN, "x", 1);
	run(h, "echo next");
	check_out(h, "next\n");
}

static void what_is_left_behind_does_not_delay(void **state)
{
	struct host *h = *state;
	auto_free char *fifo = tree_path(h->root, "fifo");
	auto_free char *script = NULL;

	/* The child has stdout open until somebody opens the FIFO: nobody does before the end. */
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_true(asprintf(&script, "{ read x <%s; } & echo done", fifo) > 0);
	run(h, script);
	check_out(h, "done\n");
	free(script);
	assert_true(asprintf(&script, "echo go >%s", fifo) > 0);
	run(h, script);
	assert_int_equal(h->status, 0);
}

static void files_both_ways(void **state)
{
	struct host *h = *state;
	auto_free char *path = tree_path(h->root, "a/b/file"), *back = tree_path(h->root, "back");
	auto_fclose FILE *f = NULL;
	auto_buf struct pt_buf b = { 0 };
	struct stat st;
	uint64_t bytes;

	assert_int_equal(pt_put_request_format(0750, path, &b), 0);
	ask(h, PT_FRAME_PUT, b.data, b.len);
	ask(h, PT_FRAME_DATA, "some", 4);
	ask(h, PT_FRAME_DATA, "thing", 5);
	ask(h, PT_FRAME_END, NULL, 0);
	assert_int_equal(receive(h).type, PT_FRAME_DONE);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750);
	f = fopen(back, "w+");
	ask(h, PT_FRAME_GET, path, strlen(path));
	assert_int_equal(pt_transfer_receive(h->c, fileno(f), 9, for_ever, &bytes, NULL), 0);
	assert_int_equal(bytes, 9);
	ask(h, PT_FRAME_GET, path, strlen(path));
	assert_int_equal(pt_transfer_receive(h->c, fileno(f), 8, for_ever, &bytes, NULL), -E2BIG);
	run(h, "echo still there");
	check_out(h, "still there\n");
}

static void files_that_cannot_be(void **state)
{
	struct host *h = *state;
	auto_buf struct pt_buf b = { 0 };

	if (access("/proc/self", F_OK) < 0)
		skip();
	assert_int_equal(pt_put_request_format(0644, "/proc/none/x", &b), 0);
	ask(h, PT_FRAME_PUT, b.data, b.len);
	ask(h, PT_FRAME_DATA, "some", 4);
	ask(h, PT_FRAME_END, NULL, 0);
	check_fail(h, -ENOENT, "cannot be created: No such file or directory");
	b.len = 0;
	assert_int_equal(pt_put_request_format(0644, "/dev/full", &b), 0);
	ask(h, PT_FRAME_PUT, b.data, b.len);
	ask(h, PT_FRAME_DATA, "some", 4);
	ask(h, PT_FRAME_END, NULL, 0);
	assert_int_equal(receive(h).type, PT_FRAME_FAIL);
	ask(h, PT_FRAME_PUT, "x", 1);
	ask(h, PT_FRAME_END, NULL, 0);
	check_fail(h, -EBADMSG, "malformed PUT");
	ask(h, PT_FRAME_GET, "/", 1);
	check_fail(h, -EINVAL, "is no regular file");
	ask(h, PT_FRAME_GET, "relative", 8);
	check_fail(h, -EBADMSG, "no absolute path");
	ask(h, PT_FRAME_GET, "/nonexistent", 12);
	check_fail(h, -ENOENT, "cannot be opened: No such file or directory");
}

static void knobs(void **state)
{
	struct host *h = *state;
	auto_free char *text = NULL;
	struct pt_frame f;

	ask(h, PT_FRAME_KNOB, "vm.swappiness=90", 16);
	f = receive(h);
	assert_int_equal(f.type, PT_FRAME_DONE);
	assert_string_equal((const char *)f.data, "60");
	assert_int_equal(pt_text_read(h->root, "/proc/sys/vm/swappiness", &text), 0);
	assert_string_equal(text, "90\n");
	ask(h, PT_FRAME_KNOB, "vm.none=1", 9);
	check_fail(h, -ENOENT, "this kernel has no vm.none");
}

static void its_state(void **state)
{
	struct host *h = *state;
	struct pt_frame f;
	json_t *doc;

	ask(h, PT_FRAME_STAT, NULL, 0);
	f = receive(h);
	assert_int_equal(f.type, PT_FRAME_STATE);
	doc = json_loads((const char *)f.data, 0, NULL);
	assert_int_equal(json_integer_value(json_object_get(doc, "protocol")), PT_CHANNEL_PROTOCOL);
	assert_non_null(json_string_value(json_object_get(doc, "release")));
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(doc, "knobs"), "vm.swappiness")),
		60);
	assert_true(json_is_null(json_object_get(doc, "vmstat"))); /* the tree has none */
	json_decref(doc);
}

static void the_end(void **state)
{
	struct host *h = *state;
	struct pt_frame f;

	ask(h, PT_FRAME_OFF, NULL, 0);
	assert_int_equal(receive(h).type, PT_FRAME_DONE);
	assert_int_equal(pt_channel_receive(h->c, PT_NO_DEADLINE, &f, NULL), 0);
}

static void closed_while_a_command_runs(void **state)
{
	struct host *h = *state;
	int status, peer[2];

	run_flags(h, "echo ready; sleep 3600", 0);
	carry(h, "ready");
	pt_channel_free(h->c);
	waitpid(h->guest, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 1); /* it says so; process 1 powers off then */
	/* For the teardown: one that is there already. */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, peer), 0);
	assert_int_equal(pt_channel_new(peer[0], NULL, &h->c), 0);
	close(peer[1]);
	fflush(NULL);
	h->guest = fork();
	if (h->guest == 0)
		_exit(0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(commands),        T(commands_that_cannot_be),
		T(large_output),    T(input_through_a_pipe),
		T(a_terminal),      T(keys_are_signals),
		T(signals),         T(what_is_left_behind_does_not_delay),
		T(files_both_ways), T(files_that_cannot_be),
		T(knobs),           T(its_state),
		T(the_end),         T(closed_while_a_command_runs),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
