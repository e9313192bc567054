// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/report: documents of any size and sense become entries that a page can hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/report.h"

static json_t *numbers(size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_integer(1234567890));
	return list;
}

static json_t *times(json_t *stolen, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_deep_copy(stolen));
	json_decref(stolen);
	return list;
}

static size_t bytes_of(const json_t *doc)
{
	return json_dumpb(doc, NULL, 0, JSON_COMPACT | JSON_ENSURE_ASCII);
}

/* A timeline with @maps maps of @side by @side cells. */
static json_t *timeline(size_t maps, size_t side)
{
	json_t *map = json_pack("{s:s, s:o, s:o}", "key", "f", "accesses",
				times(numbers(side), side), "refaults", times(numbers(side), side));

	return json_pack("{s:i, s:s, s:o, s:o}", "schema", 1, "kind", "timeline", "heat",
			 times(map, maps), "windows", numbers(5000));
}

static void test_cut(void **state)
{
	json_t *doc = timeline(10, 300), *e, *t, *heat;

	(void)state;
	e = pt_report_document(doc, "name");
	t = json_object_get(e, "timeline");
	heat = json_object_get(t, "heat");
	assert_int_equal(json_array_size(json_object_get(t, "windows")), 1000);
	assert_int_equal(json_array_size(heat), 8);
	heat = json_object_get(json_array_get(heat, 7), "refaults");
	assert_int_equal(json_array_size(heat), 128);
	assert_int_equal(json_array_size(json_array_get(heat, 127)), 128);
	assert_int_equal(json_array_size(json_object_get(doc, "heat")), 10); /* the input stays */
	json_decref(doc);
	json_decref(e);
}

/* However many inputs: maps go, from the last on, and that is said. */
static void test_bound(void **state)
{
	json_t *entries = json_array(), *whole, *last;

	(void)state;
	for (int i = 0; i < 12; i++) {
		json_t *doc = timeline(8, 64);

		json_array_append_new(entries, pt_report_document(doc, "name"));
		json_decref(doc);
	}
	whole = pt_report_make(entries, NULL);
	assert_non_null(whole);
	assert_true(bytes_of(whole) < PT_REPORT_BYTES_MAX);
	entries = json_object_get(whole, "inputs");
	assert_int_equal(json_array_size(entries), 12);
	last = json_array_get(entries, 11);
	assert_int_equal(
		json_array_size(json_object_get(json_object_get(last, "timeline"), "heat")), 0);
	assert_int_equal(json_array_size(json_object_get(last, "warnings")), 1);
	last = json_array_get(entries, 0);
	assert_int_equal(
		json_array_size(json_object_get(json_object_get(last, "timeline"), "heat")), 8);
	json_decref(whole);
}

/* Lists where numbers belong, numbers where lists do, and the reverse. */
static void test_nonsense(void **state)
{
	static const char *const texts[] = {
		"{\"kind\": \"hist\", \"histograms\": 5, \"groups\": [1, {\"histograms\": {}}]}",
		"{\"kind\": \"mrc\", \"curve\": {}, \"reuse\": [], \"policies\": [1]}",
		("{\"kind\": \"timeline\", \"files\": 1, "
		 "\"heat\": [[], 1, {\"accesses\": [1, [2]]}]}"),
		"{\"kind\": \"replay\", \"runs\": 1, \"distorted\": [1, \"a\"], \"kernel\": []}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		json_t *doc = json_loads(texts[i], 0, NULL), *e;

		assert_non_null(doc);
		assert_true(pt_report_takes(json_string_value(json_object_get(doc, "kind"))));
		e = pt_report_document(doc, "\xff name");
		assert_non_null(e);
		assert_string_equal(json_string_value(json_object_get(e, "name")),
				    "\xef\xbf\xbd name");
		json_decref(e);
		json_decref(doc);
	}
	assert_false(pt_report_takes("info"));
	assert_false(pt_report_takes(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
