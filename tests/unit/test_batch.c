// SPDX-License-Identifier: GPL-2.0-or-later
/* capture/batch: every reason for which a batch may end, and none beyond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/batch.h"
#include "formats/record.h"

#define FILE_AT 3
#define START   1024 /* of the batch under test, looked up after ... */
#define LOOKED  50
#define AT      60 /* ... and told of then */

static int setup(void **state)
{
	static struct pt_folios folios;

	*state = &folios;
	return pt_folios_init(&folios);
}

static int teardown(void **state)
{
	pt_folios_done(*state);
	return 0;
}

static struct pt_batch batch(void)
{
	struct pt_batch b;

	pt_batch_init(&b, FILE_AT, START);
	b.looked_ns = LOOKED;
	b.at_ns = AT;
	return b;
}

/* @n folios of @order from page @from on, long there. */
static void old_folios(struct pt_folios *f, uint64_t from, unsigned int n, uint8_t order)
{
	for (unsigned int i = 0; i < n; i++)
		pt_folios_read_in(f, FILE_AT, from + ((uint64_t)i << order), order, 1);
	pt_folios_use(f, FILE_AT, from, from + ((uint64_t)n << order), 2);
}

static void only_a_full_one_ends_among_cached_pages(void **state)
{
	struct pt_batch b = batch();

	old_folios(*state, START, 64, 0);
	for (uint64_t page = START - 2; page < START + 64; page++)
		assert_int_equal(pt_batch_leads_to(&b, *state, page), page == START + 31);
}

static void large_folios_count_as_one(void **state)
{
	struct pt_batch b = batch();

	old_folios(*state, START, 10, 0);
	old_folios(*state, START + 16, 64, 4); /* the 6 pages between are not known */
	assert_false(pt_batch_leads_to(&b, *state, START + 31));
	/* 10, then 1 to 6, then the rest of 31 in large ones */
	for (uint64_t folios = 10; folios < 25; folios++)
		assert_int_equal(pt_batch_leads_to(&b, *state, START + 16 + folios * 16),
				 folios >= 15 && folios <= 20);
	assert_false(pt_batch_leads_to(&b, *state, START + 16 + 17 * 16 + 1));
}

static void unknown_pages_end_it_after_31_or_more(void **state)
{
	struct pt_batch b = batch();

	assert_false(pt_batch_leads_to(&b, *state, START + 30));
	assert_true(pt_batch_leads_to(&b, *state, START + 31));
	assert_true(pt_batch_leads_to(&b, *state, START + 496));
	assert_false(pt_batch_leads_to(&b, *state, UINT64_MAX));
}

static void a_mark_ends_it(void **state)
{
	struct pt_batch b = batch();

	old_folios(*state, START, 8, 2);
	b.mark = START + 4;
	for (uint64_t page = START; page < START + 32; page++)
		assert_int_equal(pt_batch_leads_to(&b, *state, page), page == START + 8);
}

/* A folio from before the recording: of any size that its place allows. */
static void a_mark_on_an_unknown_folio_ends_it(void **state)
{
	struct pt_batch b = batch();

	b.mark = START + 4;
	for (uint64_t page = START; page < START + 31; page++)
		assert_int_equal(pt_batch_leads_to(&b, *state, page),
				 page == START + 5 || page == START + 6 || page == START + 8);
}

static void a_missed_page_ends_it(void **state)
{
	struct pt_batch b = batch();

	old_folios(*state, START, 5, 0);
	b.missed = START + 5;
	assert_false(pt_batch_leads_to(&b, *state, START + 4));
	assert_true(pt_batch_leads_to(&b, *state, START + 5));
	pt_folios_read_in(*state, FILE_AT, START + 5, 0, AT + 1);
	assert_true(pt_batch_leads_to(&b, *state, START + 6)); /* added and read without an event */
	assert_false(pt_batch_leads_to(&b, *state, START + 7));
}

/* Another task may have added the page, and nobody announces that this one missed it. */
static void a_page_that_came_since_ends_it(void **state)
{
	struct pt_batch b = batch();

	old_folios(*state, START, 5, 0);
	pt_folios_read_in(*state, FILE_AT, START + 5, 0, LOOKED + 1);
	assert_true(pt_batch_leads_to(&b, *state, START + 5));
	assert_false(pt_batch_leads_to(&b, *state, START + 6));
}

static void a_first_folio_under_io_is_alone(void **state)
{
	struct pt_batch b = batch();

	old_folios(*state, START + 4, 20, 0);
	pt_folios_read_in(*state, FILE_AT, START, 2, 1);
	b.was_fresh = 1;
	for (uint64_t page = START; page < START + 24; page++)
		assert_int_equal(pt_batch_leads_to(&b, *state, page), page == START + 4);
}

/* The one of START .. START+3 ended early, the next ones at folios under I/O: those tell nothing.
 */
static void later_ones_may_be_silent(void **state)
{
	struct pt_batch b = batch();

	old_folios(*state, START, 10, 0);
	b.mark = START + 3;
	pt_folios_read_in(*state, FILE_AT, START + 10, 0, 1);
	pt_folios_read_in(*state, FILE_AT, START + 11, 0, 1);
	pt_folios_use(*state, FILE_AT, START + 10, START + 11, AT + 5); /* by somebody else */
	pt_folios_read_in(*state, FILE_AT, START + 12, 0, 1);
	pt_folios_use(*state, FILE_AT, START + 12, START + 13, LOOKED);
	assert_false(pt_batch_leads_to(&b, *state, START + 9));
	assert_true(pt_batch_leads_to(&b, *state, START + 10));
	assert_true(pt_batch_leads_to(&b, *state, START + 11));
	assert_false(pt_batch_leads_to(&b, *state, START + 12));
	b.mark = PT_UNKNOWN; /* then this one itself reached the folio, and would be silent */
	assert_false(pt_batch_leads_to(&b, *state, START + 10));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(only_a_full_one_ends_among_cached_pages),
		TEST(large_folios_count_as_one),
		TEST(unknown_pages_end_it_after_31_or_more),
		TEST(a_mark_ends_it),
		TEST(a_mark_on_an_unknown_folio_ends_it),
		TEST(a_missed_page_ends_it),
		TEST(a_page_that_came_since_ends_it),
		TEST(a_first_folio_under_io_is_alone),
		TEST(later_ones_may_be_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
