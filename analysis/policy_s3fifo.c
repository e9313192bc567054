// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * S3-FIFO: Yang, Zhang, Qiu, Yue and Rashmi, "FIFO queues are all you need for cache eviction",
 * SOSP 2023, algorithm 1.
 *
 * The small queue holds a tenth of the pages (at least one), the ghost queue remembers as many as
 * the main queue holds. A page that was accessed more than once in the small queue moves to the
 * main one with its count cleared, as their text has it.
 */
#include <stdlib.h>

#include "analysis/pagelists.h"
#include "analysis/policy.h"

enum { SMALL = 1, MAIN = 2, GHOST = 3 };

#define MAX_COUNT   3u
#define SMALL_SHARE 10u

struct cache {
	struct pt_pagelists l;
	uint32_t capacity, small, main;
};

static void *s3fifo_new(uint32_t capacity)
{
	struct cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	pt_pagelists_init(&c->l);
	c->capacity = capacity;
	c->small = capacity / SMALL_SHARE ? capacity / SMALL_SHARE : 1;
	c->main = capacity - c->small;
	return c;
}

static void s3fifo_free(void *cache)
{
	struct cache *c = cache;

	if (c)
		pt_pagelists_done(&c->l);
	free(c);
}

static void evict_main(struct cache *c)
{
	struct pt_listed_page *p;
	uint32_t page;

	while (c->l.lists[MAIN].n) {
		page = c->l.lists[MAIN].oldest;
		p = &c->l.pages[page];
		if (!p->bits) {
			pt_pagelists_remove(&c->l, page);
			return;
		}
		p->bits--;
		pt_pagelists_move(&c->l, MAIN, page);
	}
}

static void evict_small(struct cache *c)
{
	while (c->l.lists[SMALL].n) {
		uint32_t page = c->l.lists[SMALL].oldest;

		if (c->l.pages[page].bits <= 1) {
			pt_pagelists_move(&c->l, GHOST, page);
			if (c->l.lists[GHOST].n > c->main)
				pt_pagelists_remove(&c->l, c->l.lists[GHOST].oldest);
			return;
		}
		c->l.pages[page].bits = 0;
		pt_pagelists_move(&c->l, MAIN, page);
		if (c->l.lists[MAIN].n > c->main) {
			evict_main(c);
			return;
		}
	}
}

static int s3fifo_access(void *cache, uint32_t page)
{
	struct cache *c = cache;
	int err = pt_pagelists_reserve(&c->l, page);
	struct pt_listed_page *p;

	if (err < 0)
		return err;
	p = &c->l.pages[page];
	if (p->list == SMALL || p->list == MAIN) {
		p->bits += p->bits < MAX_COUNT;
		return 1;
	}
	while (c->l.lists[SMALL].n + c->l.lists[MAIN].n == c->capacity) {
		if (c->l.lists[SMALL].n >= c->small)
			evict_small(c);
		else
			evict_main(c);
	}
	p->bits = 0;
	pt_pagelists_move(&c->l, p->list == GHOST ? MAIN : SMALL, page);
	return 0;
}

const struct pt_policy pt_policy_s3fifo = { "s3fifo", s3fifo_new, s3fifo_access, s3fifo_free };
