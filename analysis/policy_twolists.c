// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Linux's two lists with refault distances, as mm/swap.c, mm/vmscan.c and mm/workingset.c of 6.18
 * treat clean, unmapped file pages:
 *
 * A page enters the inactive list. A second touch there activates it (folio_mark_accessed), and so
 * does a refault whose distance is at most the active list's length (workingset_refault). Reclaim
 * takes the oldest inactive page, touched once or not; before that, active pages are moved to the
 * inactive list while that is low (inactive_is_low), whatever touched them. The age advances with
 * each eviction and activation.
 *
 * Other lengths than the active list's may be the threshold, to see what they would do.
 *
 * Unlike the kernel it works page by page instead of in batches, knows the lists' lengths at once,
 * and never forgets a shadow.
 */
#include <math.h>
#include <stdlib.h>

#include "analysis/pagelists.h"
#include "analysis/policy_twolists.h"

enum { INACTIVE = 1, ACTIVE = 2 };

#define REFERENCED 1u
#define SHADOW     2u

#define GIB_SHIFT 18 /* 4 KiB pages in a GiB */

struct cache {
	struct pt_pagelists l;
	uint32_t capacity;
	uint32_t ratio; /* active pages that an inactive one allows */
	uint32_t age;   /* may wrap: distances are differences */
	struct pt_twolists_rule rule;
};

void *pt_twolists_new(uint32_t capacity, const struct pt_twolists_rule *rule)
{
	struct cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	pt_pagelists_init(&c->l);
	c->rule = *rule;
	c->capacity = capacity;
	c->ratio = capacity >> GIB_SHIFT ? (uint32_t)sqrt(10.0 * (capacity >> GIB_SHIFT)) : 1;
	return c;
}

static void *twolists_new(uint32_t capacity)
{
	return pt_twolists_new(capacity, &(struct pt_twolists_rule){ PT_LISTS_ACTIVE, 0 });
}

static void twolists_free(void *cache)
{
	struct cache *c = cache;

	if (c)
		pt_pagelists_done(&c->l);
	free(c);
}

static void activate(struct cache *c, uint32_t page)
{
	c->l.pages[page].bits = 0;
	pt_pagelists_move(&c->l, ACTIVE, page);
	c->age++;
}

static void evict(struct cache *c)
{
	const struct pt_pagelist *inactive = &c->l.lists[INACTIVE], *active = &c->l.lists[ACTIVE];
	struct pt_listed_page *p;
	uint32_t page;

	while ((uint64_t)inactive->n * c->ratio < active->n)
		pt_pagelists_move(&c->l, INACTIVE, active->oldest);
	page = inactive->oldest;
	p = &c->l.pages[page];
	p->bits = SHADOW;
	p->stamp = c->age++;
	pt_pagelists_remove(&c->l, page);
}

static uint32_t threshold(const struct cache *c)
{
	switch (c->rule.by) {
	case PT_LISTS_ACTIVE:
		return c->l.lists[ACTIVE].n;
	case PT_LISTS_INACTIVE:
		return c->l.lists[INACTIVE].n;
	case PT_LISTS_BOTH:
		return c->l.lists[INACTIVE].n + c->l.lists[ACTIVE].n;
	default:
		return c->rule.pages;
	}
}

static int twolists_access(void *cache, uint32_t page)
{
	struct cache *c = cache;
	int err = pt_pagelists_reserve(&c->l, page);
	struct pt_listed_page *p;

	if (err < 0)
		return err;
	p = &c->l.pages[page];
	if (p->list) {
		if (p->list == INACTIVE && p->bits & REFERENCED)
			activate(c, page);
		else
			p->bits |= REFERENCED;
		return 1;
	}
	if (c->l.lists[INACTIVE].n + c->l.lists[ACTIVE].n == c->capacity)
		evict(c);
	if (p->bits & SHADOW && c->age - p->stamp <= threshold(c)) {
		activate(c, page);
	} else {
		p->bits = REFERENCED; /* the read that brought it is its first touch */
		pt_pagelists_move(&c->l, INACTIVE, page);
	}
	return 0;
}

const struct pt_policy pt_policy_twolists = { "twolists", twolists_new, twolists_access,
					      twolists_free };
