// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics of a few runs: see statistics.h for the formulas' sources. */
#include "analysis/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define LEVEL 0.05 /* of significance */
#define POWER 0.80 /* of the smallest difference that is called detectable */

/* ---- Distributions */

/* The continued fraction of DLMF 8.17.22, for x below (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (int m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= c * d;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = c * d;
		f *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return f;
}

static double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double pt_student_cdf(double t, double df)
{
	double tail = 0.5 * incomplete_beta(df / 2, 0.5, df / (df + t * t));

	return t < 0 ? tail : 1 - tail;
}

/* By bisection: a table's eight digits need some forty steps. */
double pt_student_quantile(double p, double df)
{
	double lo = -1, hi = 1;

	while (pt_student_cdf(lo, df) > p && lo > -1e300)
		lo *= 2;
	while (pt_student_cdf(hi, df) < p && hi < 1e300)
		hi *= 2;
	for (int i = 0; i < 200 && lo < hi; i++) {
		double mid = lo + (hi - lo) / 2;

		if (mid == lo || mid == hi)
			break;
		if (pt_student_cdf(mid, df) < p)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

double pt_normal_cdf(double z)
{
	return 0.5 * erfc(-z / sqrt(2));
}

/* ---- One group */

void pt_sample_describe(const double *v, size_t n, struct pt_sample_stats *ret_s)
{
	struct pt_sample_stats s = { .n = n,
				     .mean = NAN,
				     .hmean = NAN,
				     .stddev = NAN,
				     .min = NAN,
				     .max = NAN,
				     .ci95 = { NAN, NAN } };
	double sum = 0, inverse = 0, squares = 0, half;

	for (size_t i = 0; i < n; i++) {
		sum += v[i];
		inverse += v[i] > 0 ? 1 / v[i] : NAN;
		s.min = i && s.min < v[i] ? s.min : v[i];
		s.max = i && s.max > v[i] ? s.max : v[i];
	}
	if (n) {
		s.mean = sum / (double)n;
		s.hmean = (double)n / inverse;
	}
	if (n >= 2) {
		for (size_t i = 0; i < n; i++)
			squares += (v[i] - s.mean) * (v[i] - s.mean);
		s.stddev = sqrt(squares / (double)(n - 1));
		half = pt_student_quantile(1 - LEVEL / 2, (double)(n - 1)) * s.stddev /
		       sqrt((double)n);
		s.ci95[0] = s.mean - half;
		s.ci95[1] = s.mean + half;
	}
	*ret_s = s;
}

/* ---- Two groups */

/* The squared standard error of the difference, and Satterthwaite's degrees of freedom. */
static double squared_error(const struct pt_sample_stats *a, const struct pt_sample_stats *b,
			    double *ret_df)
{
	double va = a->stddev * a->stddev / (double)a->n, vb = b->stddev * b->stddev / (double)b->n;

	*ret_df = (va + vb) * (va + vb) /
		  (va * va / (double)(a->n - 1) + vb * vb / (double)(b->n - 1));
	return va + vb;
}

int pt_welch_test(const struct pt_sample_stats *a, const struct pt_sample_stats *b,
		  struct pt_test *ret_t)
{
	struct pt_test t;
	double error;

	if (a->n < 2 || b->n < 2)
		return -ENODATA;
	error = squared_error(a, b, &t.df);
	if (error > 0) {
		t.statistic = (b->mean - a->mean) / sqrt(error);
		t.p_value = 2 * pt_student_cdf(-fabs(t.statistic), t.df);
	} else {
		t.df = (double)(a->n + b->n - 2);
		t.statistic = a->mean == b->mean ? 0 : INFINITY;
		t.p_value = a->mean == b->mean;
	}
	*ret_t = t;
	return 0;
}

double pt_min_detectable_percent(const struct pt_sample_stats *a, const struct pt_sample_stats *b)
{
	double df, error;

	if (a->n < 2 || b->n < 2 || a->mean == 0)
		return NAN;
	error = squared_error(a, b, &df);
	if (!(error > 0))
		return 0;
	return 100 * (pt_student_quantile(1 - LEVEL / 2, df) + pt_student_quantile(POWER, df)) *
	       sqrt(error) / fabs(a->mean);
}

struct ranked {
	double v;
	int first;
};

static int by_value(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->v, y = ((const struct ranked *)b)->v;

	return (x > y) - (x < y);
}

/* Rank sum of the first group, tied values sharing their ranks' mean; *@ret_ties is the sum of
 * t^3 - t over the ties. */
static double rank_sum(struct ranked *r, size_t n, double *ret_ties)
{
	double sum = 0;

	*ret_ties = 0;
	qsort(r, n, sizeof(*r), by_value);
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i; end < n && r[end].v == r[i].v; end++)
			;
		t = (double)(end - i);
		*ret_ties += t * t * t - t;
		for (size_t k = i; k < end; k++)
			sum += r[k].first * ((double)(i + end + 1) / 2);
	}
	return sum;
}

/* P(U <= u) by Mann and Whitney's recurrence over the arrangements with each value of U. */
static int exact_tail(size_t n, size_t m, size_t u, double *ret_p)
{
	size_t most = n * m, stride = most + 1;
	double *ways = calloc((n + 1) * (m + 1) * stride, sizeof(*ways)), below = 0, all = 0;

	if (!ways)
		return -ENOMEM;
	for (size_t i = 0; i <= n; i++) {
		for (size_t j = 0; j <= m; j++) {
			double *w = ways + (i * (m + 1) + j) * stride;
			const double *one_less, *other_less;

			if (!i || !j) {
				w[0] = 1;
				continue;
			}
			one_less = w - (m + 1) * stride;
			other_less = w - stride;
			for (size_t k = 0; k <= i * j; k++)
				w[k] = (k >= j ? one_less[k - j] : 0) + other_less[k];
		}
	}
	for (size_t k = 0; k <= most; k++) {
		all += ways[(n * (m + 1) + m) * stride + k];
		if (k <= u)
			below += ways[(n * (m + 1) + m) * stride + k];
	}
	free(ways);
	*ret_p = below / all;
	return 0;
}

static double approximate_tail(double n, double m, double u, double ties)
{
	double total = n + m;
	double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));

	return variance > 0 ? pt_normal_cdf((u + 0.5 - n * m / 2) / sqrt(variance)) : 0.5;
}

int pt_mann_whitney_test(const double *a, size_t n, const double *b, size_t m,
			 struct pt_test *ret_t)
{
	struct ranked *r;
	double ties, u, small, tail;

	if (!n || !m)
		return -ENODATA;
	r = calloc(n + m, sizeof(*r));
	if (!r)
		return -ENOMEM;
	for (size_t i = 0; i < n + m; i++)
		r[i] = (struct ranked){ i < n ? a[i] : b[i - n], i < n };
	u = rank_sum(r, n + m, &ties) - (double)n * (double)(n + 1) / 2;
	free(r);
	small = fmin(u, (double)n * (double)m - u);
	if (ties > 0 || n > PT_MANN_WHITNEY_EXACT || m > PT_MANN_WHITNEY_EXACT)
		tail = approximate_tail((double)n, (double)m, small, ties);
	else if (exact_tail(n, m, (size_t)small, &tail) < 0)
		return -ENOMEM;
	*ret_t = (struct pt_test){ .statistic = u, .df = NAN, .p_value = fmin(1, 2 * tail) };
	return 0;
}

/* ---- Many tests */

static int by_p(const void *a, const void *b)
{
	double x = **(double *const *)a, y = **(double *const *)b;

	return (x > y) - (x < y);
}

int pt_holm_adjust(double *p, size_t n)
{
	double **sorted = calloc(n + 1, sizeof(*sorted)), least = 0;
	size_t known = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			sorted[known++] = &p[i];
	qsort(sorted, known, sizeof(*sorted), by_p);
	for (size_t i = 0; i < known; i++) {
		least = fmin(1, fmax(least, (double)(known - i) * *sorted[i]));
		*sorted[i] = least;
	}
	free(sorted);
	return 0;
}
