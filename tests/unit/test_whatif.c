// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/whatif: counts and groups against going through all refaults again. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/whatif.h"
#include "formats/record.h"
#include "seed.h"

#define EVENTS  200
#define FILES   3
#define PAGES   12
#define CGROUPS 2
#define LONGEST 60

static const struct pt_whatif_options options = {
	.rules = { { PT_LISTS_ACTIVE, 0 },
		   { PT_LISTS_INACTIVE, 0 },
		   { PT_LISTS_BOTH, 0 },
		   { PT_LISTS_FIXED, 25 } },
	.nrules = 4,
	.with_swap = 1,
};

static uint64_t threshold(const struct pt_refault_event *e, size_t rule)
{
	const struct pt_lru_sizes *s = e->sizes_known ? &e->flushed : &e->now;

	switch (rule) {
	case 0:
		return (uint64_t)(s->active + s->anon);
	case 1:
		return (uint64_t)(s->file - s->active);
	case 2:
		return (uint64_t)(s->file + s->anon);
	default:
		return 25;
	}
}

static int is_activated(const struct pt_refault_event *e, size_t rule)
{
	return e->dated && e->age <= threshold(e, rule);
}

/* Whether the rule had activated that folio at an earlier refault. */
static int had_been(const struct pt_refault_event *v, size_t i, size_t rule)
{
	for (size_t k = 0; k < i; k++)
		if (v[k].file == v[i].file && v[k].page == v[i].page && is_activated(&v[k], rule))
			return 1;
	return 0;
}

/* Those of @file (UINT32_MAX: all) and @page (PT_UNKNOWN: all). */
static struct pt_whatif_counts count(const struct pt_refault_event *v, size_t rule, uint32_t file,
				     uint64_t page)
{
	struct pt_whatif_counts c = { 0 };

	for (size_t i = 0; i < EVENTS; i++) {
		int before = had_been(v, i, rule);

		if ((file != UINT32_MAX && v[i].file != file) ||
		    (page != PT_UNKNOWN && v[i].page != page))
			continue;
		c.again += before ? v[i].pages : 0;
		if (!is_activated(&v[i], rule))
			continue;
		c.activated += v[i].pages;
		c.protects += before ? 0 : v[i].pages;
	}
	return c;
}

static void check_groups(const struct pt_whatif *w, const struct pt_refault_event *v,
			 enum pt_whatif_by by)
{
	struct pt_whatif_group *g;
	uint64_t refaults = 0;
	size_t n;

	assert_int_equal(pt_whatif_groups(w, by, &g, &n), 0);
	for (size_t i = 0; i < n; i++) {
		refaults += g[i].refaults;
		assert_true(!i || g[i].refaults <= g[i - 1].refaults);
		for (size_t r = 0; r < options.nrules && by != PT_WHATIF_BY_CGROUP; r++) {
			struct pt_whatif_counts want = count(v, r, g[i].file, g[i].page);

			assert_memory_equal(&g[i].counts[r], &want, sizeof(want));
		}
	}
	free(g);
	for (size_t i = 0; i < EVENTS; i++)
		refaults -= v[i].pages;
	assert_int_equal(refaults, 0);
}

static void check(const struct pt_whatif *w, const struct pt_refault_event *v)
{
	struct pt_whatif_total t;

	pt_whatif_total(w, &t);
	for (size_t r = 0; r < options.nrules; r++) {
		struct pt_whatif_counts want = count(v, r, UINT32_MAX, PT_UNKNOWN);
		double mean = 0;

		assert_memory_equal(&t.counts[r], &want, sizeof(want));
		for (size_t i = 0; i < EVENTS; i++)
			mean += (double)(threshold(&v[i], r) * v[i].pages) / (double)t.refaults;
		assert_true(fabs(mean - t.thresholds[r]) < 1e-6);
	}
	for (size_t i = 0; i < EVENTS; i++) {
		t.refaults -= v[i].pages;
		t.undated -= v[i].dated ? 0 : v[i].pages;
		t.modelled -= v[i].dated && !v[i].sizes_known ? v[i].pages : 0;
		t.today -= is_activated(&v[i], 0) ? v[i].pages : 0;
	}
	assert_int_equal(t.refaults | t.undated | t.modelled | t.today, 0);
	for (enum pt_whatif_by by = PT_WHATIF_BY_PAGE; by <= PT_WHATIF_BY_CGROUP; by++)
		check_groups(w, v, by);
}

static struct pt_refault_event make_event(struct pt_rng *g)
{
	struct pt_refault_event e = { .file = (uint32_t)pt_rng_below(g, FILES),
				      .page = pt_rng_below(g, PAGES) * 4 };

	e.pages = 1 + e.page % 3;
	e.cgroup = e.evictor = e.lruvec = (uint32_t)pt_rng_below(g, CGROUPS);
	e.age = pt_rng_below(g, LONGEST);
	e.dated = pt_rng_below(g, 10) != 0;
	e.sizes_known = pt_rng_below(g, 4) != 0;
	e.now.active = (int64_t)pt_rng_below(g, 20);
	e.now.file = e.now.active + (int64_t)pt_rng_below(g, 20);
	e.flushed = e.now;
	e.flushed.anon = (int64_t)pt_rng_below(g, 4);
	e.flushed.file += 1;
	return e;
}

static void counts_are_those_of_going_through_all_again(void **state)
{
	struct pt_refault_event v[EVENTS];
	struct pt_whatif *w;
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int round = 0; round < 30; round++) {
		assert_int_equal(pt_whatif_new(&options, &w), 0);
		for (size_t i = 0; i < EVENTS; i++) {
			v[i] = make_event(&g);
			assert_int_equal(pt_whatif_refaulted(w, &v[i]), 0);
		}
		check(w, v);
		pt_whatif_free(w);
	}
}

/* The cgroup to simulate is the one whose reclaim evicted most of what came back. */
static void the_greatest_evictor_is_named(void **state)
{
	struct pt_refault_event e = { .dated = 1, .pages = 1, .evictor = 5, .lruvec = 2 };
	struct pt_whatif_total t;
	struct pt_whatif *w;

	(void)state;
	assert_int_equal(pt_whatif_new(&options, &w), 0);
	pt_whatif_total(w, &t);
	assert_int_equal(t.evictor, PT_UNKNOWN32);
	assert_true(isnan(t.thresholds[0]));
	e.now.file = 7;
	assert_int_equal(pt_whatif_refaulted(w, &e), 0);
	e.now.file = -3;
	assert_int_equal(pt_whatif_refaulted(w, &e), 0);
	e.evictor = 6;
	e.lruvec = 0;
	assert_int_equal(pt_whatif_refaulted(w, &e), 0);
	pt_whatif_total(w, &t);
	assert_int_equal(t.evictor, 5);
	assert_int_equal(t.file_pages_max, 7);
	pt_whatif_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_those_of_going_through_all_again),
		cmocka_unit_test(the_greatest_evictor_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
