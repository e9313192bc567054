// SPDX-License-Identifier: GPL-2.0-or-later
/* replay/lab/rawterm: keys go through while it is taken, and all is as before afterwards. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "replay/lab/rawterm.h"
#include "util/cleanup.h"

static void taken_and_given_back(void **state)
{
	auto_close int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave = -1;
	struct termios before, raw, after;
	struct pt_rawterm t;
	char name[64], key = 0;

	(void)state;
	if (master < 0)
		skip(); /* a folder with a system in it has no terminals */
	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	assert_int_equal(ptsname_r(master, name, sizeof(name)), 0);
	slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_int_equal(tcgetattr(slave, &before), 0);
	pt_rawterm_start(&t, slave);
	assert_int_equal(tcgetattr(slave, &raw), 0);
	assert_int_equal(raw.c_lflag & (ISIG | ICANON | ECHO), 0);
	assert_int_equal(write(master, "\003", 1), 1); /* arrives without a line's end, as a byte */
	assert_int_equal(read(slave, &key, 1), 1);
	assert_int_equal(key, 3);
	pt_rawterm_stop(&t);
	assert_int_equal(tcgetattr(slave, &after), 0);
	assert_int_equal(after.c_lflag, before.c_lflag);
	assert_int_equal(after.c_oflag, before.c_oflag);
	pt_rawterm_stop(&t);
}

static void no_terminal(void **state)
{
	auto_close int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct pt_rawterm t;

	(void)state;
	pt_rawterm_start(&t, fd);
	assert_int_equal(t.fd, -1);
	pt_rawterm_stop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken_and_given_back),
		cmocka_unit_test(no_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
