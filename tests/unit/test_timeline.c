// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/timeline and analysis/heatmap: the same figures as from a slow and obvious count. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/heatmap.h"
#include "analysis/timeline.h"
#include "seed.h"

enum { FILES = 3, PAGES = 97, RECORDS = 4000, WINDOWS = 7, ROWS = 10, COLUMNS = 13 };
#define FIRST_NS 1000
#define LAST_NS  90999

/* What the page cache holds of a page, and held. */
struct page {
	int cached, shadow;
};

/* Everything is kept, and counted by going through all of it again. */
struct stream {
	struct pt_record v[RECORDS];
	uint64_t refaulted[RECORDS]; /* pages that came back by it */
	struct page pages[FILES][PAGES];
};

static struct pt_record folio(uint8_t kind, uint32_t file, uint64_t page)
{
	struct pt_record r = PT_RECORD_INIT(kind);

	r.file = file;
	r.page = page;
	r.order = 0;
	r.task = 0;
	r.how = kind == PT_ADD ? PT_CAUSE_READAHEAD : PT_RECLAIM_KSWAPD;
	return r;
}

static struct pt_record access_of(uint32_t file, uint64_t page, uint64_t npages)
{
	struct pt_record r = PT_RECORD_INIT(PT_ACCESS);

	r.file = file;
	r.page = page;
	r.npages = npages;
	r.how = PT_HOW_READ;
	r.task = 0;
	return r;
}

/* An act that makes sense: what is cached can leave, what is not can come. */
static void draw(struct pt_rng *g, struct stream *s, size_t i)
{
	uint32_t file = (uint32_t)pt_rng_below(g, FILES);
	uint64_t page = pt_rng_below(g, PAGES);
	struct page *p = &s->pages[file][page];

	if (pt_rng_below(g, 2)) {
		s->v[i] = access_of(file, page, 1 + pt_rng_below(g, PAGES - page));
	} else if (!p->cached) {
		s->v[i] = folio(PT_ADD, file, page);
		s->refaulted[i] = p->shadow;
		*p = (struct page){ .cached = 1 };
	} else {
		uint8_t kind = pt_rng_below(g, 4) ? PT_EVICT : PT_REMOVE;

		s->v[i] = folio(kind, file, page);
		*p = (struct page){ .shadow = kind == PT_EVICT };
	}
	s->v[i].ts_ns = FIRST_NS + (LAST_NS - FIRST_NS) * i / (RECORDS - 1);
}

static size_t slot_of(uint64_t ts_ns, size_t n)
{
	uint64_t width = (LAST_NS - FIRST_NS) / n + 1;

	return (size_t)((ts_ns - FIRST_NS) / width);
}

static void expect_window(const struct stream *s, size_t window,
			  const struct pt_timeline_window *got)
{
	struct pt_timeline_window want = { 0 };
	uint8_t seen[FILES][PAGES] = { 0 };

	for (size_t i = 0; i < RECORDS; i++) {
		const struct pt_record *r = &s->v[i];
		size_t at = slot_of(r->ts_ns, WINDOWS);

		if (at <= window)
			want.cached += (r->kind == PT_ADD) - (r->kind == PT_EVICT) -
				       (r->kind == PT_REMOVE);
		if (at != window)
			continue;
		want.adds += r->kind == PT_ADD;
		want.evictions += r->kind == PT_EVICT;
		want.removals += r->kind == PT_REMOVE;
		want.refaults += s->refaulted[i];
		for (uint64_t k = 0; r->kind == PT_ACCESS && k < r->npages; k++) {
			want.accesses++;
			want.working_set += !seen[r->file][r->page + k];
			seen[r->file][r->page + k] = 1;
		}
	}
	assert_int_equal(got->accesses, want.accesses);
	assert_int_equal(got->working_set, want.working_set);
	assert_int_equal(got->adds, want.adds);
	assert_int_equal(got->evictions, want.evictions);
	assert_int_equal(got->removals, want.removals);
	assert_int_equal(got->refaults, want.refaults);
	assert_int_equal(got->cached, want.cached);
}

static void expect_file(const struct stream *s, uint32_t file, const struct pt_timeline_file *got)
{
	struct pt_timeline_file want = { 0 };
	uint8_t seen[PAGES] = { 0 };

	for (size_t i = 0; i < RECORDS; i++) {
		const struct pt_record *r = &s->v[i];
		uint64_t n = r->kind == PT_ACCESS ? r->npages : 1;

		if (r->file != file)
			continue;
		want.evictions += r->kind == PT_EVICT;
		want.refaults += s->refaulted[i];
		if (r->page + n > want.end_page)
			want.end_page = r->page + n;
		for (uint64_t k = 0; r->kind == PT_ACCESS && k < n; k++) {
			want.accesses++;
			want.pages += !seen[r->page + k];
			seen[r->page + k] = 1;
		}
	}
	assert_int_equal(got->accesses, want.accesses);
	assert_int_equal(got->pages, want.pages);
	assert_int_equal(got->evictions, want.evictions);
	assert_int_equal(got->refaults, want.refaults);
	assert_int_equal(got->end_page, want.end_page);
}

static void test_windows(void **state)
{
	const struct pt_timeline_options opt = { FIRST_NS, LAST_NS, WINDOWS, 4096, FILES, NULL };
	const struct pt_refault_options ropt = { .page_size = 4096 };
	struct stream *s = calloc(1, sizeof(*s));
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int round = 0; round < 10; round++) {
		struct pt_refault *ref;
		struct pt_timeline *t;
		uint64_t accesses = 0, misses = 0;

		memset(s, 0, sizeof(*s));
		assert_int_equal(pt_refault_new(&ropt, &ref), 0);
		assert_int_equal(pt_timeline_new(&opt, ref, &t), 0);
		for (size_t i = 0; i < RECORDS; i++) {
			draw(&g, s, i);
			assert_int_equal(pt_timeline_feed(t, &s->v[i]), 0);
		}
		pt_timeline_finish(t);
		for (size_t i = 0; i < WINDOWS; i++) {
			expect_window(s, i, pt_timeline_window(t, i));
			accesses += pt_timeline_window(t, i)->accesses;
			misses += pt_timeline_window(t, i)->misses;
		}
		assert_true(misses > 0 && misses <= accesses);
		for (uint32_t f = 0; f < FILES; f++) {
			expect_file(s, f, pt_timeline_file(t, f));
			misses -= pt_timeline_file(t, f)->misses;
		}
		assert_int_equal(misses, 0);
		pt_timeline_free(t);
		pt_refault_free(ref);
	}
	free(s);
}

static void expect_grid(const struct stream *s, const struct pt_heatmap_grid *g, uint64_t end_page)
{
	uint32_t accesses[ROWS * COLUMNS] = { 0 }, refaults[ROWS * COLUMNS] = { 0 };

	assert_int_equal(g->columns, COLUMNS);
	assert_true(g->rows <= ROWS && g->rows * g->row_pages >= end_page);
	for (size_t i = 0; i < RECORDS; i++) {
		const struct pt_record *r = &s->v[i];
		size_t column = slot_of(r->ts_ns, COLUMNS);

		if (r->file != g->file)
			continue;
		for (uint64_t k = 0; r->kind == PT_ACCESS && k < r->npages; k++)
			if (r->page + k < end_page)
				accesses[(r->page + k) / g->row_pages * COLUMNS + column]++;
		if (s->refaulted[i] && r->page < end_page)
			refaults[r->page / g->row_pages * COLUMNS + column]++;
	}
	assert_memory_equal(g->accesses, accesses, g->rows * COLUMNS * sizeof(*accesses));
	assert_memory_equal(g->refaults, refaults, g->rows * COLUMNS * sizeof(*refaults));
}

static void test_maps(void **state)
{
	const struct pt_heatmap_file files[] = { { 2, PAGES }, { 0, 41 }, { 1, 5 } };
	const struct pt_heatmap_options opt = { FIRST_NS, LAST_NS, ROWS,  COLUMNS,
						4096,     files,   FILES, NULL };
	const struct pt_refault_options ropt = { .page_size = 4096 };
	struct stream *s = calloc(1, sizeof(*s));
	struct pt_refault *ref;
	struct pt_heatmap *h;
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	assert_int_equal(pt_refault_new(&ropt, &ref), 0);
	assert_int_equal(pt_heatmap_new(&opt, ref, &h), 0);
	for (size_t i = 0; i < RECORDS; i++) {
		draw(&g, s, i);
		assert_int_equal(pt_heatmap_feed(h, &s->v[i]), 0);
	}
	assert_int_equal(pt_heatmap_count(h), FILES);
	for (size_t i = 0; i < FILES; i++)
		expect_grid(s, pt_heatmap_grid(h, i), files[i].end_page);
	assert_int_equal(pt_heatmap_grid(h, 2)->rows, 5); /* no more than pages */
	pt_heatmap_free(h);
	pt_refault_free(ref);
	free(s);
}

/* A folio that comes back counts with all its pages, from its first on. */
static void test_large_folio(void **state)
{
	const struct pt_heatmap_file file = { 0, 16 };
	const struct pt_heatmap_options opt = { 0, 9, 16, 1, 4096, &file, 1, NULL };
	const struct pt_refault_options ropt = { .page_size = 4096 };
	struct pt_record rec = folio(PT_ADD, 0, 4);
	const uint32_t *cells;
	struct pt_refault *ref;
	struct pt_heatmap *h;

	(void)state;
	assert_int_equal(pt_refault_new(&ropt, &ref), 0);
	assert_int_equal(pt_heatmap_new(&opt, ref, &h), 0);
	rec.ts_ns = 1;
	rec.order = 2;
	assert_int_equal(pt_heatmap_feed(h, &rec), 0);
	rec.kind = PT_EVICT;
	rec.how = PT_RECLAIM_KSWAPD;
	assert_int_equal(pt_heatmap_feed(h, &rec), 0);
	rec.kind = PT_ADD;
	rec.how = PT_CAUSE_DEMAND;
	rec.page = 6;
	assert_int_equal(pt_heatmap_feed(h, &rec), 0);
	cells = pt_heatmap_grid(h, 0)->refaults;
	for (int i = 0; i < 16; i++)
		assert_int_equal(cells[i], i >= 4 && i < 8);
	pt_heatmap_free(h);
	pt_refault_free(ref);
}

static void feed_counters(struct pt_timeline *t, uint64_t ts_ns, uint8_t how, uint32_t cgroup,
			  const char *text)
{
	struct pt_record r = PT_RECORD_INIT(PT_COUNTERS);

	r.ts_ns = ts_ns;
	r.how = how;
	r.cgroup = cgroup;
	r.blob = text;
	r.blob_len = (uint32_t)strlen(text);
	assert_int_equal(pt_timeline_feed(t, &r), 0);
}

static uint64_t counter(const struct pt_timeline *t, size_t window, const char *name)
{
	for (size_t i = 0; i < PT_TIMELINE_COUNTERS; i++)
		if (strcmp(pt_timeline_counter_name(i), name) == 0)
			return pt_timeline_window(t, window)->counters[i];
	fail_msg("no counter %s", name);
	return 0;
}

static void test_counters(void **state)
{
	const struct pt_timeline_options opt = { 0, 99, 10, 4096, 0, NULL };
	const struct pt_refault_options ropt = { .page_size = 4096 };
	struct pt_record gap = PT_RECORD_INIT(PT_GAP);
	struct pt_refault *ref;
	struct pt_timeline *t;

	(void)state;
	assert_int_equal(pt_refault_new(&ropt, &ref), 0);
	assert_int_equal(pt_timeline_new(&opt, ref, &t), 0);
	feed_counters(t, 1, PT_COUNTERS_VMSTAT, PT_UNKNOWN32, "nr_active_file 5\nodd\n\nbad x\n");
	feed_counters(t, 2, PT_COUNTERS_VMSTAT, PT_UNKNOWN32, "nr_active_file 7\n");
	feed_counters(t, 3, PT_COUNTERS_MEMSTAT, 4, "active_file 8192\n");
	feed_counters(t, 4, PT_COUNTERS_MEMSTAT, 5, "active_file 1\n"); /* another's */
	feed_counters(t, 5, PT_COUNTERS_KSWAPD, PT_UNKNOWN32, "kswapd0 3\nkswapd1 4\n");
	feed_counters(t, 6, PT_COUNTERS_KSWAPD, PT_UNKNOWN32, "kswapd0 5\nkswapd1 4");
	feed_counters(t, 12, PT_COUNTERS_PSI, PT_UNKNOWN32, "");
	gap.ts_ns = 21;
	gap.value[0] = 4;
	assert_int_equal(pt_timeline_feed(t, &gap), 0);
	assert_int_equal(pt_timeline_feed(t, &gap), 0);
	gap.ts_ns = 35;
	gap.value[0] = PT_UNKNOWN;
	assert_int_equal(pt_timeline_feed(t, &gap), 0);
	pt_timeline_finish(t);
	assert_int_equal(counter(t, 0, "machine.nr_active_file"), 7);
	assert_int_equal(counter(t, 0, "cgroup.active_file"), 8192);
	assert_int_equal(counter(t, 0, "kswapd.cpu_ns"), 9);
	assert_true(counter(t, 0, "psi.some_us") == PT_UNKNOWN);
	assert_true(counter(t, 1, "machine.nr_active_file") == PT_UNKNOWN);
	assert_int_equal(pt_timeline_window(t, 2)->lost, 8);
	assert_true(pt_timeline_window(t, 3)->lost == PT_UNKNOWN);
	assert_int_equal(pt_timeline_window(t, 9)->lost, 0);
	pt_timeline_free(t);
	pt_refault_free(ref);
}

static void test_refused(void **state)
{
	struct pt_timeline_options opt = { 5, 4, 1, 4096, 0, NULL };
	struct pt_heatmap_options hopt = { 0, 1, 0, 1, 4096, NULL, 0, NULL };
	struct pt_timeline *t;
	struct pt_heatmap *h;

	(void)state;
	assert_int_equal(pt_timeline_new(&opt, NULL, &t), -EINVAL);
	opt = (struct pt_timeline_options){ 0, 0, 0, 4096, 0, NULL };
	assert_int_equal(pt_timeline_new(&opt, NULL, &t), -EINVAL);
	opt.windows = PT_TIMELINE_WINDOWS_MAX + 1;
	assert_int_equal(pt_timeline_new(&opt, NULL, &t), -EINVAL);
	assert_int_equal(pt_heatmap_new(&hopt, NULL, &h), -EINVAL);
	hopt.rows = PT_HEATMAP_SIDE_MAX + 1;
	assert_int_equal(pt_heatmap_new(&hopt, NULL, &h), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows),     cmocka_unit_test(test_maps),
		cmocka_unit_test(test_large_folio), cmocka_unit_test(test_counters),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
