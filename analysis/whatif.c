// SPDX-License-Identifier: GPL-2.0-or-later
/* Other thresholds for refaults: see whatif.h. */
#include "analysis/whatif.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/record.h"
#include "util/map.h"

/* Of one evicting lruvec. */
struct evictor {
	uint64_t refaults, file_pages_max;
	uint32_t cgroup;
};

struct pt_whatif {
	struct pt_whatif_options opt;
	struct pt_whatif_group *folios; /* in order of appearance */
	size_t n, cap;
	struct pt_map ids; /* (file, page) -> index */
	struct evictor *evictors;
	size_t nevictors;
	struct pt_whatif_total total;
	double sums[PT_WHATIF_RULES]; /* of thresholds times pages */
};

int pt_whatif_new(const struct pt_whatif_options *opt, struct pt_whatif **ret_w)
{
	struct pt_whatif *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->opt = *opt;
	pt_map_init(&w->ids);
	*ret_w = w;
	return 0;
}

void pt_whatif_free(struct pt_whatif *w)
{
	if (!w)
		return;
	pt_map_done(&w->ids);
	free(w->folios);
	free(w->evictors);
	free(w);
}

/* ---- Refaults */

static struct pt_whatif_group *get_folio(struct pt_whatif *w, const struct pt_refault_event *e)
{
	const struct pt_map_key key = { .hi = e->file, .lo = e->page };
	uint64_t *known = pt_map_get(&w->ids, key);

	if (known)
		return &w->folios[*known];
	if (w->n == w->cap) {
		size_t cap = w->cap ? 2 * w->cap : 64;
		struct pt_whatif_group *v = reallocarray(w->folios, cap, sizeof(*v));

		if (!v)
			return NULL;
		w->folios = v;
		w->cap = cap;
	}
	if (!pt_map_put(&w->ids, key, w->n, NULL))
		return NULL;
	w->folios[w->n] = (struct pt_whatif_group){ .file = e->file, .page = e->page };
	return &w->folios[w->n++];
}

static struct evictor *get_evictor(struct pt_whatif *w, uint32_t lruvec)
{
	if (lruvec >= w->nevictors) {
		size_t n = (size_t)lruvec + lruvec / 2 + 16;
		struct evictor *v = reallocarray(w->evictors, n, sizeof(*v));

		if (!v)
			return NULL;
		memset(v + w->nevictors, 0, (n - w->nevictors) * sizeof(*v));
		w->evictors = v;
		w->nevictors = n;
	}
	return &w->evictors[lruvec];
}

static uint64_t at_least_0(int64_t v)
{
	return v > 0 ? (uint64_t)v : 0;
}

static uint64_t threshold(const struct pt_whatif *w, const struct pt_whatif_rule *rule,
			  const struct pt_lru_sizes *s)
{
	uint64_t anon = w->opt.with_swap ? at_least_0(s->anon) : 0;
	uint64_t file = at_least_0(s->file), active = at_least_0(s->active);

	if (active > file) /* active pages that were removed, until the next reading */
		active = file;
	switch (rule->by) {
	case PT_LISTS_ACTIVE:
		return active + anon;
	case PT_LISTS_INACTIVE:
		return file - active;
	case PT_LISTS_BOTH:
		return file + anon;
	default:
		return rule->pages;
	}
}

/* What the kernel itself would do, to be held against what it did. */
static void hold_against_today(struct pt_whatif *w, const struct pt_refault_event *e,
			       const struct pt_lru_sizes *s, uint64_t distance)
{
	static const struct pt_whatif_rule today = { PT_LISTS_ACTIVE, 0 };

	if (e->dated && distance <= threshold(w, &today, s))
		w->total.today += e->pages;
}

static void hold_against(struct pt_whatif *w, const struct pt_refault_event *e,
			 struct pt_whatif_group *g)
{
	const struct pt_lru_sizes *s = e->sizes_known ? &e->flushed : &e->now;
	uint64_t distance = w->opt.by_evictions ? e->evicted_pages : e->age;

	hold_against_today(w, e, s, distance);
	for (size_t i = 0; i < w->opt.nrules; i++) {
		uint64_t most = threshold(w, &w->opt.rules[i], s);
		struct pt_whatif_counts *one = &g->counts[i], *all = &w->total.counts[i];

		w->sums[i] += (double)most * (double)e->pages;
		if (one->activated) {
			one->again += e->pages;
			all->again += e->pages;
		}
		if (!e->dated || distance > most)
			continue;
		if (!one->activated) {
			one->protects += e->pages;
			all->protects += e->pages;
		}
		one->activated += e->pages;
		all->activated += e->pages;
	}
}

int pt_whatif_refaulted(void *ctx, const struct pt_refault_event *e)
{
	struct pt_whatif *w = ctx;
	struct pt_whatif_group *g = get_folio(w, e);
	struct evictor *v = e->dated ? get_evictor(w, e->lruvec) : NULL;

	if (!g || (e->dated && !v))
		return -ENOMEM;
	w->total.refaults += e->pages;
	g->refaults += e->pages;
	g->pages = e->pages;
	g->cgroup = e->cgroup;
	hold_against(w, e, g);
	if (!v) {
		w->total.undated += e->pages;
		return 0;
	}
	if (!e->sizes_known)
		w->total.modelled += e->pages;
	v->refaults += e->pages;
	v->cgroup = e->evictor;
	if (at_least_0(e->now.file) > v->file_pages_max)
		v->file_pages_max = at_least_0(e->now.file);
	return 0;
}

void pt_whatif_total(const struct pt_whatif *w, struct pt_whatif_total *ret_t)
{
	uint64_t most = 0;

	*ret_t = w->total;
	ret_t->evictor = PT_UNKNOWN32;
	for (size_t i = 0; i < w->nevictors; i++) {
		if (w->evictors[i].refaults <= most)
			continue;
		most = w->evictors[i].refaults;
		ret_t->evictor = w->evictors[i].cgroup;
		ret_t->file_pages_max = w->evictors[i].file_pages_max;
	}
	for (size_t i = 0; i < w->opt.nrules; i++)
		ret_t->thresholds[i] =
			w->total.refaults ? w->sums[i] / (double)w->total.refaults : (double)NAN;
}

/* ---- Groups */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_refaults(const void *x, const void *y)
{
	const struct pt_whatif_group *a = x, *b = y;
	int r = compare(b->refaults, a->refaults);

	if (!r)
		r = compare(a->file, b->file);
	if (!r)
		r = compare(a->page, b->page);
	return r ? r : compare(a->cgroup, b->cgroup);
}

static void add_to(struct pt_whatif_group *g, const struct pt_whatif_group *folio, size_t nrules)
{
	g->refaults += folio->refaults;
	g->pages += folio->pages;
	for (size_t i = 0; i < nrules; i++) {
		g->counts[i].activated += folio->counts[i].activated;
		g->counts[i].protects += folio->counts[i].protects;
		g->counts[i].again += folio->counts[i].again;
	}
}

/* Sum up the folios of each file or cgroup into @v, which has room for all; returns how many. */
static size_t sum_up(const struct pt_whatif *w, enum pt_whatif_by by, struct pt_whatif_group *v,
		     struct pt_map *ids)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct pt_whatif_group *folio = &w->folios[i];
		uint32_t key = by == PT_WHATIF_BY_FILE ? folio->file : folio->cgroup;
		uint64_t *at = pt_map_put(ids, (struct pt_map_key){ .lo = key }, n, NULL);

		if (!at)
			return SIZE_MAX;
		if (*at == n) {
			v[n++] = (struct pt_whatif_group){
				.file = by == PT_WHATIF_BY_FILE ? key : PT_UNKNOWN32,
				.cgroup = by == PT_WHATIF_BY_CGROUP ? key : PT_UNKNOWN32,
				.page = PT_UNKNOWN,
			};
		}
		add_to(&v[*at], folio, w->opt.nrules);
	}
	return n;
}

int pt_whatif_groups(const struct pt_whatif *w, enum pt_whatif_by by,
		     struct pt_whatif_group **ret_v, size_t *ret_n)
{
	struct pt_whatif_group *v = calloc(w->n + 1, sizeof(*v));
	struct pt_map ids;
	size_t n = w->n;

	if (!v)
		return -ENOMEM;
	pt_map_init(&ids);
	if (by == PT_WHATIF_BY_PAGE && n)
		memcpy(v, w->folios, n * sizeof(*v));
	else
		n = sum_up(w, by, v, &ids);
	pt_map_done(&ids);
	if (n == SIZE_MAX) {
		free(v);
		return -ENOMEM;
	}
	qsort(v, n, sizeof(*v), by_refaults);
	*ret_v = v;
	*ret_n = n;
	return 0;
}
