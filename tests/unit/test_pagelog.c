// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/pagelog: the same figures as without it, and near them from a sample. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/pagelog.h"
#include "analysis/reuse.h"
#include "seed.h"

enum { PAGES = 20000, ACCESSES = 200000 };

static void test_ratios(void **state)
{
	struct pt_reuse *r = pt_reuse_new(&(struct pt_reuse_options){ 0 });
	struct pt_pagelog *all = pt_pagelog_new(1), *some = pt_pagelog_new(0.1);
	double lru, opt, mini;
	struct pt_zipf z;
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	pt_zipf_init(&z, PAGES, 0.6);
	for (int i = 0; i < ACCESSES; i++) {
		uint64_t page = pt_zipf_draw(&z, &g);
		uint32_t file = (uint32_t)(page % 3);

		assert_int_equal(pt_reuse_feed(r, file, page, 1), 0);
		assert_int_equal(pt_pagelog_feed(all, file, page, 1), 0);
		assert_int_equal(pt_pagelog_feed(some, file, page, 1), 0);
	}
	for (uint64_t pages = 1; pages < 4 * PAGES; pages *= 4) {
		assert_int_equal(pt_pagelog_simulate(all, &pt_policy_lru, pages, &lru), 0);
		assert_true(lru == pt_reuse_misses(r, pages) / ACCESSES);
		assert_int_equal(pt_pagelog_opt(all, pages, &opt), 0);
		assert_true(opt <= lru);
		assert_int_equal(pt_pagelog_simulate(some, &pt_policy_lru, pages, &mini), 0);
		assert_true(pages < 1000 || fabs(mini - lru) < 0.1);
	}
	pt_pagelog_free(all);
	pt_pagelog_free(some);
	pt_reuse_free(r);
}

static void test_empty(void **state)
{
	struct pt_pagelog *l = pt_pagelog_new(0);
	double ratio = 0;

	(void)state;
	assert_int_equal(pt_pagelog_feed(l, 0, 0, 0), 0);
	assert_int_equal(pt_pagelog_simulate(l, &pt_policy_arc, 100, &ratio), 0);
	assert_true(isnan(ratio));
	assert_int_equal(pt_pagelog_opt(l, 100, &ratio), 0);
	assert_true(isnan(ratio));
	pt_pagelog_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ratios),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
