// SPDX-License-Identifier: GPL-2.0-or-later
/* capture/interpreter: what each sequence of kernel events means, one case a rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/interpreter.h"
#include "tests/unit/seed.h"
#include "util/rng.h"

#define DEV         ((254u << 20) | 1)
#define INO         77
#define TASK        100
#define RECORDS_MAX 65536

/* The interpreter under test, the events' clock, and what came out. */
struct bench {
	struct pt_interpreter *in;
	struct pt_sink sink;
	uint64_t now_ns;
	uint32_t pid;
	uint32_t ids;
	size_t count;
	struct pt_record got[RECORDS_MAX];
};

static int intern_file(void *ctx, const struct pt_file_key *key, uint32_t *ret_id)
{
	(void)key;
	*ret_id = ((struct bench *)ctx)->ids++;
	return 0;
}

static int intern_task(void *ctx, const struct pt_task_key *key, uint32_t *ret_id)
{
	(void)key;
	*ret_id = ((struct bench *)ctx)->ids++;
	return 0;
}

static int intern_cgroup(void *ctx, uint64_t id, uint32_t *ret_id)
{
	(void)ctx;
	*ret_id = (uint32_t)id;
	return 0;
}

static int keep(void *ctx, const struct pt_record *r)
{
	struct bench *b = ctx;

	assert_true(b->count < RECORDS_MAX);
	assert_true(!b->count || r->ts_ns >= b->got[b->count - 1].ts_ns);
	b->got[b->count++] = *r;
	return 0;
}

static struct bench *bench_new(int announces_readahead)
{
	const struct pt_interpreter_options opt = { .page_size = 4096,
						    .announces_readahead = announces_readahead,
						    .memcg = { 19, 11, 13, 15 } };
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->sink = (struct pt_sink){ .ctx = b,
				    .intern_file = intern_file,
				    .intern_task = intern_task,
				    .intern_cgroup = intern_cgroup,
				    .record = keep };
	b->now_ns = 1000;
	b->pid = TASK;
	assert_int_equal(pt_interpreter_new(&opt, &b->sink, &b->in), 0);
	return b;
}

static void bench_free(struct bench *b)
{
	pt_interpreter_free(b->in);
	free(b);
}

static void feed(struct bench *b, uint8_t type, uint64_t page, uint64_t v0, uint64_t v1)
{
	const struct pt_kevent ev = { .ts_ns = b->now_ns += 1000,
				      .ino = INO,
				      .page = page,
				      .value = { v0, v1, 0, 0 },
				      .dev = DEV,
				      .pid = b->pid,
				      .type = type };

	assert_int_equal(pt_interpreter_feed(b->in, &ev), 0);
}

static void add(struct bench *b, uint64_t page)
{
	feed(b, PT_KEV_ADD, page, 0x1000 + page, 0);
}

static void get_pages(struct bench *b, uint64_t page, uint64_t last)
{
	feed(b, PT_KEV_GET_PAGES, page, last, 0);
}

/* The @n-th record of @kind, after everything came out. */
static const struct pt_record *nth(struct bench *b, uint8_t kind, size_t n)
{
	assert_int_equal(pt_interpreter_finish(b->in), 0);
	for (size_t i = 0; i < b->count; i++)
		if (b->got[i].kind == kind && n-- == 0)
			return &b->got[i];
	return NULL;
}

static size_t count_of(struct bench *b, uint8_t kind)
{
	size_t n = 0;

	while (nth(b, kind, n))
		n++;
	return n;
}

static void batches_of_a_call_are_one_access(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	for (int call = 0; call < 2; call++)
		for (uint64_t at = 0; at < 256; at += 31)
			get_pages(b, at, 255);
	assert_int_equal(count_of(b, PT_ACCESS), 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(nth(b, PT_ACCESS, i)->page, 0);
		assert_int_equal(nth(b, PT_ACCESS, i)->npages, 256);
		assert_int_equal(nth(b, PT_ACCESS, i)->flags, 0);
	}
	bench_free(b);
}

/* 3000-byte reads: two of them end in page 2, the second begins later. */
static void calls_that_end_in_one_page_stay_two(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	get_pages(b, 0, 0);
	get_pages(b, 0, 1);
	get_pages(b, 1, 2);
	get_pages(b, 2, 2);
	assert_int_equal(count_of(b, PT_ACCESS), 4);
	bench_free(b);
}

/* All of the first call's last batch was uptodate: it cannot have ended inside. */
static void a_call_inside_the_last_batch_is_another(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	for (uint64_t p = 0; p < 64; p++)
		add(b, p);
	get_pages(b, 0, 63);
	for (uint64_t at = 1; at < 64; at += 31)
		get_pages(b, at, 63);
	get_pages(b, 50, 63);
	get_pages(b, 61, 63);
	assert_int_equal(count_of(b, PT_ACCESS), 3);
	assert_int_equal(nth(b, PT_ACCESS, 0)->npages, 64);
	assert_int_equal(nth(b, PT_ACCESS, 1)->page, 50);
	assert_int_equal(nth(b, PT_ACCESS, 2)->page, 61);
	bench_free(b);
}

/* Page 30 is missing, and added by another task before the read comes back to it. */
static void a_call_waits_for_the_page_of_another_task(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	get_pages(b, 0, 40);
	b->pid = TASK + 1;
	feed(b, PT_KEV_RA_SYNC, 30, 1, 0);
	add(b, 30);
	get_pages(b, 30, 30);
	b->now_ns += 100000000;
	b->pid = TASK;
	get_pages(b, 30, 40);
	assert_int_equal(count_of(b, PT_ACCESS), 2);
	assert_int_equal(nth(b, PT_ACCESS, 0)->npages, 41);
	bench_free(b);
}

static void a_cold_call_begins_at_its_miss(void **state)
{
	struct bench *b = bench_new(1);
	const struct pt_record *a;

	(void)state;
	feed(b, PT_KEV_RA_SYNC, 10, 4, 0); /* wants 10..13 */
	feed(b, PT_KEV_RA_WINDOW, 10, 8, 4);
	for (uint64_t p = 10; p < 18; p++)
		add(b, p);
	get_pages(b, 11, 13); /* its first batch was silent */
	get_pages(b, 12, 13);
	a = nth(b, PT_ACCESS, 0);
	assert_int_equal(count_of(b, PT_ACCESS), 1);
	assert_int_equal(a->page, 10);
	assert_int_equal(a->npages, 4);
	assert_int_equal(a->flags, PT_IO_MISS);
	assert_true(a->ts_ns < nth(b, PT_ADD, 0)->ts_ns);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(nth(b, PT_ADD, i)->how,
				 i < 4 ? PT_CAUSE_DEMAND : PT_CAUSE_READAHEAD);
	assert_int_equal(count_of(b, PT_READAHEAD), 1);
	bench_free(b);
}

/* 6.12 has no readahead events: what the adds were for shows at the call's first batch. */
static void a_cold_call_without_announcements(void **state)
{
	struct bench *b = bench_new(0);

	(void)state;
	for (uint64_t p = 10; p < 14; p++)
		add(b, p);
	get_pages(b, 10, 11);
	assert_int_equal(count_of(b, PT_ACCESS), 1);
	assert_int_equal(nth(b, PT_ACCESS, 0)->flags, PT_IO_MISS);
	assert_true(nth(b, PT_ACCESS, 0)->ts_ns <= nth(b, PT_ADD, 0)->ts_ns);
	assert_int_equal(nth(b, PT_ADD, 1)->how, PT_CAUSE_DEMAND);
	assert_int_equal(nth(b, PT_ADD, 2)->how, PT_CAUSE_READAHEAD);
	bench_free(b);
}

/* There a later batch, too, begins where the look-up missed. */
static void a_call_goes_on_at_an_unannounced_miss(void **state)
{
	struct bench *b = bench_new(0);

	(void)state;
	get_pages(b, 10, 90);
	for (uint64_t p = 14; p < 91; p++)
		add(b, p);
	get_pages(b, 14, 90);
	get_pages(b, 45, 90);
	get_pages(b, 76, 90);
	assert_int_equal(count_of(b, PT_ACCESS), 1);
	assert_int_equal(nth(b, PT_ACCESS, 0)->page, 10);
	assert_int_equal(nth(b, PT_ACCESS, 0)->npages, 81);
	bench_free(b);
}

static void a_silent_first_batch_began_at_its_add(void **state)
{
	struct bench *b = bench_new(0);
	const struct pt_record *second;

	(void)state;
	get_pages(b, 500, 510);
	for (uint64_t p = 20; p < 60; p++)
		add(b, p);
	get_pages(b, 25, 59);
	get_pages(b, 56, 59);
	second = nth(b, PT_ACCESS, 1);
	assert_int_equal(count_of(b, PT_ACCESS), 2);
	assert_int_equal(second->page, 20);
	assert_int_equal(second->npages, 40);
	bench_free(b);
}

/* The second call met a mark before page 9; what begins at page 12 is a call of its own. */
static void an_unannounced_mark_ends_a_batch(void **state)
{
	struct bench *b = bench_new(0);

	(void)state;
	get_pages(b, 0, 0);
	for (uint64_t p = 40; p < 72; p++)
		add(b, p);
	get_pages(b, 1, 30);
	get_pages(b, 9, 30);
	get_pages(b, 12, 30);
	assert_int_equal(count_of(b, PT_ACCESS), 3);
	assert_int_equal(nth(b, PT_ACCESS, 1)->npages, 30);
	bench_free(b);
}

static void adds_for_a_write_are_told_by_the_write(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	add(b, 5);
	feed(b, PT_KEV_WRITE_DONE, 0, 5 * 4096 + 10, 100);
	feed(b, PT_KEV_RA_SYNC, 20, 1, 0);
	feed(b, PT_KEV_RA_WINDOW, 20, 1, 0);
	add(b, 20);
	get_pages(b, 20, 20);
	feed(b, PT_KEV_WRITE_DONE, 0, 20 * 4096, 4096); /* read first, written later */
	assert_int_equal(nth(b, PT_ADD, 0)->how, PT_CAUSE_WRITE);
	assert_int_equal(nth(b, PT_ADD, 1)->how, PT_CAUSE_DEMAND);
	assert_int_equal(count_of(b, PT_WRITE), 2);
	assert_int_equal(nth(b, PT_WRITE, 0)->len_bytes, 100);
	bench_free(b);
}

static void a_cause_nobody_tells_is_unknown(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	add(b, 5);
	assert_int_equal(nth(b, PT_ADD, 0)->how, PT_UNKNOWN8);
	bench_free(b);
}

static void a_window_and_its_fault_are_one_access(void **state)
{
	struct bench *b = bench_new(1);
	const struct pt_record *a;

	(void)state;
	feed(b, PT_KEV_MAP_PAGES, 16, 31, 0);
	feed(b, PT_KEV_FAULT, 20, 0, 0);
	add(b, 20);
	feed(b, PT_KEV_MAP_PAGES, 16, 31, 0); /* tried again after the IO */
	feed(b, PT_KEV_FAULT, 20, 0, 0);
	feed(b, PT_KEV_MAP_PAGES, 64, 79, 0);
	assert_int_equal(count_of(b, PT_ACCESS), 2);
	a = nth(b, PT_ACCESS, 0);
	assert_int_equal(a->how, PT_HOW_FAULT);
	assert_int_equal(a->page, 20);
	assert_int_equal(a->npages, 1);
	assert_int_equal(a->flags, PT_IO_MISS);
	assert_int_equal(nth(b, PT_ADD, 0)->how, PT_CAUSE_FAULT);
	assert_int_equal(nth(b, PT_ACCESS, 1)->how, PT_HOW_WINDOW);
	assert_int_equal(nth(b, PT_ACCESS, 1)->npages, 16);
	bench_free(b);
}

static void page_left(struct bench *b, uint64_t page)
{
	feed(b, PT_KEV_DELETE, page, 0x1000 + page, 0);
}

static void reclaim_is_told_by_its_bracket(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	feed(b, PT_KEV_RECLAIM_BEGIN, 0, 0, 0);
	page_left(b, 1);
	feed(b, PT_KEV_SLAB_START, 0, 0, 0);
	page_left(b, 2); /* the inode shrinker invalidates */
	feed(b, PT_KEV_SLAB_END, 0, 0, 0);
	page_left(b, 3);
	feed(b, PT_KEV_RECLAIM_END, 0, 2, 0);
	page_left(b, 4);
	assert_int_equal(count_of(b, PT_EVICT), 2);
	assert_int_equal(count_of(b, PT_REMOVE), 2);
	assert_int_equal(nth(b, PT_REMOVE, 0)->page, 2);
	assert_int_equal(nth(b, PT_REMOVE, 0)->how, PT_REMOVE_INVALIDATE);
	assert_int_equal(nth(b, PT_REMOVE, 1)->how, PT_UNKNOWN8);
	bench_free(b);
}

/* MADV_PAGEOUT has no bracket: the sum that follows tells, if it is the run's. */
static void page_outs_are_told_by_their_sum(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	page_left(b, 1);
	page_left(b, 2);
	feed(b, PT_KEV_RECLAIM_PAGES, 0, 2, 2);
	page_left(b, 3);
	feed(b, PT_KEV_RECLAIM_PAGES, 0, 2, 2);
	page_left(b, 4);
	get_pages(b, 9, 9);
	assert_int_equal(count_of(b, PT_EVICT), 2);
	assert_int_equal(nth(b, PT_EVICT, 0)->how, PT_RECLAIM_PAGEOUT);
	assert_int_equal(count_of(b, PT_REMOVE), 2);
	bench_free(b);
}

static void nothing_is_guessed_across_a_gap(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	get_pages(b, 0, 255);
	feed(b, PT_KEV_RECLAIM_BEGIN, 0, 0, 0);
	feed(b, PT_KEV_GAP, 0, 12, 0);
	page_left(b, 1);
	get_pages(b, 31, 255);
	assert_int_equal(count_of(b, PT_GAP), 1);
	assert_int_equal(nth(b, PT_GAP, 0)->value[0], 12);
	assert_int_equal(count_of(b, PT_EVICT), 0);
	assert_int_equal(count_of(b, PT_ACCESS), 2);
	bench_free(b);
}

/* 2^31 pages are the most that an order may claim: what is beyond is damage, and a gap. */
static void an_impossible_order_is_a_gap(void **state)
{
	static const uint8_t orders[] = { 32, 80, 149 };
	struct bench *b = bench_new(1);

	(void)state;
	for (size_t i = 0; i < sizeof(orders); i++) {
		const struct pt_kevent ev = { .ts_ns = b->now_ns += 1000,
					      .ino = INO,
					      .dev = DEV,
					      .pid = TASK,
					      .type = i ? PT_KEV_ADD : PT_KEV_DELETE,
					      .order = orders[i] };

		assert_int_equal(pt_interpreter_feed(b->in, &ev), 1);
	}
	assert_int_equal(count_of(b, PT_GAP), 3);
	assert_int_equal(nth(b, PT_GAP, 0)->how, PT_GAP_UNDECODED);
	assert_int_equal(nth(b, PT_GAP, 0)->value[0], 1);
	assert_int_equal(b->count, 3);
	bench_free(b);
}

static void only_the_first_insertion_counts(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	add(b, 1);
	add(b, 2);
	feed(b, PT_KEV_LRU_INSERT, 0, 0x1001, 3);
	feed(b, PT_KEV_LRU_INSERT, 0, 0x1001, 3); /* put back */
	feed(b, PT_KEV_LRU_INSERT, 0, 0x1002, 2);
	feed(b, PT_KEV_LRU_INSERT, 0, 0x1002, 3); /* put back */
	feed(b, PT_KEV_LRU_ACTIVATE, 0, 0x1002, 0);
	feed(b, PT_KEV_LRU_ACTIVATE, 0, 0x9999, 0); /* nobody's */
	assert_int_equal(count_of(b, PT_ACTIVATE), 2);
	assert_int_equal(nth(b, PT_ACTIVATE, 0)->page, 1);
	assert_int_equal(nth(b, PT_ACTIVATE, 0)->how, PT_ACTIVATE_INSERT);
	assert_int_equal(nth(b, PT_ACTIVATE, 1)->page, 2);
	assert_int_equal(nth(b, PT_ACTIVATE, 1)->how, PT_ACTIVATE_ACCESS);
	bench_free(b);
}

static void memcg(struct bench *b, uint64_t id, uint64_t item, int64_t change)
{
	const struct pt_kevent ev = { .ts_ns = b->now_ns += 1000,
				      .value = { id, item, (uint64_t)change, 0 },
				      .pid = b->pid,
				      .type = PT_KEV_MEMCG_STATE };

	assert_int_equal(pt_interpreter_feed(b->in, &ev), 0);
}

static void the_kernel_names_owners_and_refaults(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	memcg(b, 5, 19, 1);
	add(b, 1);
	memcg(b, 5, 11, 1);
	memcg(b, 5, 13, 1);
	feed(b, PT_KEV_RECLAIM_BEGIN, 0, 0, 0);
	page_left(b, 1);
	memcg(b, 5, 19, -1);
	assert_int_equal(nth(b, PT_ADD, 0)->cgroup, 5);
	assert_int_equal(nth(b, PT_EVICT, 0)->cgroup, 5);
	assert_int_equal(nth(b, PT_REFAULT, 0)->page, 1);
	assert_int_equal(nth(b, PT_REFAULT, 0)->npages, 1);
	assert_int_equal(nth(b, PT_REFAULT, 0)->flags, PT_REFAULT_ACTIVATED);
	bench_free(b);
}

static void flushed(struct bench *b, uint64_t id, uint64_t force, uint64_t needed)
{
	const struct pt_kevent ev = { .ts_ns = b->now_ns += 1000,
				      .value = { id, 300, force, needed },
				      .pid = b->pid,
				      .type = PT_KEV_MEMCG_FLUSH };

	assert_int_equal(pt_interpreter_feed(b->in, &ev), 0);
}

/* Statistics are flushed inside a refault too: what the kernel says next is still about the add. */
static void flushes_of_statistics_are_recorded(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	flushed(b, 5, 0, 0);
	memcg(b, 5, 19, 1);
	add(b, 1);
	flushed(b, 6, 0, 1);
	memcg(b, 5, 11, 1);
	flushed(b, 7, 1, 0);
	feed(b, PT_KEV_RECLAIM_BEGIN, 0, 0, 0);
	assert_int_equal(nth(b, PT_COUNTERS, 0)->how, PT_COUNTERS_FLUSH);
	assert_int_equal(nth(b, PT_COUNTERS, 0)->cgroup, 6);
	assert_int_equal(nth(b, PT_COUNTERS, 1)->cgroup, 7);
	assert_int_equal(nth(b, PT_REFAULT, 0)->page, 1);
	bench_free(b);
}

static void lose(struct bench *b, uint16_t cpu)
{
	const struct pt_kevent ev = {
		.ts_ns = b->now_ns += 1000, .cpu = cpu, .type = PT_KEV_GAP, .value = { PT_UNKNOWN }
	};

	assert_int_equal(pt_interpreter_feed(b->in, &ev), 0);
}

/* What the kernel said of a folio before the gap is not about the one behind it. */
static void no_owner_survives_a_gap(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	memcg(b, 5, 19, 1);
	lose(b, 0);
	add(b, 1);
	lose(b, 0);
	memcg(b, 5, 11, 1);
	page_left(b, 1);
	lose(b, 0);
	memcg(b, 5, 19, -1);
	assert_int_equal(nth(b, PT_ADD, 0)->cgroup, PT_UNKNOWN32);
	assert_int_equal(nth(b, PT_REFAULT, 0)->page, PT_UNKNOWN);
	assert_int_equal(nth(b, PT_REMOVE, 0)->cgroup, PT_UNKNOWN32);
	bench_free(b);
}

/* A gap that may be anywhere is everywhere; one on another CPU is not here. */
static void a_gap_without_a_place_is_everywhere(void **state)
{
	static const struct {
		uint16_t cpu;
		size_t calls;
	} cases[] = { { 3, 1 }, { 0, 2 }, { PT_UNKNOWN16, 2 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench *b = bench_new(1);

		get_pages(b, 0, 255);
		lose(b, cases[i].cpu);
		get_pages(b, 31, 255);
		assert_int_equal(count_of(b, PT_ACCESS), cases[i].calls);
		assert_int_equal(nth(b, PT_GAP, 0)->cpu, cases[i].cpu);
		bench_free(b);
	}
}

/* A record that waits for what never comes leaves in time, and those behind it. */
/* Pages that nobody asks for are no access, and a read may wait long for its first page. */
static void only_a_batch_makes_an_access(void **state)
{
	struct bench *b = bench_new(0);

	(void)state;
	add(b, 5);
	b->now_ns += 2000000000u;
	assert_int_equal(pt_interpreter_advance(b->in, b->now_ns), 0);
	assert_int_equal(b->count, 1);
	get_pages(b, 5, 8);
	assert_int_equal(count_of(b, PT_ACCESS), 1);
	assert_int_equal(nth(b, PT_ACCESS, 0)->page, 5);
	assert_int_equal(nth(b, PT_ACCESS, 0)->npages, 4);
	bench_free(b);
}

static void waiting_ends(void **state)
{
	struct bench *b = bench_new(1);

	(void)state;
	add(b, 5);
	page_left(b, 6);
	assert_int_equal(b->count, 0);
	assert_int_equal(pt_interpreter_advance(b->in, b->now_ns + 2000000000u), 0);
	assert_int_equal(b->count, 2);
	bench_free(b);
}

/* Whatever comes: times never go back (keep() looks), and every add and deletion comes out. */
static void any_events_at_all(void **state)
{
	uint64_t seed = seed_new(), adds = 0, deletes = 0;
	struct bench *b = bench_new(1);
	struct pt_rng rng;
	size_t out;

	(void)state;
	pt_rng_init(&rng, seed);
	for (int i = 0; i < 30000; i++) {
		uint8_t type = (uint8_t)(1 + pt_rng_below(&rng, PT_KEV_TYPES - 1));

		b->pid = TASK + (uint32_t)pt_rng_below(&rng, 4);
		adds += type == PT_KEV_ADD;
		deletes += type == PT_KEV_DELETE;
		feed(b, type, pt_rng_below(&rng, 64), pt_rng_below(&rng, 128),
		     pt_rng_below(&rng, 64));
	}
	assert_int_equal(pt_interpreter_finish(b->in), 0);
	out = b->count;
	for (size_t i = 0; i < out; i++) {
		adds -= b->got[i].kind == PT_ADD;
		deletes -= b->got[i].kind == PT_EVICT || b->got[i].kind == PT_REMOVE;
	}
	assert_int_equal(adds, 0);
	assert_int_equal(deletes, 0);
	bench_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_of_a_call_are_one_access),
		cmocka_unit_test(calls_that_end_in_one_page_stay_two),
		cmocka_unit_test(a_call_inside_the_last_batch_is_another),
		cmocka_unit_test(a_call_waits_for_the_page_of_another_task),
		cmocka_unit_test(a_cold_call_begins_at_its_miss),
		cmocka_unit_test(a_cold_call_without_announcements),
		cmocka_unit_test(a_call_goes_on_at_an_unannounced_miss),
		cmocka_unit_test(a_silent_first_batch_began_at_its_add),
		cmocka_unit_test(an_unannounced_mark_ends_a_batch),
		cmocka_unit_test(adds_for_a_write_are_told_by_the_write),
		cmocka_unit_test(a_cause_nobody_tells_is_unknown),
		cmocka_unit_test(a_window_and_its_fault_are_one_access),
		cmocka_unit_test(reclaim_is_told_by_its_bracket),
		cmocka_unit_test(page_outs_are_told_by_their_sum),
		cmocka_unit_test(nothing_is_guessed_across_a_gap),
		cmocka_unit_test(an_impossible_order_is_a_gap),
		cmocka_unit_test(only_the_first_insertion_counts),
		cmocka_unit_test(the_kernel_names_owners_and_refaults),
		cmocka_unit_test(flushes_of_statistics_are_recorded),
		cmocka_unit_test(only_a_batch_makes_an_access),
		cmocka_unit_test(no_owner_survives_a_gap),
		cmocka_unit_test(a_gap_without_a_place_is_everywhere),
		cmocka_unit_test(waiting_ends),
		cmocka_unit_test(any_events_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
