// SPDX-License-Identifier: GPL-2.0-or-later
/* util/table: alignment in characters, no trailing blanks, nothing that moves the cursor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/cleanup.h"
#include "util/table.h"

static void check(const struct pt_table *t, const char *expected)
{
	auto_free char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	pt_table_print(t, f);
	fclose(f);
	assert_string_equal(text, expected);
}

static void columns_line_up(void **state)
{
	static const char *const columns[] = { "name", ">pages", "what" };
	struct pt_table *t = pt_table_new(columns, 3);

	(void)state;
	assert_non_null(t);
	check(t, "name  pages  what\n");
	pt_table_cell(t, "%s",
		      "gr\xc3\xbc\xc3\x9f"
		      "e");
	pt_table_cell(t, "%d", 7);
	pt_table_cell(t, "short");
	pt_table_cell(t, "a longer name");
	pt_table_cell(t, "1234567");
	pt_table_cell(t, "%s", "");
	check(t, "name             pages  what\n"
		 "gr\xc3\xbc\xc3\x9f"
		 "e                7  short\n"
		 "a longer name  1234567\n");
	pt_table_free(t);
}

static void control_bytes_are_masked(void **state)
{
	static const char *const columns[] = { "x" };
	struct pt_table *t = pt_table_new(columns, 1);

	(void)state;
	pt_table_cell(t, "%s", "a\n\033[2Jb\x7f");
	check(t, "x\na??[2Jb?\n");
	pt_table_free(t);
}

static void many_rows(void **state)
{
	static const char *const columns[] = { ">n" };
	struct pt_table *t = pt_table_new(columns, 1);
	auto_free char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(pt_table_cell(t, "%d", i), 0);
	pt_table_print(t, f);
	fclose(f);
	assert_int_equal(len, 1001 * 4);
	assert_non_null(strstr(text, "\n999\n"));
	pt_table_free(t);
	pt_table_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_line_up),
		cmocka_unit_test(control_bytes_are_masked),
		cmocka_unit_test(many_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
