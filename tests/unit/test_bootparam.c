// SPDX-License-Identifier: GPL-2.0-or-later
/* replay/lab/bootparam, kconfig: what a kernel was told and how it was made. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/lab/bootparam.h"
#include "replay/lab/kconfig.h"
#include "tests/unit/tree.h"
#include "util/cleanup.h"

static void check_value(const char *cmdline, const char *name, const char *want)
{
	char buf[16];

	assert_int_equal(pt_bootparam_get(cmdline, name, buf, sizeof(buf)), want != NULL);
	if (want)
		assert_string_equal(buf, want);
}

static void values(void **state)
{
	static const char line[] = " quiet a.b=1 a-c=2  d=\"with blanks\" e=\"q\" a.b=3 x\"=y\n f= "
				   "long=0123456789abcdefghi end=last\n";

	(void)state;
	check_value(line, "quiet", "");
	check_value(line, "a.b", "3"); /* the last holds */
	check_value(line, "a_c", "2");
	check_value(line, "d", "with blanks");
	check_value(line, "f", NULL); /* behind a quote that never ends */
	check_value("f= g", "f", "");
	check_value("f= g", "g", "");
	check_value("a=1 b", "c", NULL);
	check_value("aa=1", "a", NULL);
	check_value("", "a", NULL);
	check_value("long=0123456789abcdefghi", "long", "0123456789abcde");
	check_value("x=\"", "x", "\"");
	check_value("x=\"\"", "x", "");
}

static void check_module(const char *cmdline, const char *module, const char *want)
{
	auto_buf struct pt_buf b = { 0 };

	assert_int_equal(pt_bootparam_module(cmdline, module, &b), 0);
	assert_string_equal((const char *)b.data, want);
}

static void modules(void **state)
{
	static const char line[] =
		"brd.rd_nr=1 quiet brd.rd_size=1024 brdx.a=1 br.d=2 virtio-blk.x "
		"m.s=\"a b\" m.=1 brd=1\n";

	(void)state;
	check_module(line, "brd", "rd_nr=1 rd_size=1024 ");
	check_module(line, "virtio_blk", "x ");
	check_module(line, "m", "s=\"a b\" ");
	check_module(line, "zram", "");
}

static void check_option(const json_t *config, const char *name, const char *want)
{
	const char *got = json_string_value(json_object_get(config, name));

	assert_string_equal(got ? got : "(none)", want);
}

static void options(void **state)
{
	char *root = tree_new();
	auto_free char *path = tree_path(root, "config");
	json_t *config = NULL;

	(void)state;
	tree_put(root, "config",
		 "# CONFIG_KASAN is not set\nCONFIG_LRU_GEN=y\nCONFIG_ZRAM=m\n"
		 "CONFIG_HZ=250\nCONFIG_OTHER=y\nLRU_GEN_ENABLED=y\nCONFIG_MEMCG\n"
		 "CONFIG_PSI=y");
	assert_int_equal(pt_kconfig_read(path, &config, NULL), 0);
	check_option(config, "LRU_GEN", "y");
	check_option(config, "LRU_GEN_ENABLED", "n");
	check_option(config, "ZRAM", "m");
	check_option(config, "HZ", "250");
	check_option(config, "KASAN", "n");
	check_option(config, "MEMCG", "n");
	check_option(config, "PSI", "y");
	check_option(config, "OTHER", "(none)");
	json_decref(config);
	assert_int_equal(pt_kconfig_read("/nonexistent", &config, NULL), -ENOENT);
	tree_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(modules),
		cmocka_unit_test(options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
