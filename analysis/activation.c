// SPDX-License-Identifier: GPL-2.0-or-later
/* Predicted activations: see activation.h. */
#include "analysis/activation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct decision {
	uint64_t distance, rank;
	uint8_t activated, wanted, wanted_live;
};

struct period {
	struct decision *v;
	size_t n, cap;
	uint64_t flushes; /* its number */
};

/*
 * Activations may be told late, when a CPU's batch of pages is drained: the period before the
 * current one stays open.
 */
struct lruvec {
	struct period now, before;
};

struct pt_activation {
	struct lruvec *v; /* by number */
	size_t n;
	int with_anon;
	struct pt_activation_counts counts;
};

int pt_activation_new(int with_anon, struct pt_activation **ret_a)
{
	struct pt_activation *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->with_anon = with_anon;
	*ret_a = a;
	return 0;
}

void pt_activation_free(struct pt_activation *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++) {
		free(a->v[i].now.v);
		free(a->v[i].before.v);
	}
	free(a->v);
	free(a);
}

static int by_distance(const void *x, const void *y)
{
	const struct decision *a = x, *b = y;

	return (a->distance > b->distance) - (a->distance < b->distance);
}

/* Errors of the best threshold: below it all are activated, above it none. */
static uint64_t fit(struct period *p)
{
	uint64_t wrong = 0, best;

	for (size_t i = 0; i < p->n; i++)
		wrong += p->v[i].activated; /* a threshold below all */
	best = wrong;
	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_distance);
	for (size_t i = 0; i < p->n; i++) {
		if (p->v[i].activated)
			wrong--;
		else
			wrong++;
		if (wrong < best && (i + 1 == p->n || p->v[i + 1].distance != p->v[i].distance))
			best = wrong;
	}
	return best;
}

static void close_period(struct pt_activation *a, struct period *p)
{
	struct pt_activation_counts *c = &a->counts;

	for (size_t i = 0; i < p->n; i++) {
		const struct decision *d = &p->v[i];

		c->activated += d->activated;
		c->wrong += d->wanted != d->activated;
		c->wrong_live += d->wanted_live != d->activated;
	}
	c->decisions += p->n;
	c->periods += p->n != 0;
	c->wrong_fitted += fit(p);
	p->n = 0;
}

static struct lruvec *get(struct pt_activation *a, uint32_t lruvec)
{
	if (lruvec >= a->n) {
		size_t n = (size_t)lruvec + lruvec / 2 + 16;
		struct lruvec *v = reallocarray(a->v, n, sizeof(*v));

		if (!v)
			return NULL;
		memset(v + a->n, 0, (n - a->n) * sizeof(*v));
		a->v = v;
		a->n = n;
	}
	return &a->v[lruvec];
}

/* Whether the kernel would find @distance short if its lists had these lengths. */
static int is_short(const struct pt_activation *a, uint64_t distance, const struct pt_lru_sizes *s)
{
	int64_t limit = s->active > 0 ? s->active : 0;

	if (a->with_anon && s->anon > 0)
		limit += s->anon;
	return distance <= (uint64_t)limit;
}

static int append(struct period *p, const struct decision *d)
{
	if (p->n == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : 256;
		struct decision *v = reallocarray(p->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		p->v = v;
		p->cap = cap;
	}
	p->v[p->n++] = *d;
	return 0;
}

int pt_activation_refaulted(struct pt_activation *a, const struct pt_refault_event *e)
{
	struct lruvec *l;

	if (!e->dated || !e->sizes_known) {
		a->counts.unknown++;
		return 0;
	}
	l = get(a, e->lruvec);
	if (!l)
		return -ENOMEM;
	if (l->now.flushes != e->flushes) {
		struct period old = l->before;

		close_period(a, &old);
		l->before = l->now;
		l->now = old;
		l->now.flushes = e->flushes;
	}
	return append(&l->now, &(struct decision){
				       .distance = e->age,
				       .rank = e->rank,
				       .activated = e->activated == 1,
				       .wanted = (uint8_t)is_short(a, e->age, &e->flushed),
				       .wanted_live = (uint8_t)is_short(a, e->age, &e->now),
			       });
}

/* Ranks rise within a period. */
static struct decision *find(struct period *p, uint64_t rank)
{
	size_t lo = 0, hi = p->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->v[mid].rank == rank)
			return &p->v[mid];
		if (p->v[mid].rank < rank)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

void pt_activation_activated(struct pt_activation *a, uint32_t lruvec, uint64_t rank)
{
	struct decision *d;

	if (lruvec >= a->n)
		return;
	d = find(&a->v[lruvec].now, rank);
	if (!d)
		d = find(&a->v[lruvec].before, rank);
	if (d)
		d->activated = 1;
}

const struct pt_activation_counts *pt_activation_finish(struct pt_activation *a)
{
	for (size_t i = 0; i < a->n; i++) {
		close_period(a, &a->v[i].before);
		close_period(a, &a->v[i].now);
	}
	return &a->counts;
}
