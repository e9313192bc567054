// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/hist_json and hist_merge: merged parts are the whole, and what does not fit is refused.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/hist_json.h"
#include "analysis/hist_merge.h"
#include "seed.h"
#include "util/cleanup.h"
#include "util/json.h"

static uint64_t draw(struct pt_rng *g)
{
	return pt_rng_u64(g) >> (1 + pt_rng_below(g, 63));
}

/* A document as hist makes them, of one histogram and one count. */
static json_t *make_document(const struct pt_log2hist *h, uint64_t refaults, const char *by)
{
	json_t *doc = pt_json_document("hist", "some tape"), *list = json_array();
	json_t *check = json_object();

	pt_json_set_u64(doc, "page_size", 4096);
	pt_json_set_u64(doc, "refaults", refaults);
	pt_json_set_u64(doc, "evictions", refaults % 2 ? PT_UNKNOWN : refaults);
	pt_json_set_string(doc, "by", by);
	pt_json_set_bool(doc, "complete", refaults != 3);
	pt_json_set_u64(check, "kernel_refaults", 10);
	pt_json_set_u64(check, "agreed", refaults);
	pt_json_set_double(check, "missed_percent", 1);
	pt_json_set(doc, "model_check", check);
	json_array_append_new(list, pt_hist_json(PT_DISTANCE_EVICTED_PAGES, h, 1));
	pt_json_set(doc, "histograms", list);
	pt_json_set(doc, "groups", json_array());
	return doc;
}

static void parts_are_the_whole(void **state)
{
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int round = 0; round < 200; round++) {
		auto_free struct pt_log2hist *part = pt_log2hist_new(), *whole = pt_log2hist_new();
		auto_free struct pt_log2hist *got = NULL;
		json_t *merged = NULL;
		enum pt_distance d;

		for (int p = 0; p < 3; p++) {
			json_t *doc;

			*part = (struct pt_log2hist){ 0 };
			for (uint64_t n = pt_rng_below(&g, 50); n; n--) {
				uint64_t v = draw(&g), weight = 1 + pt_rng_below(&g, 9);

				pt_log2hist_add(part, v, weight);
				pt_log2hist_add(whole, v, weight);
			}
			doc = make_document(part, 2, NULL);
			assert_int_equal(pt_hist_merge_check(doc, NULL), 0);
			if (!merged) {
				merged = doc;
				continue;
			}
			assert_int_equal(pt_hist_merge(merged, doc, NULL), 0);
			json_decref(doc);
		}
		assert_int_equal(
			pt_hist_json_parse(json_array_get(json_object_get(merged, "histograms"), 0),
					   &d, &got),
			0);
		assert_int_equal(d, PT_DISTANCE_EVICTED_PAGES);
		assert_true(got->count == whole->count && got->max == whole->max);
		assert_memory_equal(got->slots, whole->slots, sizeof(got->slots));
		assert_memory_equal(got->octaves, whole->octaves, sizeof(got->octaves));
		assert_int_equal(json_integer_value(json_object_get(merged, "refaults")), 6);
		json_decref(merged);
	}
}

static void unknown_stays_unknown(void **state)
{
	auto_free struct pt_log2hist *h = pt_log2hist_new();
	json_t *a = make_document(h, 2, "file"), *b = make_document(h, 3, "file"), *check;

	(void)state;
	json_object_del(b, "pagetape"); /* whoever made it */
	assert_int_equal(pt_hist_merge(a, b, NULL), 0);
	assert_int_equal(json_integer_value(json_object_get(a, "refaults")), 5);
	assert_true(json_is_null(json_object_get(a, "evictions")));
	assert_true(json_is_null(json_object_get(a, "tape_id")));
	assert_true(json_is_false(json_object_get(a, "complete")));
	assert_string_equal(json_string_value(json_object_get(a, "by")), "file");
	check = json_object_get(a, "model_check");
	assert_true(json_real_value(json_object_get(check, "missed_percent")) == 75);
	json_decref(a);
	json_decref(b);
}

static void groups_by_key(void **state)
{
	auto_free struct pt_log2hist *h = pt_log2hist_new();
	json_t *docs[2], *list;

	(void)state;
	for (int i = 0; i < 2; i++) {
		docs[i] = make_document(h, 2, "file");
		for (int k = i; k < i + 2; k++)
			json_array_append_new(json_object_get(docs[i], "groups"),
					      json_pack("{s:s, s:i, s:[]}", "key",
							k == 0   ? "a"
							: k == 1 ? "b"
								 : "c",
							"refaults", 10 + k, "histograms"));
	}
	assert_int_equal(pt_hist_merge(docs[0], docs[1], NULL), 0);
	list = json_object_get(docs[0], "groups");
	assert_int_equal(json_array_size(list), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(
			json_integer_value(json_object_get(json_array_get(list, i), "refaults")),
			i == 1 ? 22 : 10 + (int)i);
	json_decref(docs[0]);
	json_decref(docs[1]);
}

static void unlike_is_refused(void **state)
{
	auto_free struct pt_log2hist *h = pt_log2hist_new();
	struct pt_diag diag = PT_DIAG_INIT;
	json_t *a = make_document(h, 2, "file"), *b = make_document(h, 2, "task");

	(void)state;
	assert_int_equal(pt_hist_merge(a, b, &diag), -EINVAL);
	assert_string_equal(diag.text, "cannot be merged: its groups are by something else");
	pt_json_set_string(b, "by", "file");
	pt_json_set_u64(b, "page_size", 65536);
	assert_int_equal(pt_hist_merge(a, b, NULL), -EINVAL);
	pt_json_set_u64(b, "page_size", 4096);
	pt_json_set(b, "histograms", json_array());
	json_array_append_new(json_object_get(b, "histograms"),
			      pt_hist_json(PT_DISTANCE_INTERVAL, h, 1));
	assert_int_equal(pt_hist_merge(a, b, NULL), -EINVAL);
	json_decref(a);
	json_decref(b);
}

static void malformed_is_refused(void **state)
{
	static const char *const texts[] = {
		"{}",
		"[]",
		"{\"schema\":2,\"kind\":\"hist\",\"page_size\":1,\"groups\":[],\"histograms\":[]}",
		"{\"schema\":1,\"kind\":\"mrc\",\"page_size\":1,\"groups\":[],\"histograms\":[]}",
		"{\"schema\":1,\"kind\":\"hist\",\"page_size\":1,\"groups\":[]}",
		"{\"schema\":1,\"kind\":\"hist\",\"page_size\":1,\"groups\":[],\"histograms\":[1]}",
	};
	static const char *const steps[] = { "1",       "1:",
					     ":1",      "1:2 ",
					     "a:1",     "1:9223372036854775808",
					     "1:2,2:3", "1:9223372036854775807 2:1" };

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(texts); i++) {
		json_t *doc = json_loads(texts[i], 0, NULL);

		assert_int_equal(pt_hist_merge_check(doc, NULL), -EBADMSG);
		json_decref(doc);
	}
	for (size_t i = 0; i < PT_ARRAY_SIZE(steps); i++) {
		struct pt_log2hist *h = NULL;
		enum pt_distance d;
		json_t *o = json_pack("{s:s, s:[], s:s, s:i, s:f}", "metric", "evicted_pages",
				      "buckets", "steps", steps[i], "max", 5, "mean", 1.5);

		assert_int_equal(pt_hist_json_parse(o, &d, &h), -EBADMSG);
		json_decref(o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_the_whole),  cmocka_unit_test(unknown_stays_unknown),
		cmocka_unit_test(groups_by_key),        cmocka_unit_test(unlike_is_refused),
		cmocka_unit_test(malformed_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
