// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/pagetree: against an oracle that keeps every page's entry and looks through all of them
 * after each step.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/pagetree.h"
#include "seed.h"

#define FILES     2
#define BRANCHES  2
#define PAGES     (BRANCHES * 4096)
#define LEAVES    (PAGES / 64)
#define NODES     (LEAVES + BRANCHES) /* of a file; branches come last */
#define STREAMS   40
#define STEPS     400
#define MAX_ORDER 9

enum { NOTHING, PAGE, SHADOW };

struct entry {
	uint8_t what, order;
	uint32_t head;
	uint64_t mark; /* tells shadows apart */
};

struct oracle {
	struct entry pages[FILES][PAGES];
	uint32_t list[FILES * NODES]; /* nodes that hold only shadows, oldest first */
	size_t listed;
};

static const struct pt_owner somebody = { PT_OWNER_TASK, 1, 0 };

static int anyone(const void *ctx, const struct pt_owner *owner)
{
	(void)ctx;
	return owner->node == 0;
}

/* ---- The oracle */

/* What a node's slots hold: is there anything, anything but shadows, and how much in all? */
static int only_shadows(const struct oracle *o, uint32_t node)
{
	const struct entry *p = o->pages[node / NODES];
	uint32_t n = node % NODES, first = n < LEAVES ? n * 64 : (n - LEAVES) * 4096;
	uint32_t end = first + (n < LEAVES ? 64 : 4096);
	int large = n >= LEAVES, shadows = 0, others = 0, all = 0;

	for (uint32_t i = first; i < end; i++) {
		if (p[i].what == NOTHING)
			continue;
		if ((p[i].order >= 6) != large)
			others += large; /* a child of the branch */
		else if (p[i].what == SHADOW)
			shadows++;
		else
			others++;
	}
	for (uint32_t i = 0; i < PAGES && all < 2; i++)
		all += p[i].what != NOTHING;
	if (all == 1 && p[0].what != NOTHING)
		return 0; /* in the root */
	return shadows && !others;
}

static void relist(struct oracle *o)
{
	size_t kept = 0;

	for (size_t i = 0; i < o->listed; i++)
		if (only_shadows(o, o->list[i]))
			o->list[kept++] = o->list[i];
	o->listed = kept;
	for (uint32_t node = 0; node < FILES * NODES; node++) {
		size_t i = 0;

		if (!only_shadows(o, node))
			continue;
		while (i < o->listed && o->list[i] != node)
			i++;
		if (i == o->listed)
			o->list[o->listed++] = node;
	}
}

static void put(struct entry *p, uint32_t head, unsigned int order, int what, uint64_t mark)
{
	for (uint32_t i = head; i < head + (1u << order); i++)
		p[i] = (struct entry){ (uint8_t)what, (uint8_t)order, head, mark };
}

/* Split what is larger at @page, along the path only. */
static void split(struct entry *p, uint32_t page, unsigned int order)
{
	while (p[page].what != NOTHING && p[page].order > order) {
		unsigned int old = p[page].order, rest = old % 6,
			     next = rest ? old - rest : old - 1;
		struct entry e = p[page];

		if (next < order)
			next = order;
		for (uint32_t i = e.head; i < e.head + (1u << old); i += 1u << next)
			put(p, i, next, e.what, e.mark);
	}
}

static uint64_t last_shadow(const struct entry *p, uint32_t page, unsigned int order)
{
	uint64_t mark = 0;

	for (uint32_t i = page; i < page + (1u << order); i++)
		if (p[i].what == SHADOW)
			mark = p[i].mark;
	return mark;
}

static void shrink(struct oracle *o)
{
	uint32_t node = o->list[0], n = node % NODES;
	struct entry *p = o->pages[node / NODES];
	uint32_t first = n < LEAVES ? n * 64 : (n - LEAVES) * 4096;

	memset(p + first, 0, (n < LEAVES ? 64 : 4096) * sizeof(*p));
}

/* ---- Steps */

static int is_free_of_pages(const struct entry *p, uint32_t page, unsigned int order)
{
	for (uint32_t i = page; i < page + (1u << order); i++)
		if (p[i].what == PAGE)
			return 0;
	return 1;
}

static void step_add(struct oracle *o, struct pt_pagetree *t, struct pt_rng *g, uint64_t mark)
{
	unsigned int order =
		pt_rng_below(g, 4) ? pt_rng_below(g, 4) : pt_rng_below(g, MAX_ORDER + 1);
	uint32_t file = (uint32_t)pt_rng_below(g, FILES);
	uint32_t reach = pt_rng_below(g, 3) ? 1024 : PAGES;
	uint32_t page = (uint32_t)pt_rng_below(g, reach) >> order << order;
	struct entry *p = o->pages[file];
	struct pt_folio folio = { .evictions = mark };
	struct pt_found found;
	uint64_t shadow;

	if (!is_free_of_pages(p, page, order))
		return;
	shadow = last_shadow(p, page, order);
	split(p, page, order);
	put(p, page, order, PAGE, mark);
	assert_int_equal(pt_pagetree_add(t, &(struct pt_extent){ page, file, order }, &somebody,
					 &folio, 0, &found),
			 0);
	assert_int_equal(found.has_shadow, shadow != 0);
	if (shadow)
		assert_int_equal(found.shadow.evictions, shadow);
}

/* Evict or remove the folio at a random page, if there is one. */
static void step_leave(struct oracle *o, struct pt_pagetree *t, struct pt_rng *g, uint64_t mark)
{
	uint32_t file = (uint32_t)pt_rng_below(g, FILES);
	uint32_t page = (uint32_t)pt_rng_below(g, pt_rng_below(g, 3) ? 1024 : PAGES);
	struct entry *p = o->pages[file], e;
	struct pt_folio shadow = { .evictions = mark };
	int evict = pt_rng_below(g, 5) != 0;
	struct pt_extent at;
	struct pt_found found;

	for (uint32_t tries = 0; tries < PAGES && p[page].what != PAGE; tries++)
		page = (page + 1) % PAGES;
	if (p[page].what != PAGE)
		return;
	e = p[page];
	at = (struct pt_extent){ e.head, file, e.order };
	put(p, e.head, e.order, evict ? SHADOW : NOTHING, mark);
	if (!evict)
		memset(p + e.head, 0, sizeof(*p) << e.order);
	assert_int_equal(evict ? pt_pagetree_evict(t, &at, &somebody, &shadow, &found)
			       : pt_pagetree_remove(t, &at, &somebody, &found),
			 0);
	assert_true(found.has_folio);
	assert_int_equal(found.folio.evictions, e.mark);
}

static void step_forget(struct oracle *o, struct pt_pagetree *t, struct pt_rng *g)
{
	uint32_t file = (uint32_t)pt_rng_below(g, FILES);
	uint32_t first = (uint32_t)pt_rng_below(g, PAGES), n = (uint32_t)pt_rng_below(g, 200);
	struct entry *p = o->pages[file];

	for (uint32_t i = first; i < first + n && i < PAGES; i++)
		if (p[i].what == SHADOW)
			memset(p + p[i].head, 0, sizeof(*p) << p[i].order);
	pt_pagetree_forget(t, file, first, n);
}

static void compare(const struct oracle *o, struct pt_pagetree *t)
{
	for (uint32_t file = 0; file < FILES; file++) {
		for (uint32_t i = 0; i < PAGES; i++) {
			const struct entry *e = &o->pages[file][i];
			struct pt_found found;

			pt_pagetree_peek(t, &(struct pt_extent){ i, file, 0 }, &found);
			assert_int_equal(found.has_shadow, e->what == SHADOW);
			assert_int_equal(found.has_folio, e->what == PAGE);
			if (e->what == SHADOW)
				assert_int_equal(found.shadow.evictions, e->mark);
		}
	}
}

static void one_stream(struct oracle *o, struct pt_rng *g)
{
	struct pt_pagetree *t = pt_pagetree_new();
	uint64_t rest;

	memset(o, 0, sizeof(*o));
	assert_non_null(t);
	for (uint64_t step = 1; step <= STEPS; step++) {
		uint64_t what = pt_rng_below(g, 20);

		if (what < 10)
			step_add(o, t, g, step);
		else if (what < 18)
			step_leave(o, t, g, step);
		else if (what == 18)
			step_forget(o, t, g);
		else if (o->listed) {
			shrink(o);
			assert_int_equal(pt_pagetree_shrink(t, 1, anyone, NULL), 1);
		}
		relist(o);
	}
	/* The rest of the list, node by node: its order shows in what is left. */
	for (int i = 0; i < 4 && o->listed; i++) {
		shrink(o);
		relist(o);
		assert_int_equal(pt_pagetree_shrink(t, 1, anyone, NULL), 1);
		compare(o, t);
	}
	for (rest = 0; o->listed; rest++) {
		shrink(o);
		relist(o); /* a branch may join when its last leaf went */
	}
	assert_int_equal(pt_pagetree_shrink(t, UINT32_MAX, anyone, NULL), rest);
	pt_pagetree_free(t);
}

static void test_against_oracle(void **state)
{
	struct oracle *o = malloc(sizeof(*o));
	struct pt_rng g;

	(void)state;
	assert_non_null(o);
	seed_rng(&g);
	for (int i = 0; i < STREAMS; i++)
		one_stream(o, &g);
	free(o);
}

static void store(struct pt_pagetree *t, uint64_t page, unsigned int order, int evict)
{
	struct pt_extent at = { page, 0, order };
	struct pt_folio f = { 0 };
	struct pt_found found;

	assert_int_equal(pt_pagetree_add(t, &at, &somebody, &f, 0, &found), 0);
	if (evict)
		assert_int_equal(pt_pagetree_evict(t, &at, &somebody, &f, &found), 0);
}

static void test_page_zero_alone_has_no_node(void **state)
{
	struct pt_pagetree *t = pt_pagetree_new();

	(void)state;
	store(t, 0, 0, 1);
	assert_int_equal(pt_pagetree_shrink(t, 1, anyone, NULL), 0);
	/* Another page makes the tree grow, and puts page 0's shadow into a node. */
	store(t, 100, 0, 0);
	assert_int_equal(pt_pagetree_shrink(t, 9, anyone, NULL), 1);
	pt_pagetree_free(t);
}

static void test_touches(void **state)
{
	struct pt_pagetree *t = pt_pagetree_new();
	struct pt_extent at = { 5, 3, 0 };
	struct pt_folio f = { 0 };
	struct pt_found found;

	(void)state;
	assert_int_equal(
		pt_pagetree_add(t, &at, &somebody, &f, PT_TREE_USED | PT_TREE_OWED, &found), 0);
	assert_int_equal(found.unknown_pages, 1);
	pt_pagetree_touch(t, 3, 0, 64);
	pt_pagetree_peek(t, &at, &found);
	assert_true(found.used && !found.twice);
	pt_pagetree_touch(t, 3, 5, 1);
	pt_pagetree_peek(t, &at, &found);
	assert_true(found.twice);
	assert_int_equal(pt_pagetree_remove(t, &at, &somebody, &found), 0);
	assert_int_equal(pt_pagetree_add(t, &at, &somebody, &f, 0, &found), 0);
	assert_int_equal(found.unknown_pages, 0);
	pt_pagetree_peek(t, &at, &found);
	assert_true(!found.used && !found.twice);
	pt_pagetree_free(t);
}

static void test_hostile_extents(void **state)
{
	struct pt_pagetree *t = pt_pagetree_new();
	struct pt_folio f = { 0 };
	struct pt_found found;

	(void)state;
	assert_int_equal(
		pt_pagetree_add(t, &(struct pt_extent){ 0, 0, 12 }, &somebody, &f, 0, &found),
		-EINVAL);
	assert_int_equal(pt_pagetree_add(t, &(struct pt_extent){ UINT64_MAX, 0, 0 }, &somebody, &f,
					 0, &found),
			 -EINVAL);
	pt_pagetree_touch(t, 0, UINT64_MAX - 1, UINT64_MAX);
	pt_pagetree_touch(t, UINT32_MAX, 0, UINT64_MAX);
	pt_pagetree_forget(t, 7, UINT64_MAX, UINT64_MAX);
	store(t, PT_TREE_MAX_PAGE, 0, 1);
	pt_pagetree_forget(t, 0, 0, UINT64_MAX);
	assert_int_equal(pt_pagetree_filled(t, 0), 0);
	pt_pagetree_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_oracle),
		cmocka_unit_test(test_page_zero_alone_has_no_node),
		cmocka_unit_test(test_touches),
		cmocka_unit_test(test_hostile_extents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
