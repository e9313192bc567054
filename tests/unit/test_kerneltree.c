// SPDX-License-Identifier: GPL-2.0-or-later
/* replay/lab/kerneltree: real make and git, on a tree that is a kernel's in its targets alone. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/lab/child.h"
#include "replay/lab/kerneltree.h"
#include "replay/lab/labconfig.h"
#include "tests/unit/tree.h"
#include "util/cleanup.h"
#include "util/textfile.h"

/* As the kernel's: O= says where to; the configuration's name is what it was asked to make. */
#define MAKEFILE                                                 \
	"O ?= .\n"                                               \
	"allnoconfig:\n\tcp $(KCONFIG_ALLCONFIG) $(O)/.config\n" \
	"olddefconfig:\n\techo updated >>$(O)/history\n"         \
	"bzImage:\n\tmkdir -p $(O)/arch/x86/boot\n"              \
	"\tcp version $(O)/arch/x86/boot/bzImage\n"              \
	"modules:\n\techo modules >>$(O)/history\n"              \
	".PHONY: allnoconfig olddefconfig bzImage modules\n"

struct fixture {
	char *root, *tree;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	auto_free char *cache = NULL;

	f->root = tree_new();
	tree_put(f->root, "linux/Kbuild", "");
	tree_put(f->root, "linux/Makefile", MAKEFILE);
	tree_put(f->root, "linux/version", "one");
	cache = tree_path(f->root, "cache");
	setenv("XDG_CACHE_HOME", cache, 1);
	f->tree = tree_path(f->root, "linux");
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tree_remove(f->root);
	free(f->tree);
	free(f);
	return 0;
}

static char *built(const char *spec)
{
	const struct pt_kerneltree_options opt = { .spec = spec, .limit_s = 300 };
	struct pt_diag diag = PT_DIAG_INIT;
	char *path = NULL;
	int r = pt_kerneltree_build(&opt, &path, &diag);

	if (r < 0)
		fail_msg("%s: %s", diag.file, diag.text);
	return path;
}

static int fails(const char *spec, struct pt_diag *diag)
{
	const struct pt_kerneltree_options opt = { .spec = spec, .limit_s = 300 };
	char *path = NULL;

	*diag = (struct pt_diag)PT_DIAG_INIT;
	return pt_kerneltree_build(&opt, &path, diag);
}

static void expect_file(const char *dir, const char *name, const char *text)
{
	auto_free char *path = tree_path(dir, name), *got = NULL;

	assert_int_equal(pt_text_read("", path, &got), 0);
	assert_string_equal(got, text);
}

static void elsewhere_with_our_configuration(void **state)
{
	struct fixture *f = *state;
	auto_free char *path = built(f->tree), *again = NULL;

	expect_file(path, "arch/x86/boot/bzImage", "one");
	expect_file(path, ".config", PT_LAB_CONFIG);
	expect_file(path, "history", "updated\nmodules\n"); /* the lab has some */
	assert_false(tree_has(f->tree, ".config"));
	assert_false(tree_has(f->tree, "arch"));
	tree_put(f->tree, "version", "two");
	again = built(f->tree);
	assert_string_equal(again, path);
	expect_file(path, "arch/x86/boot/bzImage", "two");
}

static void in_place_where_it_is_configured(void **state)
{
	struct fixture *f = *state;
	auto_free char *path = NULL, *real = realpath(f->tree, NULL);

	tree_put(f->tree, ".config", "# mine\nCONFIG_MODULES=y\n");
	path = built(f->tree);
	assert_string_equal(path, real);
	expect_file(f->tree, ".config", "# mine\nCONFIG_MODULES=y\n");
	expect_file(f->tree, "history", "updated\nmodules\n");
}

static void failures_in_one_line(void **state)
{
	struct fixture *f = *state;
	auto_free char *nosuch = tree_path(f->root, "nosuch"), *rev = NULL;
	struct pt_diag diag;

	assert_int_equal(fails(nosuch, &diag), -ENOENT);
	assert_int_equal(fails(f->root, &diag), -EINVAL);
	assert_string_equal(diag.text, "is not a kernel tree");
	tree_put(f->tree, "Makefile",
		 "%config:\n\t@:\nbzImage:\n\t@echo mm/filemap.c:7:2: error: no; exit 1\n");
	assert_int_equal(fails(f->tree, &diag), -EIO);
	assert_string_equal(diag.text, "make failed: mm/filemap.c:7:2: error: no");
	assert_non_null(strstr(diag.file, "/build.log"));
	if (asprintf(&rev, "%s@v1", f->tree) < 0)
		abort();
	assert_int_equal(fails(rev, &diag), -EINVAL);
	assert_string_equal(diag.text, "there is no commit v1");
}

static void git_in(const struct fixture *f, const char *a, const char *b, const char *c)
{
	const char *const argv[] = {
		"git", "-C", f->tree, "-c", "user.name=x", "-c", "user.email=x@example.org",
		a,     b,    c,       NULL
	};
	const struct pt_child_command cmd = { .argv = argv, .log_fd = -1, .limit_s = 300 };

	assert_int_equal(pt_child_run(&cmd, NULL, NULL), 0);
}

static void at_a_revision(void **state)
{
	struct fixture *f = *state;
	auto_free char *git = NULL, *rev = NULL, *path = NULL, *now = NULL;

	if (pt_child_find("git", &git) < 0)
		skip();
	git_in(f, "init", "--quiet", ".");
	git_in(f, "add", "--all", ".");
	git_in(f, "commit", "--quiet", "--message=one");
	git_in(f, "tag", "v1", "HEAD");
	tree_put(f->tree, "version", "two");
	if (asprintf(&rev, "%s@v1", f->tree) < 0)
		abort();
	path = built(rev);
	expect_file(path, "arch/x86/boot/bzImage", "one");
	now = built(f->tree);
	assert_string_not_equal(now, path);
	expect_file(now, "arch/x86/boot/bzImage", "two");
}

/* git was killed: Kbuild is there, other files are not, and the worktree is locked. */
static void after_half_a_checkout(void **state)
{
	struct fixture *f = *state;
	auto_free char *git = NULL, *rev = NULL, *path = NULL, *again = NULL;
	auto_free char *source = NULL, *whole = NULL, *makefile = NULL;

	if (pt_child_find("git", &git) < 0)
		skip();
	git_in(f, "init", "--quiet", ".");
	git_in(f, "add", "--all", ".");
	git_in(f, "commit", "--quiet", "--message=one");
	if (asprintf(&rev, "%s@HEAD", f->tree) < 0)
		abort();
	path = built(rev);
	source = tree_path(path, "../source");
	whole = tree_path(path, "../source.whole");
	makefile = tree_path(path, "../source/Makefile");
	assert_int_equal(unlink(whole), 0);
	assert_int_equal(unlink(makefile), 0);
	git_in(f, "worktree", "lock", source);
	again = built(rev);
	assert_string_equal(again, path);
	assert_int_equal(access(makefile, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(elsewhere_with_our_configuration, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(in_place_where_it_is_configured, set_up, tear_down),
		cmocka_unit_test_setup_teardown(failures_in_one_line, set_up, tear_down),
		cmocka_unit_test_setup_teardown(at_a_revision, set_up, tear_down),
		cmocka_unit_test_setup_teardown(after_half_a_checkout, set_up, tear_down),
	};

	auto_free char *make = NULL;

	if (pt_child_find("make", &make) < 0) {
		puts("make is not installed");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
