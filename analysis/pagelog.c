// SPDX-License-Identifier: GPL-2.0-or-later
/* All page accesses of a tape: see pagelog.h. */
#include "analysis/pagelog.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/policy_opt.h"
#include "analysis/reuse.h"

#define MIN_ROOM 4096u

struct pt_pagelog {
	double rate, share;
	uint64_t fed; /* accesses, in the sample or not */
	struct pt_pageids ids;
	uint32_t *numbers; /* id -> a number without gaps, plus 1; 0: none yet */
	size_t nnumbers;
	uint32_t distinct;
	uint32_t *pages; /* the accesses, by number */
	uint32_t n, cap;
	uint32_t *next; /* for OPT, made when it is first wanted */
};

struct pt_pagelog *pt_pagelog_new(double rate)
{
	struct pt_pagelog *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	pt_pageids_init(&l->ids);
	l->rate = l->share = rate > 0 && rate < 1 ? rate : 1;
	return l;
}

void pt_pagelog_free(struct pt_pagelog *l)
{
	if (!l)
		return;
	pt_pageids_done(&l->ids);
	free(l->numbers);
	free(l->pages);
	free(l->next);
	free(l);
}

static int number_of(struct pt_pagelog *l, uint32_t file, uint64_t page, uint32_t *ret_number)
{
	uint32_t id;
	int err = pt_pageids_get(&l->ids, file, page, &id);

	if (err < 0)
		return err;
	if (id >= l->nnumbers) {
		size_t n = 2 * (size_t)l->ids.n;
		uint32_t *numbers = reallocarray(l->numbers, n, sizeof(*numbers));

		if (!numbers)
			return -ENOMEM;
		memset(numbers + l->nnumbers, 0, (n - l->nnumbers) * sizeof(*numbers));
		l->numbers = numbers;
		l->nnumbers = n;
	}
	if (!l->numbers[id])
		l->numbers[id] = ++l->distinct;
	*ret_number = l->numbers[id] - 1;
	return 0;
}

static int append(struct pt_pagelog *l, uint32_t number)
{
	if (l->n == l->cap) {
		uint64_t cap = l->cap ? 2 * (uint64_t)l->cap : MIN_ROOM;
		uint32_t *pages;

		if (l->n == UINT32_MAX - 1)
			return -E2BIG;
		cap = cap < UINT32_MAX - 1 ? cap : UINT32_MAX - 1;
		pages = reallocarray(l->pages, cap, sizeof(*pages));
		if (!pages)
			return -ENOMEM;
		l->pages = pages;
		l->cap = (uint32_t)cap;
	}
	l->pages[l->n++] = number;
	return 0;
}

int pt_pagelog_feed(struct pt_pagelog *l, uint32_t file, uint64_t page, uint64_t npages)
{
	uint32_t number;
	int err = 0;

	l->fed += npages;
	for (uint64_t i = 0; i < npages && !err; i++) {
		if (l->rate < 1 && !pt_reuse_is_sampled(file, page + i, l->rate))
			continue;
		err = number_of(l, file, page + i, &number);
		if (!err)
			err = append(l, number);
	}
	return err;
}

void pt_pagelog_calibrate(struct pt_pagelog *l, double share)
{
	l->share = share;
}

/* Pages of the miniature that stands for a cache of @pages; more than there are make no difference.
 */
static uint32_t capacity_for(const struct pt_pagelog *l, uint64_t pages)
{
	double n = round((double)pages * l->share);

	if (n > l->distinct)
		n = l->distinct;
	return n < 1 ? 1 : (uint32_t)n;
}

/* Of all accesses: what the sample has of them too many or too few are hits, as in reuse.h. */
static double ratio(const struct pt_pagelog *l, uint64_t misses)
{
	return l->fed ? fmin((double)misses / l->share / (double)l->fed, 1) : NAN;
}

int pt_pagelog_simulate(const struct pt_pagelog *l, const struct pt_policy *policy, uint64_t pages,
			double *ret_miss_ratio)
{
	void *cache = policy->new (capacity_for(l, pages));
	int err;

	if (!cache)
		return -ENOMEM;
	err = pt_pagelog_run(l, policy, cache, ret_miss_ratio);
	policy->free(cache);
	return err;
}

int pt_pagelog_run(const struct pt_pagelog *l, const struct pt_policy *policy, void *cache,
		   double *ret_miss_ratio)
{
	uint64_t misses = 0;
	int hit = 0;

	for (uint32_t i = 0; i < l->n && hit >= 0; i++) {
		hit = policy->access(cache, l->pages[i]);
		misses += !hit;
	}
	if (hit < 0)
		return hit;
	*ret_miss_ratio = ratio(l, misses);
	return 0;
}

int pt_pagelog_opt(struct pt_pagelog *l, uint64_t pages, double *ret_miss_ratio)
{
	uint64_t misses;
	int err = 0;

	if (!l->next) {
		l->next = malloc(((size_t)l->n + 1) * sizeof(*l->next));
		err = l->next ? pt_opt_prepare(l->pages, l->n, l->distinct, l->next) : -ENOMEM;
	}
	if (!err)
		err = pt_opt_misses(l->next, l->n, capacity_for(l, pages), &misses);
	if (err < 0)
		return err;
	*ret_miss_ratio = ratio(l, misses);
	return 0;
}
