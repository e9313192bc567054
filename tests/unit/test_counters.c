// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading the kernel's counters, on fake trees. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/counters.h"
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

static void vmstat_is_names_and_values(void **state)
{
	struct pt_counters c = { 0 };

	tree_put(*state, "proc/vmstat",
		 "nr_free_pages 12\nworkingset_refault_file 345\nodd\n"
		 "negative -3\npgfault 18446744073709551614");
	assert_int_equal(pt_counters_vmstat(*state, &c), 0);
	assert_int_equal(c.n, 3);
	assert_int_equal(pt_counters_get(&c, "workingset_refault_file"), 345);
	assert_int_equal(pt_counters_get(&c, "pgfault"), UINT64_MAX - 1);
	assert_int_equal(pt_counters_get(&c, "negative"), PT_COUNTER_NONE);
	assert_int_equal(pt_counters_get(&c, "workingset_refault"), PT_COUNTER_NONE);
	pt_counters_done(&c);
}

static void what_is_not_there_is_not_zero(void **state)
{
	struct pt_counters c = { 0 };

	assert_int_equal(pt_counters_vmstat(*state, &c), -ENOENT);
	assert_int_equal(pt_counters_memstat(*state, &c), -ENOENT);
	assert_int_equal(pt_counters_psi(*state, &c), -ENOENT);
	tree_put(*state, "proc/12/comm", "bash\n");
	assert_int_equal(pt_counters_kswapd(*state, &c), -ENOENT);
	assert_int_equal(pt_counters_sum(&c), PT_COUNTER_NONE);
}

static void pressure_is_its_totals(void **state)
{
	struct pt_counters c = { 0 };

	tree_put(*state, "proc/pressure/memory",
		 "some avg10=20.93 avg60=17.19 avg300=6.59 total=24139838\n"
		 "full avg10=19.64 avg60=16.22 avg300=6.29 total=23164400\n");
	assert_int_equal(pt_counters_psi(*state, &c), 0);
	assert_int_equal(pt_counters_get(&c, "some"), 24139838);
	assert_int_equal(pt_counters_get(&c, "full"), 23164400);
	pt_counters_done(&c);
}

static void every_kswapd_is_found(void **state)
{
	struct pt_counters c = { 0 };
	struct pt_buf text = { 0 };

	tree_put(*state, "proc/45/comm", "kswapd0\n");
	tree_put(*state, "proc/45/schedstat", "11888 40814 3\n");
	tree_put(*state, "proc/46/comm", "kswapd1\n");
	tree_put(*state, "proc/46/schedstat", "1000 2 3\n");
	tree_put(*state, "proc/47/comm", "kswapdx\n");
	tree_put(*state, "proc/47/schedstat", "5 5 5\n");
	assert_int_equal(pt_counters_kswapd(*state, &c), 0);
	assert_int_equal(c.n, 2);
	assert_int_equal(pt_counters_get(&c, "kswapd0"), 11888);
	assert_int_equal(pt_counters_sum(&c), 12888);
	assert_int_equal(pt_counters_format(&c, &text), 0);
	assert_int_equal(text.len, strlen("kswapd0 11888\nkswapd1 1000\n"));
	pt_buf_done(&text);
	pt_counters_done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(vmstat_is_names_and_values),
		T(what_is_not_there_is_not_zero),
		T(pressure_is_its_totals),
		T(every_kswapd_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
