// SPDX-License-Identifier: GPL-2.0-or-later
/* replay/lab/aptsources: both of apt's formats, and machines that are no use. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/lab/aptsources.h"
#include "tests/unit/tree.h"

#define DEBIAN "ID=debian\nVERSION_CODENAME=bookworm\n"

static void modern_format(void **state)
{
	char *root = tree_new();
	struct pt_apt_sources s;

	(void)state;
	tree_put(root, "etc/os-release", DEBIAN);
	tree_put(root, "etc/apt/sources.list.d/other.sources",
		 "Types: deb\nURIs: http://other.example/x\nSuites: nodistro\n");
	tree_put(root, "etc/apt/sources.list.d/off.sources",
		 "Types: deb\nURIs: http://off.example/x\nSuites: bookworm\nEnabled: no\n");
	tree_put(
		root, "etc/apt/sources.list.d/zz.sources",
		"Types: deb-src deb\n# a comment\nuris:  http://a.example/debian http://b.example\n"
		"Suites: bookworm bookworm-updates\nSigned-By: /usr/share/a.gpg \n"
		"\n"
		"Types: deb\nURIs: http://s.example/sec\nSuites: bookworm-security\n"
		"Signed-By:\n -----BEGIN PGP\n");
	tree_put(root, "etc/apt/sources.list.d/zz.sources.disabled",
		 "Types: deb\nURIs: http://c.example/x\nSuites: bookworm\n");
	assert_int_equal(pt_apt_sources_read(root, &s, NULL), 0);
	assert_string_equal(s.codename, "bookworm");
	assert_string_equal(s.main.uri, "http://a.example/debian");
	assert_string_equal(s.main.signed_by, "/usr/share/a.gpg");
	assert_string_equal(s.security.uri, "http://s.example/sec");
	assert_null(s.security.signed_by);
	pt_apt_sources_done(&s);
	tree_remove(root);
}

static void one_line_format(void **state)
{
	char *root = tree_new();
	struct pt_apt_sources s;

	(void)state;
	tree_put(root, "etc/os-release", DEBIAN);
	tree_put(root, "etc/apt/sources.list",
		 "# deb http://no.example/debian bookworm main\n"
		 "deb-src http://no.example/debian bookworm main\n"
		 "deb [ arch=amd64 signed-by=/k/a.gpg ] http://a.example/debian bookworm main\n"
		 "deb [signed-by=/k/s.gpg] http://s.example/sec bookworm-security main # why\n"
		 "deb [ deb [ [\ndeb\n");
	assert_int_equal(pt_apt_sources_read(root, &s, NULL), 0);
	assert_string_equal(s.main.uri, "http://a.example/debian");
	assert_string_equal(s.main.signed_by, "/k/a.gpg");
	assert_string_equal(s.security.uri, "http://s.example/sec");
	assert_string_equal(s.security.signed_by, "/k/s.gpg");
	pt_apt_sources_done(&s);
	tree_remove(root);
}

static void no_use(void **state)
{
	char *root = tree_new();
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_apt_sources s;

	(void)state;
	assert_int_equal(pt_apt_sources_read(root, &s, NULL), -EOPNOTSUPP);
	tree_put(root, "etc/os-release", "ID=fedora\nVERSION_CODENAME=bookworm\n");
	assert_int_equal(pt_apt_sources_read(root, &s, NULL), -EOPNOTSUPP);
	tree_put(root, "etc/os-release", "ID=debian\nVERSION_CODENAME=../x\n");
	assert_int_equal(pt_apt_sources_read(root, &s, NULL), -EOPNOTSUPP);
	tree_put(root, "etc/os-release", DEBIAN);
	tree_put(root, "etc/apt/sources.list", "deb http://a.example/debian sid main\n");
	assert_int_equal(pt_apt_sources_read(root, &s, &diag), -EOPNOTSUPP);
	assert_string_equal(diag.text, "this machine's apt has no source of Debian's bookworm");
	tree_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modern_format),
		cmocka_unit_test(one_line_format),
		cmocka_unit_test(no_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
