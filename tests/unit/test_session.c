// SPDX-License-Identifier: GPL-2.0-or-later
/* When a replay counts as diverged; and what it is held against: the recorded limit and refaults.
 */
#include <string.h>

#include "replay/session_state.h"
#include "tests/unit/scene.h"
#include "util/json.h"

static void open_plan(struct scene *s)
{
	struct pt_diag diag = PT_DIAG_INIT;

	assert_int_equal(scene_open_plan(s, NULL, 16, 64, &diag), 0);
}

/* A read that can be played. */
static void put_read(struct scene *s, uint32_t task)
{
	scene_access_pages(s, task, scene_file(s, 5, 1 << 20), PT_HOW_READ, 0, 1);
}

/* ---- Diverged */

/* @list is @n texts, the first of them @text. */
static void assert_texts(json_t *list, size_t n, const char *text)
{
	assert_int_equal(json_array_size(list), n);
	if (n)
		assert_string_equal(json_string_value(json_array_get(list, 0)), text);
	json_decref(list);
}

static json_t *run_with(int dropped, double access_match)
{
	json_t *run = json_object(), *fidelity = json_object();

	pt_session_judge_run(run, dropped);
	pt_json_set_double(fidelity, "access_match", access_match);
	pt_json_set(run, "fidelity", fidelity);
	return run;
}

static void a_whole_replay_has_not_diverged(void **state)
{
	struct scene *s = *state;
	struct pt_session session = { .runs = json_array() };

	put_read(s, scene_task(s, 1, 0, PT_UNKNOWN32));
	open_plan(s);
	session.plan = s->plan;
	json_array_append_new(session.runs, run_with(0, PT_SESSION_MIN_ACCESS_MATCH));
	assert_texts(pt_session_divergences(&session), 0, NULL);
	json_decref(session.runs);
}

static void a_record_that_is_not_replayed_is_divergence(void **state)
{
	struct scene *s = *state;
	struct pt_session session = { .runs = json_array() };
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32);

	put_read(s, t);
	scene_access_pages(s, t, scene_file(s, 5, 1 << 20), PT_HOW_READ, PT_UNKNOWN, 1);
	open_plan(s);
	session.plan = s->plan;
	assert_texts(pt_session_divergences(&session), 1, "1 record was not replayed: no_range");
	json_decref(session.runs);
}

static void advice_that_is_not_given_is_none(void **state)
{
	struct scene *s = *state;
	struct pt_session session = { .runs = json_array() };
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32);
	struct pt_record r;

	put_read(s, t);
	r = scene_record(s, PT_ADVISE, t, scene_file(s, 5, 1 << 20));
	r.how = PT_ADVISE_MADVISE;
	r.value[0] = 10; /* MADV_DONTFORK */
	scene_put(s, &r);
	open_plan(s);
	session.plan = s->plan;
	assert_int_equal(pt_plan_stats(s->plan)->skipped[PT_SKIP_ADVICE], 1);
	assert_texts(pt_session_divergences(&session), 0, NULL);
	json_decref(session.runs);
}

static void failures_drops_and_bad_matches_are_named(void **state)
{
	struct scene *s = *state;
	struct pt_session session = { .runs = json_array(), .errors = 1 };
	json_t *list;

	put_read(s, scene_task(s, 1, 0, PT_UNKNOWN32));
	open_plan(s);
	session.plan = s->plan;
	json_array_append_new(session.runs, run_with(0, 0.5));
	json_array_append_new(session.runs, run_with(1, 1));
	list = pt_session_divergences(&session);
	assert_int_equal(json_array_size(list), 3);
	assert_string_equal(json_string_value(json_array_get(list, 1)),
			    "run 2: somebody dropped the page cache while it ran");
	assert_string_equal(json_string_value(json_array_get(list, 2)),
			    "run 1: access_match 0.5000 is below 0.99");
	assert_texts(list, 3, "1 operation failed");
	json_decref(session.runs);
}

/* ---- Recorded */

static uint32_t limited(struct scene *s, uint64_t id, uint64_t parent, uint64_t max_bytes)
{
	const struct pt_cgroup def = { .id = id,
				       .parent = parent,
				       .max_bytes = max_bytes,
				       .high_bytes = PT_UNKNOWN,
				       .low_bytes = PT_UNKNOWN,
				       .min_bytes = PT_UNKNOWN,
				       .version = 2,
				       .path = "/a" };
	uint32_t i;

	assert_int_equal(s->sink->intern_cgroup(s->sink->ctx, id, &i), 0);
	assert_int_equal(s->sink->define_cgroup(s->sink->ctx, &def), 0);
	return i;
}

static uint64_t recorded_limit(struct scene *s)
{
	struct pt_recorded rec;

	open_plan(s);
	pt_recorded_read(s->plan, &rec);
	return rec.limit_bytes;
}

static void the_least_limit_of_the_ancestors_holds(void **state)
{
	struct scene *s = *state;

	limited(s, 1, PT_UNKNOWN, 48 << 20);
	put_read(s, scene_task(s, 1, 0, limited(s, 2, 1, PT_NO_LIMIT)));
	assert_int_equal(recorded_limit(s), 48 << 20);
}

static void groups_in_a_circle_end(void **state)
{
	struct scene *s = *state;

	limited(s, 1, 2, 64 << 20);
	put_read(s, scene_task(s, 1, 0, limited(s, 2, 1, 96 << 20)));
	assert_int_equal(recorded_limit(s), 64 << 20);
}

static void tasks_under_several_limits_have_none_in_common(void **state)
{
	struct scene *s = *state;

	put_read(s, scene_task(s, 1, 0, limited(s, 1, PT_UNKNOWN, 48 << 20)));
	put_read(s, scene_task(s, 2, 0, limited(s, 2, PT_UNKNOWN, 64 << 20)));
	assert_int_equal(recorded_limit(s), PT_UNKNOWN);
}

static void only_another_limit_differs(void **state)
{
	const struct pt_recorded limited_then = { .limit_bytes = 48 << 20 };
	const struct pt_recorded unlimited_then = { .limit_bytes = PT_NO_LIMIT };
	const struct pt_recorded unknown = { .limit_bytes = PT_UNKNOWN };
	json_t *list = json_array(), *entry;

	(void)state;
	pt_recorded_compare_limit(&limited_then, 48 << 20, list);
	pt_recorded_compare_limit(&unlimited_then, 0, list);
	pt_recorded_compare_limit(&unknown, 0, list);
	pt_recorded_compare_limit(&unknown, 1 << 20, list);
	assert_int_equal(json_array_size(list), 0);
	pt_recorded_compare_limit(&limited_then, 0, list);
	pt_recorded_compare_limit(&unlimited_then, 1 << 20, list);
	assert_int_equal(json_array_size(list), 2);
	entry = json_array_get(list, 0);
	assert_string_equal(json_string_value(json_object_get(entry, "what")),
			    "memory_limit_bytes");
	assert_int_equal(json_integer_value(json_object_get(entry, "recorded")), 48 << 20);
	assert_string_equal(json_string_value(json_object_get(entry, "here")), "none");
	json_decref(list);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scene_setup, scene_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_whole_replay_has_not_diverged),
		TEST(a_record_that_is_not_replayed_is_divergence),
		TEST(advice_that_is_not_given_is_none),
		TEST(failures_drops_and_bad_matches_are_named),
		TEST(the_least_limit_of_the_ancestors_holds),
		TEST(groups_in_a_circle_end),
		TEST(tasks_under_several_limits_have_none_in_common),
		cmocka_unit_test(only_another_limit_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
