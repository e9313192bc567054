// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/policy: each policy access by access against its naive version, and all against OPT. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/policy.h"
#include "analysis/policy_opt.h"
#include "analysis/policy_twolists.h"
#include "analysis/reuse.h"
#include "naive_policies.h"
#include "seed.h"

#define ROUNDS 150
#define MOST   6000

/* Skewed, uniform, and scanned by turns, so that every list has its use. */
static uint32_t make_stream(struct pt_rng *g, uint32_t *v)
{
	uint32_t n = (uint32_t)pt_rng_below(g, MOST), at = 0;
	uint64_t pages = 1 + pt_rng_below(g, NAIVE_PAGES);
	struct pt_zipf z;

	pt_zipf_init(&z, pages, 0.2 + pt_rng_unit(g));
	for (uint32_t i = 0; i < n; i++) {
		switch ((i >> 9) % 3) {
		case 0:
			v[i] = (uint32_t)pt_zipf_draw(&z, g);
			break;
		case 1:
			v[i] = pt_rng_below(g, 2) ? (uint32_t)pt_rng_below(g, pages)
						  : (uint32_t)pt_zipf_draw(&z, g);
			break;
		default:
			v[i] = pt_rng_below(g, 4) ? at++ % (uint32_t)pages
						  : (uint32_t)pt_zipf_draw(&z, g);
			break;
		}
	}
	return n;
}

static uint64_t run(const struct pt_policy *p, const uint32_t *v, uint32_t n, uint32_t capacity)
{
	void *cache = p->new (capacity);
	uint64_t misses = 0;

	for (uint32_t i = 0; i < n; i++) {
		int hit = p->access(cache, v[i]);

		assert_in_range(hit, 0, 1);
		misses += !hit;
	}
	p->free(cache);
	return misses;
}

/* Both caches are released. */
static void check_caches(const struct pt_policy *p, void *cache, struct naive *naive,
			 const uint32_t *v, uint32_t n, uint32_t capacity)
{
	for (uint32_t i = 0; i < n; i++) {
		int hit = p->access(cache, v[i]), expected = naive_access(naive, v[i]);

		if (hit != expected)
			fail_msg("%s of %u pages: access %u of page %u is %s", p->name, capacity, i,
				 v[i], hit ? "a hit" : "a miss");
	}
	p->free(cache);
	naive_free(naive);
}

static void check_policy(const struct pt_policy *p, const uint32_t *v, uint32_t n,
			 uint32_t capacity)
{
	check_caches(p, p->new (capacity), naive_new(p->name, capacity), v, n, capacity);
}

static void check_twolists(const struct pt_twolists_rule *rule, const uint32_t *v, uint32_t n,
			   uint32_t capacity)
{
	static const uint32_t lists[] = { 0, NAIVE_INACTIVE, NAIVE_BOTH };
	uint32_t threshold = rule->by == PT_LISTS_FIXED ? rule->pages : lists[rule->by];

	check_caches(&pt_policy_twolists, pt_twolists_new(capacity, rule),
		     naive_twolists(capacity, threshold), v, n, capacity);
}

static void test_thresholds_against_naive(void **state)
{
	static uint32_t v[MOST];
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t n = make_stream(&g, v);
		uint32_t capacity = 1 + (uint32_t)pt_rng_below(&g, 1 + pt_rng_below(&g, 250));
		struct pt_twolists_rule rule = { .pages = 1 + (uint32_t)pt_rng_below(&g, 400) };

		for (rule.by = PT_LISTS_ACTIVE; rule.by <= PT_LISTS_FIXED; rule.by++)
			check_twolists(&rule, v, n, capacity);
	}
}

static void test_against_naive(void **state)
{
	static uint32_t v[MOST];
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t n = make_stream(&g, v);
		uint32_t capacity = 1 + (uint32_t)pt_rng_below(&g, 1 + pt_rng_below(&g, 250));

		for (size_t i = 0; pt_policies[i]; i++)
			check_policy(pt_policies[i], v, n, capacity);
	}
}

static void test_opt(void **state)
{
	static uint32_t v[MOST], next[MOST];
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t n = make_stream(&g, v) / 8;
		uint32_t capacity = 1 + (uint32_t)pt_rng_below(&g, 100);
		uint64_t misses;

		assert_int_equal(pt_opt_prepare(v, n, NAIVE_PAGES, next), 0);
		assert_int_equal(pt_opt_misses(next, n, capacity, &misses), 0);
		assert_int_equal(misses, naive_opt(v, n, capacity));
	}
}

/* OPT misses least, less the larger it is; LRU is what reuse distances say. */
static void test_bounds(void **state)
{
	static uint32_t v[MOST], next[MOST];
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int round = 0; round < ROUNDS; round++) {
		struct pt_reuse *r = pt_reuse_new(&(struct pt_reuse_options){ 0 });
		uint32_t n = make_stream(&g, v);
		uint64_t before = n, opt;

		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(pt_reuse_feed(r, 0, v[i], 1), 0);
		assert_int_equal(pt_opt_prepare(v, n, NAIVE_PAGES, next), 0);
		for (uint32_t capacity = 1; capacity <= NAIVE_PAGES;
		     capacity = capacity * 3 / 2 + 1) {
			assert_int_equal(pt_opt_misses(next, n, capacity, &opt), 0);
			assert_true(opt <= before);
			before = opt;
			for (size_t i = 0; pt_policies[i]; i++)
				assert_true(opt <= run(pt_policies[i], v, n, capacity));
			assert_true(pt_reuse_misses(r, capacity) ==
				    (double)run(&pt_policy_lru, v, n, capacity));
		}
		pt_reuse_free(r);
	}
}

/* Where everything fits, every policy misses each page once. */
static void test_all_fits(void **state)
{
	uint32_t v[1000];
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (uint32_t i = 0; i < 1000; i++)
		v[i] = i < 100 ? i : (uint32_t)pt_rng_below(&g, 100);
	for (size_t i = 0; pt_policies[i]; i++) {
		assert_int_equal(run(pt_policies[i], v, 1000, 200), 100);
		assert_ptr_equal(pt_policy_by_name(pt_policies[i]->name), pt_policies[i]);
	}
	assert_null(pt_policy_by_name("opt"));
}

/* What each is known for: a scan larger than the cache, again and again. */
static void test_scan(void **state)
{
	uint32_t v[3000], next[3000];
	uint64_t opt;

	(void)state;
	for (uint32_t i = 0; i < 3000; i++)
		v[i] = i % 300;
	assert_int_equal(run(&pt_policy_lru, v, 3000, 200), 3000);
	assert_int_equal(run(&pt_policy_fifo, v, 3000, 200), 3000);
	assert_int_equal(pt_opt_prepare(v, 3000, 300, next), 0);
	assert_int_equal(pt_opt_misses(next, 3000, 200, &opt), 0);
	assert_int_equal(opt, naive_opt(v, 3000, 200));
	assert_true(opt < 1300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_naive),
		cmocka_unit_test(test_thresholds_against_naive),
		cmocka_unit_test(test_opt),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_all_fits),
		cmocka_unit_test(test_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
