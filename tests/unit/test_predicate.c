// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/predicate: what is true, what is refused and where, what has no answer. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/predicate.h"
#include "tests/unit/seed.h"
#include "util/cleanup.h"
#include "util/rng.h"

static int is_metric(const char *name)
{
	return strcmp(name, "refaults") == 0 || strcmp(name, "wall") == 0 ||
	       strcmp(name, "unknown") == 0;
}

/* The judged group has refaults 110 and wall 2; base 100 and 1; "6.1-a" 50 and nothing else. */
static int lookup(void *ctx, const char *group, const char *metric, double *ret_v)
{
	int refaults = strcmp(metric, "refaults") == 0;

	(void)ctx;
	if (strcmp(metric, "unknown") == 0)
		return -ENODATA;
	if (!group)
		*ret_v = refaults ? 110 : 2;
	else if (strcmp(group, "base") == 0 || strcmp(group, "old") == 0)
		*ret_v = refaults ? 100 : 1;
	else if (strcmp(group, "6.1-a") != 0)
		return -ENOENT;
	else if (!refaults)
		return -ENODATA;
	else
		*ret_v = 50;
	return 0;
}

static int ask(const char *text)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_predicate *p;
	int r = pt_predicate_parse(text, is_metric, &p, &diag);

	if (r < 0)
		fail_msg("%s: %s", text, diag.text);
	r = pt_predicate_eval(p, lookup, NULL, &diag);
	pt_predicate_free(p);
	return r;
}

static void answers_follow_arithmetic(void **state)
{
	static const struct {
		const char *text;
		int answer;
	} cases[] = {
		{ "refaults > 1.05 * base", 1 },
		{ "refaults > 1.15 * base", 0 },
		{ "refaults>base", 1 },
		{ "base < refaults", 1 },
		{ "refaults - base == 10", 1 },
		{ "(refaults - base) / base > 0.09", 1 },
		{ "(refaults - base) / base > .11", 0 },
		{ "1 + 2 * 3 == 7", 1 },
		{ "(1 + 2) * 3 == 9", 1 },
		{ "8 / 2 / 2 == 2", 1 },
		{ "8 - 2 - 2 == 4", 1 },
		{ "-refaults < 0", 1 },
		{ "--1 == 1", 1 },
		{ "1e3 == 1000 and 1e-1 == 0.1", 1 },
		{ "refaults >= 110 and refaults <= 110", 1 },
		{ "refaults != 110", 0 },
		{ "not refaults > 200", 1 },
		{ "!(refaults > 200)", 1 },
		{ "1 == 2 and 1 == 1 or 1 == 1", 1 },
		{ "1 == 1 or 1 == 1 and 1 == 2", 1 },
		{ "1 == 1 || 1 == 1 && 1 == 2", 1 },
		{ "wall > base and refaults > base", 1 },
		{ "wall > base.wall and refaults > 2 * base.refaults", 0 },
		{ "wall * base.refaults > 150", 1 },
		{ "old.refaults == 100", 1 },
		{ "refaults > 2 * '6.1-a'.refaults", 1 },
		{ "refaults < \"6.1-a\".refaults", 0 },
		{ "  refaults\t>\n100 ", 1 },
		{ "(refaults > base) and (wall < base)", 0 },
	};

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(cases); i++)
		if (ask(cases[i].text) != cases[i].answer)
			fail_msg("%s: not %d", cases[i].text, cases[i].answer);
}

static void what_is_missing_has_no_answer(void **state)
{
	(void)state;
	assert_int_equal(ask("unknown > 1"), -ENODATA);
	assert_int_equal(ask("'6.1-a'.wall > 1"), -ENODATA);
	assert_int_equal(ask("refaults > other.refaults"), -ENOENT);
	assert_int_equal(ask("1 / 0 > 1"), -ENODATA);
	assert_int_equal(ask("not unknown > 1"), -ENODATA);
	/* Nobody asks for what does not decide. */
	assert_int_equal(ask("refaults > 1000 and unknown > 1"), 0);
	assert_int_equal(ask("refaults > 10 or unknown > 1"), 1);
}

static void mistakes_are_shown_with_their_place(void **state)
{
	static const struct {
		const char *text;
		uint64_t at;
		const char *said;
	} cases[] = {
		{ "", 0, "expected a number or a metric" },
		{ "refault > 1", 0, "no metric is called refault" },
		{ "refaults", 0, "should be a comparison" },
		{ "refaults >", 10, "expected a number or a metric" },
		{ "refaults > 1 1", 13, "Expected an operator" },
		{ "1 < 2 < 3", 6, "Expected an operator" },
		{ "(refaults > 1", 13, "expected )" },
		{ "refaults > 1)", 12, "Expected an operator" },
		{ "refaults and wall", 9, "comparison on each side" },
		{ "(refaults > 1) + 1 > 2", 15, "number on each side" },
		{ "not refaults", 0, "comparison on each side" },
		{ "1 > base", 4, "which metric" },
		{ "wall + refaults > base", 18, "which metric" },
		{ "6.1.refaults > 1", 0, "no number" },
		{ "'6.1.refaults > 1", 0, "does not end" },
		{ "base.nothing > 1", 0, "no metric is called nothing" },
		{ "base. > 1", 5, "expected a number or a metric" },
		{ "a.refaults.wall > 1", 10, "Expected an operator" },
		{ "refaults = 1", 9, "Expected an operator" },
	};

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(cases); i++) {
		struct pt_diag diag = PT_DIAG_INIT;
		struct pt_predicate *p = NULL;

		assert_int_equal(pt_predicate_parse(cases[i].text, is_metric, &p, &diag), -EINVAL);
		assert_null(p);
		if (!strstr(diag.text, cases[i].said) || diag.offset != cases[i].at)
			fail_msg("%s: %s at %llu", cases[i].text, diag.text,
				 (unsigned long long)diag.offset);
	}
}

static void what_is_too_large_is_refused(void **state)
{
	char text[PT_PREDICATE_MAX_LEN + 2];
	struct pt_predicate *p = NULL;

	(void)state;
	memset(text, '(', sizeof(text) - 2);
	text[sizeof(text) - 2] = '\0';
	assert_int_equal(pt_predicate_parse(text, is_metric, &p, NULL), -E2BIG);
	memset(text, '!', sizeof(text) - 2);
	assert_int_equal(pt_predicate_parse(text, is_metric, &p, NULL), -E2BIG);
	memset(text, ' ', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(pt_predicate_parse(text, is_metric, &p, NULL), -E2BIG);
	text[0] = '\0';
	for (size_t i = 0; i < PT_PREDICATE_MAX_NODES; i++)
		memcpy(text + 2 * i, "1+", 3);
	memcpy(text + 2 * PT_PREDICATE_MAX_NODES, "1>0", 4);
	assert_int_equal(pt_predicate_parse(text, is_metric, &p, NULL), -E2BIG);
	assert_null(p);
}

/* Words in any order: an answer, or a mistake with a place in the text. */
static void nothing_breaks_it(void **state)
{
	static const char *const words[] = { "refaults", "base",  "base.wall", "1",  "2.5", "(",
					     ")",        "<",     ">=",        "==", "and", "or",
					     "not",      "!",     "+",         "-",  "*",   "/",
					     "'x'.wall", "other", ".",         "'",  "1e",  "&&" };
	struct pt_rng rng;

	(void)state;
	seed_rng(&rng);
	for (int i = 0; i < 50000; i++) {
		struct pt_diag diag = PT_DIAG_INIT;
		struct pt_predicate *p = NULL;
		char text[256] = "";
		int r;

		for (uint64_t n = pt_rng_below(&rng, 12); n; n--) {
			size_t len = strlen(text);

			snprintf(text + len, sizeof(text) - len, "%s%s",
				 words[pt_rng_below(&rng, PT_ARRAY_SIZE(words))],
				 pt_rng_below(&rng, 2) ? " " : "");
		}
		r = pt_predicate_parse(text, is_metric, &p, &diag);
		if (r == 0)
			r = pt_predicate_eval(p, lookup, NULL, &diag);
		else if (diag.offset > strlen(text) || !diag.text[0])
			fail_msg("%s: %s", text, diag.text);
		assert_true(r == 0 || r == 1 || r == -EINVAL || r == -ENODATA || r == -ENOENT);
		pt_predicate_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_follow_arithmetic),
		cmocka_unit_test(what_is_missing_has_no_answer),
		cmocka_unit_test(mistakes_are_shown_with_their_place),
		cmocka_unit_test(what_is_too_large_is_refused),
		cmocka_unit_test(nothing_breaks_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
