/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many different hashes were seen, to about 0.6 %, in 32 KiB.
 *
 * HyperLogLog (Flajolet, Fusy, Gandouet and Meunier 2007) with the estimator of Ertl, "New
 * cardinality estimation algorithms for HyperLogLog sketches" (2017), algorithm 6, which needs no
 * correction of small or large counts.
 */
#ifndef PT_ANALYSIS_DISTINCT_H
#define PT_ANALYSIS_DISTINCT_H

#include <stdint.h>

#define PT_DISTINCT_BITS 15

/* All zero is an empty one. */
struct pt_distinct {
	uint8_t ranks[1u << PT_DISTINCT_BITS];
};

/* @hash is 64 good bits. */
static inline void pt_distinct_add(struct pt_distinct *d, uint64_t hash)
{
	uint8_t *rank = &d->ranks[hash & ((1u << PT_DISTINCT_BITS) - 1)];
	uint64_t rest = hash >> PT_DISTINCT_BITS | UINT64_C(1) << (64 - PT_DISTINCT_BITS);
	uint8_t r = (uint8_t)(1 + __builtin_ctzll(rest));

	if (r > *rank)
		*rank = r;
}

double pt_distinct_estimate(const struct pt_distinct *d);

#endif
