// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/refault: counts and distances against an oracle that goes back through all events at
 * each refault; and the rules one by one.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/refault.h"
#include "seed.h"
#include "util/cleanup.h"

#define FILES   2
#define PAGES   256
#define CGROUPS 4
#define STREAMS 2000
#define STEPS   150

/* 0 is the root, 1 and 3 its children, 2 a child of 1. */
static const uint32_t parents[CGROUPS] = { PT_UNKNOWN32, 0, 1, 0 };

enum { NOTHING, PAGE, SHADOW };

struct entry {
	int what;
	uint32_t head, order, owner, node;
	int known, ahead;
	uint64_t since; /* when it was added */
	size_t event;   /* shadow: of its eviction */
};

#define LIMITED 1 /* the one cgroup with a limit */

/* What changes the sizes of lists, or what the kernel knows of them. */
struct change {
	enum { BY, READ, FLUSH } what;
	uint32_t cgroup, node;
	int64_t file, active;
};

/* What advances a lruvec: an eviction, or pages that became or stayed active. */
struct event {
	int evicts;
	uint32_t owner, target, node;
	uint64_t pages, ts_ns;
};

struct oracle {
	struct entry pages[FILES][PAGES];
	struct event events[2 * STEPS];
	size_t n;
	struct pt_refault_counts counts;
	struct pt_log2hist *distances[PT_DISTANCE_COUNT];
	uint64_t now_ns;
	struct change changes[2 * STEPS];
	size_t nchanges;
	uint32_t nodes;
	/* Of the refault that is about to be fed. */
	struct pt_lru_sizes now, flushed;
	int sizes_known;
};

static int is_below(uint32_t cgroup, uint32_t ancestor)
{
	for (; cgroup != PT_UNKNOWN32; cgroup = parents[cgroup])
		if (cgroup == ancestor)
			return 1;
	return 0;
}

static void resize(struct oracle *o, uint32_t cgroup, uint32_t node, int64_t file, int64_t active)
{
	o->changes[o->nchanges++] = (struct change){ BY, cgroup, node, file, active };
}

/* All sizes from the beginning on. A reading changes those above by as much as its own. */
static void measure_lists(struct oracle *o, uint32_t cgroup, uint32_t node)
{
	struct pt_lru_sizes now[CGROUPS] = { 0 }, flushed[CGROUPS] = { 0 };
	int known[CGROUPS] = { 0 };

	for (size_t i = 0; i < o->nchanges; i++) {
		struct change c = o->changes[i];

		for (uint32_t g = 0; g < CGROUPS && c.what == FLUSH; g++)
			if (is_below(g, c.cgroup))
				flushed[g] = now[g];
		if (c.what == FLUSH || (c.node != node))
			continue;
		if (c.what == READ) {
			c.file -= now[c.cgroup].file;
			c.active -= now[c.cgroup].active;
			known[c.cgroup] = 1;
		}
		for (uint32_t g = c.cgroup; g != PT_UNKNOWN32; g = parents[g]) {
			now[g].file += c.file;
			now[g].active += c.active;
		}
	}
	o->now = now[cgroup];
	o->flushed = flushed[cgroup];
	o->sizes_known = known[cgroup];
}

static void note(struct oracle *o, const struct event *e)
{
	o->events[o->n] = *e;
	o->events[o->n++].ts_ns = o->now_ns;
}

static void measure(struct oracle *o, const struct entry *shadow, uint64_t pages)
{
	const struct event *was = &o->events[shadow->event];
	uint64_t evicted = 0, age = 0;

	for (size_t i = shadow->event; i < o->n; i++) {
		const struct event *e = &o->events[i];

		if (e->node != was->node)
			continue;
		if (e->evicts && i > shadow->event && e->owner == was->owner)
			evicted += e->pages;
		if (is_below(e->target, was->target))
			age += e->pages;
	}
	pt_log2hist_add(o->distances[PT_DISTANCE_EVICTED_PAGES], evicted, pages);
	pt_log2hist_add(o->distances[PT_DISTANCE_NONRESIDENT_AGE], age, pages);
	pt_log2hist_add(o->distances[PT_DISTANCE_INTERVAL], o->now_ns - was->ts_ns, pages);
	measure_lists(o, was->target, was->node);
	if (o->sizes_known && o->now.file > 0)
		pt_log2hist_add(o->distances[PT_DISTANCE_LRU_PERCENT],
				evicted * 100 / (uint64_t)o->now.file, pages);
}

static struct pt_record record_at(const struct oracle *o, uint8_t kind, uint32_t file,
				  uint32_t page, uint32_t order)
{
	struct pt_record r = PT_RECORD_INIT(kind);

	r.ts_ns = o->now_ns;
	r.task = 0;
	r.file = file;
	r.page = page;
	r.order = (uint8_t)order;
	return r;
}

/* A larger shadow becomes several of @order. */
static void split(struct entry *p, uint32_t head, uint32_t old, uint32_t order)
{
	for (uint32_t i = head; i < head + (1u << old); i++) {
		p[i].head = i >> order << order;
		p[i].order = order;
	}
}

static void step_add(struct oracle *o, struct pt_refault *r, struct pt_rng *g)
{
	uint32_t file = (uint32_t)pt_rng_below(g, FILES), order = (uint32_t)pt_rng_below(g, 4);
	uint32_t page = (uint32_t)pt_rng_below(g, PAGES) >> order << order;
	struct pt_record rec = record_at(o, PT_ADD, file, page, order);
	struct entry *p = o->pages[file], last = { 0 };
	uint64_t n = UINT64_C(1) << order, unknown = 0;

	for (uint32_t i = page; i < page + n; i++) {
		if (p[i].what == PAGE)
			return;
		if (p[i].what == SHADOW)
			last = p[i];
		unknown += !p[i].known;
	}
	rec.cgroup = (uint32_t)pt_rng_below(g, CGROUPS);
	rec.node = (uint16_t)pt_rng_below(g, o->nodes);
	rec.how = (uint8_t)pt_rng_below(g, PT_CAUSE_COUNT + 1);
	if (rec.how == PT_CAUSE_COUNT)
		rec.how = PT_UNKNOWN8;
	o->counts.adds[rec.how == PT_UNKNOWN8 ? PT_CAUSE_COUNT : rec.how] += n;
	if (last.what == SHADOW && rec.how != PT_CAUSE_WRITE) {
		o->counts.refaults += n;
		o->counts.refault_folios++;
		o->counts.refaults_by_cause[rec.how == PT_UNKNOWN8 ? PT_CAUSE_COUNT : rec.how] += n;
		measure(o, &last, n);
	} else if (rec.how != PT_CAUSE_WRITE) {
		o->counts.unknown_before_start += unknown;
	}
	if (p[page].what == SHADOW && p[page].order > order)
		split(p, p[page].head, p[page].order, order);
	for (uint32_t i = page; i < page + n; i++)
		p[i] = (struct entry){ .what = PAGE,
				       .head = page,
				       .order = order,
				       .known = 1,
				       .owner = rec.cgroup,
				       .node = rec.node,
				       .since = o->now_ns,
				       .ahead = rec.how == PT_CAUSE_READAHEAD };
	resize(o, rec.cgroup, rec.node, (int64_t)n, 0);
	assert_int_equal(pt_refault_feed(r, &rec), 0);
}

/* A cached folio, picked at random: 1 and its first page, or 0. */
static int pick(const struct oracle *o, struct pt_rng *g, uint32_t *ret_file, uint32_t *ret_page)
{
	uint32_t file = (uint32_t)pt_rng_below(g, FILES), page = (uint32_t)pt_rng_below(g, PAGES);

	for (int i = 0; i < PAGES; i++, page = (page + 1) % PAGES) {
		if (o->pages[file][page].what != PAGE)
			continue;
		*ret_file = file;
		*ret_page = o->pages[file][page].head;
		return 1;
	}
	return 0;
}

static void step_evict(struct oracle *o, struct pt_refault *r, struct pt_rng *g)
{
	uint32_t file, page, target;
	struct pt_record rec;
	struct entry *p, e;
	uint64_t n;

	if (!pick(o, g, &file, &page))
		return;
	p = o->pages[file];
	e = p[page];
	n = UINT64_C(1) << e.order;
	rec = record_at(o, PT_EVICT, file, page, e.order);
	rec.how = pt_rng_below(g, 4) ? PT_RECLAIM_MEMCG : PT_RECLAIM_PAGEOUT;
	rec.cgroup = e.owner;
	rec.node = (uint16_t)e.node;
	do {
		target = rec.target = (uint32_t)pt_rng_below(g, CGROUPS);
	} while (!is_below(e.owner, target));
	if (pt_rng_below(g, 2)) {
		rec.target = PT_UNKNOWN32;
		target = is_below(e.owner, LIMITED) ? LIMITED : e.owner;
		if (rec.how == PT_RECLAIM_PAGEOUT)
			target = 0;
	}
	*(rec.how == PT_RECLAIM_PAGEOUT ? &o->counts.evictions_pageout : &o->counts.evictions) += n;
	if (e.ahead)
		o->counts.evicted_unused += n;
	pt_log2hist_add(o->distances[PT_DISTANCE_RESIDENCY], o->now_ns - e.since, n);
	for (uint32_t i = page; i < page + n; i++) {
		p[i].what = SHADOW;
		p[i].event = o->n;
	}
	note(o, &(struct event){ 1, e.owner, target, e.node, n, 0 });
	resize(o, e.owner, e.node, -(int64_t)n, 0);
	assert_int_equal(pt_refault_feed(r, &rec), 0);
}

static void step_remove(struct oracle *o, struct pt_refault *r, struct pt_rng *g)
{
	uint32_t file, page;
	struct pt_record rec;
	struct entry *p;
	uint32_t n;

	if (!pick(o, g, &file, &page))
		return;
	p = o->pages[file];
	n = 1u << p[page].order;
	rec = record_at(o, PT_REMOVE, file, page, p[page].order);
	o->counts.removals += n;
	resize(o, p[page].owner, p[page].node, -(int64_t)n, 0);
	for (uint32_t i = page; i < page + n; i++)
		p[i] = (struct entry){ .known = 1 };
	assert_int_equal(pt_refault_feed(r, &rec), 0);
}

static void step_activate(struct oracle *o, struct pt_refault *r, struct pt_rng *g)
{
	uint32_t file, page;
	struct pt_record rec;
	const struct entry *e;

	if (pt_rng_below(g, 2)) {
		rec = (struct pt_record)PT_RECORD_INIT(PT_SCAN);
		rec.ts_ns = o->now_ns;
		rec.how = PT_SCAN_INACTIVE;
		rec.target = (uint32_t)pt_rng_below(g, CGROUPS);
		rec.node = (uint16_t)pt_rng_below(g, o->nodes);
		rec.value[2] = pt_rng_below(g, 9);
		rec.value[3] = pt_rng_below(g, 3);
		note(o, &(struct event){ 0, rec.target, rec.target, rec.node,
					 rec.value[2] + rec.value[3], 0 });
		resize(o, rec.target, rec.node, 0, (int64_t)rec.value[2]);
	} else {
		if (!pick(o, g, &file, &page))
			return;
		e = &o->pages[file][page];
		rec = record_at(o, PT_ACTIVATE, file, page, e->order);
		rec.how = PT_ACTIVATE_ACCESS;
		note(o,
		     &(struct event){ 0, e->owner, e->owner, e->node, UINT64_C(1) << e->order, 0 });
		resize(o, e->owner, e->node, 0, INT64_C(1) << e->order);
	}
	assert_int_equal(pt_refault_feed(r, &rec), 0);
}

static void step_truncate(struct oracle *o, struct pt_refault *r, struct pt_rng *g)
{
	uint32_t file = (uint32_t)pt_rng_below(g, FILES);
	struct pt_record rec = record_at(o, PT_TRUNCATE, file, 0, 0);
	struct entry *p = o->pages[file];
	uint32_t first;

	rec.len_bytes = pt_rng_below(g, PAGES * 4096);
	first = (uint32_t)((rec.len_bytes + 4095) / 4096);
	for (uint32_t i = 0; i < PAGES; i++)
		if (p[i].what == SHADOW && p[i].head + (1u << p[i].order) > first)
			p[i] = (struct entry){ .known = 1 };
	assert_int_equal(pt_refault_feed(r, &rec), 0);
}

static void step_demote(struct oracle *o, struct pt_refault *r, struct pt_rng *g)
{
	struct pt_record rec = record_at(o, PT_SCAN, PT_UNKNOWN32, 0, 0);

	rec.how = PT_SCAN_ACTIVE;
	rec.target = (uint32_t)pt_rng_below(g, CGROUPS);
	rec.node = (uint16_t)pt_rng_below(g, o->nodes);
	rec.value[1] = pt_rng_below(g, 9);
	rec.value[2] = pt_rng_below(g, 3);
	note(o, &(struct event){ 0, rec.target, rec.target, rec.node, rec.value[2], 0 });
	resize(o, rec.target, rec.node, 0, -(int64_t)rec.value[1]);
	assert_int_equal(pt_refault_feed(r, &rec), 0);
}

/* Readings are of all nodes together: with two of them they say nothing of either. */
static void step_counters(struct oracle *o, struct pt_refault *r, struct pt_rng *g)
{
	struct pt_record rec = record_at(o, PT_COUNTERS, PT_UNKNOWN32, 0, 0);
	uint64_t active = pt_rng_below(g, 50), inactive = pt_rng_below(g, 50);
	struct change c = { READ, 0, 0, (int64_t)(active + inactive), (int64_t)active };
	char text[200];

	rec.how = (uint8_t)pt_rng_below(g, PT_COUNTERS_FLUSH + 1);
	rec.cgroup =
		rec.how == PT_COUNTERS_VMSTAT ? PT_UNKNOWN32 : (uint32_t)pt_rng_below(g, CGROUPS);
	snprintf(text, sizeof(text),
		 rec.how == PT_COUNTERS_VMSTAT
			 ? "nr_inactive_anon 0\nnr_active_anon 0\nnr_inactive_file %" PRIu64
			   "\nnr_active_file %" PRIu64 "\n"
			 : "active_anon 0\ninactive_anon 0\ninactive_file %" PRIu64
			   "\nactive_file %" PRIu64 "\n",
		 rec.how == PT_COUNTERS_VMSTAT ? inactive : inactive * 4096,
		 rec.how == PT_COUNTERS_VMSTAT ? active : active * 4096);
	rec.blob = text;
	rec.blob_len = (uint32_t)strlen(text);
	c.cgroup = rec.how == PT_COUNTERS_VMSTAT ? 0 : rec.cgroup;
	if ((rec.how == PT_COUNTERS_VMSTAT || rec.how == PT_COUNTERS_MEMSTAT) && o->nodes == 1)
		o->changes[o->nchanges++] = c;
	if (rec.how == PT_COUNTERS_FLUSH || (rec.how == PT_COUNTERS_MEMSTAT && o->nodes == 1))
		o->changes[o->nchanges++] = (struct change){ FLUSH, rec.cgroup, 0, 0, 0 };
	assert_int_equal(pt_refault_feed(r, &rec), 0);
}

static int see_refault(void *ctx, const struct pt_refault_event *e)
{
	const struct oracle *o = ctx;

	assert_memory_equal(&e->now, &o->now, sizeof(o->now));
	assert_memory_equal(&e->flushed, &o->flushed, sizeof(o->flushed));
	assert_int_equal(e->sizes_known, o->sizes_known);
	return 0;
}

static void compare(const struct oracle *o, const struct pt_refault *r)
{
	assert_memory_equal(pt_refault_counts(r), &o->counts, sizeof(o->counts));
	for (enum pt_distance d = 0; d < PT_DISTANCE_COUNT; d++)
		assert_memory_equal(pt_refault_distances(r, d), o->distances[d],
				    sizeof(*o->distances[d]));
}

static void see_second_node(struct pt_refault *r)
{
	struct pt_record rec = PT_RECORD_INIT(PT_SCAN);

	rec.how = PT_SCAN_ACTIVE;
	rec.target = 3;
	rec.node = 1;
	assert_int_equal(pt_refault_feed(r, &rec), 0);
}

static void one_stream(struct oracle *o, struct pt_rng *g)
{
	const struct pt_refault_observer observer = { .ctx = o, .refaulted = see_refault };
	struct pt_refault *r;

	assert_int_equal(pt_refault_new(&(struct pt_refault_options){ .observer = &observer }, &r),
			 0);
	assert_int_equal(pt_refault_limit_cgroup(r, LIMITED), 0);
	for (uint32_t i = 0; i < CGROUPS; i++)
		assert_int_equal(pt_refault_define_cgroup(r, i, parents[i]), 0);
	o->nodes = 1 + (uint32_t)pt_rng_below(g, 2);
	if (o->nodes == 2) /* else readings of a time when one was seen would count */
		see_second_node(r);
	for (int step = 0; step < STEPS; step++) {
		uint64_t what = pt_rng_below(g, 34);

		o->now_ns += pt_rng_below(g, 1000);
		if (what < 13)
			step_add(o, r, g);
		else if (what < 24)
			step_evict(o, r, g);
		else if (what < 26)
			step_remove(o, r, g);
		else if (what < 29)
			step_activate(o, r, g);
		else if (what < 30)
			step_truncate(o, r, g);
		else if (what < 32)
			step_demote(o, r, g);
		else
			step_counters(o, r, g);
	}
	compare(o, r);
	pt_refault_free(r);
}

static void test_against_oracle(void **state)
{
	struct oracle *o = calloc(1, sizeof(*o));
	struct pt_rng g;

	(void)state;
	assert_non_null(o);
	seed_rng(&g);
	for (int i = 0; i < STREAMS; i++) {
		for (int d = 0; d < PT_DISTANCE_COUNT; d++) {
			free(o->distances[d]);
			o->distances[d] = NULL;
		}
		memset(o, 0, sizeof(*o));
		for (int d = 0; d < PT_DISTANCE_COUNT; d++)
			o->distances[d] = pt_log2hist_new();
		one_stream(o, &g);
	}
	for (int d = 0; d < PT_DISTANCE_COUNT; d++)
		free(o->distances[d]);
	free(o);
}

/* ---- Single rules */

struct feeder {
	struct pt_refault *r;
	uint64_t ts_ns;
};

static void feed(struct feeder *f, uint8_t kind, uint32_t task, uint32_t file, uint64_t page,
		 uint8_t how, uint64_t value1)
{
	struct pt_record rec = PT_RECORD_INIT(kind);

	rec.ts_ns = f->ts_ns++;
	rec.task = task;
	rec.file = file;
	rec.page = page;
	rec.npages = 1;
	rec.order = 0;
	rec.how = how;
	rec.value[1] = value1;
	if (kind == PT_REFAULT)
		rec.flags = how; /* the kind has no how */
	assert_int_equal(pt_refault_feed(f->r, &rec), 0);
}

static struct feeder feeder_new(const struct pt_refault_options *opt)
{
	struct feeder f = { 0 };

	assert_int_equal(pt_refault_new(opt, &f.r), 0);
	return f;
}

/* Two accesses before it is on the LRU make a folio active too: then the distance decides. */
static void test_active_insert(void **state)
{
	struct feeder f = feeder_new(&(struct pt_refault_options){ 0 });

	(void)state;
	for (uint64_t page = 0; page < 3; page++) {
		feed(&f, PT_ADD, 0, 0, page, PT_CAUSE_DEMAND, PT_UNKNOWN);
		feed(&f, PT_EVICT, 0, 0, page, PT_RECLAIM_MEMCG, PT_UNKNOWN);
	}
	/* Active after the access that it was read for: a refault that the kernel found near. */
	feed(&f, PT_ADD, 0, 0, 2, PT_CAUSE_DEMAND, PT_UNKNOWN);
	feed(&f, PT_ACCESS, 0, 0, 2, PT_HOW_READ, PT_UNKNOWN);
	feed(&f, PT_ACTIVATE, 0, 0, 2, PT_ACTIVATE_INSERT, PT_UNKNOWN);
	assert_int_equal(pt_refault_counts(f.r)->activations, 1);
	/* Twice accessed, and farther than any that was activated: no proof. */
	feed(&f, PT_ADD, 0, 0, 0, PT_CAUSE_DEMAND, PT_UNKNOWN);
	feed(&f, PT_ACCESS, 0, 0, 0, PT_HOW_READ, PT_UNKNOWN);
	feed(&f, PT_ACCESS, 1, 0, 0, PT_HOW_READ, PT_UNKNOWN);
	feed(&f, PT_ACTIVATE, 0, 0, 0, PT_ACTIVATE_INSERT, PT_UNKNOWN);
	assert_int_equal(pt_refault_counts(f.r)->refaults, 2);
	assert_int_equal(pt_refault_counts(f.r)->activations, 1);
	pt_refault_free(f.r);
}

/* Read-ahead in vain: neither accessed nor, as far as anybody sees, touched through a mapping. */
static void test_unused(void **state)
{
	struct feeder f = feeder_new(&(struct pt_refault_options){ 0 });

	(void)state;
	for (uint64_t page = 0; page < 3; page++)
		feed(&f, PT_ADD, 0, 0, page, PT_CAUSE_READAHEAD, PT_UNKNOWN);
	feed(&f, PT_ACCESS, 0, 0, 1, PT_HOW_WINDOW, PT_UNKNOWN);
	feed(&f, PT_ACCESS, 0, 0, 2, PT_HOW_READ, PT_UNKNOWN);
	for (uint64_t page = 0; page < 3; page++)
		feed(&f, PT_EVICT, 0, 0, page, PT_RECLAIM_MEMCG, PT_UNKNOWN);
	assert_int_equal(pt_refault_counts(f.r)->evictions, 3);
	assert_int_equal(pt_refault_counts(f.r)->evicted_unused, 1);
	/* What was mapped is not so for the next stay. */
	feed(&f, PT_ADD, 0, 0, 1, PT_CAUSE_READAHEAD, PT_UNKNOWN);
	feed(&f, PT_EVICT, 0, 0, 1, PT_RECLAIM_MEMCG, PT_UNKNOWN);
	assert_int_equal(pt_refault_counts(f.r)->evicted_unused, 2);
	pt_refault_free(f.r);
}

static void test_kernel_word(void **state)
{
	struct feeder f = feeder_new(&(struct pt_refault_options){ .kernel_word = 1 });

	(void)state;
	for (uint64_t page = 0; page < 2; page++) {
		feed(&f, PT_ADD, 0, 0, page, PT_CAUSE_DEMAND, PT_UNKNOWN);
		feed(&f, PT_EVICT, 0, 0, page, PT_RECLAIM_MEMCG, PT_UNKNOWN);
		feed(&f, PT_ADD, 0, 0, page, PT_CAUSE_READAHEAD, PT_UNKNOWN);
	}
	assert_int_equal(pt_refault_counts(f.r)->refaults, 0);
	assert_int_equal(pt_refault_model(f.r)->refaults, 2);
	feed(&f, PT_REFAULT, 0, 0, 1, PT_REFAULT_ACTIVATED, PT_UNKNOWN);
	feed(&f, PT_REFAULT, 0, 7, 99, 0, PT_UNKNOWN); /* one the model knows nothing of */
	assert_int_equal(pt_refault_counts(f.r)->refaults, 2);
	assert_int_equal(pt_refault_counts(f.r)->refaults_undated, 1);
	assert_int_equal(pt_refault_counts(f.r)->activations, 1);
	assert_int_equal(pt_refault_counts(f.r)->refaults_by_cause[PT_CAUSE_READAHEAD], 1);
	assert_int_equal(pt_refault_distances(f.r, PT_DISTANCE_EVICTED_PAGES)->count, 1);
	pt_refault_free(f.r);
}

/*
 * Two tasks fill a node each, task 0 first; both lose their page, task 0 to a reclaim of kind
 * @how; then task 1's reclaim for a limit frees one node. Whose was it?
 */
static uint32_t whose_node_goes(uint8_t how)
{
	struct feeder f = feeder_new(&(struct pt_refault_options){ 0 });
	uint64_t refaults;

	for (uint32_t task = 0; task < 2; task++) {
		feed(&f, PT_ADD, task, task, 70, PT_CAUSE_DEMAND, PT_UNKNOWN);
		feed(&f, PT_EVICT, 2 - task, task, 70, task ? PT_RECLAIM_MEMCG : how, PT_UNKNOWN);
	}
	feed(&f, PT_RECLAIM_BEGIN, 1, 0, 0, PT_RECLAIM_MEMCG, PT_UNKNOWN);
	feed(&f, PT_SCAN, 1, 0, 0, PT_SCAN_SHADOWS, 1);
	feed(&f, PT_RECLAIM_END, 1, 0, 0, PT_UNKNOWN8, PT_UNKNOWN);
	feed(&f, PT_ADD, 1, 1, 70, PT_CAUSE_DEMAND, PT_UNKNOWN);
	refaults = pt_refault_counts(f.r)->refaults;
	feed(&f, PT_ADD, 0, 0, 70, PT_CAUSE_DEMAND, PT_UNKNOWN);
	assert_int_equal(pt_refault_counts(f.r)->refaults, 1);
	pt_refault_free(f.r);
	return refaults ? 0 : 1;
}

/*
 * Without cgroups, reclaim for a limit frees the nodes of tasks that were in such reclaim, and of
 * those whose pages it took, even where they ended before the limit was reached.
 */
static void test_whose_shadows(void **state)
{
	(void)state;
	assert_int_equal(whose_node_goes(PT_RECLAIM_KSWAPD), 1);
	assert_int_equal(whose_node_goes(PT_RECLAIM_MEMCG), 0);
}

static void test_groups_and_choice(void **state)
{
	static const uint8_t chosen[] = { 0, 1 };
	struct feeder f = feeder_new(&(struct pt_refault_options){
		.by = PT_BY_FILE, .cgroups = chosen, .ncgroups = sizeof(chosen) });

	(void)state;
	for (uint32_t task = 0; task < 2; task++)
		assert_int_equal(pt_refault_define_task(f.r, task, task), 0);
	for (uint32_t file = 0; file < 3; file++) {
		feed(&f, PT_ADD, file != 0, file, 1, PT_CAUSE_DEMAND, PT_UNKNOWN);
		feed(&f, PT_EVICT, 0, file, 1, PT_RECLAIM_KSWAPD, PT_UNKNOWN);
		feed(&f, PT_ADD, file != 0, file, 1, PT_CAUSE_DEMAND, PT_UNKNOWN);
	}
	assert_int_equal(pt_refault_counts(f.r)->refaults, 2);
	assert_int_equal(pt_refault_counts(f.r)->evictions, 2);
	assert_int_equal(pt_refault_group_count(f.r), 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(pt_refault_group(f.r, i)->key, i + 1);
		assert_int_equal(pt_refault_group(f.r, i)->counts.refaults, 1);
		assert_int_equal(pt_refault_group(f.r, i)->evicted_pages->count, 1);
	}
	pt_refault_free(f.r);
}

/* What was cached when the tape began is known, but no more than there was memory for. */
static void test_resident(void **state)
{
	struct feeder f = feeder_new(&(struct pt_refault_options){ .memory_bytes = 8 * 4096 });
	struct pt_record rec = PT_RECORD_INIT(PT_RESIDENT);

	(void)state;
	rec.file = 0;
	rec.page = 0;
	rec.npages = 5;
	rec.how = PT_RESIDENT_START;
	assert_int_equal(pt_refault_feed(f.r, &rec), 0);
	rec.page = 100;
	assert_int_equal(pt_refault_feed(f.r, &rec), 0);
	assert_int_equal(pt_refault_malformed(f.r), 1);
	feed(&f, PT_EVICT, 0, 0, 2, PT_RECLAIM_KSWAPD, PT_UNKNOWN);
	feed(&f, PT_ADD, 0, 0, 2, PT_CAUSE_DEMAND, PT_UNKNOWN);
	assert_int_equal(pt_refault_counts(f.r)->refaults, 1);
	assert_int_equal(pt_refault_counts(f.r)->unknown_before_start, 0);
	assert_int_equal(pt_refault_distances(f.r, PT_DISTANCE_RESIDENCY)->count, 0);
	pt_refault_free(f.r);
}

static void test_malformed(void **state)
{
	struct feeder f = feeder_new(&(struct pt_refault_options){ 0 });
	struct pt_record rec = PT_RECORD_INIT(PT_ADD);

	(void)state;
	assert_int_equal(pt_refault_feed(f.r, &rec), 0); /* no file, no page */
	rec.file = 0;
	rec.page = 0;
	rec.order = 60;
	assert_int_equal(pt_refault_feed(f.r, &rec), 0);
	rec.kind = PT_RESIDENT;
	rec.how = PT_RESIDENT_START;
	assert_int_equal(pt_refault_feed(f.r, &rec), 0);
	assert_int_equal(pt_refault_malformed(f.r), 3);
	for (unsigned int kind = 0; kind < 256; kind++) {
		rec = (struct pt_record)PT_RECORD_INIT((uint8_t)kind);
		assert_int_equal(pt_refault_feed(f.r, &rec), 0);
	}
	pt_refault_free(f.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_oracle),    cmocka_unit_test(test_active_insert),
		cmocka_unit_test(test_kernel_word),       cmocka_unit_test(test_whose_shadows),
		cmocka_unit_test(test_groups_and_choice), cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_resident),          cmocka_unit_test(test_unused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
