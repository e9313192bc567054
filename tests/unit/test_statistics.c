// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/statistics: against published tables. Student's t: Abramowitz and Stegun, table 26.10.
 * Mann-Whitney: the critical values of Mann and Whitney 1947. Welch: the first example of the
 * English Wikipedia's article on the test.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/statistics.h"
#include "util/cleanup.h"

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

static void test_student(void **state)
{
	static const struct {
		double p, df, t;
	} table[] = {
		{ 0.975, 1, 12.706 }, { 0.975, 2, 4.303 },  { 0.975, 5, 2.571 },
		{ 0.975, 10, 2.228 }, { 0.975, 30, 2.042 }, { 0.975, 120, 1.980 },
		{ 0.95, 10, 1.812 },  { 0.995, 4, 4.604 },  { 0.9995, 3, 12.924 },
		{ 0.75, 7, 0.711 },   { 0.9, 60, 1.296 },
	};

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(table); i++) {
		double t = pt_student_quantile(table[i].p, table[i].df);

		assert_near(t, table[i].t, 0.0006);
		assert_near(pt_student_quantile(1 - table[i].p, table[i].df), -t, 1e-6);
		assert_near(pt_student_cdf(t, table[i].df), table[i].p, 1e-10);
	}
	assert_near(pt_student_cdf(0, 3), 0.5, 1e-15);
	assert_near(pt_student_cdf(1, 1), 0.75, 1e-12); /* Cauchy */
	assert_near(pt_student_cdf(-40, 2), 0.000312, 1e-6);
}

static void test_normal(void **state)
{
	(void)state;
	assert_near(pt_normal_cdf(0), 0.5, 1e-15);
	assert_near(pt_normal_cdf(1.959964), 0.975, 1e-7);
	assert_near(pt_normal_cdf(-3), 0.001349898, 1e-9);
}

static void test_describe(void **state)
{
	static const double v[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct pt_sample_stats s;

	(void)state;
	pt_sample_describe(v, PT_ARRAY_SIZE(v), &s);
	assert_near(s.mean, 5, 1e-12);
	assert_near(s.stddev, 2.13808994, 1e-8);
	assert_near(s.hmean, 4.20175073, 1e-6);
	assert_true(s.min == 2 && s.max == 9);
	assert_near(s.ci95[1] - s.mean, 2.365 * 2.13809 / sqrt(8), 0.001);
	pt_sample_describe(v, 1, &s);
	assert_true(s.mean == 2 && isnan(s.stddev) && isnan(s.ci95[0]));
	pt_sample_describe(v, 0, &s);
	assert_true(isnan(s.mean) && isnan(s.min));
	pt_sample_describe((const double[]){ 0, 1 }, 2, &s);
	assert_true(isnan(s.hmean));
}

static void test_welch(void **state)
{
	static const double a[] = { 27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
				    21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4 };
	static const double b[] = { 27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
				    24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4 };
	struct pt_sample_stats sa, sb, one;
	struct pt_test t;

	(void)state;
	pt_sample_describe(a, PT_ARRAY_SIZE(a), &sa);
	pt_sample_describe(b, PT_ARRAY_SIZE(b), &sb);
	assert_int_equal(pt_welch_test(&sa, &sb, &t), 0);
	assert_near(t.statistic, 2.46, 0.005);
	assert_near(t.df, 25.0, 0.05);
	assert_near(t.p_value, 0.021, 0.0005);
	assert_in_range(pt_min_detectable_percent(&sa, &sb), 9, 14);
	pt_sample_describe(a, 1, &one);
	assert_int_equal(pt_welch_test(&one, &sb, &t), -ENODATA);
	assert_true(isnan(pt_min_detectable_percent(&one, &sb)));
	pt_sample_describe((const double[]){ 3, 3 }, 2, &sa);
	assert_int_equal(pt_welch_test(&sa, &sa, &t), 0);
	assert_true(t.p_value == 1);
}

static void test_mann_whitney(void **state)
{
	static const double low[] = { 1, 2, 3, 4, 5 }, high[] = { 6, 7, 8, 9, 10 };
	static const double mixed[] = { 1.5, 2.5, 7, 8, 9 };
	struct pt_test t;

	(void)state;
	assert_int_equal(pt_mann_whitney_test(low, 3, high, 3, &t), 0);
	assert_near(t.p_value, 0.1, 1e-12);
	assert_int_equal(pt_mann_whitney_test(low, 4, high, 4, &t), 0);
	assert_near(t.p_value, 2.0 / 70, 1e-12);
	assert_int_equal(pt_mann_whitney_test(high, 5, low, 5, &t), 0);
	assert_near(t.p_value, 2.0 / 252, 1e-12);
	assert_true(t.statistic == 25);
	/* U = 7: 34 of the 252 arrangements have that or less. */
	assert_int_equal(pt_mann_whitney_test(low, 5, mixed, 5, &t), 0);
	assert_true(t.statistic == 7);
	assert_near(t.p_value, 2 * 39.0 / 252, 1e-12);
	assert_int_equal(pt_mann_whitney_test(low, 5, low, 5, &t), 0); /* ties */
	assert_true(t.p_value > 0.9);
	assert_int_equal(pt_mann_whitney_test(low, 0, high, 5, &t), -ENODATA);
}

static void test_holm(void **state)
{
	double p[] = { 0.01, 0.04, NAN, 0.03, 0.005 };
	static const double adjusted[] = { 0.03, 0.06, NAN, 0.06, 0.02 };

	(void)state;
	assert_int_equal(pt_holm_adjust(p, PT_ARRAY_SIZE(p)), 0);
	for (size_t i = 0; i < PT_ARRAY_SIZE(p); i++)
		assert_true(isnan(adjusted[i]) ? isnan(p[i]) : fabs(p[i] - adjusted[i]) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_student),      cmocka_unit_test(test_normal),
		cmocka_unit_test(test_describe),     cmocka_unit_test(test_welch),
		cmocka_unit_test(test_mann_whitney), cmocka_unit_test(test_holm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
