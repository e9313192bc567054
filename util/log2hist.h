/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Integer histograms: log-linear buckets for percentiles within 1/64, and power-of-two buckets
 * folded out of them for show.
 *
 * Values are any uint64_t; weights are counts. Adding never fails once initialised.
 */
#ifndef PT_UTIL_LOG2HIST_H
#define PT_UTIL_LOG2HIST_H

#include <stdint.h>

#define PT_LOG2HIST_SUB_BITS 6 /* 64 linear steps an octave: relative error below 1/64 */
#define PT_LOG2HIST_SLOTS    ((64 - PT_LOG2HIST_SUB_BITS + 1) << PT_LOG2HIST_SUB_BITS)

struct pt_log2hist {
	uint64_t count; /* sum of weights */
	uint64_t max;
	double sum; /* of value times weight */
	uint64_t slots[PT_LOG2HIST_SLOTS];
	uint64_t octaves[65]; /* exact: [0] holds value 0, [i] holds [2^(i-1), 2^i) */
};

/* Release with free(). NULL when out of memory. */
struct pt_log2hist *pt_log2hist_new(void);
void pt_log2hist_add(struct pt_log2hist *h, uint64_t value, uint64_t weight);
void pt_log2hist_merge(struct pt_log2hist *into, const struct pt_log2hist *from);

/* The value at quantile @q in [0, 1] (nearest rank, the slot's upper end, never above max); 0 if
 * empty. */
uint64_t pt_log2hist_quantile(const struct pt_log2hist *h, double q);
/* The least value that falls into a slot. */
uint64_t pt_log2hist_first(unsigned int slot);

double pt_log2hist_mean(const struct pt_log2hist *h);

#endif
