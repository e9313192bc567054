// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading MGLRU's generations, as kernels print them and as none would. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/lrugen.h"
#include "seed.h"
#include "tree.h"

#define FILE_NAME "sys/kernel/debug/lru_gen"
#define ROUNDS    300

/* 6.12's, the last cgroup's name with a blank. */
static const char text[] = "memcg     1 /\n"
			   " node     0\n"
			   "          0      37151          0         109 \n"
			   "          1      37151          0           0 \n"
			   "          2      37151          0           0 \n"
			   "          3      37151       1297        2413 \n"
			   "memcg    21 /a\n"
			   " node     0\n"
			   "          7       9000         12           0 \n"
			   "          8       8000          0          77 \n"
			   "          9       7000          0           1 \n"
			   " node     1\n"
			   "          3       9000         12           0 \n"
			   "          4       9000          0           0 \n"
			   "memcg    22 /ab\n"
			   " node     0\n"
			   "          0       9000          0           5 \n"
			   "memcg    23 /a/b c\n"
			   " node     0\n"
			   "         10       9000          0           5 \n"
			   "         11       9000          0           5 \n";

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

static void a_cgroup_and_those_below_are_read(void **state)
{
	struct pt_lrugens g = { 0 };

	tree_put(*state, FILE_NAME, text);
	assert_int_equal(pt_lrugens_read(*state, "/a", &g), 0);
	assert_int_equal(g.n, 3);
	assert_string_equal(g.v[0].path, "/a");
	assert_int_equal(g.v[0].node, 0);
	assert_int_equal(g.v[0].min_seq, 7);
	assert_int_equal(g.v[0].max_seq, 9);
	assert_int_equal(g.v[0].min_seq_file, 8);
	assert_int_equal(g.v[1].node, 1);
	assert_int_equal(g.v[1].max_seq, 4);
	assert_true(g.v[1].min_seq_file == PT_LRUGEN_NONE);
	assert_string_equal(g.v[2].path, "/a/b c");
	assert_int_equal(g.v[2].min_seq_file, 10);
	pt_lrugens_done(&g);
	assert_int_equal(pt_lrugens_read(*state, "/", &g), 0);
	assert_int_equal(g.n, 5);
	assert_int_equal(g.v[0].min_seq_file, 0);
	pt_lrugens_done(&g);
	assert_int_equal(pt_lrugens_read(*state, "/none", &g), 0);
	assert_int_equal(g.n, 0);
	pt_lrugens_done(&g);
}

static void the_nodes_of_a_cgroup_are_told_together(void **state)
{
	static const char want[] = "node0_min_seq 7\nnode0_max_seq 9\nnode0_min_seq_file 8\n"
				   "node1_min_seq 3\nnode1_max_seq 4\n";
	struct pt_lrugens g = { 0 };
	struct pt_buf b = { 0 };
	size_t next;

	tree_put(*state, FILE_NAME, text);
	assert_int_equal(pt_lrugens_read(*state, "/a", &g), 0);
	assert_int_equal(pt_lrugens_format(&g, 0, &b, &next), 0);
	assert_int_equal(next, 2);
	assert_int_equal(b.len, strlen(want));
	assert_memory_equal(b.data, want, b.len);
	pt_buf_done(&b);
	pt_lrugens_done(&g);
}

static void a_kernel_without_them_says_so(void **state)
{
	struct pt_lrugens g = { 0 };

	assert_false(pt_lrugens_used(*state));
	assert_int_equal(pt_lrugens_read(*state, "/", &g), -ENOENT);
	tree_put(*state, "sys/kernel/mm/lru_gen/enabled", "0x0000\n");
	assert_false(pt_lrugens_used(*state));
	tree_put(*state, "sys/kernel/mm/lru_gen/enabled", "0x0007\n");
	assert_true(pt_lrugens_used(*state));
	tree_put(*state, FILE_NAME, "memcg 0 \n node 0\n 1 2 3 4\n");
	assert_int_equal(pt_lrugens_read(*state, "/", &g), 0);
	assert_int_equal(g.n, 1);
	assert_int_equal(g.v[0].min_seq_file, 1);
	pt_lrugens_done(&g);
}

static void the_rest_of_a_huge_file_is_left_out(void **state)
{
	size_t size = PT_LRUGEN_TEXT_MAX + 4096, len = 0;
	char *huge = malloc(size + 64);
	struct pt_lrugens g = { 0 };

	for (int i = 0; len < size; i++)
		len += (size_t)snprintf(huge + len, 64, "memcg %d /c%d\n node 0\n %d 0 0 1\n", i, i,
					i);
	tree_put(*state, FILE_NAME, huge);
	assert_int_equal(pt_lrugens_read(*state, "/", &g), 0);
	assert_int_equal(g.n, PT_LRUGEN_MAX);
	assert_int_equal(g.v[PT_LRUGEN_MAX - 1].max_seq, PT_LRUGEN_MAX - 1);
	pt_lrugens_done(&g);
	assert_int_equal(pt_lrugens_read(*state, "/c300", &g), 0);
	assert_int_equal(g.n, 1);
	assert_int_equal(g.v[0].max_seq, 300);
	pt_lrugens_done(&g);
	memset(huge, '9', size); /* not a single line */
	tree_put(*state, FILE_NAME, huge);
	assert_int_equal(pt_lrugens_read(*state, "/", &g), 0);
	assert_int_equal(g.n, 0);
	pt_lrugens_done(&g);
	free(huge);
}

/* Numbers that are read come in order, whatever is in the file. */
static void damage_does_no_harm(void **state)
{
	static const char junk[] = "0 9\n-xmnx/";
	char copy[sizeof(text)];
	struct pt_rng rng;

	seed_rng(&rng);
	for (int round = 0; round < ROUNDS; round++) {
		struct pt_lrugens g = { 0 };
		struct pt_buf b = { 0 };
		size_t i = 0;

		memcpy(copy, text, sizeof(text));
		for (uint64_t k = 1 + pt_rng_below(&rng, 20); k; k--)
			copy[pt_rng_below(&rng, sizeof(text) - 1)] =
				junk[pt_rng_below(&rng, sizeof(junk) - 1)];
		tree_put(*state, FILE_NAME, copy);
		assert_int_equal(pt_lrugens_read(*state, "/", &g), 0);
		for (size_t k = 0; k < g.n; k++) {
			assert_non_null(g.v[k].path);
			assert_true((g.v[k].min_seq == PT_LRUGEN_NONE) ==
				    (g.v[k].max_seq == PT_LRUGEN_NONE));
		}
		while (i < g.n) {
			size_t before = i;

			assert_int_equal(pt_lrugens_format(&g, i, &b, &i), 0);
			assert_true(i > before);
		}
		pt_buf_done(&b);
		pt_lrugens_done(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(a_cgroup_and_those_below_are_read),
		T(the_nodes_of_a_cgroup_are_told_together),
		T(a_kernel_without_them_says_so),
		T(the_rest_of_a_huge_file_is_left_out),
		T(damage_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
