// SPDX-License-Identifier: GPL-2.0-or-later
/* util/rng: distributions by chi-square, repeatability, the reference sequence. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/seed.h"
#include "util/cleanup.h"

#define DRAWS 200000
#define BINS  40

static const double thetas[] = { 0, 0.5, 0.99, 1, 1.2, 2 };

/* Wilson and Hilferty's approximation, five standard deviations out: fails by chance once in 3e6.
 */
static double chi_square_limit(double degrees)
{
	double c = 2 / (9 * degrees);

	return degrees * pow(1 - c + 5 * sqrt(c), 3);
}

static void check_fit(const uint64_t *seen, const double *p, size_t bins)
{
	double chi = 0;

	for (size_t i = 0; i < bins; i++) {
		double expected = p[i] * DRAWS;

		chi += ((double)seen[i] - expected) * ((double)seen[i] - expected) / expected;
	}
	if (chi > chi_square_limit((double)bins - 1))
		fail_msg("chi-square %g of %zu bins", chi, bins);
}

static void zipf_of_few_ranks(void **state)
{
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (size_t t = 0; t < PT_ARRAY_SIZE(thetas); t++) {
		uint64_t seen[BINS] = { 0 };
		double p[BINS], sum = 0;
		struct pt_zipf z;

		pt_zipf_init(&z, BINS, thetas[t]);
		for (size_t i = 0; i < BINS; i++)
			sum += p[i] = pow((double)i + 1, -thetas[t]);
		for (size_t i = 0; i < BINS; i++)
			p[i] /= sum;
		for (int i = 0; i < DRAWS; i++) {
			uint64_t rank = pt_zipf_draw(&z, &g);

			assert_true(rank < BINS);
			seen[rank]++;
		}
		check_fit(seen, p, BINS);
	}
}

/* Many ranks, in bins of equal probability: the tail must fit as well as the head. */
static void zipf_of_many_ranks(void **state)
{
	enum { RANKS = 100000 };
	static unsigned int bin_of[RANKS];
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (size_t t = 0; t < PT_ARRAY_SIZE(thetas); t++) {
		uint64_t seen[BINS] = { 0 };
		double p[BINS] = { 0 }, sum = 0, so_far = 0;
		size_t bins = 0;
		struct pt_zipf z;

		for (size_t i = 0; i < RANKS; i++)
			sum += pow((double)i + 1, -thetas[t]);
		for (size_t i = 0; i < RANKS; i++) {
			double q = pow((double)i + 1, -thetas[t]) / sum;

			bin_of[i] = (unsigned int)bins;
			p[bins] += q;
			so_far += q;
			if (so_far >= (double)(bins + 1) / BINS && bins + 1 < BINS && i + 1 < RANKS)
				bins++;
		}
		pt_zipf_init(&z, RANKS, thetas[t]);
		for (int i = 0; i < DRAWS; i++)
			seen[bin_of[pt_zipf_draw(&z, &g)]]++;
		check_fit(seen, p, bins + 1);
	}
}

static void zipf_of_one_rank(void **state)
{
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (size_t t = 0; t < PT_ARRAY_SIZE(thetas); t++) {
		struct pt_zipf z;

		pt_zipf_init(&z, 1, thetas[t]);
		for (int i = 0; i < 100; i++)
			assert_int_equal(pt_zipf_draw(&z, &g), 0);
	}
}

static void below_is_uniform(void **state)
{
	uint64_t seen[BINS] = { 0 };
	double p[BINS];
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (size_t i = 0; i < BINS; i++)
		p[i] = 1.0 / BINS;
	for (int i = 0; i < DRAWS; i++)
		seen[pt_rng_below(&g, BINS)]++;
	check_fit(seen, p, BINS);
}

/* With a bound of 3/4 of the range, taking the remainder would favour the first third twofold. */
static void below_has_no_bias(void **state)
{
	const uint64_t n = UINT64_C(3) << 62;
	uint64_t seen[3] = { 0 };
	const double p[3] = { 1.0 / 3, 1.0 / 3, 1.0 / 3 };
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int i = 0; i < DRAWS; i++)
		seen[pt_rng_below(&g, n) >> 62]++;
	check_fit(seen, p, 3);
}

static void unit_stays_below_one(void **state)
{
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int i = 0; i < DRAWS; i++) {
		double v = pt_rng_unit(&g);

		assert_true(v >= 0 && v < 1);
	}
}

/* The first outputs of xoshiro256** from the state 1, 2, 3, 4, as its authors' code gives them. */
static void sequence_is_the_published_one(void **state)
{
	static const uint64_t expected[] = { 11520, 0, 1509978240, 1215971899390074240 };
	struct pt_rng g = { .s = { 1, 2, 3, 4 } };
	struct pt_rng a, b;

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(expected); i++)
		assert_true(pt_rng_u64(&g) == expected[i]);
	pt_rng_init(&a, 42);
	pt_rng_init(&b, 42);
	assert_true(pt_rng_u64(&a) == pt_rng_u64(&b));
	pt_rng_init(&b, 43);
	assert_true(pt_rng_u64(&a) != pt_rng_u64(&b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zipf_of_few_ranks),
		cmocka_unit_test(zipf_of_many_ranks),
		cmocka_unit_test(zipf_of_one_rank),
		cmocka_unit_test(below_is_uniform),
		cmocka_unit_test(below_has_no_bias),
		cmocka_unit_test(unit_stays_below_one),
		cmocka_unit_test(sequence_is_the_published_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
