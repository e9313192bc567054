// SPDX-License-Identifier: GPL-2.0-or-later
/* util/outfile: whole files or none, whatever stands in the way. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/tree.h"
#include "util/cleanup.h"
#include "util/outfile.h"

/* A folder of our own, the current one while a test runs. */
static int enter_folder(void **state)
{
	*state = tree_new();
	return chdir(*state);
}

static int leave_folder(void **state)
{
	tree_remove(*state);
	return chdir("/");
}

static void check_file(const char *name, const char *text)
{
	auto_fclose FILE *f = fopen(name, "r");
	char buf[64] = "";

	assert_non_null(f);
	assert_int_equal(fread(buf, 1, sizeof(buf) - 1, f), strlen(text));
	assert_string_equal(buf, text);
}

static void check_absent(const char *name)
{
	assert_true(access(name, F_OK) < 0 && errno == ENOENT);
}

static void whole_or_none(void **state)
{
	struct pt_diag d = PT_DIAG_INIT;
	struct pt_outfile o;
	struct stat st;

	(void)state;
	tree_put(".", "f", "old");
	assert_int_equal(pt_outfile_open(&o, "f", 0600, &d), 0);
	assert_int_equal(pt_write_all(o.fd, "new", 3), 0);
	check_file("f", "old");
	assert_int_equal(pt_outfile_commit(&o, &d), 0);
	pt_outfile_done(&o, 0);
	check_file("f", "new");
	check_absent("f.part");
	assert_int_equal(stat("f", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void given_up(void **state)
{
	struct pt_diag d = PT_DIAG_INIT;
	struct pt_outfile o;

	(void)state;
	assert_int_equal(pt_outfile_open(&o, "f", 0600, &d), 0);
	pt_outfile_done(&o, 0);
	check_absent("f.part");
	assert_int_equal(pt_outfile_open(&o, "f", 0600, &d), 0);
	assert_int_equal(pt_write_all(o.fd, "half", 4), 0);
	pt_outfile_done(&o, 1);
	check_file("f.part", "half");
	check_absent("f");
}

static void stale_part_is_replaced(void **state)
{
	struct pt_diag d = PT_DIAG_INIT;
	struct pt_outfile o;

	(void)state;
	tree_put(".", "f.part", "left by a run that was killed");
	assert_int_equal(pt_outfile_open(&o, "f", 0644, &d), 0);
	assert_int_equal(pt_write_all(o.fd, "x", 1), 0);
	assert_int_equal(pt_outfile_commit(&o, &d), 0);
	pt_outfile_done(&o, 0);
	check_file("f", "x");
}

static void second_writer_is_refused(void **state)
{
	struct pt_diag d = PT_DIAG_INIT;
	struct pt_outfile one, two;

	(void)state;
	assert_int_equal(pt_outfile_open(&one, "f", 0600, &d), 0);
	assert_int_equal(pt_write_all(one.fd, "one", 3), 0);
	assert_int_equal(pt_outfile_open(&two, "f", 0600, &d), -EBUSY);
	assert_string_equal(d.file, "f.part");
	pt_outfile_done(&two, 0); /* must not take the first one's part away */
	assert_int_equal(pt_outfile_commit(&one, &d), 0);
	pt_outfile_done(&one, 0);
	check_file("f", "one");
}

static void check_refused(int expected)
{
	struct pt_diag d = PT_DIAG_INIT;
	struct pt_outfile o;

	assert_int_equal(pt_outfile_open(&o, "f", 0600, &d), expected);
	assert_true(d.text[0] && d.file[0]);
	pt_outfile_done(&o, 0);
}

static void links_are_not_followed(void **state)
{
	(void)state;
	tree_put(".", "other", "precious");
	assert_int_equal(symlink("other", "f.part"), 0);
	check_refused(-ELOOP);
	check_file("other", "precious");
	assert_int_equal(unlink("f.part"), 0);
	assert_int_equal(link("other", "f.part"), 0);
	check_refused(-EEXIST);
	check_file("other", "precious");
}

static void folders_are_refused_at_once(void **state)
{
	(void)state;
	assert_int_equal(mkdir("f", 0755), 0);
	check_refused(-EISDIR);
	check_absent("f.part");
	assert_int_equal(rmdir("f"), 0);
	assert_int_equal(mkdir("f.part", 0755), 0);
	check_refused(-EISDIR);
}

static void make_socket(const char *name)
{
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	strncpy(a.sun_path, name, sizeof(a.sun_path) - 1);
	assert_true(fd >= 0 && bind(fd, (struct sockaddr *)(void *)&a, sizeof(a)) == 0);
}

static void devices_are_not_replaced(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(mkfifo("f", 0600), 0);
	check_refused(-EOPNOTSUPP);
	assert_true(stat("f", &st) == 0 && S_ISFIFO(st.st_mode));
	assert_int_equal(unlink("f"), 0);
	make_socket("f");
	check_refused(-EOPNOTSUPP);
	assert_true(stat("f", &st) == 0 && S_ISSOCK(st.st_mode));
	check_absent("f.part");
}

/* To a file, a device, or nothing: neither followed nor replaced. */
static void links_are_refused(void **state)
{
	const char *const targets[] = { "other", "/dev/null", "none" };
	struct stat st;

	(void)state;
	tree_put(".", "other", "precious");
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		assert_int_equal(symlink(targets[i], "f"), 0);
		check_refused(-ELOOP);
		assert_true(lstat("f", &st) == 0 && S_ISLNK(st.st_mode));
		assert_int_equal(unlink("f"), 0);
	}
	check_file("other", "precious");
	check_absent("none");
	check_absent("f.part");
}

static void a_failed_rename_keeps_the_part(void **state)
{
	struct pt_diag d = PT_DIAG_INIT;
	struct pt_outfile o;

	(void)state;
	assert_int_equal(pt_outfile_open(&o, "f", 0600, &d), 0);
	assert_int_equal(pt_write_all(o.fd, "kept", 4), 0);
	assert_int_equal(mkdir("f", 0755), 0); /* in the way since */
	assert_int_equal(pt_outfile_commit(&o, &d), -EISDIR);
	assert_string_equal(d.file, "f");
	check_file("f.part", "kept");
	pt_outfile_done(&o, 1);
	check_file("f.part", "kept");
}

static void missing_folder(void **state)
{
	struct pt_diag d = PT_DIAG_INIT;
	struct pt_outfile o;
	char buf[640];

	(void)state;
	assert_int_equal(pt_outfile_open(&o, "none/f", 0600, &d), -ENOENT);
	assert_string_equal(pt_diag_format(&d, -ENOENT, buf, sizeof(buf)),
			    "none/f: cannot create: No such file or directory");
	pt_outfile_done(&o, 0);
}

static void writing_fails_honestly(void **state)
{
	auto_close int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(pt_write_all(fd, "x", 1), -ENOSPC);
	assert_int_equal(pt_write_all(fd, "", 0), 0);
}

#define IN_FOLDER(t) cmocka_unit_test_setup_teardown(t, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(whole_or_none),
		IN_FOLDER(given_up),
		IN_FOLDER(stale_part_is_replaced),
		IN_FOLDER(second_writer_is_refused),
		IN_FOLDER(links_are_not_followed),
		IN_FOLDER(folders_are_refused_at_once),
		IN_FOLDER(devices_are_not_replaced),
		IN_FOLDER(links_are_refused),
		IN_FOLDER(a_failed_rename_keeps_the_part),
		IN_FOLDER(missing_folder),
		IN_FOLDER(writing_fails_honestly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
