// SPDX-License-Identifier: GPL-2.0-or-later
/* Policies to test against: see naive_policies.h. */
#include "naive_policies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define QUEUES 4

/* v[0] is the youngest. */
struct queue {
	uint32_t v[NAIVE_PAGES];
	uint32_t n;
};

struct naive {
	int (*access)(struct naive *n, uint32_t page);
	uint32_t capacity;
	struct queue q[QUEUES];
	unsigned int count[NAIVE_PAGES];
	uint64_t when[NAIVE_PAGES];
	int has_shadow[NAIVE_PAGES], shadow_tier[NAIVE_PAGES];
	double target;
	uint64_t age;
	uint32_t hand;      /* a page, or NAIVE_PAGES */
	uint32_t threshold; /* of twolists: 0 the active list's length */
	uint64_t min_seq, gens;
	double now_refaulted[4], now_total[4], old_refaulted[4], old_total[4];
};

static int find(const struct queue *q, uint32_t page)
{
	for (uint32_t i = 0; i < q->n; i++)
		if (q->v[i] == page)
			return (int)i;
	return -1;
}

static void take(struct queue *q, uint32_t page)
{
	int i = find(q, page);

	if (i >= 0)
		memmove(&q->v[i], &q->v[i + 1], (--q->n - (uint32_t)i) * sizeof(*q->v));
}

static void put(struct queue *q, uint32_t page)
{
	memmove(q->v + 1, q->v, q->n++ * sizeof(*q->v));
	q->v[0] = page;
}

static uint32_t pop(struct queue *q)
{
	return q->v[--q->n];
}

static int lru(struct naive *n, uint32_t page)
{
	int hit = find(&n->q[0], page) >= 0;

	if (hit)
		take(&n->q[0], page);
	else if (n->q[0].n == n->capacity)
		pop(&n->q[0]);
	put(&n->q[0], page);
	return hit;
}

static int fifo(struct naive *n, uint32_t page)
{
	if (find(&n->q[0], page) >= 0)
		return 1;
	if (n->q[0].n == n->capacity)
		pop(&n->q[0]);
	put(&n->q[0], page);
	return 0;
}

static int clock_(struct naive *n, uint32_t page)
{
	if (find(&n->q[0], page) >= 0) {
		n->count[page] = 1;
		return 1;
	}
	while (n->q[0].n == n->capacity) {
		uint32_t old = pop(&n->q[0]);

		if (n->count[old])
			put(&n->q[0], old);
		n->count[old] = 0;
	}
	put(&n->q[0], page);
	return 0;
}

static int sieve(struct naive *n, uint32_t page)
{
	struct queue *q = &n->q[0];
	int at;

	if (find(q, page) >= 0) {
		n->count[page] = 1;
		return 1;
	}
	if (q->n == n->capacity) {
		at = n->hand == NAIVE_PAGES ? (int)q->n - 1 : find(q, n->hand);
		while (n->count[q->v[at]]) {
			n->count[q->v[at]] = 0;
			at = at ? at - 1 : (int)q->n - 1;
		}
		n->hand = at ? q->v[at - 1] : NAIVE_PAGES;
		take(q, q->v[at]);
	}
	n->count[page] = 0;
	put(q, page);
	return 0;
}

/* Small, main, ghost. */
static int s3fifo(struct naive *n, uint32_t page)
{
	struct queue *s = &n->q[0], *m = &n->q[1], *g = &n->q[2];
	uint32_t small = n->capacity < 10 ? 1 : n->capacity / 10, main = n->capacity - small;
	int known = find(g, page) >= 0;

	if (find(s, page) >= 0 || find(m, page) >= 0) {
		n->count[page] = n->count[page] < 3 ? n->count[page] + 1 : 3;
		return 1;
	}
	while (s->n + m->n == n->capacity) {
		int from_main = s->n < small;

		while (!from_main && s->n) {
			uint32_t old = pop(s);

			if (n->count[old] > 1) {
				n->count[old] = 0;
				put(m, old);
				from_main = m->n > main;
				continue;
			}
			put(g, old);
			if (g->n > main)
				pop(g);
			break;
		}
		while (from_main && m->n) {
			uint32_t old = pop(m);

			if (!n->count[old])
				break;
			n->count[old]--;
			put(m, old);
		}
	}
	/* It may have been forgotten just now; what it was when asked for decides nothing. */
	known = known && find(g, page) >= 0;
	take(g, page);
	n->count[page] = 0;
	put(known ? m : s, page);
	return 0;
}

/* T1, T2, B1, B2. */
static void arc_replace(struct naive *n, int in_b2)
{
	struct queue *q = n->q;

	if (q[0].n >= 1 && ((in_b2 && q[0].n == n->target) || q[0].n > n->target))
		put(&q[2], pop(&q[0]));
	else
		put(&q[3], pop(&q[1]));
}

static int arc(struct naive *n, uint32_t page)
{
	struct queue *q = n->q;
	uint32_t c = n->capacity;

	if (find(&q[0], page) >= 0 || find(&q[1], page) >= 0) {
		take(&q[0], page);
		take(&q[1], page);
		put(&q[1], page);
		return 1;
	}
	if (find(&q[2], page) >= 0) {
		n->target = fmin(c, n->target + fmax(1, floor((double)q[3].n / q[2].n)));
		arc_replace(n, 0);
		take(&q[2], page);
		put(&q[1], page);
		return 0;
	}
	if (find(&q[3], page) >= 0) {
		n->target = fmax(0, n->target - fmax(1, floor((double)q[2].n / q[3].n)));
		arc_replace(n, 1);
		take(&q[3], page);
		put(&q[1], page);
		return 0;
	}
	if (q[0].n + q[2].n == c) {
		if (q[0].n < c) {
			pop(&q[2]);
			arc_replace(n, 0);
		} else {
			pop(&q[0]);
		}
	} else if (q[0].n + q[1].n + q[2].n + q[3].n >= c) {
		if (q[0].n + q[1].n + q[2].n + q[3].n == 2 * c)
			pop(&q[3]);
		arc_replace(n, 0);
	}
	put(&q[0], page);
	return 0;
}

static uint32_t threshold(const struct naive *n)
{
	if (n->threshold == NAIVE_INACTIVE)
		return n->q[0].n;
	if (n->threshold == NAIVE_BOTH)
		return n->q[0].n + n->q[1].n;
	return n->threshold ? n->threshold : n->q[1].n;
}

/* Inactive, active. Capacities are far below a GiB, so the lists are to be equally long. */
static int twolists(struct naive *n, uint32_t page)
{
	struct queue *inactive = &n->q[0], *active = &n->q[1];

	if (find(active, page) >= 0) {
		n->count[page] = 1;
		return 1;
	}
	if (find(inactive, page) >= 0) {
		if (n->count[page]) {
			take(inactive, page);
			put(active, page);
			n->count[page] = 0;
			n->age++;
		} else {
			n->count[page] = 1;
		}
		return 1;
	}
	if (inactive->n + active->n == n->capacity) {
		uint32_t old;

		while (inactive->n < active->n)
			put(inactive, pop(active));
		old = pop(inactive);
		n->when[old] = n->age++;
		n->has_shadow[old] = 1;
	}
	if (n->has_shadow[page] && n->age - n->when[page] <= threshold(n)) {
		put(active, page);
		n->count[page] = 0;
		n->age++;
	} else {
		put(inactive, page);
		n->count[page] = 1;
	}
	n->has_shadow[page] = 0;
	return 0;
}

/* q[0] is always the oldest generation. */
static int tier(const struct naive *n, uint32_t page)
{
	return n->count[page] > 1 ? (int)ceil(log2(n->count[page])) : 0;
}

static void mglru_oldest_is_gone(struct naive *n)
{
	memmove(&n->q[0], &n->q[1], (QUEUES - 1) * sizeof(n->q[0]));
	n->q[QUEUES - 1].n = 0;
	n->gens--;
	n->min_seq++;
	for (int t = 0; t < 4; t++) {
		n->old_refaulted[t] = floor((n->old_refaulted[t] + n->now_refaulted[t]) / 2);
		n->old_total[t] = floor((n->old_total[t] + n->now_total[t]) / 2);
		n->now_refaulted[t] = n->now_total[t] = 0;
	}
}

static int mglru_highest(const struct naive *n)
{
	double first = n->now_refaulted[0] + n->old_refaulted[0];
	double first_total = n->now_total[0] + n->old_total[0];

	for (int t = 1; t < 4; t++) {
		double refaulted = n->now_refaulted[t] + n->old_refaulted[t];
		double total = n->now_total[t] + n->old_total[t];

		if (refaulted >= 64 && refaulted * (first_total + 64) * 2 > (first + 1) * total * 3)
			return t - 1;
	}
	return 3;
}

static void mglru_evict(struct naive *n)
{
	int highest = mglru_highest(n);

	for (;;) {
		uint32_t all = n->q[0].n + n->q[1].n + n->q[2].n + n->q[3].n, page;

		if (n->gens == 2 || (n->gens == 3 && (2 * n->q[2].n > all || 4 * n->q[0].n < all)))
			n->gens++;
		if (!n->q[0].n) {
			mglru_oldest_is_gone(n);
			continue;
		}
		page = pop(&n->q[0]);
		n->now_total[tier(n, page)]++;
		if (tier(n, page) > highest) {
			n->count[page] = 0;
			put(&n->q[1], page);
			continue;
		}
		n->has_shadow[page] = 1;
		n->when[page] = n->min_seq;
		n->shadow_tier[page] = tier(n, page);
		return;
	}
}

static int mglru(struct naive *n, uint32_t page)
{
	for (int i = 0; i < QUEUES; i++) {
		if (find(&n->q[i], page) >= 0) {
			n->count[page] = n->count[page] < 8 ? n->count[page] + 1 : 8;
			return 1;
		}
	}
	if (n->q[0].n + n->q[1].n + n->q[2].n + n->q[3].n == n->capacity)
		mglru_evict(n);
	if (n->has_shadow[page] && n->min_seq + n->gens - 1 - n->when[page] < 4)
		n->now_refaulted[n->shadow_tier[page]]++;
	n->has_shadow[page] = 0;
	n->count[page] = 1;
	put(&n->q[0], page);
	return 0;
}

struct naive *naive_new(const char *policy, uint32_t capacity)
{
	static const struct {
		const char *name;
		int (*access)(struct naive *n, uint32_t page);
	} all[] = {
		{ "lru", lru },           { "fifo", fifo },     { "clock", clock_ },
		{ "sieve", sieve },       { "s3fifo", s3fifo }, { "arc", arc },
		{ "twolists", twolists }, { "mglru", mglru },
	};
	struct naive *n = calloc(1, sizeof(*n));

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].name, policy) == 0)
			n->access = all[i].access;
	n->capacity = capacity;
	n->hand = NAIVE_PAGES;
	n->gens = 4;
	return n;
}

struct naive *naive_twolists(uint32_t capacity, uint32_t threshold_pages)
{
	struct naive *n = naive_new("twolists", capacity);

	n->threshold = threshold_pages;
	return n;
}

void naive_free(struct naive *n)
{
	free(n);
}

int naive_access(struct naive *n, uint32_t page)
{
	return n->access(n, page);
}

uint64_t naive_opt(const uint32_t *pages, uint32_t n, uint32_t capacity)
{
	struct queue q = { .n = 0 };
	uint64_t misses = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t victim = 0, farthest = 0;

		if (find(&q, pages[i]) >= 0)
			continue;
		misses++;
		for (uint32_t k = 0; q.n == capacity && k < q.n; k++) {
			uint32_t next = i + 1;

			while (next < n && pages[next] != q.v[k])
				next++;
			if (next >= farthest) {
				farthest = next;
				victim = q.v[k];
			}
		}
		if (q.n == capacity)
			take(&q, victim);
		put(&q, pages[i]);
	}
	return misses;
}
