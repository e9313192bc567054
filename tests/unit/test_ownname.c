// SPDX-License-Identifier: GPL-2.0-or-later
/* host/ownname: what is ours and nobody's any more goes, whatever the pid in its name. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>

#include <cmocka.h>

#include "host/ownname.h"
#include "tests/unit/tree.h"

static int setup(void **state)
{
	*state = tree_new();
	return 0;
}

static int teardown(void **state)
{
	tree_remove(*state);
	return 0;
}

static void what_is_locked_lives(void **state)
{
	char *dir, *other;
	int lock, other_lock;

	assert_int_equal(pt_ownname_make(*state, 0755, &dir, &lock), 0);
	assert_int_equal(pt_ownname_make(*state, 0755, &other, &other_lock), 0);
	assert_string_not_equal(dir, other);
	close(other_lock);
	pt_ownname_sweep(*state);
	assert_int_equal(access(dir, F_OK), 0);
	assert_int_equal(access(other, F_OK), -1);
	close(lock);
	pt_ownname_sweep(*state);
	assert_int_equal(access(dir, F_OK), -1);
	free(dir);
	free(other);
}

/* A pid tells nothing: it may run something else by now, or count in another namespace. */
static void pids_do_not_matter(void **state)
{
	static const char live[] = "pagetape-4194305-0"; /* beyond any pid */
	char stale[32], *path = tree_path(*state, live);
	int fd;

	snprintf(stale, sizeof(stale), "pagetape-%d-3", (int)getppid());
	tree_put(*state, stale, NULL);
	tree_put(*state, live, NULL);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	pt_ownname_sweep(*state);
	assert_false(tree_has(*state, stale));
	assert_true(tree_has(*state, live));
	close(fd);
	free(path);
}

static void only_names_of_ours_are_touched(void **state)
{
	static const char *const others[] = { "pagetape-x-0", "pagetape-5",  "pagetape-5-",
					      "pagetape-5-x", "pagetape--1", "mine-5-0" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		tree_put(*state, others[i], NULL);
	tree_put(*state, "pagetape-5-1/in-use", NULL);
	pt_ownname_sweep(*state);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_true(tree_has(*state, others[i]));
	assert_true(tree_has(*state, "pagetape-5-1/in-use"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_locked_lives, setup, teardown),
		cmocka_unit_test_setup_teardown(pids_do_not_matter, setup, teardown),
		cmocka_unit_test_setup_teardown(only_names_of_ours_are_touched, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
