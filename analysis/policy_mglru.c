// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A model of Linux's generations and tiers, as mm/vmscan.c and mm/workingset.c of 6.12 treat clean
 * file pages that are read through descriptors:
 *
 * Pages enter the oldest of at most four generations. One that was accessed N times is in tier
 * ceil(log2(N)). Eviction looks at the oldest page of the oldest generation: a tier above the first
 * whose refault rate is the higher one is protected, its page moves to the next generation
 * (sort_folio, get_tier_idx, positive_ctrl_err). The rates are those of the oldest generation with
 * the average of those before it, halved each time (reset_ctrl_pos). A page refaults where its
 * shadow is less than four generations old. An empty generation is given up; a new one is made when
 * two are left, or when of three the youngest has more than half or the oldest less than a quarter
 * of the pages (should_run_aging of 6.1).
 *
 * A model, not a copy: page by page instead of in batches, without mapped pages and their walks.
 */
#include <stdlib.h>

#include "analysis/pagelists.h"
#include "analysis/policy.h"

#define GENERATIONS     4u
#define MIN_GENERATIONS 2u
#define TIERS           4u
#define BATCH           64u /* MIN_LRU_BATCH: fewer refaults say nothing */
#define FIRST_GAIN      2u  /* of the first tier, and of those above: a margin for fluctuations */
#define GAIN            3u
#define MAX_ACCESSES    8u /* saturated: the last tier */

#define SHADOW (1u << 7) /* in bits, above the number of accesses */

struct tier {
	uint64_t refaulted, total; /* of the generation now; total: evicted or protected */
	uint64_t old_refaulted, old_total;
};

struct cache {
	struct pt_pagelists l; /* a list a generation */
	uint32_t capacity;
	uint32_t min_seq, max_seq;
	struct tier tiers[TIERS];
};

static void *mglru_new(uint32_t capacity)
{
	struct cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	pt_pagelists_init(&c->l);
	c->capacity = capacity;
	c->max_seq = MIN_GENERATIONS + 1; /* lru_gen_init_lruvec */
	return c;
}

static void mglru_free(void *cache)
{
	struct cache *c = cache;

	if (c)
		pt_pagelists_done(&c->l);
	free(c);
}

static unsigned int list_of(uint32_t seq)
{
	return 1 + seq % GENERATIONS;
}

static uint32_t length(const struct cache *c, uint32_t seq)
{
	return c->l.lists[list_of(seq)].n;
}

static unsigned int tier_of(const struct pt_listed_page *p)
{
	unsigned int accesses = p->bits & (SHADOW - 1u);

	return accesses > 1 ? 32u - (unsigned int)__builtin_clz(accesses - 1) : 0;
}

/* Whether @t refaults no more than @first does, as far as can be told. */
static int is_no_worse(const struct tier *first, const struct tier *t)
{
	uint64_t refaulted = t->refaulted + t->old_refaulted, total = t->total + t->old_total;
	uint64_t base = first->refaulted + first->old_refaulted;

	return refaulted < BATCH ||
	       refaulted * (first->total + first->old_total + BATCH) * FIRST_GAIN <=
		       (base + 1) * total * GAIN;
}

/* The highest tier that may be evicted. */
static unsigned int evictable_tier(const struct cache *c)
{
	unsigned int t = 1;

	while (t < TIERS && is_no_worse(&c->tiers[0], &c->tiers[t]))
		t++;
	return t - 1;
}

static int should_age(const struct cache *c)
{
	uint32_t total = 0;

	if (c->min_seq + MIN_GENERATIONS != c->max_seq)
		return c->min_seq + MIN_GENERATIONS > c->max_seq;
	for (uint32_t seq = c->min_seq; seq <= c->max_seq; seq++)
		total += length(c, seq);
	return (uint64_t)length(c, c->max_seq) * MIN_GENERATIONS > total ||
	       (uint64_t)length(c, c->min_seq) * (MIN_GENERATIONS + 2) < total;
}

static void give_up_oldest(struct cache *c)
{
	c->min_seq++;
	for (unsigned int t = 0; t < TIERS; t++) {
		struct tier *x = &c->tiers[t];

		x->old_refaulted = (x->old_refaulted + x->refaulted) / 2;
		x->old_total = (x->old_total + x->total) / 2;
		x->refaulted = x->total = 0;
	}
}

static void evict(struct cache *c)
{
	unsigned int highest = evictable_tier(c);

	for (;;) {
		struct pt_listed_page *p;
		uint32_t page;

		if (should_age(c))
			c->max_seq++;
		if (!length(c, c->min_seq)) {
			give_up_oldest(c);
			continue;
		}
		page = c->l.lists[list_of(c->min_seq)].oldest;
		p = &c->l.pages[page];
		c->tiers[tier_of(p)].total++;
		if (tier_of(p) <= highest) {
			p->stamp = c->min_seq;
			p->bits |= SHADOW;
			pt_pagelists_remove(&c->l, page);
			return;
		}
		p->bits = 0;
		pt_pagelists_move(&c->l, list_of(c->min_seq + 1), page);
	}
}

static int mglru_access(void *cache, uint32_t page)
{
	struct cache *c = cache;
	int err = pt_pagelists_reserve(&c->l, page);
	struct pt_listed_page *p;

	if (err < 0)
		return err;
	p = &c->l.pages[page];
	if (p->list) {
		p->bits += p->bits < MAX_ACCESSES;
		return 1;
	}
	if (length(c, c->min_seq) + length(c, c->min_seq + 1) + length(c, c->min_seq + 2) +
		    length(c, c->min_seq + 3) ==
	    c->capacity)
		evict(c);
	if (p->bits & SHADOW && c->max_seq - p->stamp < GENERATIONS)
		c->tiers[tier_of(p)].refaulted++;
	p->bits = 1; /* the read that brought it */
	pt_pagelists_move(&c->l, list_of(c->min_seq), page);
	return 0;
}

const struct pt_policy pt_policy_mglru = { "mglru", mglru_new, mglru_access, mglru_free };
