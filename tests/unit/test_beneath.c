// SPDX-License-Identifier: GPL-2.0-or-later
/* Hostile names and planted links: nothing may lead out of the target. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/beneath.h"
#include "tests/unit/tree.h"

typedef int (*opener)(int dirfd, const char *path, int flags, unsigned int mode);

static const opener openers[] = { pt_beneath_open, pt_beneath_walk };

/* ROOT/in is the target, ROOT/out what must stay untouched. */
struct place {
	char *root;
	int dir;
};

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	char *in;

	p->root = tree_new();
	tree_put(p->root, "in/sub", NULL);
	tree_put(p->root, "out/secret", "secret");
	in = tree_path(p->root, "in");
	p->dir = open(in, O_PATH | O_DIRECTORY);
	free(in);
	*state = p;
	return p->dir < 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	close(p->dir);
	tree_remove(p->root);
	free(p);
	return 0;
}

static void paths_that_leave_are_refused(void **state)
{
	static const char *const bad[] = {
		"..",   "../out/secret", "sub/../../out/secret", "/etc/passwd", "", ".", "sub//x",
		"sub/", "sub/."
	};
	struct place *p = *state;

	for (size_t o = 0; o < 2; o++)
		for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
			assert_true(openers[o](p->dir, bad[i], O_RDWR | O_CREAT, 0600) < 0);
	assert_true(pt_beneath_make_parents(p->dir, "../x/y") < 0);
	assert_true(pt_beneath_unlink(p->dir, "../out/secret") < 0);
	assert_true(pt_beneath_unlink(p->dir, "..") < 0);
	assert_true(tree_has(p->root, "out/secret"));
	assert_false(tree_has(p->root, "x"));
}

static void planted_links_are_not_followed(void **state)
{
	struct place *p = *state;
	char *link = tree_path(p->root, "in/link"), *file = tree_path(p->root, "in/sub/file");

	assert_int_equal(symlink("../out", link), 0);
	assert_int_equal(symlink("../../out/secret", file), 0);
	for (size_t o = 0; o < 2; o++) {
		assert_true(openers[o](p->dir, "link/secret", O_RDONLY, 0) < 0);
		assert_true(openers[o](p->dir, "link/new", O_RDWR | O_CREAT, 0600) < 0);
		assert_true(openers[o](p->dir, "sub/file", O_RDWR | O_TRUNC, 0) < 0);
		assert_true(openers[o](p->dir, "sub/file", O_RDWR | O_CREAT, 0600) < 0);
	}
	assert_true(pt_beneath_make_parents(p->dir, "link/deep/er") < 0);
	assert_true(pt_beneath_unlink(p->dir, "link/secret") < 0);
	assert_false(tree_has(p->root, "out/new"));
	assert_false(tree_has(p->root, "out/deep"));
	assert_true(tree_has(p->root, "out/secret"));
	free(link);
	free(file);
}

static void files_are_made_found_and_removed(void **state)
{
	struct place *p = *state;
	int fd;

	for (size_t o = 0; o < 2; o++) {
		assert_int_equal(pt_beneath_make_parents(p->dir, "a/b/c/file"), 0);
		fd = openers[o](p->dir, "a/b/c/file", O_RDWR | O_CREAT | O_EXCL, 0600);
		assert_true(fd >= 0);
		close(fd);
		assert_true(tree_has(p->root, "in/a/b/c/file"));
		pt_beneath_prune_parents(p->dir, "a/b/c/file"); /* not empty: stays */
		assert_true(tree_has(p->root, "in/a/b/c"));
		assert_int_equal(pt_beneath_unlink(p->dir, "a/b/c/file"), 0);
		pt_beneath_prune_parents(p->dir, "a/b/c/file");
		assert_false(tree_has(p->root, "in/a"));
	}
}

static void a_fifo_does_not_block(void **state)
{
	struct place *p = *state;
	char *fifo = tree_path(p->root, "in/fifo");
	int fd;

	assert_int_equal(mkfifo(fifo, 0600), 0);
	fd = pt_beneath_open(p->dir, "fifo", O_RDONLY, 0);
	if (fd >= 0)
		close(fd);
	free(fifo);
}

static void named(const char *recorded, const char *expected)
{
	char *name = pt_beneath_name(recorded);

	assert_string_equal(name, expected);
	free(name);
}

static void names_are_made_safe(void **state)
{
	(void)state;
	named("/data/db/table", "data/db/table");
	named("relative", "relative");
	named("//x///y/", "x/y");
	named("/../../etc/passwd", "%2E%2E/%2E%2E/etc/passwd");
	named("/a/./b", "a/%2E/b");
	named("/...", "...");
	named("/a\nb\x7f%", "a%0Ab%7F%25");
	named("/gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
	named("/dev-8:1/ino-5", "%64ev-8:1/ino-5");
	named("/x/dev-8:1", "x/dev-8:1");
	named("/.pagetape-files", "%2Epagetape-files");
	named("/", "");
	named("", "");
}

static void long_names_are_cut_and_stay_apart(void **state)
{
	char one[302] = "/", two[302] = "/", deep[6000] = "";
	char *a, *b;

	(void)state;
	memset(one + 1, 'x', 300);
	memset(two + 1, 'x', 300);
	two[300] = 'y';
	a = pt_beneath_name(one);
	b = pt_beneath_name(two);
	assert_true(strlen(a) < 255);
	assert_string_not_equal(a, b);
	free(a);
	free(b);
	for (size_t i = 0; i < 1000; i++)
		memcpy(deep + 5 * i, "/abcd", 5);
	named(deep, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(paths_that_leave_are_refused),
		T(planted_links_are_not_followed),
		T(files_are_made_found_and_removed),
		T(a_fifo_does_not_block),
		cmocka_unit_test(names_are_made_safe),
		cmocka_unit_test(long_names_are_cut_and_stay_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
