// SPDX-License-Identifier: GPL-2.0-or-later
/* replay/lab/machine_talk: guests that do not come to an end, played by a thread. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "replay/lab/machine_state.h"
#include "tests/unit/tree.h"
#include "util/cleanup.h"
#include "util/progress.h"

struct guest {
	struct pt_machine m;
	struct pt_channel *theirs;
	enum pt_frame_type type; /* of what it says without end */
	pthread_t thread;
};

/* Whatever is asked, the same frame for ever. */
static void *chatter(void *arg)
{
	const struct guest *g = arg;
	struct pt_frame f;

	while (pt_channel_receive(g->theirs, PT_NO_DEADLINE, &f, NULL) > 0)
		while (pt_channel_send(g->theirs, g->type, "abcdefgh", 8, PT_NO_DEADLINE, NULL) ==
		       0)
			;
	return NULL;
}

static void start(struct guest *g, enum pt_frame_type type)
{
	int fds[2];

	*g = (struct guest){ .type = type };
	g->m.console = pt_console_new();
	g->m.console_fd = memfd_create("console", MFD_CLOEXEC);
	g->m.error_fd = memfd_create("errors", MFD_CLOEXEC);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_int_equal(pt_channel_new(fds[0], NULL, &g->m.channel), 0);
	assert_int_equal(pt_channel_new(fds[1], NULL, &g->theirs), 0);
	assert_int_equal(pthread_create(&g->thread, NULL, chatter, g), 0);
}

static void stop(struct guest *g)
{
	assert_true(g->m.dead);
	pt_channel_free(g->m.channel);
	pthread_join(g->thread, NULL);
	pt_channel_free(g->theirs);
	pt_console_free(g->m.console);
	close(g->m.console_fd);
	close(g->m.error_fd);
}

static int get(struct guest *g, struct pt_diag *diag)
{
	char *root = tree_new();
	auto_free char *path = tree_path(root, "file");
	int r = pt_machine_get(&g->m, "/file", path, 100, diag);

	assert_int_equal(access(path, F_OK), -1);
	tree_remove(root);
	return r;
}

static void a_file_without_end_has_a_limit(void **state)
{
	static const enum pt_frame_type types[] = { PT_FRAME_DATA, PT_FRAME_LOG };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct pt_diag diag = PT_DIAG_INIT;
		struct guest g;

		start(&g, types[i]);
		g.m.opt.transfer_limit_s = 1;
		assert_int_equal(get(&g, &diag), -ETIMEDOUT);
		assert_string_equal(diag.text, "its transfer is not done after 1 s");
		stop(&g);
	}
}

static void the_console_is_minded_meanwhile(void **state)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct guest g;

	(void)state;
	start(&g, PT_FRAME_DATA);
	assert_int_equal(ftruncate(g.m.console_fd, 65 << 20), 0);
	assert_int_equal(get(&g, &diag), -ENOTRECOVERABLE);
	assert_string_equal(diag.text, "the kernel does not stop talking on its console");
	stop(&g);
}

static void output_has_a_limit(void **state)
{
	const char *const argv[] = { "yes", NULL };
	auto_close int fd = memfd_create("output", MFD_CLOEXEC);
	struct pt_machine_command c = { .argv = argv,
					.in_fd = -1,
					.out_fd = fd,
					.err_fd = -1,
					.output_max_bytes = 100,
					.limit_s = 600 };
	struct pt_diag diag = PT_DIAG_INIT;
	struct guest g;
	int status;

	(void)state;
	start(&g, PT_FRAME_OUT);
	assert_int_equal(pt_machine_run(&g.m, &c, &status, &diag), -E2BIG);
	assert_string_equal(diag.text, "yes: more than 100 bytes of output");
	assert_int_equal(lseek(fd, 0, SEEK_END), 96);
	stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_without_end_has_a_limit),
		cmocka_unit_test(the_console_is_minded_meanwhile),
		cmocka_unit_test(output_has_a_limit),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
