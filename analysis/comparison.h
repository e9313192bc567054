/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of replay results side by side: for each metric the mean and spread of every group, and
 * whether a group differs from the first one.
 */
#ifndef PT_ANALYSIS_COMPARISON_H
#define PT_ANALYSIS_COMPARISON_H

#include <jansson.h>

#include "analysis/circumstances.h"
#include "analysis/statistics.h"

enum pt_comparison_test {
	PT_COMPARE_WELCH = 0,
	PT_COMPARE_MANN_WHITNEY = 1,
};

/*
 * Of a group's runs those count that are not marked as distorted; where all are, all count, and
 * keeps_distorted says so.
 */
struct pt_group_runs {
	size_t runs, distorted;
	int keeps_distorted;
};

/* One group's share in a metric; figures are NAN where not known. */
struct pt_compared {
	struct pt_sample_stats stats;
	double change_percent; /* of the mean, against the first group's */
	double p_value, p_adjusted;
	double min_detectable_percent;
	int significant; /* p_adjusted below 0.05 */
};

struct pt_compared_metric {
	const struct pt_metric *metric;
	struct pt_compared *groups; /* as many as there are groups */
	int paced;                  /* pinned by the tape, as throughput is at any pace but "max" */
	int distorted;              /* some result comes from a machine that distorts it */
	int primary;         /* what decides: the metric is, and neither paced nor distorted */
	const char *why_not; /* NULL: comparable; else why not, and groups has no figures */
};

struct pt_comparison {
	struct pt_compared_metric
		*metrics; /* pt_metrics' order; primary first, then paced, distorted last */
	struct pt_group_runs *runs; /* as many as there are groups */
	size_t nmetrics, ngroups;
	json_t *warnings; /* sentences: what differs that should not, what was left out */
	int doubtful;     /* the tapes differ, or runs were left out */
	const struct pt_result_group *groups; /* borrowed */
	enum pt_comparison_test test;
};

/*
 * Compare @n groups. Metrics that no group has are left out. p-values are adjusted over the metrics
 * of a group (Holm). 0 or -ENOMEM; release with pt_comparison_done() in either case.
 */
int pt_comparison_make(const struct pt_result_group *groups, size_t n, enum pt_comparison_test test,
		       struct pt_comparison *ret_c);
void pt_comparison_done(struct pt_comparison *c);

const char *pt_comparison_test_name(enum pt_comparison_test test);

/*
 * The document `compare --json` prints of results. Each metric's own change and p-value are those
 * of the second group; with more groups, each has its own beside its mean. NULL: out of memory.
 */
json_t *pt_comparison_document(const struct pt_comparison *c);

#endif
