// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The policies with a single list: LRU, FIFO, CLOCK and SIEVE.
 *
 * CLOCK is Corbato's (1968) in the form of FIFO with reinsertion. SIEVE is that of Zhang, Yang,
 * Yue, Vigfusson and Rashmi, "SIEVE is Simpler than LRU", NSDI 2024, algorithm 1.
 */
#include <stdlib.h>

#include "analysis/pagelists.h"
#include "analysis/policy.h"

enum { CACHED = 1 };

#define VISITED 1u

struct cache {
	struct pt_pagelists l;
	uint32_t capacity;
	uint32_t hand; /* SIEVE: the page to look at next, PT_PAGELIST_END: the oldest */
};

static void *cache_new(uint32_t capacity)
{
	struct cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	pt_pagelists_init(&c->l);
	c->capacity = capacity;
	c->hand = PT_PAGELIST_END;
	return c;
}

static void cache_free(void *cache)
{
	struct cache *c = cache;

	if (c)
		pt_pagelists_done(&c->l);
	free(c);
}

static uint32_t oldest(const struct cache *c)
{
	return c->l.lists[CACHED].oldest;
}

static int is_full(const struct cache *c)
{
	return c->l.lists[CACHED].n == c->capacity;
}

static int access_queue(struct cache *c, uint32_t page, int renew)
{
	int err = pt_pagelists_reserve(&c->l, page), hit;

	if (err < 0)
		return err;
	hit = c->l.pages[page].list == CACHED;
	if (!hit && is_full(c))
		pt_pagelists_remove(&c->l, oldest(c));
	if (!hit || renew)
		pt_pagelists_move(&c->l, CACHED, page);
	return hit;
}

static int access_lru(void *cache, uint32_t page)
{
	return access_queue(cache, page, 1);
}

static int access_fifo(void *cache, uint32_t page)
{
	return access_queue(cache, page, 0);
}

static void evict_clock(struct cache *c)
{
	uint32_t page;

	for (;;) {
		page = oldest(c);
		if (!(c->l.pages[page].bits & VISITED))
			break;
		c->l.pages[page].bits = 0;
		pt_pagelists_move(&c->l, CACHED, page);
	}
	pt_pagelists_remove(&c->l, page);
}

static void evict_sieve(struct cache *c)
{
	uint32_t page = c->hand == PT_PAGELIST_END ? oldest(c) : c->hand;

	while (c->l.pages[page].bits & VISITED) {
		c->l.pages[page].bits = 0;
		page = c->l.pages[page].younger;
		if (page == PT_PAGELIST_END)
			page = oldest(c);
	}
	c->hand = c->l.pages[page].younger;
	pt_pagelists_remove(&c->l, page);
}

static int access_visited(struct cache *c, uint32_t page, void (*evict)(struct cache *c))
{
	int err = pt_pagelists_reserve(&c->l, page);

	if (err < 0)
		return err;
	if (c->l.pages[page].list == CACHED) {
		c->l.pages[page].bits = VISITED;
		return 1;
	}
	if (is_full(c))
		evict(c);
	c->l.pages[page].bits = 0;
	pt_pagelists_move(&c->l, CACHED, page);
	return 0;
}

static int access_clock(void *cache, uint32_t page)
{
	return access_visited(cache, page, evict_clock);
}

static int access_sieve(void *cache, uint32_t page)
{
	return access_visited(cache, page, evict_sieve);
}

const struct pt_policy pt_policy_lru = { "lru", cache_new, access_lru, cache_free };
const struct pt_policy pt_policy_fifo = { "fifo", cache_new, access_fifo, cache_free };
const struct pt_policy pt_policy_clock = { "clock", cache_new, access_clock, cache_free };
const struct pt_policy pt_policy_sieve = { "sieve", cache_new, access_sieve, cache_free };
