// SPDX-License-Identifier: GPL-2.0-or-later
/* replay/lab/matrix: which runs a lab has, in which order, and which of them are done. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "replay/lab/matrix.h"
#include "tests/unit/tree.h"
#include "util/cleanup.h"

#define LAB(settings, candidates, tapes, repeat)                                            \
	"{'schema': 1, 'kind': 'lab', 'settings': " settings ", 'candidates': [" candidates \
	"], 'tapes': [" tapes "], 'repeat': " repeat "}"
#define MEMORY(n) "{'memory_bytes': " #n ", 'fs': 'ext4'}"
#define A         "{'name': 'a', 'kind': 'kernel', 'release': '6.1', 'set': []}"
#define B         "{'name': 'b', 'kind': 'kernel', 'release': '6.12', 'set': []}"
#define T         "{'name': 't', 'tape_id': 'id-t'}"
#define U         "{'name': 'u', 'tape_id': 'id-u'}"

static char *json(const char *text)
{
	char *copy = strdup(text);

	for (char *p = copy; p && *p; p++)
		if (*p == '\'')
			*p = '"';
	return copy;
}

static json_t *parse(const char *text)
{
	auto_free char *copy = json(text);
	json_t *doc = json_loads(copy, 0, NULL);

	assert_non_null(doc);
	return doc;
}

static int open_lab(const char *dir, const char *text, bool run, struct pt_matrix *ret_m,
		    struct pt_diag *diag)
{
	json_t *asked = parse(text);
	int r = pt_matrix_open(dir, asked, run, ret_m, diag);

	json_decref(asked);
	return r;
}

/* A result as a cell's run leaves it. */
static void finish(const struct pt_matrix *m, size_t cell, const char *tape_id)
{
	json_t *doc = parse("{'schema': 1, 'pagetape': '0', 'kind': 'replay', 'runs': [{}]}");
	const char *below = m->cells[cell].dir + strlen(m->dir) + 1;
	auto_free char *path = NULL;
	char *text;

	json_object_set_new(doc, "tape_id", json_string(tape_id));
	json_object_set_new(doc, "lab", pt_matrix_cell_json(m, &m->cells[cell]));
	text = json_dumps(doc, 0);
	assert_true(asprintf(&path, "%s/result.json", below) > 0);
	tree_put(m->dir, path, text);
	free(text);
	json_decref(doc);
}

#define ORDER_SIZE 512

static char *order_of(const struct pt_matrix *m, char buf[ORDER_SIZE])
{
	size_t at = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < m->ncells; i++)
		at += (size_t)snprintf(buf + at, ORDER_SIZE - at, "%s%s/%s/%u%s", i ? " " : "",
				       pt_matrix_candidate(m, m->cells[i].candidate),
				       pt_matrix_tape(m, m->cells[i].tape), m->cells[i].repeat,
				       m->cells[i].done ? "!" : "");
	return buf;
}

static void candidates_take_turns(void **state)
{
	struct pt_matrix m;
	char buf[ORDER_SIZE];

	assert_int_equal(open_lab(*state, LAB(MEMORY(1), A "," B, T "," U, "2"), true, &m, NULL),
			 0);
	assert_string_equal(order_of(&m, buf), "a/t/1 b/t/1 a/u/1 b/u/1 a/t/2 b/t/2 a/u/2 b/u/2");
	pt_matrix_done(&m);
	assert_true(tree_has(*state, "lab.json"));
}

static void what_is_done_stays_done(void **state)
{
	struct pt_matrix m;
	char buf[ORDER_SIZE];

	assert_int_equal(open_lab(*state, LAB(MEMORY(1), A "," B, T, "1"), true, &m, NULL), 0);
	finish(&m, 1, "id-t");
	pt_matrix_done(&m);
	/* More of it, in another order. */
	assert_int_equal(open_lab(*state, LAB(MEMORY(1), B "," A, T "," U, "2"), true, &m, NULL),
			 0);
	assert_string_equal(order_of(&m, buf), "b/t/1! a/t/1 b/u/1 a/u/1 b/t/2 a/t/2 b/u/2 a/u/2");
	pt_matrix_done(&m);
	/* Less of it: what is not asked for is not touched, but still the lab's. */
	assert_int_equal(open_lab(*state, LAB(MEMORY(1), A, T, "1"), true, &m, NULL), 0);
	assert_string_equal(order_of(&m, buf), "a/t/1");
	pt_matrix_done(&m);
	assert_int_equal(pt_matrix_read(*state, &m, NULL), 0);
	assert_string_equal(order_of(&m, buf), "a/t/1 b/t/1! a/u/1 b/u/1 a/t/2 b/t/2 a/u/2 b/u/2");
	pt_matrix_done(&m);
}

static void a_result_that_is_another_does_not_count(void **state)
{
	struct pt_matrix m;
	char buf[ORDER_SIZE];

	assert_int_equal(open_lab(*state, LAB(MEMORY(1), A "," B, T, "2"), true, &m, NULL), 0);
	finish(&m, 0, "id-of-another");
	finish(&m, 1, "id-t");
	finish(&m, 2, "id-t");
	tree_put(*state, "b/t/2/result.json", "{\"schema\": 1, \"kin");
	pt_matrix_done(&m);
	assert_int_equal(pt_matrix_read(*state, &m, NULL), 0);
	assert_string_equal(order_of(&m, buf), "a/t/1 b/t/1! a/t/2! b/t/2");
	pt_matrix_done(&m);
}

static void another_lab_is_refused(void **state)
{
	static const char other[] = "{'name': 'a', 'kind': 'kernel', 'release': '6.2', 'set': []}";
	static const char knob[] =
		"{'name': 'a', 'kind': 'kernel', 'release': '6.1', 'set': ['x=1']}";
	const struct {
		const char *text, *said;
	} cases[] = {
		{ LAB(MEMORY(2), A, T, "1"), "memory_bytes 1, now 2" },
		{ LAB("{'swap': 1}", A, T, "1"), "swap null, now 1" },
		{ NULL, "its release differs" },
		{ NULL, "its set differs" },
		{ LAB(MEMORY(1), A, "{'name': 't', 'tape_id': 'other'}", "1"),
		  "its tape_id differs" },
	};
	struct pt_matrix m;

	assert_int_equal(open_lab(*state, LAB(MEMORY(1), A, T, "1"), true, &m, NULL), 0);
	pt_matrix_done(&m);
	for (size_t i = 0; i < PT_ARRAY_SIZE(cases); i++) {
		struct pt_diag diag = PT_DIAG_INIT;
		auto_free char *text = NULL;

		assert_true(asprintf(&text, LAB(MEMORY(1), "%s", T, "1"), i == 2 ? other : knob) >
			    0);
		assert_int_equal(
			open_lab(*state, cases[i].text ? cases[i].text : text, true, &m, &diag),
			-EEXIST);
		if (!strstr(diag.text, cases[i].said))
			fail_msg("%s", diag.text);
	}
}

static void one_run_at_a_time(void **state)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_matrix m, other;

	assert_int_equal(open_lab(*state, LAB(MEMORY(1), A, T, "1"), true, &m, NULL), 0);
	assert_int_equal(open_lab(*state, LAB(MEMORY(1), A, T, "1"), true, &other, &diag), -EBUSY);
	assert_int_equal(open_lab(*state, LAB(MEMORY(1), A, T, "1"), false, &other, NULL), 0);
	pt_matrix_done(&other);
	pt_matrix_done(&m);
	assert_int_equal(open_lab(*state, LAB(MEMORY(1), A, T, "1"), true, &m, NULL), 0);
	pt_matrix_done(&m);
}

/* Only cells, only of a lab, and no file that a link leads to. */
static void what_a_killed_run_left_is_removed(void **state)
{
	auto_free char *link = tree_path(*state, "a/t/3.part"), *other = tree_path(*state, "other");
	struct pt_matrix m;

	tree_put(*state, "b/t/2.part/disk", "");
	assert_int_equal(open_lab(*state, LAB(MEMORY(1), A, T, "1"), true, &m, NULL), 0);
	finish(&m, 0, "id-t");
	pt_matrix_done(&m);
	assert_true(tree_has(*state, "b/t/2.part/disk")); /* it was no lab */
	tree_put(*state, "a/t/2.part/disk", "");
	tree_put(*state, "a/t/x.part/disk", "");
	tree_put(*state, "other/disk", "");
	assert_int_equal(symlink(other, link), 0);
	assert_int_equal(open_lab(*state, LAB(MEMORY(1), A, T, "1"), false, &m, NULL), 0);
	pt_matrix_done(&m);
	assert_true(tree_has(*state, "a/t/2.part/disk")); /* nor is looking */
	assert_int_equal(open_lab(*state, LAB(MEMORY(1), A, T, "1"), true, &m, NULL), 0);
	assert_true(m.cells[0].done);
	pt_matrix_done(&m);
	assert_false(tree_has(*state, "a/t/2.part"));
	assert_false(tree_has(*state, "b/t/2.part"));
	assert_true(tree_has(*state, "a/t/x.part/disk"));
	assert_true(tree_has(*state, "other/disk"));
}

static void looking_writes_nothing(void **state)
{
	struct pt_matrix m;

	assert_int_equal(open_lab(*state, LAB(MEMORY(1), A, T, "1"), false, &m, NULL), 0);
	assert_int_equal(m.ncells, 1);
	pt_matrix_done(&m);
	assert_false(tree_has(*state, "lab.json"));
	assert_int_equal(pt_matrix_read(*state, &m, NULL), -ENOENT);
}

/* A lab may come from anywhere: no name in it leads out of it. */
static void a_bad_lab_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"[]",
		"{}",
		LAB("1", A, T, "1"),
		LAB("{}", "1", T, "1"),
		LAB("{}", A, T, "0"),
		LAB("{}", A, T, "100000"),
		LAB("{}", "{'name': '../x'}", T, "1"),
		LAB("{}", A "," A, T, "1"),
		LAB("{}", A, "{'name': '/etc'}", "1"),
		("{'schema': 2, 'kind': 'lab', 'settings': {}, 'candidates': [], 'tapes': [],"
		 " 'repeat': 1}"),
	};
	struct pt_matrix m;

	for (size_t i = 0; i < PT_ARRAY_SIZE(bad); i++) {
		auto_free char *text = json(bad[i]);

		tree_put(*state, "lab.json", text);
		if (pt_matrix_read(*state, &m, NULL) != -EBADMSG)
			fail_msg("%s", text);
	}
}

static int setup(void **state)
{
	*state = tree_new();
	return 0;
}

static int teardown(void **state)
{
	tree_remove(*state);
	return 0;
}

#define T_(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_(candidates_take_turns),
		T_(what_is_done_stays_done),
		T_(a_result_that_is_another_does_not_count),
		T_(another_lab_is_refused),
		T_(one_run_at_a_time),
		T_(what_a_killed_run_left_is_removed),
		T_(looking_writes_nothing),
		T_(a_bad_lab_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
