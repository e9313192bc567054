// SPDX-License-Identifier: GPL-2.0-or-later
/* util/diag: the first cause wins, and hostile names cannot reach the terminal. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/diag.h"

static const char *shown(const struct pt_diag *d, int err)
{
	static char buf[640];

	return pt_diag_format(d, err, buf, sizeof(buf));
}

static void parts_come_in_order(void **state)
{
	struct pt_diag d = PT_DIAG_INIT;

	(void)state;
	assert_int_equal(pt_diag_set(&d, -EBADMSG, 4096, "bad length %d", 7), -EBADMSG);
	assert_string_equal(shown(&d, -EBADMSG), "offset 4096: bad length 7");
	assert_int_equal(pt_diag_file(&d, -EBADMSG, "a.ptape"), -EBADMSG);
	assert_string_equal(shown(&d, -EBADMSG), "a.ptape: offset 4096: bad length 7");
	d.is_line = 1;
	assert_string_equal(shown(&d, -EBADMSG), "a.ptape: line 4096: bad length 7");
}

static void first_cause_wins(void **state)
{
	struct pt_diag d = PT_DIAG_INIT;

	(void)state;
	pt_diag_errno(&d, -ENOSPC, "cannot write");
	pt_diag_set(&d, -EIO, 1, "later");
	pt_diag_file(&d, -ENOSPC, "one");
	pt_diag_file(&d, -EIO, "two");
	assert_string_equal(shown(&d, -ENOSPC), "one: cannot write: No space left on device");
}

static void errno_alone_is_enough(void **state)
{
	struct pt_diag d = PT_DIAG_INIT;

	(void)state;
	assert_string_equal(shown(&d, -ENOENT), "No such file or directory");
	assert_int_equal(pt_diag_set(NULL, -EIO, 0, "nobody listens"), -EIO);
	assert_int_equal(pt_diag_errno(NULL, -EIO, "nobody listens"), -EIO);
	assert_int_equal(pt_diag_file(NULL, -EIO, "nobody listens"), -EIO);
}

static void control_bytes_are_masked(void **state)
{
	struct pt_diag d = PT_DIAG_INIT;

	(void)state;
	pt_diag_set(&d, -EINVAL, PT_NO_OFFSET, "name %s", "a\033[31m\n\x7f");
	pt_diag_file(&d, -EINVAL, "x\ty");
	assert_string_equal(shown(&d, -EINVAL), "x?y: name a?[31m??");
}

static void long_ones_are_cut(void **state)
{
	struct pt_diag d = PT_DIAG_INIT;
	char name[1000];
	char small[10];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	pt_diag_errno(&d, -EIO, "%s", name);
	pt_diag_file(&d, -EIO, name);
	assert_int_equal(strlen(d.text), sizeof(d.text) - 1);
	assert_non_null(strstr(d.text, "nnn: Input/output error")); /* the reason stays */
	assert_int_equal(strlen(d.file), sizeof(d.file) - 1);
	assert_string_equal(pt_diag_format(&d, -EIO, small, sizeof(small)), "nnnnnnnnn");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_come_in_order),   cmocka_unit_test(first_cause_wins),
		cmocka_unit_test(errno_alone_is_enough), cmocka_unit_test(control_bytes_are_masked),
		cmocka_unit_test(long_ones_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
