// SPDX-License-Identifier: GPL-2.0-or-later
/* cli/options: what a table makes of a command line. Messages are tests/cli's matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "util/cleanup.h"

#define MAX_WORDS 16

struct opts {
	struct pt_common common;
	const char *output;
	uint64_t size, every, count;
	double theta;
	struct pt_strings files;
	int dry_run;
};

static const struct pt_option options[] = {
	{ "output", 'o', "FILE", "where to", PT_OPT_OUTPUT, offsetof(struct opts, output), 0 },
	{ "size", 's', "SIZE", "how large", PT_OPT_SIZE, offsetof(struct opts, size), 0, 4096 },
	{ "every", 0, "TIME", "how often", PT_OPT_TIME, offsetof(struct opts, every), 1, 1000 },
	{ "count", 'n', "N", "how many", PT_OPT_COUNT, offsetof(struct opts, count), 0 },
	{ "theta", 0, "X", "how skewed", PT_OPT_DOUBLE, offsetof(struct opts, theta), 0 },
	{ "file", 'f', "PATH", "which", PT_OPT_LIST, offsetof(struct opts, files), 0 },
	{ "dry-run", 'd', NULL, "only show", PT_OPT_FLAG, offsetof(struct opts, dry_run), 0 },
	{ 0 },
};

static const struct pt_verb verb = {
	.name = "test",
	.usage = "[options] TAPE",
	.about = "About.",
	.options = options,
	.has_json = 1,
};
static const struct pt_verb dashes = {
	.name = "test",
	.usage = "A -- B",
	.about = "About.",
	.options = options,
	.keeps_dashes = 1,
};

/* A command line taken apart; words and operands point into words[]. */
struct parsed {
	struct opts o;
	char *words[MAX_WORDS];
	char **operands;
	int n, status;
};

static void parse(const struct pt_verb *v, struct parsed *p, const char *const *words)
{
	int argc = 0;

	*p = (struct parsed){ .n = -1 };
	for (; words[argc]; argc++)
		p->words[argc] = (char *)(uintptr_t)words[argc];
	p->status = pt_options_parse(v, argc, p->words, &p->o, &p->n, &p->operands);
}

#define PARSE(v, p, ...) parse(v, p, (const char *const[]){ "test", __VA_ARGS__, NULL })

static void check_operands(const struct parsed *p, const char *const *expected)
{
	int n = 0;

	assert_int_equal(p->status, -1);
	for (; expected[n]; n++)
		assert_string_equal(p->operands[n], expected[n]);
	assert_int_equal(p->n, n);
}

#define CHECK_OPERANDS(p, ...) check_operands(p, (const char *const[]){ __VA_ARGS__, NULL })

static void every_type_is_stored(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&verb, &p, "-o", "out", "--size=64M", "--every", "2s", "-n7", "--theta", "0.5", "-d",
	      "--json", "-q", "--allow-incomplete");
	CHECK_OPERANDS(&p, NULL);
	assert_string_equal(p.o.output, "out");
	assert_true(p.o.size == 64u << 20 && p.o.every == 2000000000 && p.o.count == 7);
	assert_true(p.o.theta == 0.5 && p.o.dry_run);
	assert_true(p.o.common.json && p.o.common.quiet && p.o.common.allow_incomplete);
	PARSE(&verb, &p, "--every", "off");
	assert_true(p.o.every == UINT64_MAX);
}

static void bounds_are_kept(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&verb, &p, "--size", "0");
	assert_int_equal(p.status, PT_EXIT_USAGE);
	PARSE(&verb, &p, "--size", "4K", "--every", "1us");
	assert_true(p.status == -1 && p.o.size == 4096 && p.o.every == 1000);
	PARSE(&verb, &p, "--every", "999ns");
	assert_int_equal(p.status, PT_EXIT_USAGE);
}

static void outputs_are_files(void **state)
{
	const char *const none[] = { "", "-", "folder/", "/" };
	struct parsed p;

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		PARSE(&verb, &p, "-o", none[i]);
		assert_int_equal(p.status, PT_EXIT_USAGE);
	}
	PARSE(&verb, &p, "-o", "folder/-");
	assert_true(p.status == -1);
}

static void lists_grow(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&verb, &p, "-f", "a", "--file=b", "tape", "-fc");
	CHECK_OPERANDS(&p, "tape");
	assert_int_equal(p.o.files.n, 3);
	assert_string_equal(p.o.files.v[0], "a");
	assert_string_equal(p.o.files.v[1], "b");
	assert_string_equal(p.o.files.v[2], "c");
	pt_options_done(&verb, &p.o);
}

static void operands_and_options_mix(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&verb, &p, "one", "-d", "two", "-o", "out", "-");
	CHECK_OPERANDS(&p, "one", "two", "-");
	assert_true(p.o.dry_run);
	PARSE(&verb, &p, "one", "--", "-d", "--json");
	CHECK_OPERANDS(&p, "one", "-d", "--json");
	assert_true(!p.o.dry_run && !p.o.common.json);
}

static void dashes_stay_where_wanted(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&dashes, &p, "a", "-d", "b", "--", "c", "-d", "--", "e");
	CHECK_OPERANDS(&p, "a", "b", "--", "c", "-d", "--", "e");
	PARSE(&dashes, &p, "--", "a");
	CHECK_OPERANDS(&p, "--", "a");
	PARSE(&dashes, &p, "a", "-o", "--"); /* a value, no separator */
	CHECK_OPERANDS(&p, "a");
	assert_string_equal(p.o.output, "--");
}

static void bad_words_are_usage_errors(void **state)
{
	static const char *const bad[][2] = {
		{ "--size", "64" }, { "--size", "-1M" },  { "--every", "5" },
		{ "--count", "x" }, { "--theta", "nan" }, { "--frobnicate", NULL },
		{ "-x", NULL },     { "-dx", NULL },      { "--output", NULL },
		{ "-o", NULL },     { "--json=1", NULL }, { "-no", NULL },
	};

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(bad); i++) {
		struct parsed p;

		PARSE(&verb, &p, bad[i][0], bad[i][1]);
		assert_int_equal(p.status, PT_EXIT_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_stored),
		cmocka_unit_test(bounds_are_kept),
		cmocka_unit_test(outputs_are_files),
		cmocka_unit_test(lists_grow),
		cmocka_unit_test(operands_and_options_mix),
		cmocka_unit_test(dashes_stay_where_wanted),
		cmocka_unit_test(bad_words_are_usage_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
