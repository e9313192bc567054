// SPDX-License-Identifier: GPL-2.0-or-later
/* replay/lab/candidate and labname: what a SPEC says, and what candidates are called. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/lab/candidate.h"
#include "tests/unit/tree.h"
#include "util/cleanup.h"

static struct pt_candidate parse(const char *spec, bool is_tree)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_candidate c;

	if (pt_candidate_parse(spec, is_tree, &c, &diag) < 0)
		fail_msg("%s: %s", spec, diag.text);
	return c;
}

static void a_spec_is_taken_apart(void **state)
{
	struct pt_candidate c = parse("/boot/vmlinuz-6.1,name=old,set=lru_gen.enabled=0,"
				      "append=console=ttyS0,115200 quiet,set=vm.swappiness=10",
				      false);

	(void)state;
	assert_string_equal(c.path, "/boot/vmlinuz-6.1");
	assert_string_equal(c.name, "old");
	assert_int_equal(c.nsets, 2);
	assert_string_equal(c.sets[0], "lru_gen.enabled=0");
	assert_string_equal(c.sets[1], "vm.swappiness=10");
	assert_null(c.sets[2]);
	assert_string_equal(c.append, "console=ttyS0,115200 quiet");
	pt_candidate_done(&c);
	c = parse("a,b/name=x", false); /* a path may hold what looks like a key elsewhere */
	assert_string_equal(c.path, "a,b/name=x");
	assert_string_equal(c.name, "");
	pt_candidate_done(&c);
}

static void a_tree_may_have_a_revision(void **state)
{
	struct pt_candidate c = parse("/src/linux@v6.12~3,name=x", true);

	(void)state;
	assert_string_equal(c.path, "/src/linux");
	assert_string_equal(c.rev, "v6.12~3");
	pt_candidate_done(&c);
	c = parse("/src/linux", true);
	assert_null(c.rev);
	pt_candidate_done(&c);
	c = parse("/src/l@x", false); /* a kernel's path is taken as it is */
	assert_string_equal(c.path, "/src/l@x");
	pt_candidate_done(&c);
}

static void a_folder_may_have_an_at_in_its_name(void **state)
{
	static const struct {
		const char *behind, *path, *rev;
	} cases[] = {
		{ "me@home", "me@home", NULL },
		{ "me@home@v6.12", "me@home", "v6.12" },
		{ "linux@HEAD@{1}", "linux", "HEAD@{1}" },
		{ "none@home@v6.12", "none@home", "v6.12" },
	};
	char *root = tree_new();

	(void)state;
	tree_put(root, "me@home/Kbuild", "");
	tree_put(root, "linux/Kbuild", "");
	for (size_t i = 0; i < PT_ARRAY_SIZE(cases); i++) {
		auto_free char *spec = tree_path(root, cases[i].behind);
		auto_free char *path = tree_path(root, cases[i].path);
		struct pt_candidate c = parse(spec, true);

		assert_string_equal(c.path, path);
		assert_string_equal(c.rev ? c.rev : "", cases[i].rev ? cases[i].rev : "");
		pt_candidate_done(&c);
	}
	tree_remove(root);
}

static void nonsense_is_refused(void **state)
{
	static const struct {
		const char *spec;
		bool is_tree;
		const char *said;
	} cases[] = {
		{ "", false, "path first" },          { ",name=x", false, "path first" },
		{ "a,name=", false, "a name has" },   { "a,name=../b", false, "a name has" },
		{ "a,name=.b", false, "a name has" }, { "a,name=b c", false, "a name has" },
		{ "a,set=", false, "KNOB=VALUE" },    { "a,set=x", false, "KNOB=VALUE" },
		{ "a,set==1", false, "KNOB=VALUE" },  { "a,set=x=", false, "KNOB=VALUE" },
		{ "", true, "tree first" },           { "a@", true, "DIR@REVISION" },
		{ "@v6", true, "DIR@REVISION" },
	};

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(cases); i++) {
		struct pt_diag diag = PT_DIAG_INIT;
		struct pt_candidate c;

		assert_int_equal(pt_candidate_parse(cases[i].spec, cases[i].is_tree, &c, &diag),
				 -EINVAL);
		if (!strstr(diag.text, cases[i].said))
			fail_msg("%s: %s", cases[i].spec, diag.text);
	}
}

static void there_is_an_end_to_settings(void **state)
{
	char spec[1 + 8 * (PT_CANDIDATE_SETS + 1) + 1] = "a";
	struct pt_candidate c;

	(void)state;
	for (int i = 0; i <= PT_CANDIDATE_SETS; i++)
		memcpy(spec + 1 + 8 * i, ",set=a=1", 9);
	assert_int_equal(pt_candidate_parse(spec, false, &c, NULL), -E2BIG);
}

static void names_are_short_and_different(void **state)
{
	static char release[] = "6.12.95+deb12-cloud-amd64", id[] = "0123456789abcdef";
	const struct pt_image image = { .release = release, .build_id = id };
	struct pt_candidate c[6] = {
		parse("/k/6.12", false),       parse("/k/6.12,set=lru_gen.enabled=0", false),
		parse("/k/6.12-2", false),     parse("/k/6.12-3", false),
		parse("/k/new kernel", false), parse("/k/tree@v7.3", true),
	};
	static const char *const names[] = {
		"6.12.95",    "6.12.95-lru_gen.enabled-0",
		release,      "6.12.95+deb12-cloud-amd64-2",
		"new-kernel", "tree-v7.3",
	};
	struct pt_diag diag = PT_DIAG_INIT;

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(pt_candidate_name(&c[i], i < 4 ? &image : NULL, c, i, NULL), 0);
		assert_string_equal(c[i].name, names[i]);
		assert_true(pt_labname_is_valid(c[i].name));
	}
	c[5].name[0] = '\0';
	assert_int_equal(pt_candidate_name(&c[5], &image, c, 5, NULL), 0);
	assert_string_equal(c[5].name, "6.12.95-01234567");
	pt_labname_make("6.12.95", c[5].name);
	assert_int_equal(pt_candidate_name(&c[5], NULL, c, 5, &diag), -EEXIST);
	assert_string_equal(diag.text,
			    "two candidates are called 6.12.95: give one another with name=");
	for (size_t i = 0; i < 6; i++)
		pt_candidate_done(&c[i]);
}

static void any_text_makes_a_name(void **state)
{
	static const char *const texts[] = { "",
					     "...",
					     "../../etc",
					     "a/b",
					     "\x01\xff",
					     "-x",
					     ("0123456789012345678901234567890123456789"
					      "0123456789012345678901234567890123456789") };
	const char *taken[] = { "a", "a-2" };
	char name[PT_LABNAME_SIZE];

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(texts); i++)
		assert_true(pt_labname_is_valid(pt_labname_make(texts[i], name)));
	assert_string_equal(pt_labname_make("../../etc", name), "etc");
	assert_string_equal(pt_labname_unique(pt_labname_make("a", name), taken, 2), "a-3");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	taken[0] = "b";
	taken[1] = strdup(name);
	assert_non_null(taken[1]);
	assert_string_not_equal(pt_labname_unique(name, taken, 2), taken[1]);
	assert_true(pt_labname_is_valid(name));
	free((char *)taken[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spec_is_taken_apart),
		cmocka_unit_test(a_tree_may_have_a_revision),
		cmocka_unit_test(a_folder_may_have_an_at_in_its_name),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(there_is_an_end_to_settings),
		cmocka_unit_test(names_are_short_and_different),
		cmocka_unit_test(any_text_makes_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
