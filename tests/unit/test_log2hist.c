// SPDX-License-Identifier: GPL-2.0-or-later
/* util/log2hist: percentiles against sorted arrays, exact octaves, the ends of the range. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/seed.h"
#include "util/cleanup.h"
#include "util/log2hist.h"

#define VALUES 5000

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Magnitudes of all sizes, small ones often. */
static uint64_t any_magnitude(struct pt_rng *g)
{
	return pt_rng_u64(g) >> pt_rng_below(g, 64);
}

static void quantiles_are_close(void **state)
{
	static const double wanted[] = { 0, 0.01, 0.5, 0.9, 0.99, 0.999, 1 };
	auto_free struct pt_log2hist *h = pt_log2hist_new();
	uint64_t v[VALUES];
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (size_t i = 0; i < VALUES; i++) {
		v[i] = any_magnitude(&g);
		pt_log2hist_add(h, v[i], 1);
	}
	qsort(v, VALUES, sizeof(v[0]), by_value);
	for (size_t i = 0; i < PT_ARRAY_SIZE(wanted); i++) {
		size_t rank = (size_t)ceil(wanted[i] * VALUES);
		uint64_t exact = v[rank ? rank - 1 : 0];
		uint64_t got = pt_log2hist_quantile(h, wanted[i]);

		assert_true(got >= exact && got - exact <= exact / 64);
	}
	assert_true(pt_log2hist_quantile(h, 1) == v[VALUES - 1]);
}

static void octaves_are_exact(void **state)
{
	auto_free struct pt_log2hist *h = pt_log2hist_new();

	(void)state;
	pt_log2hist_add(h, 0, 5);
	for (unsigned int i = 1; i <= 64; i++) {
		uint64_t first = UINT64_C(1) << (i - 1);

		pt_log2hist_add(h, first, 1);
		pt_log2hist_add(h, first + (first - 1), 1);
	}
	assert_int_equal(h->octaves[0], 5);
	for (unsigned int i = 1; i <= 64; i++)
		assert_int_equal(h->octaves[i], 2);
	assert_int_equal(h->count, 5 + 2 * 64);
	assert_true(h->max == UINT64_MAX);
}

static void small_values_are_exact(void **state)
{
	(void)state;
	for (uint64_t v = 0; v < 128; v++) {
		auto_free struct pt_log2hist *h = pt_log2hist_new();

		pt_log2hist_add(h, v, 1);
		pt_log2hist_add(h, 1000, 1);
		assert_int_equal(pt_log2hist_quantile(h, 0.5), v);
	}
}

static void weights_and_merging(void **state)
{
	auto_free struct pt_log2hist *one = pt_log2hist_new();
	auto_free struct pt_log2hist *two = pt_log2hist_new();

	(void)state;
	pt_log2hist_add(one, 10, 99);
	pt_log2hist_add(two, 50, 1);
	pt_log2hist_add(two, 1000, 0); /* nothing happened: no maximum either */
	pt_log2hist_merge(one, two);
	assert_int_equal(one->count, 100);
	assert_int_equal(one->max, 50);
	assert_int_equal(pt_log2hist_quantile(one, 0.98), 10);
	assert_int_equal(pt_log2hist_quantile(one, 1), 50);
	assert_true(pt_log2hist_mean(one) == 10.4);
}

static void empty_one(void **state)
{
	auto_free struct pt_log2hist *h = pt_log2hist_new();

	(void)state;
	assert_int_equal(pt_log2hist_quantile(h, 0.5), 0);
	assert_true(pt_log2hist_mean(h) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_close),
		cmocka_unit_test(octaves_are_exact),
		cmocka_unit_test(small_values_are_exact),
		cmocka_unit_test(weights_and_merging),
		cmocka_unit_test(empty_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
