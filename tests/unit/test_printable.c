// SPDX-License-Identifier: GPL-2.0-or-later
/* util/printable: nothing that a tape says can steer a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/printable.h"

static void control_bytes_become_question_marks(void **state)
{
	char text[] = "a\033[2J\n\x7f\xc3\xa4";

	(void)state;
	assert_string_equal(pt_make_printable(text), "a?[2J??\xc3\xa4");
}

static void copies_are_cut_to_fit(void **state)
{
	char buf[4];

	(void)state;
	assert_string_equal(pt_printable("12345", buf, sizeof(buf)), "123");
	assert_string_equal(pt_printable("\t", buf, sizeof(buf)), "?");
}

static void nothing_is_unknown(void **state)
{
	char buf[16];

	(void)state;
	assert_string_equal(pt_printable(NULL, buf, sizeof(buf)), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_bytes_become_question_marks),
		cmocka_unit_test(copies_are_cut_to_fit),
		cmocka_unit_test(nothing_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
