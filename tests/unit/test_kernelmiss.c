// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/kernelmiss and analysis/pageaccess: what counts as a miss, and as an access. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/kernelmiss.h"
#include "analysis/pageaccess.h"
#include "analysis/reuse.h"
#include "seed.h"

#define FILE_ID 7

static void folio(struct pt_kernelmiss *k, uint8_t kind, uint64_t page, uint8_t order)
{
	struct pt_record rec = PT_RECORD_INIT(kind);

	rec.file = FILE_ID;
	rec.page = page;
	rec.order = order;
	assert_int_equal(pt_kernelmiss_feed(k, &rec), 0);
}

/* "a" adds page 0, "e" evicts it, "r" removes it, "x" accesses it. */
static void play(const char *acts, uint64_t misses, uint64_t before, uint64_t cached_max)
{
	struct pt_kernelmiss_counts c;
	struct pt_kernelmiss k;

	pt_kernelmiss_init(&k, 1);
	for (; *acts; acts++) {
		if (*acts == 'x')
			assert_int_equal(pt_kernelmiss_access(&k, FILE_ID, 0, 1), 0);
		else
			folio(&k,
			      *acts == 'a'   ? PT_ADD
			      : *acts == 'e' ? PT_EVICT
					     : PT_REMOVE,
			      0, 0);
	}
	pt_kernelmiss_count(&k, &c);
	assert_int_equal(c.misses, misses);
	assert_int_equal(c.cached_before, before);
	assert_int_equal(c.cached_max, cached_max);
	pt_kernelmiss_done(&k);
}

static void test_one_page(void **state)
{
	(void)state;
	play("", 0, 0, 0);
	play("xa", 1, 0, 1);    /* a demand whose add comes behind the access */
	play("ax", 1, 0, 1);    /* and before it, as by read-ahead */
	play("axxx", 1, 0, 1);  /* hits */
	play("a", 0, 0, 1);     /* read ahead in vain */
	play("aeax", 1, 0, 1);  /* once in vain */
	play("xaexa", 2, 0, 1); /* refaulted */
	play("xaeax", 2, 0, 1);
	play("xarxa", 2, 0, 1);  /* removed is gone as well */
	play("x", 0, 1, 1);      /* cached before */
	play("xxexxa", 1, 1, 1); /* and then evicted */
	play("e", 0, 0, 1);      /* cached before, not accessed */
	play("exa", 1, 0, 1);
	play("axaxx", 2, 0, 1); /* the eviction between was lost */
	play("axexx", 2, 0, 1); /* the add was lost */
}

static void test_folios(void **state)
{
	struct pt_kernelmiss_counts c;
	struct pt_kernelmiss k;

	(void)state;
	pt_kernelmiss_init(&k, 1);
	assert_int_equal(pt_kernelmiss_access(&k, FILE_ID, 10, 10), 0);
	folio(&k, PT_ADD, 0, 4);  /* pages 0 to 15 */
	folio(&k, PT_ADD, 16, 2); /* 16 to 19 */
	folio(&k, PT_EVICT, 0, 4);
	folio(&k, PT_ADD, 21, 2);  /* that is 20 */
	folio(&k, PT_ADD, 0, 200); /* no folio has that order */
	folio(&k, PT_ADD, UINT64_MAX, 0);
	pt_kernelmiss_count(&k, &c);
	assert_int_equal(c.misses, 10);
	assert_int_equal(c.evictions, 16);
	assert_int_equal(c.cached_max, 20);
	assert_int_equal(c.cached_before, 0);
	pt_kernelmiss_done(&k);
}

/* A kernel that is an LRU cache without read-ahead misses what LRU misses, sampled or not. */
static void test_is_lru(void **state)
{
	enum { PAGES = 2000, CACHED = 500, ACCESSES = 40000 };
	struct pt_reuse *r = pt_reuse_new(&(struct pt_reuse_options){ 0 });
	uint32_t cache[CACHED], n = 0;
	struct pt_kernelmiss all, some;
	struct pt_kernelmiss_counts c;
	struct pt_zipf z;
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	pt_zipf_init(&z, PAGES, 0.6);
	pt_kernelmiss_init(&all, 1);
	pt_kernelmiss_init(&some, 0.25);
	for (int i = 0; i < ACCESSES; i++) {
		uint32_t page = (uint32_t)pt_zipf_draw(&z, &g), at = 0;

		assert_int_equal(pt_reuse_feed(r, FILE_ID, page, 1), 0);
		assert_int_equal(pt_kernelmiss_access(&all, FILE_ID, page, 1), 0);
		assert_int_equal(pt_kernelmiss_access(&some, FILE_ID, page, 1), 0);
		while (at < n && cache[at] != page)
			at++;
		if (at == n) {
			if (n == CACHED) {
				folio(&all, PT_EVICT, cache[--at], 0);
				folio(&some, PT_EVICT, cache[at], 0);
			} else {
				n++;
			}
			folio(&all, PT_ADD, page, 0);
			folio(&some, PT_ADD, page, 0);
		}
		memmove(cache + 1, cache, at * sizeof(*cache));
		cache[0] = page;
	}
	pt_kernelmiss_count(&all, &c);
	assert_true((double)c.misses == pt_reuse_misses(r, CACHED));
	assert_int_equal(c.cached_max, CACHED);
	pt_kernelmiss_count(&some, &c);
	assert_in_range(c.misses, (uint64_t)(0.7 * pt_reuse_misses(r, CACHED)),
			(uint64_t)(1.3 * pt_reuse_misses(r, CACHED)));
	pt_kernelmiss_done(&all);
	pt_kernelmiss_done(&some);
	pt_reuse_free(r);
}

/* ---- Accesses */

static void expect(const struct pt_record *rec, enum pt_pageaccess_is is, uint64_t page, uint64_t n)
{
	struct pt_pageaccess a = { 0 };

	assert_int_equal(pt_pageaccess_of(rec, 4096, &a), is);
	assert_int_equal(a.page, page);
	assert_int_equal(a.npages, n);
}

static void test_accesses(void **state)
{
	struct pt_record r = PT_RECORD_INIT(PT_ACCESS), w = PT_RECORD_INIT(PT_WRITE);

	(void)state;
	r.how = PT_HOW_READ;
	expect(&r, PT_PAGEACCESS_UNKNOWN, 0, 0);
	r.file = 1;
	r.page = 5;
	r.npages = 3;
	expect(&r, PT_PAGEACCESS_PAGES, 5, 3);
	r.npages = UINT64_MAX - 1;
	expect(&r, PT_PAGEACCESS_PAGES, 5, PT_PAGEACCESS_MAX);
	r.npages = 0;
	expect(&r, PT_PAGEACCESS_NONE, 0, 0);
	r.npages = 16;
	r.how = PT_HOW_WINDOW;
	expect(&r, PT_PAGEACCESS_WINDOW, 0, 0);
	r.flags = PT_IO_DIRECT;
	expect(&r, PT_PAGEACCESS_DIRECT, 0, 0);
	r.kind = PT_ADD;
	expect(&r, PT_PAGEACCESS_NONE, 0, 0);

	w.file = 1;
	expect(&w, PT_PAGEACCESS_UNKNOWN, 0, 0);
	w.off_bytes = 4095;
	w.len_bytes = 2;
	expect(&w, PT_PAGEACCESS_PAGES, 0, 2);
	w.off_bytes = 4096;
	w.len_bytes = 4096;
	expect(&w, PT_PAGEACCESS_PAGES, 1, 1);
	w.off_bytes = UINT64_MAX - 1;
	expect(&w, PT_PAGEACCESS_UNKNOWN, 0, 0);
	w.off_bytes = 0;
	w.len_bytes = 0;
	expect(&w, PT_PAGEACCESS_NONE, 0, 0);
	w.len_bytes = 1;
	w.flags = PT_IO_MMAP;
	expect(&w, PT_PAGEACCESS_NONE, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_page),
		cmocka_unit_test(test_folios),
		cmocka_unit_test(test_is_lru),
		cmocka_unit_test(test_accesses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
