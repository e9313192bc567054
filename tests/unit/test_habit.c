// SPDX-License-Identifier: GPL-2.0-or-later
/* Advice that shows in what was read in, and what must not be taken for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/habit.h"

#define TASK     3
#define THE_FILE 5

static int setup(void **state)
{
	static struct pt_habits h;

	pt_habits_init(&h);
	*state = &h;
	return 0;
}

static int teardown(void **state)
{
	pt_habits_done(*state);
	return 0;
}

static void add(struct pt_habits *h, unsigned int n, uint8_t cause, uint8_t order)
{
	struct pt_record r = PT_RECORD_INIT(PT_ADD);

	r.task = TASK;
	r.file = THE_FILE;
	r.how = cause;
	r.order = order;
	while (n--)
		assert_int_equal(pt_habits_learn(h, &r), 0);
}

static void miss(struct pt_habits *h, unsigned int n)
{
	struct pt_record r = PT_RECORD_INIT(PT_ACCESS);

	r.task = TASK;
	r.file = THE_FILE;
	r.how = PT_HOW_READ;
	r.flags = PT_IO_MISS;
	while (n--) {
		assert_int_equal(pt_habits_learn(h, &r), 0);
		add(h, 1, PT_CAUSE_DEMAND, 0);
	}
}

static void misses_without_read_ahead_are_random(void **state)
{
	miss(*state, 100);
	assert_true(pt_habits_random(*state, TASK, THE_FILE, 0));
	assert_false(
		pt_habits_random(*state, TASK, THE_FILE, 1)); /* of mappings nothing is known */
	assert_false(pt_habits_random(*state, TASK + 1, THE_FILE, 0));
	assert_false(pt_habits_random(*state, TASK, THE_FILE + 1, 0));
}

static void a_few_misses_say_nothing(void **state)
{
	miss(*state, 3);
	assert_false(pt_habits_random(*state, TASK, THE_FILE, 0));
}

static void read_ahead_says_no(void **state)
{
	miss(*state, 100);
	add(*state, 1, PT_CAUSE_READAHEAD, 0); /* one before the advice came */
	assert_true(pt_habits_random(*state, TASK, THE_FILE, 0));
	add(*state, 9, PT_CAUSE_READAHEAD, 0);
	assert_false(pt_habits_random(*state, TASK, THE_FILE, 0));
}

static void large_folios_are_read_ahead(void **state)
{
	miss(*state, 100);
	add(*state, 10, PT_CAUSE_DEMAND, 4);
	assert_false(pt_habits_random(*state, TASK, THE_FILE, 0));
}

static void faults_alone_are_random_mappings(void **state)
{
	add(*state, 50, PT_CAUSE_FAULT, 0);
	assert_true(pt_habits_random(*state, TASK, THE_FILE, 1));
	assert_false(pt_habits_random(*state, TASK, THE_FILE, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(misses_without_read_ahead_are_random),
		T(a_few_misses_say_nothing),
		T(read_ahead_says_no),
		T(large_folios_are_read_ahead),
		T(faults_alone_are_random_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
