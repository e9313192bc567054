// SPDX-License-Identifier: GPL-2.0-or-later
/* host/environment and host/identity: what a machine does not tell is left out, not made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/environment.h"
#include "host/identity.h"
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

static void a_missing_label_is_no_number(void **state)
{
	json_t *env;

	tree_put(*state, "proc/meminfo", "MemTotal:        2048 kB\nMemFree:  1 kB\n");
	env = pt_environment(*state);
	assert_int_equal(json_integer_value(json_object_get(env, "memory_bytes")), 2048 << 10);
	assert_null(json_object_get(env, "swap_bytes"));
	json_decref(env);
}

/* The flavour as the tree at @root tells it; "" where it does not. */
static void assert_flavour(const char *root, const char *want)
{
	json_t *kernel = pt_identity_kernel(root);
	json_t *lru = json_object_get(kernel, "lru");
	const char *got = json_string_value(json_object_get(lru, "flavour"));

	assert_string_equal(got ? got : "", want);
	json_decref(kernel);
}

static void the_lru_is_classic_only_where_that_shows(void **state)
{
	assert_flavour(*state, ""); /* no sysfs */
	tree_put(*state, "sys/kernel/mm", NULL);
	assert_flavour(*state, "classic");
	tree_put(*state, "sys/kernel/mm/lru_gen/enabled", "garbage\n");
	assert_flavour(*state, "");
	tree_put(*state, "sys/kernel/mm/lru_gen/enabled", "0x0007\n");
	assert_flavour(*state, "mglru");
	tree_put(*state, "sys/kernel/mm/lru_gen/enabled", "0x0000\n");
	assert_flavour(*state, "classic");
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_missing_label_is_no_number),
		T(the_lru_is_classic_only_where_that_shows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
