/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All page accesses of a tape, 4 bytes each, for what has to see them more than once: policies that
 * are simulated at sizes known only at the end, and OPT, which must know the future.
 *
 * With a rate it keeps the accesses of a sample, the one that reuse.h takes. A cache of N pages is
 * then simulated with N times the rate (Waldspurger, Saemundson, Ahmad and Park, "Cache modeling
 * and optimization using miniature simulations", USENIX ATC 2017). Not thread-safe.
 */
#ifndef PT_ANALYSIS_PAGELOG_H
#define PT_ANALYSIS_PAGELOG_H

#include "analysis/pageids.h"
#include "analysis/policy.h"

struct pt_pagelog;

/* @rate in (0, 1); 0 or 1: all. NULL when out of memory. */
struct pt_pagelog *pt_pagelog_new(double rate);
void pt_pagelog_free(struct pt_pagelog *l);

/* 0, -ENOMEM, -E2BIG (2^32 accesses). */
int pt_pagelog_feed(struct pt_pagelog *l, uint32_t file, uint64_t page, uint64_t npages);

/* Say what share of all pages the sample really has; without it that is the rate. */
void pt_pagelog_calibrate(struct pt_pagelog *l, double share);

/*
 * The miss ratio of a policy, or of OPT, with @pages pages, at least 1; NAN for an empty log.
 * 0 or -ENOMEM.
 */
int pt_pagelog_simulate(const struct pt_pagelog *l, const struct pt_policy *policy, uint64_t pages,
			double *ret_miss_ratio);
/* The same with a cache of the caller's, which @policy accesses. */
int pt_pagelog_run(const struct pt_pagelog *l, const struct pt_policy *policy, void *cache,
		   double *ret_miss_ratio);
int pt_pagelog_opt(struct pt_pagelog *l, uint64_t pages, double *ret_miss_ratio);

#endif
