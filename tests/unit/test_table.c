// SPDX-License-Identifier: GPL-2.0-or-later
/* util/table: alignment in characters, no trailing blanks, nothing that moves the cursor. */
#include <math.h>
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

/* The same rows for people and for programs. */
static void both_styles(void **state)
{
	static const char *const columns[] = { "who|name", ">memory|memory_bytes", ">n",
					       ">took|took_ns", ">share" };
	static const char *const expected[] = {
		[PT_TABLE_TEXT] = "who      memory          n    took   share\n"
				  "a, \"b\"  1.5 KiB  1,234,567  2.0 ms  12.35%\n"
				  "-             -          -       -       -\n",
		[PT_TABLE_CSV] = "name,memory_bytes,n,took_ns,share\n"
				 "\"a, \"\"b\"\"\",1536,1234567,2000000,0.123456\n"
				 ",,,,\n",
	};

	(void)state;
	for (unsigned int style = PT_TABLE_TEXT; style <= PT_TABLE_CSV; style++) {
		struct pt_table *t = pt_table_new_as(columns, 5, style);

		assert_int_equal(pt_table_text(t, "a, \"b\""), 0);
		assert_int_equal(pt_table_size(t, 1536), 0);
		assert_int_equal(pt_table_count(t, 1234567), 0);
		assert_int_equal(pt_table_time(t, 2000000), 0);
		assert_int_equal(pt_table_percent(t, 0.123456, 2), 0);
		assert_int_equal(pt_table_text(t, NULL), 0);
		assert_int_equal(pt_table_size(t, UINT64_MAX), 0);
		assert_int_equal(pt_table_count(t, UINT64_MAX), 0);
		assert_int_equal(pt_table_time(t, UINT64_MAX), 0);
		assert_int_equal(pt_table_percent(t, NAN, 2), 0);
		check(t, expected[style]);
		pt_table_free(t);
	}
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
		cmocka_unit_test(both_styles),
		cmocka_unit_test(many_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
