// SPDX-License-Identifier: GPL-2.0-or-later
/* replay/lab/fetch: what it says without asking anybody. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

#include "replay/lab/fetch.h"
#include "tests/unit/tree.h"
#include "util/cleanup.h"

static void one_fetches_at_a_time(void **state)
{
	char *root = tree_new();
	auto_free char *there = NULL, *path = NULL;
	auto_close int other = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct pt_fetch_options opt = { .what = "debian:6.12", .dir = root };
	struct pt_diag diag = PT_DIAG_INIT;

	(void)state;
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(pt_fetch_kernel(&opt, &path, &diag), -EBUSY);
	assert_string_equal(diag.text, "another fetches kernels into it");
	assert_null(path);
	/* What is there already needs no lock. */
	tree_put(root, "6.12/boot/vmlinuz", "");
	there = tree_path(root, "6.12");
	assert_int_equal(pt_fetch_kernel(&opt, &path, NULL), 0);
	assert_string_equal(path, there);
	tree_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_fetches_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
