// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ARC: Megiddo and Modha, "ARC: a self-tuning, low overhead replacement cache", FAST 2003,
 * figure 4.
 *
 * The target of T1 is kept in whole pages, and moves by the quotient of the ghost lists' lengths
 * rounded down, at least 1.
 */
#include <stdlib.h>

#include "analysis/pagelists.h"
#include "analysis/policy.h"

enum { T1 = 1, T2 = 2, B1 = 3, B2 = 4 };

struct cache {
	struct pt_pagelists l;
	uint32_t capacity;
	uint32_t target; /* of T1 */
};

static void *arc_new(uint32_t capacity)
{
	struct cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	pt_pagelists_init(&c->l);
	c->capacity = capacity;
	return c;
}

static void arc_free(void *cache)
{
	struct cache *c = cache;

	if (c)
		pt_pagelists_done(&c->l);
	free(c);
}

static uint32_t length(const struct cache *c, unsigned int list)
{
	return c->l.lists[list].n;
}

static uint32_t oldest(const struct cache *c, unsigned int list)
{
	return c->l.lists[list].oldest;
}

/* REPLACE of the paper. */
static void replace(struct cache *c, int in_b2)
{
	uint32_t n = length(c, T1);

	if (n && (n > c->target || (in_b2 && n == c->target)))
		pt_pagelists_move(&c->l, B1, oldest(c, T1));
	else
		pt_pagelists_move(&c->l, B2, oldest(c, T2));
}

/* Cases II and III: a page remembered in one of the ghost lists. */
static void adapt(struct cache *c, int in_b2)
{
	uint32_t own = length(c, in_b2 ? B2 : B1), other = length(c, in_b2 ? B1 : B2);
	uint32_t step = other > own ? other / own : 1;

	if (in_b2)
		c->target -= step < c->target ? step : c->target;
	else
		c->target += step < c->capacity - c->target ? step : c->capacity - c->target;
}

/* Case IV: a page that nothing is known of. */
static void make_room(struct cache *c)
{
	uint32_t l1 = length(c, T1) + length(c, B1), l2 = length(c, T2) + length(c, B2);

	if (l1 == c->capacity) {
		if (length(c, T1) == c->capacity) {
			pt_pagelists_remove(&c->l, oldest(c, T1));
			return;
		}
		pt_pagelists_remove(&c->l, oldest(c, B1));
		replace(c, 0);
	} else if (l1 + l2 >= c->capacity) {
		if (l1 + l2 == 2 * (uint64_t)c->capacity)
			pt_pagelists_remove(&c->l, oldest(c, B2));
		replace(c, 0);
	}
}

static int arc_access(void *cache, uint32_t page)
{
	struct cache *c = cache;
	int err = pt_pagelists_reserve(&c->l, page);
	unsigned int list;

	if (err < 0)
		return err;
	list = c->l.pages[page].list;
	if (list == B1 || list == B2) {
		adapt(c, list == B2);
		replace(c, list == B2);
	} else if (!list) {
		make_room(c);
	}
	pt_pagelists_move(&c->l, list ? T2 : T1, page);
	return list == T1 || list == T2;
}

const struct pt_policy pt_policy_arc = { "arc", arc_new, arc_access, arc_free };
