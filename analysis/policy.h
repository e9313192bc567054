/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page replacement policies to simulate: what a cache of so many pages would have hit.
 *
 * Pages are numbers, best dense from 0 on. Every operation is O(1), amortised where a hand or a
 * list has to be moved along. Memory: 16 bytes for each page number up to the largest, whatever the
 * capacity. Each policy's file names the source that it follows. OPT needs to know the future: see
 * policy_opt.h.
 */
#ifndef PT_ANALYSIS_POLICY_H
#define PT_ANALYSIS_POLICY_H

#include <stdint.h>

struct pt_policy {
	const char *name;
	/* An empty cache of @capacity pages, at least 1. NULL when out of memory. */
	void *(*new)(uint32_t capacity);
	/* Access @page, below UINT32_MAX: 1 a hit, 0 a miss (then it is cached), -ENOMEM. */
	int (*access)(void *cache, uint32_t page);
	void (*free)(void *cache);
};

extern const struct pt_policy pt_policy_lru;      /* the least recently used goes */
extern const struct pt_policy pt_policy_fifo;     /* the oldest goes */
extern const struct pt_policy pt_policy_clock;    /* FIFO with a second chance */
extern const struct pt_policy pt_policy_sieve;    /* a hand that leaves survivors in place */
extern const struct pt_policy pt_policy_s3fifo;   /* small, main and ghost queue */
extern const struct pt_policy pt_policy_arc;      /* recency and frequency, balanced by ghosts */
extern const struct pt_policy pt_policy_twolists; /* Linux: inactive and active list, refaults */
extern const struct pt_policy pt_policy_mglru;    /* Linux: generations and tiers */

/* All of these in the order above; NULL ends. */
extern const struct pt_policy *const pt_policies[];

/* The policy called @name, or NULL. */
const struct pt_policy *pt_policy_by_name(const char *name);

#endif
