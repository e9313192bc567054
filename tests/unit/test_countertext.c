// SPDX-License-Identifier: GPL-2.0-or-later
/* formats/countertext: whole names, whole numbers, and text that a tape may hold instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/countertext.h"

static uint64_t get(const char *text, const char *name)
{
	struct pt_record rec = PT_RECORD_INIT(PT_COUNTERS);

	rec.blob = text;
	rec.blob_len = text ? (uint32_t)strlen(text) : 0;
	return pt_countertext_get(&rec, name);
}

static void names_are_whole(void **state)
{
	const char *text = "active_file 8192\ntotal_active_file 4096\nactive 7";

	(void)state;
	assert_int_equal(get(text, "active_file"), 8192);
	assert_int_equal(get(text, "total_active_file"), 4096);
	assert_int_equal(get(text, "active"), 7);
	assert_int_equal(get(text, "file"), PT_UNKNOWN);
	assert_int_equal(get(text, "total_active"), PT_UNKNOWN);
}

static void other_text_is_unknown(void **state)
{
	(void)state;
	assert_int_equal(get(NULL, "a"), PT_UNKNOWN);
	assert_int_equal(get("", "a"), PT_UNKNOWN);
	assert_int_equal(get("a", "a"), PT_UNKNOWN);
	assert_int_equal(get("a \n", "a"), PT_UNKNOWN);
	assert_int_equal(get("a -1\n", "a"), PT_UNKNOWN);
	assert_int_equal(get("a 1x\n", "a"), PT_UNKNOWN);
	assert_int_equal(get("\n\na 1\n", "a"), 1);
	assert_int_equal(get("a 18446744073709551616\n", "a"), PT_UNKNOWN);
	assert_int_equal(get("a 1111111111111111111111111111\n", "a"), PT_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_whole),
		cmocka_unit_test(other_text_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
