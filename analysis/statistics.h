/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be said of a few runs: means and their spread, and whether two groups differ.
 *
 * Sources: the regularised incomplete beta function by its continued fraction, DLMF 8.17.22 (with
 * Lentz's method, Thompson and Barnett 1986); Student's t through it, DLMF 8.17 and Abramowitz and
 * Stegun 26.7.1; the normal distribution through erfc; Welch's test with Satterthwaite's degrees of
 * freedom (Welch 1947); Mann and Whitney's U exactly by their recurrence (1947) for at most
 * PT_MANN_WHITNEY_EXACT values in each group without ties, else by the normal approximation with
 * ties corrected; Holm's step-down adjustment (1979). All tests are two-sided.
 */
#ifndef PT_ANALYSIS_STATISTICS_H
#define PT_ANALYSIS_STATISTICS_H

#include <stddef.h>

#define PT_MANN_WHITNEY_EXACT 20

/* Where a figure needs more values than there are, it is NAN. */
struct pt_sample_stats {
	size_t n;
	double mean;
	double hmean;  /* harmonic, for rates; NAN unless all values are above 0 */
	double stddev; /* of the sample (n - 1); n >= 2 */
	double min, max;
	double ci95[2]; /* of the mean, by Student's t; n >= 2 */
};

void pt_sample_describe(const double *v, size_t n, struct pt_sample_stats *ret_s);

/* P(T <= t) for Student's distribution with @df > 0 degrees of freedom (need not be whole). */
double pt_student_cdf(double t, double df);

/* The t with P(T <= t) = p, 0 < p < 1. */
double pt_student_quantile(double p, double df);

double pt_normal_cdf(double z);

struct pt_test {
	double statistic; /* t, or U of the first group */
	double df;        /* Welch only */
	double p_value;
};

/*
 * Whether the means differ. 0, or -ENODATA where a group has fewer than two values. Without any
 * spread in both, p is 1 where the means are equal and 0 where they are not.
 */
int pt_welch_test(const struct pt_sample_stats *a, const struct pt_sample_stats *b,
		  struct pt_test *ret_t);

/* Whether one group tends to larger values. 0, -ENODATA for an empty group, -ENOMEM. */
int pt_mann_whitney_test(const double *a, size_t n, const double *b, size_t m,
			 struct pt_test *ret_t);

/* Replace @n p-values by those adjusted for being read together. NANs stay out of it.
 * 0 or -ENOMEM. */
int pt_holm_adjust(double *p, size_t n);

/*
 * The difference of means, in percent of @a's, that groups as large and as spread as these would
 * show with a chance of 80 % at the 5 % level; NAN where a group has fewer than two values.
 */
double pt_min_detectable_percent(const struct pt_sample_stats *a, const struct pt_sample_stats *b);

#endif
