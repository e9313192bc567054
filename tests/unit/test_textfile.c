// SPDX-License-Identifier: GPL-2.0-or-later
/* util/textfile: whole files of /proc's kind, cut into lines and words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/tree.h"
#include "util/cleanup.h"
#include "util/textfile.h"

static void files_are_read_whole(void **state)
{
	auto_free char *root = tree_new(), *large = calloc(1, 100001), *text = NULL, *self = NULL;

	(void)state;
	memset(large, 'x', 100000);
	tree_put(root, "sys/large", large);
	tree_put(root, "sys/empty", "");
	assert_int_equal(pt_text_read(root, "/sys/large", &text), 0);
	assert_string_equal(text, large);
	free(text);
	assert_int_equal(pt_text_read(root, "/sys/empty", &text), 0);
	assert_string_equal(text, "");
	if (access("/proc/self/status", F_OK) == 0) { /* not in every chroot */
		assert_int_equal(pt_text_read("", "/proc/self/status", &self), 0);
		assert_non_null(strstr(self, "\nPid:"));
	}
	tree_remove(steal_ptr(root));
}

static void failures_leave_the_result(void **state)
{
	char *root = tree_new(), *text = root;

	(void)state;
	assert_int_equal(pt_text_read(root, "/absent", &text), -ENOENT);
	assert_int_equal(pt_text_read(root, "/", &text), -EISDIR);
	assert_ptr_equal(text, root);
	tree_remove(root);
}

static void writing_needs_the_file(void **state)
{
	char *root = tree_new(), *knob = tree_path(root, "knob");
	auto_free char *text = NULL;

	(void)state;
	assert_int_equal(pt_text_write(knob, "1"), -ENOENT);
	tree_put(root, "knob", "");
	assert_int_equal(pt_text_write(knob, "64M"), 0);
	assert_int_equal(pt_text_read(root, "/knob", &text), 0);
	assert_string_equal(text, "64M");
	free(knob);
	tree_remove(root);
}

static void lines_and_words(void **state)
{
	char text[] = "one  two\t three \n\nlast";
	char *rest = text, *line;

	(void)state;
	line = pt_text_line(&rest);
	assert_string_equal(pt_text_word(&line), "one");
	assert_string_equal(pt_text_word(&line), "two");
	assert_string_equal(pt_text_word(&line), "three");
	assert_null(pt_text_word(&line));
	assert_null(pt_text_word(&line));
	assert_string_equal(pt_text_line(&rest), "");
	assert_string_equal(pt_text_line(&rest), "last");
	assert_null(pt_text_line(&rest));
	assert_null(pt_text_line(&rest));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read_whole),
		cmocka_unit_test(failures_leave_the_result),
		cmocka_unit_test(writing_needs_the_file),
		cmocka_unit_test(lines_and_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
