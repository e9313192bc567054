// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/reuse and what it stands on: against a stack that is searched. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/distinct.h"
#include "analysis/pageids.h"
#include "analysis/reuse.h"
#include "analysis/stackdist.h"
#include "seed.h"

#define ROUNDS  400
#define MOST    3000
#define COLD    UINT64_MAX
#define OCTAVES 65

struct touched {
	uint32_t file;
	uint64_t page;
};

/* The oracle: how many different ones since the last access of the same page, by looking back. */
static uint64_t look_back(const struct touched *v, size_t i)
{
	uint64_t distance = 0;

	for (size_t k = i; k-- > 0;) {
		size_t later = k + 1;

		if (v[k].file == v[i].file && v[k].page == v[i].page)
			return distance;
		while (later < i && (v[later].file != v[k].file || v[later].page != v[k].page))
			later++;
		distance += later == i;
	}
	return COLD;
}

static size_t make_stream(struct pt_rng *g, struct touched *v)
{
	size_t n = pt_rng_below(g, pt_rng_below(g, 20) ? 300 : MOST);
	uint64_t pages = 1 + pt_rng_below(g, UINT64_C(1) << pt_rng_below(g, 12));
	uint64_t files = 1 + pt_rng_below(g, 4), far = pt_rng_below(g, 3) ? 1 : UINT64_C(1) << 40;

	for (size_t i = 0; i < n; i++)
		v[i] = (struct touched){
			.file = (uint32_t)pt_rng_below(g, files),
			.page = (i && !pt_rng_below(g, 3) ? v[i - 1].page / far + 1
							  : pt_rng_below(g, pages)) *
				far,
		};
	return n;
}

static unsigned int octave_of(uint64_t distance)
{
	return distance ? 64 - (unsigned int)__builtin_clzll(distance) : 0;
}

static void test_exact(void **state)
{
	static struct touched v[MOST];
	static uint64_t counts[MOST];
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t octaves[OCTAVES], expected[OCTAVES] = { 0 }, cold = 0, misses;
		struct pt_reuse *r = pt_reuse_new(&(struct pt_reuse_options){ 0 });
		size_t n = make_stream(&g, v);
		struct pt_reuse_summary s;

		memset(counts, 0, sizeof(counts));
		for (size_t i = 0; i < n; i++) {
			uint64_t distance = look_back(v, i);

			assert_int_equal(pt_reuse_feed(r, v[i].file, v[i].page, 1), 0);
			if (distance == COLD) {
				cold++;
				continue;
			}
			counts[distance]++;
			expected[octave_of(distance)]++;
		}
		pt_reuse_summarise(r, &s);
		assert_int_equal(s.accesses, n);
		assert_int_equal(s.sampled, n);
		assert_int_equal(s.cold, cold);
		assert_int_equal(s.distinct, cold);
		assert_true(s.rate == 1);
		pt_reuse_octaves(r, octaves);
		assert_memory_equal(octaves, expected, sizeof(octaves));
		misses = n;
		for (uint64_t size = 0; size < MOST; size++) {
			assert_true(pt_reuse_misses(r, size) == (double)misses);
			misses -= counts[size];
		}
		assert_int_equal(misses, cold);
		pt_reuse_free(r);
	}
}

/* A range is its pages one after the other. */
static void test_ranges(void **state)
{
	struct pt_reuse *one = pt_reuse_new(&(struct pt_reuse_options){ 0 });
	struct pt_reuse *all = pt_reuse_new(&(struct pt_reuse_options){ 0 });
	uint64_t a[OCTAVES], b[OCTAVES];
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int i = 0; i < 1000; i++) {
		uint64_t page = pt_rng_below(&g, 1000), n = pt_rng_below(&g, 300);

		assert_int_equal(pt_reuse_feed(all, 1, page, n), 0);
		for (uint64_t k = 0; k < n; k++)
			assert_int_equal(pt_reuse_feed(one, 1, page + k, 1), 0);
	}
	pt_reuse_octaves(one, a);
	pt_reuse_octaves(all, b);
	assert_memory_equal(a, b, sizeof(a));
	pt_reuse_free(one);
	pt_reuse_free(all);
}

/* Slots that are forgotten are in nobody's way: against a list that is searched. */
static void test_forget(void **state)
{
	enum { SLOTS = 200 };
	uint32_t order[SLOTS], n = 0, distance;
	struct pt_stackdist s = { 0 };
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int i = 0; i < 50000; i++) {
		uint32_t slot = (uint32_t)pt_rng_below(&g, SLOTS), at = 0;
		int forget = !pt_rng_below(&g, 5);

		while (at < n && order[at] != slot)
			at++;
		if (forget) {
			pt_stackdist_forget(&s, slot);
		} else {
			assert_int_equal(pt_stackdist_touch(&s, slot, &distance), 0);
			assert_int_equal(distance, at < n ? at : PT_STACKDIST_COLD);
		}
		if (at < n)
			memmove(&order[at], &order[at + 1], (--n - at) * sizeof(*order));
		if (!forget) {
			memmove(order + 1, order, n++ * sizeof(*order));
			order[0] = slot;
		}
		assert_int_equal(s.live, n);
	}
	pt_stackdist_done(&s);
}

static void test_ids(void **state)
{
	struct pt_pageids p;
	uint32_t a, b;

	(void)state;
	pt_pageids_init(&p);
	assert_int_equal(pt_pageids_get(&p, 1, 1000, &a), 0);
	assert_int_equal(pt_pageids_get(&p, 2, 1000, &b), 0);
	assert_int_not_equal(a, b);
	assert_int_equal(pt_pageids_get(&p, 1, UINT64_MAX, &b), 0);
	assert_int_not_equal(a, b);
	assert_int_equal(pt_pageids_get(&p, 1, 1001, &b), 0);
	assert_int_equal(b, a + 1);
	assert_int_equal(p.n, 3 * 64);
	pt_pageids_done(&p);
}

/* ---- Samples */

/* The mean over sizes of how far apart two curves are. */
static double error_of(const struct pt_reuse *a, const struct pt_reuse *b)
{
	struct pt_reuse_summary s;
	double sum = 0;

	pt_reuse_summarise(a, &s);
	for (uint64_t i = 1; i <= 50; i++) {
		uint64_t size = s.distinct * i / 50;

		sum += fabs(pt_reuse_misses(a, size) - pt_reuse_misses(b, size));
	}
	return sum / 50 / (double)s.accesses;
}

/* Ten samples of one stream: the file's number is in the hash, and in nothing else. */
static void test_sampled(void **state)
{
	enum { PAGES = 100000, ACCESSES = 400000, SAMPLES = 10 };
	struct pt_reuse *exact = pt_reuse_new(&(struct pt_reuse_options){ 0 });
	struct pt_reuse *rate[SAMPLES], *size[SAMPLES];
	double by_rate = 0, by_size = 0;
	struct pt_reuse_summary s;
	struct pt_zipf z;
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	pt_zipf_init(&z, PAGES, 0.8);
	for (int k = 0; k < SAMPLES; k++) {
		rate[k] = pt_reuse_new(&(struct pt_reuse_options){ .rate = 0.01 });
		size[k] = pt_reuse_new(&(struct pt_reuse_options){ .max_pages = 4096 });
	}
	for (int i = 0; i < ACCESSES; i++) {
		uint64_t page = pt_zipf_draw(&z, &g);

		assert_int_equal(pt_reuse_feed(exact, 0, page, 1), 0);
		for (uint32_t k = 0; k < SAMPLES; k++) {
			assert_int_equal(pt_reuse_feed(rate[k], k, page, 1), 0);
			assert_int_equal(pt_reuse_feed(size[k], k, page, 1), 0);
		}
	}
	for (int k = 0; k < SAMPLES; k++) {
		by_rate += error_of(exact, rate[k]) / SAMPLES;
		by_size += error_of(exact, size[k]) / SAMPLES;
		pt_reuse_summarise(rate[k], &s);
		assert_int_equal(s.accesses, ACCESSES);
		assert_in_range(s.sampled, ACCESSES / 200, ACCESSES / 50);
		assert_true(fabs(s.rate - 0.01) < 1e-9);
		pt_reuse_summarise(size[k], &s);
		assert_true(s.rate > 4096.0 / PAGES && s.rate < 0.1);
		pt_reuse_free(rate[k]);
		pt_reuse_free(size[k]);
	}
	fprintf(stderr, "off by %.4f at 1/100, %.4f with 4096 pages\n", by_rate, by_size);
	assert_true(by_rate < 0.02);
	assert_true(by_size < 0.01);
	pt_reuse_free(exact);
}

static void test_distinct(void **state)
{
	struct pt_distinct d;
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (double n = 1; n < 3000000; n *= 7) {
		memset(&d, 0, sizeof(d));
		assert_true(pt_distinct_estimate(&d) == 0);
		for (int i = 0; i < n; i++) {
			uint64_t hash = pt_rng_u64(&g);

			pt_distinct_add(&d, hash);
			pt_distinct_add(&d, hash);
		}
		/* Five standard deviations. */
		assert_true(fabs(pt_distinct_estimate(&d) - n) < 0.5 + 0.029 * n);
	}
}

/* While no page has to leave, a sample of a fixed size is everything. */
static void test_sample_of_all(void **state)
{
	struct pt_reuse *exact = pt_reuse_new(&(struct pt_reuse_options){ 0 });
	struct pt_reuse *size = pt_reuse_new(&(struct pt_reuse_options){ .max_pages = 64 });
	uint64_t a[OCTAVES], b[OCTAVES];
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int i = 0; i < 2000; i++) {
		uint64_t page = pt_rng_below(&g, 64);

		assert_int_equal(pt_reuse_feed(exact, 0, page, 1), 0);
		assert_int_equal(pt_reuse_feed(size, 0, page, 1), 0);
	}
	pt_reuse_octaves(exact, a);
	pt_reuse_octaves(size, b);
	assert_memory_equal(a, b, sizeof(a));
	for (uint64_t n = 0; n < 70; n++)
		assert_true(pt_reuse_misses(exact, n) == pt_reuse_misses(size, n));
	pt_reuse_free(exact);
	pt_reuse_free(size);
}

/* What a fixed size keeps is what a fixed rate would: the pages with the smallest hashes. */
static void test_sample_size(void **state)
{
	struct pt_reuse *r = pt_reuse_new(&(struct pt_reuse_options){ .max_pages = 100 });
	struct pt_reuse_summary s;
	unsigned int inside = 0;
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	assert_int_equal(pt_reuse_feed(r, 3, 0, 5000), 0);
	for (int i = 0; i < 20000; i++)
		assert_int_equal(pt_reuse_feed(r, 3, pt_rng_below(&g, 5000), 1), 0);
	pt_reuse_summarise(r, &s);
	for (uint64_t page = 0; page < 5000; page++)
		inside += (unsigned int)pt_reuse_is_sampled(3, page, s.rate);
	assert_in_range(inside, 99, 101); /* the rate is rounded */
	assert_in_range(s.distinct, 4800, 5200);
	pt_reuse_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),         cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_forget),        cmocka_unit_test(test_ids),
		cmocka_unit_test(test_sampled),       cmocka_unit_test(test_distinct),
		cmocka_unit_test(test_sample_of_all), cmocka_unit_test(test_sample_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
