// SPDX-License-Identifier: GPL-2.0-or-later
/* Results: what is refused and with which words, values by path, saved files load again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/result.h"
#include "tests/unit/tree.h"

#define GOOD                                                                               \
	"{\"schema\":1,\"pagetape\":\"0\",\"kind\":\"replay\",\"tape_id\":null,\"runs\":[" \
	"{\"wall_ns\":5,\"ops_per_s\":2.5,\"latency_ns\":{\"read_miss\":{\"p99\":70}},"    \
	"\"counters\":{\"cgroup\":{\"workingset_refault_file\":null}}},{\"wall_ns\":6}]}"

static int parse(const char *text, struct pt_result *res, struct pt_diag *diag)
{
	*diag = (struct pt_diag)PT_DIAG_INIT;
	return pt_result_parse(text, strlen(text), "r.json", res, diag);
}

static void values_are_found_by_path(void **state)
{
	struct pt_result res;
	struct pt_diag diag;
	double v = -1;

	(void)state;
	assert_int_equal(parse(GOOD, &res, &diag), 0);
	assert_int_equal(pt_result_runs(&res), 2);
	assert_int_equal(pt_result_value(&res, 0, "latency_ns.read_miss.p99", &v), 1);
	assert_true(v == 70);
	assert_int_equal(pt_result_value(&res, 0, "ops_per_s", &v), 1);
	assert_true(v == 2.5);
	assert_int_equal(pt_result_value(&res, 1, "wall_ns", &v), 1);
	assert_true(v == 6);
	pt_result_done(&res);
}

static void null_and_absent_are_no_values(void **state)
{
	struct pt_result res;
	struct pt_diag diag;
	double v = 42;

	(void)state;
	assert_int_equal(parse(GOOD, &res, &diag), 0);
	assert_int_equal(pt_result_value(&res, 0, "counters.cgroup.workingset_refault_file", &v),
			 0);
	assert_int_equal(pt_result_value(&res, 1, "ops_per_s", &v), 0);
	assert_int_equal(pt_result_value(&res, 0, "latency_ns", &v), 0);
	assert_int_equal(pt_result_value(&res, 2, "wall_ns", &v), 0);
	assert_true(v == 42);
	pt_result_done(&res);
}

static void a_run_that_says_it_is_good_is_not_distorted_by_another(void **state)
{
	static const char text[] =
		"{\"schema\":1,\"pagetape\":\"0\",\"kind\":\"replay\",\"tape_id\":null,"
		"\"distorted\":[\"run 2: dropped\"],"
		"\"runs\":[{\"distorted\":[]},{\"distorted\":[\"dropped\"]},{}]}";
	struct pt_result res;
	struct pt_diag diag;

	(void)state;
	assert_int_equal(parse(text, &res, &diag), 0);
	assert_null(pt_result_distorted(&res, 0));
	assert_non_null(pt_result_distorted(&res, 1));
	assert_non_null(pt_result_distorted(&res, 2));
	pt_result_done(&res);
}

static void refused(const char *text, int err, const char *words)
{
	struct pt_result res;
	struct pt_diag diag;

	assert_int_equal(parse(text, &res, &diag), err);
	if (!strstr(diag.text, words))
		fail_msg("'%s' lacks '%s'", diag.text, words);
}

static void what_is_no_result_is_refused(void **state)
{
	(void)state;
	refused("", -EBADMSG, "not JSON");
	refused("{\n\"schema\":1,\n}", -EBADMSG, "not JSON");
	refused("[]", -EBADMSG, "schema");
	refused("{\"schema\":\"1\"}", -EBADMSG, "schema");
	refused("{\"schema\":2}", -EPROTONOSUPPORT, "schema 2");
	refused("{\"schema\":1,\"kind\":\"hist\",\"runs\":[{}]}", -EBADMSG, "kind");
	refused("{\"schema\":1,\"kind\":\"replay\"}", -EBADMSG, "runs");
	refused("{\"schema\":1,\"kind\":\"replay\",\"runs\":[]}", -EBADMSG, "runs");
	refused("{\"schema\":1,\"kind\":\"replay\",\"runs\":[{},3]}", -EBADMSG, "run 1");
	refused("{\"schema\":1,\"kind\":\"replay\",\"runs\":[{\"wall_ns\":\"5\"}]}", -EBADMSG,
		"wall_ns");
}

static void the_line_of_a_fault_is_told(void **state)
{
	struct pt_result res;
	struct pt_diag diag;
	char text[400];

	(void)state;
	assert_int_equal(parse("{\n\"schema\":1,\n}", &res, &diag), -EBADMSG);
	pt_diag_format(&diag, -EBADMSG, text, sizeof(text));
	assert_non_null(strstr(text, "line 3"));
}

static void a_saved_document_loads_again(void **state)
{
	char *root = tree_new(), *path = tree_path(root, "out.json");
	struct pt_result res, again;
	struct pt_diag diag;

	(void)state;
	assert_int_equal(parse(GOOD, &res, &diag), 0);
	assert_int_equal(pt_result_save(path, res.doc, &diag), 0);
	assert_int_equal(pt_result_load(path, &again, &diag), 0);
	assert_string_equal(again.name, "out.json");
	assert_true(json_equal(res.doc, again.doc));
	pt_result_done(&res);
	pt_result_done(&again);
	free(path);
	tree_remove(root);
}

static void a_missing_file_is_named(void **state)
{
	char *root = tree_new(), *path = tree_path(root, "none.json");
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_result res;

	(void)state;
	assert_int_equal(pt_result_load(path, &res, &diag), -ENOENT);
	assert_string_equal(diag.file, path);
	free(path);
	tree_remove(root);
}

static void metrics_are_told_apart(void **state)
{
	(void)state;
	for (const struct pt_metric *a = pt_metrics; a->name; a++) {
		assert_true(strcmp(a->better, "less") == 0 || strcmp(a->better, "more") == 0);
		for (const struct pt_metric *b = a + 1; b->name; b++) {
			assert_string_not_equal(a->name, b->name);
			assert_string_not_equal(a->path, b->path);
			assert_true(a->primary >= b->primary); /* primary ones come first */
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_found_by_path),
		cmocka_unit_test(null_and_absent_are_no_values),
		cmocka_unit_test(a_run_that_says_it_is_good_is_not_distorted_by_another),
		cmocka_unit_test(what_is_no_result_is_refused),
		cmocka_unit_test(the_line_of_a_fault_is_told),
		cmocka_unit_test(a_saved_document_loads_again),
		cmocka_unit_test(a_missing_file_is_named),
		cmocka_unit_test(metrics_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
