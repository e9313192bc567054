// SPDX-License-Identifier: GPL-2.0-or-later
/* util/plot: what bars and maps look like, in both alphabets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/cleanup.h"
#include "util/plot.h"

static const struct pt_plot_style ascii = { .columns = 80 }, blocks = { 80, 1 };

static void expect_shades(const uint32_t *cells, size_t n, uint32_t most, unsigned int width,
			  const struct pt_plot_style *style, const char *text)
{
	char buf[256] = "";
	auto_fclose FILE *f = fmemopen(buf, sizeof(buf), "w");

	pt_plot_shades(cells, n, most, width, style, f);
	fflush(f);
	assert_string_equal(buf, text);
}

static void test_shades(void **state)
{
	const uint32_t cells[] = { 0, 1, 10, 100, 1000, UINT32_MAX };

	(void)state;
	expect_shades(cells, 6, 1000, 6, &ascii, " .-+##");
	expect_shades(cells, 5, 1000, 5, &blocks,
		      " \xe2\x96\x91\xe2\x96\x92\xe2\x96\x93\xe2\x96\x88");
	expect_shades(cells, 6, 1000, 3, &ascii, ".+#");    /* the greater of two */
	expect_shades(cells, 3, 1000, 6, &ascii, "  ..--"); /* wider than there are cells */
	expect_shades(cells, 2, 1, 2, &ascii, " #");
	expect_shades(cells, 1, 0, 1, &ascii, " ");
	expect_shades(cells, 0, 5, 4, &ascii, "");
	expect_shades(cells, 6, 1000, 0, &ascii, "");
}

static void expect_bar(double share, unsigned int width, const struct pt_plot_style *style,
		       const char *text)
{
	char buf[256] = "";
	auto_fclose FILE *f = fmemopen(buf, sizeof(buf), "w");

	pt_plot_bar(share, width, style, f);
	fflush(f);
	assert_string_equal(buf, text);
}

static void test_bars(void **state)
{
	(void)state;
	expect_bar(0, 4, &ascii, "");
	expect_bar(1e-9, 4, &ascii, "#");
	expect_bar(1, 4, &ascii, "####");
	expect_bar(0.5, 4, &blocks, "\xe2\x96\x88\xe2\x96\x88");
	expect_bar(0.28125, 4, &blocks, "\xe2\x96\x88\xe2\x96\x8f"); /* 9 eighths */
	expect_bar(1e-9, 4, &blocks, "\xe2\x96\x8f");
}

static void test_hist(void **state)
{
	struct pt_log2hist *h = pt_log2hist_new();
	char buf[1024] = "";
	FILE *f = fmemopen(buf, sizeof(buf), "w");

	(void)state;
	pt_plot_hist(h, PT_PLOT_PAGES, &ascii, f);
	fflush(f);
	assert_string_equal(buf, "");
	pt_log2hist_add(h, 0, 1);
	pt_log2hist_add(h, 3, 3);
	pt_plot_hist(h, PT_PLOT_PAGES, &(struct pt_plot_style){ .columns = 60 }, f);
	fclose(f);
	assert_non_null(strstr(buf, "[0, 1)"));
	assert_non_null(strstr(buf, "[1, 2)"));
	assert_non_null(strstr(buf, "75.0% ###############\n"));
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shades),
		cmocka_unit_test(test_bars),
		cmocka_unit_test(test_hist),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
