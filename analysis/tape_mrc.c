// SPDX-License-Identifier: GPL-2.0-or-later
/* The miss-ratio curve of a whole tape: see tape_mrc.h. What is printed of it: mrc_document.c. */
#include "analysis/tape_mrc.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/cgroupfilter.h"
#include "analysis/kernelmiss.h"
#include "analysis/pagelog.h"
#include "util/map.h"

#define DEFAULT_SIZES 64

#define FOLIO_FIELDS (1u << PT_F_FILE | 1u << PT_F_PAGE | 1u << PT_F_ORDER)

const uint32_t pt_mrc_fields[PT_KIND_COUNT] = {
	[PT_ACCESS] = PT_PAGEACCESS_READ_FIELDS | 1u << PT_F_TASK,
	[PT_WRITE] = PT_PAGEACCESS_WRITE_FIELDS | 1u << PT_F_TASK,
	[PT_ADD] = FOLIO_FIELDS,
	[PT_EVICT] = FOLIO_FIELDS,
	[PT_REMOVE] = FOLIO_FIELDS,
	[PT_ATTACH] = 1u << PT_F_TASK | 1u << PT_F_CGROUP,
};

/* A tape being read. */
struct reading {
	const struct pt_mrc_options *opt;
	struct pt_mrc *m;
	uint32_t page_size;
	int has_kernel;                  /* the tape says what entered the cache */
	struct pt_pageaccesses accesses; /* of the block */
	struct pt_kernelmiss kernel;
	struct pt_pagelog *log;         /* NULL: not wanted */
	struct pt_cgroupfilter *filter; /* NULL: everything counts */
	uint32_t *cgroups;              /* by task: where it is now */
	uint32_t ntasks;
	struct pt_map group_ids;
	size_t groups_cap;
};

void pt_mrc_free(struct pt_mrc *m)
{
	if (!m)
		return;
	pt_reuse_free(m->reuse);
	for (size_t i = 0; i < m->ngroups; i++)
		pt_reuse_free(m->groups[i].reuse);
	for (size_t i = 0; i < m->npolicies; i++)
		free(m->policies[i]);
	free(m->groups);
	free(m->sizes);
	free(m->curve);
	free(m);
}

/* ---- Records */

static int add_group(struct reading *x, uint32_t key)
{
	struct pt_mrc *m = x->m;

	if (m->ngroups == x->groups_cap) {
		size_t cap = x->groups_cap ? 2 * x->groups_cap : 16;
		struct pt_mrc_group *groups = reallocarray(m->groups, cap, sizeof(*groups));

		if (!groups)
			return -ENOMEM;
		m->groups = groups;
		x->groups_cap = cap;
	}
	m->groups[m->ngroups] = (struct pt_mrc_group){
		.key = key,
		.reuse = pt_reuse_new(&x->opt->sample),
	};
	return m->groups[m->ngroups++].reuse ? 0 : -ENOMEM;
}

/* The group's own reuse distances. */
static int find_group(struct reading *x, uint32_t key, struct pt_reuse **ret_reuse)
{
	uint64_t *index;
	int added;

	index = pt_map_put(&x->group_ids, (struct pt_map_key){ .lo = key }, x->m->ngroups, &added);
	if (!index || (added && add_group(x, key) < 0))
		return -ENOMEM;
	*ret_reuse = x->m->groups[*index].reuse;
	return 0;
}

static int feed_files(struct reading *x)
{
	const struct pt_pageaccesses *a = &x->accesses;
	struct pt_reuse *reuse;
	int err = 0;

	for (size_t i = 0, n; i < a->n && !err; i += n) {
		for (n = 1; i + n < a->n && a->v[i + n].file == a->v[i].file;)
			n++;
		err = find_group(x, a->v[i].file, &reuse);
		if (!err)
			err = pt_reuse_feed_all(reuse, &a->v[i], n);
	}
	return err;
}

/* By the cgroup where the accessing task is: tasks move. */
static int feed_cgroups(struct reading *x, const struct pt_reader_block *b)
{
	const struct pt_pageaccesses *a = &x->accesses;
	uint32_t rows[PT_KIND_COUNT] = { 0 };
	struct pt_reuse *reuse;
	size_t next = 0;
	int err = 0;

	for (uint32_t i = 0; i < b->n && !err; i++) {
		unsigned int kind = b->kinds[i];
		uint64_t task;

		if (kind != PT_ACCESS && kind != PT_WRITE && kind != PT_ATTACH)
			continue;
		task = pt_unpack_value(&b->by_kind[kind].columns[PT_F_TASK], rows[kind]);
		if (kind == PT_ATTACH && task < x->ntasks)
			x->cgroups[task] = (uint32_t)pt_unpack_value(
				&b->by_kind[kind].columns[PT_F_CGROUP], rows[kind]);
		rows[kind]++;
		if (next == a->n || a->v[next].at != i)
			continue;
		err = find_group(x, task < x->ntasks ? x->cgroups[task] : PT_UNKNOWN32, &reuse);
		if (!err)
			err = pt_reuse_feed_all(reuse, &a->v[next++], 1);
	}
	return err;
}

/* Accesses, additions and evictions in their order. */
static int feed_kernel(struct reading *x, const struct pt_reader_block *b)
{
	const struct pt_pageaccesses *a = &x->accesses;
	uint32_t rows[PT_KIND_COUNT] = { 0 };
	size_t next = 0;
	int err = 0;

	for (uint32_t i = 0; i < b->n && !err; i++) {
		unsigned int kind = b->kinds[i];
		const struct pt_unpack_column *c;
		struct pt_record rec = { .kind = (uint8_t)kind };
		uint32_t row;

		if (next < a->n && a->v[next].at == i) {
			const struct pt_pageaccess *v = &a->v[next++];

			err = pt_kernelmiss_access(&x->kernel, v->file, v->page, v->npages);
		}
		if (kind != PT_ADD && kind != PT_EVICT && kind != PT_REMOVE)
			continue;
		c = b->by_kind[kind].columns;
		row = rows[kind]++;
		rec.file = (uint32_t)pt_unpack_value(&c[PT_F_FILE], row);
		rec.page = pt_unpack_value(&c[PT_F_PAGE], row);
		rec.order = (uint8_t)pt_unpack_value(&c[PT_F_ORDER], row);
		err = pt_kernelmiss_feed(&x->kernel, &rec);
	}
	return err;
}

static int feed(void *ctx, const struct pt_reader_block *b)
{
	struct reading *x = ctx;
	struct pt_pageaccesses *a = &x->accesses;
	int err = pt_pageaccesses_of(a, b, x->page_size);

	if (!err)
		err = pt_reuse_feed_all(x->m->reuse, a->v, a->n);
	if (!err && x->has_kernel)
		err = feed_kernel(x, b);
	for (size_t i = 0; x->log && i < a->n && !err; i++)
		err = pt_pagelog_feed(x->log, a->v[i].file, a->v[i].page, a->v[i].npages);
	if (!err && x->opt->by == PT_BY_FILE)
		err = feed_files(x);
	if (!err && x->opt->by == PT_BY_CGROUP)
		err = feed_cgroups(x, b);
	return err;
}

/* ---- Records of some cgroups: they are told apart one by one */

static int feed_access(struct reading *x, const struct pt_record *rec)
{
	struct pt_pageaccess a;
	enum pt_pageaccess_is is = pt_pageaccess_of(rec, x->page_size, &a);
	int err;

	x->accesses.is[is]++;
	if (is != PT_PAGEACCESS_PAGES)
		return 0;
	err = pt_reuse_feed(x->m->reuse, a.file, a.page, a.npages);
	if (!err && x->has_kernel)
		err = pt_kernelmiss_access(&x->kernel, a.file, a.page, a.npages);
	if (!err && x->log)
		err = pt_pagelog_feed(x->log, a.file, a.page, a.npages);
	return err;
}

static int feed_chosen(void *ctx, const struct pt_record *rec)
{
	struct reading *x = ctx;
	int has = pt_cgroupfilter_has(x->filter, rec);

	if (has <= 0)
		return has;
	if (rec->kind == PT_ACCESS || rec->kind == PT_WRITE)
		return feed_access(x, rec);
	return x->has_kernel ? pt_kernelmiss_feed(&x->kernel, rec) : 0;
}

/* ---- At the end */

double pt_mrc_ratio(const struct pt_reuse *reuse, uint64_t pages)
{
	struct pt_reuse_summary s;

	pt_reuse_summarise(reuse, &s);
	return s.accesses ? pt_reuse_misses(reuse, pages) / (double)s.accesses : NAN;
}

static int choose_sizes(struct pt_mrc *m, const struct pt_mrc_options *opt)
{
	struct pt_reuse_summary s;

	m->sizes = calloc(opt->nsizes + DEFAULT_SIZES, sizeof(*m->sizes));
	if (!m->sizes)
		return -ENOMEM;
	for (; m->nsizes < opt->nsizes; m->nsizes++)
		m->sizes[m->nsizes] = opt->sizes[m->nsizes];
	if (m->nsizes)
		return 0;
	pt_reuse_summarise(m->reuse, &s);
	do {
		m->sizes[m->nsizes] = UINT64_C(1) << m->nsizes;
	} while (m->sizes[m->nsizes++] < s.distinct && m->nsizes < DEFAULT_SIZES);
	return 0;
}

static int make_curve(struct pt_mrc *m)
{
	m->curve = calloc(m->nsizes, sizeof(*m->curve));
	for (size_t i = 0; m->curve && i < m->nsizes; i++)
		m->curve[i] = pt_mrc_ratio(m->reuse, m->sizes[i]);
	return m->curve ? 0 : -ENOMEM;
}

static int simulate(struct reading *x)
{
	const struct pt_mrc_options *opt = x->opt;
	size_t n = opt->npolicies + !!opt->opt;
	struct pt_mrc *m = x->m;
	int err = 0;

	for (size_t p = 0; p < n; p++) {
		double *ratios = calloc(m->nsizes, sizeof(*ratios));

		if (!ratios)
			return -ENOMEM;
		m->names[p] = p < opt->npolicies ? opt->policies[p]->name : "opt";
		m->policies[m->npolicies++] = ratios;
		for (size_t i = 0; i < m->nsizes && !err; i++)
			err = p < opt->npolicies ? pt_pagelog_simulate(x->log, opt->policies[p],
								       m->sizes[i], &ratios[i])
						 : pt_pagelog_opt(x->log, m->sizes[i], &ratios[i]);
		if (err < 0)
			return err;
	}
	return 0;
}

static void choose_memory(const struct reading *x, uint64_t evictions, struct pt_mrc_kernel *k)
{
	if (x->opt->memory_pages) {
		k->memory = PT_MRC_MEMORY_OPTION;
		k->pages = x->opt->memory_pages;
	} else if (x->has_kernel && k->cached_max && (evictions || k->limit_pages == PT_UNKNOWN)) {
		k->memory = PT_MRC_MEMORY_CACHED;
		k->pages = k->cached_max;
	} else if (k->limit_pages != PT_UNKNOWN && k->limit_pages) {
		k->memory = PT_MRC_MEMORY_LIMIT;
		k->pages = k->limit_pages;
	}
}

static int compare_kernel(struct reading *x, const struct pt_reader *r)
{
	struct pt_mrc_kernel *k = &x->m->kernel;
	struct pt_kernelmiss_counts c;
	struct pt_reuse_summary s;
	double ratio;
	int err = 0;

	*k = (struct pt_mrc_kernel){ PT_MRC_MEMORY_NONE, PT_UNKNOWN, PT_UNKNOWN, PT_UNKNOWN,
				     PT_UNKNOWN,         PT_UNKNOWN, NAN,        PT_UNKNOWN,
				     PT_UNKNOWN };
	pt_kernelmiss_count(&x->kernel, &c);
	pt_reuse_summarise(x->m->reuse, &s);
	if (pt_reader_limit_bytes(r) != PT_UNKNOWN)
		k->limit_pages = pt_reader_limit_bytes(r) / x->page_size;
	if (x->has_kernel && s.accesses) {
		k->misses = c.misses;
		k->cached_before = c.cached_before;
		k->cached_max = c.cached_max;
		k->miss_ratio = (double)c.misses / (double)s.accesses;
	}
	choose_memory(x, c.evictions, k);
	if (k->memory == PT_MRC_MEMORY_NONE)
		return 0;
	k->lru = (uint64_t)(pt_reuse_misses(x->m->reuse, k->pages) + 0.5);
	if (x->log)
		err = pt_pagelog_opt(x->log, k->pages, &ratio);
	if (x->log && !err && isfinite(ratio))
		k->opt = (uint64_t)(ratio * (double)s.accesses + 0.5);
	return err;
}

static int finish(struct reading *x, const struct pt_reader *r)
{
	int err = choose_sizes(x->m, x->opt);
	struct pt_reuse_summary s;

	pt_reuse_summarise(x->m->reuse, &s);
	if (x->log)
		pt_pagelog_calibrate(x->log, s.share);
	if (!err)
		err = make_curve(x->m);
	if (!err)
		err = simulate(x);
	return err ? err : compare_kernel(x, r);
}

/* ---- All of it */

static int begin(struct reading *x, const struct pt_reader *r)
{
	const struct pt_reuse_options *sample = &x->opt->sample;
	double rate = sample->max_pages || !(sample->rate > 0) ? 1 : sample->rate;
	struct pt_reader_summary s;

	pt_reader_summary(r, &s);
	x->has_kernel = s.counts[PT_ADD] > 0;
	pt_kernelmiss_init(&x->kernel, rate);
	pt_map_init(&x->group_ids);
	x->page_size = pt_head_page_size(pt_reader_head(r));
	x->ntasks = pt_reader_task_count(r);
	x->cgroups = calloc((size_t)x->ntasks + 1, sizeof(*x->cgroups));
	x->m = calloc(1, sizeof(*x->m));
	if (x->opt->cgroups)
		x->filter = pt_cgroupfilter_new(r, x->opt->cgroups);
	if (!x->cgroups || !x->m || (x->opt->cgroups && !x->filter))
		return -ENOMEM;
	for (uint32_t i = 0; i < x->ntasks; i++)
		x->cgroups[i] = pt_reader_task(r, i)->cgroup;
	x->m->max_pages = sample->max_pages;
	x->m->reuse = pt_reuse_new(sample);
	if (x->opt->npolicies || x->opt->opt ||
	    ((x->has_kernel || x->opt->memory_pages) && !sample->max_pages)) {
		x->log = pt_pagelog_new(rate);
		if (!x->log)
			return -ENOMEM;
	}
	return x->m->reuse ? 0 : -ENOMEM;
}

int pt_tape_mrc(struct pt_reader *r, const struct pt_mrc_options *opt, struct pt_mrc **ret_m,
		struct pt_walk *ret_w, struct pt_diag *diag)
{
	struct reading x = { .opt = opt };
	int err = begin(&x, r);

	if (!err)
		err = x.filter ? pt_walk(r, feed_chosen, &x, ret_w, diag)
			       : pt_walk_blocks(r, feed, &x, ret_w, diag);
	if (!err)
		err = finish(&x, r);
	for (unsigned int i = 0; x.m && i < PT_PAGEACCESS_KINDS; i++)
		x.m->records[i] = x.accesses.is[i];
	pt_pageaccesses_done(&x.accesses);
	pt_kernelmiss_done(&x.kernel);
	pt_map_done(&x.group_ids);
	pt_pagelog_free(x.log);
	pt_cgroupfilter_free(x.filter);
	free(x.cgroups);
	if (err < 0) {
		pt_mrc_free(x.m);
		return err;
	}
	*ret_m = x.m;
	return 0;
}
