// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/lcs: against the textbook's table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/lcs.h"
#include "seed.h"

#define MOST 300

static size_t textbook(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
	static size_t t[MOST + 1][MOST + 1];

	for (size_t i = 0; i <= n; i++) {
		for (size_t j = 0; j <= m; j++) {
			if (!i || !j)
				t[i][j] = 0;
			else if (a[i - 1] == b[j - 1])
				t[i][j] = t[i - 1][j - 1] + 1;
			else
				t[i][j] = t[i - 1][j] > t[i][j - 1] ? t[i - 1][j] : t[i][j - 1];
		}
	}
	return t[n][m];
}

/* The alignment is a common subsequence of the length that is told. */
static void check_alignment(const uint32_t *a, size_t n, const uint32_t *b, const size_t *match,
			    size_t len)
{
	size_t last = 0, found = 0;

	for (size_t i = 0; i < n; i++) {
		if (match[i] == PT_LCS_NONE)
			continue;
		assert_int_equal(a[i], b[match[i]]);
		assert_true(!found || match[i] > last);
		last = match[i];
		found++;
	}
	assert_int_equal(found, len);
}

static void test_against_textbook(void **state)
{
	uint32_t a[MOST], b[MOST];
	size_t match[MOST], len;
	struct pt_rng g;
	int exact;

	(void)state;
	seed_rng(&g);
	for (int round = 0; round < 1000; round++) {
		size_t n = pt_rng_below(&g, MOST + 1), m = pt_rng_below(&g, MOST + 1);
		uint32_t symbols = 1 + (uint32_t)pt_rng_below(&g, 1u << pt_rng_below(&g, 9));

		for (size_t i = 0; i < n; i++)
			a[i] = (uint32_t)pt_rng_below(&g, symbols);
		for (size_t j = 0; j < m; j++)
			b[j] = j < n && pt_rng_below(&g, 3) ? a[j]
							    : (uint32_t)pt_rng_below(&g, symbols);
		assert_int_equal(pt_lcs_align(a, n, b, m, symbols, match, &len, &exact), 0);
		assert_int_equal(len, textbook(a, n, b, m));
		assert_true(exact);
		check_alignment(a, n, b, match, len);
	}
}

/* The textbook's length, a row at a time. */
static size_t textbook_length(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
	size_t *row = calloc(m + 1, sizeof(*row)), len;

	assert_non_null(row);
	for (size_t i = 0; i < n; i++) {
		size_t diagonal = 0;

		for (size_t j = 0; j < m; j++) {
			size_t above = row[j + 1];

			if (a[i] == b[j])
				row[j + 1] = diagonal + 1;
			else if (row[j] > above)
				row[j + 1] = row[j];
			diagonal = above;
		}
	}
	len = row[m];
	free(row);
	return len;
}

/* Two that have next to nothing in common take the other way to divide. */
static void test_strangers(void **state)
{
	enum { LONG = 12000 };
	static uint32_t a[LONG], b[LONG];
	static size_t match[LONG];
	struct pt_rng g;
	size_t len;
	int exact;

	(void)state;
	seed_rng(&g);
	for (size_t i = 0; i < LONG; i++) {
		a[i] = (uint32_t)pt_rng_below(&g, 2000);
		b[i] = (uint32_t)pt_rng_below(&g, 2000);
	}
	assert_int_equal(pt_lcs_align(a, LONG, b, LONG - 77, 2000, match, &len, &exact), 0);
	assert_int_equal(len, textbook_length(a, LONG, b, LONG - 77));
	check_alignment(a, LONG, b, match, len);
}

/* Beyond what is exact: some accesses removed here and there cost no more than a few each. */
static void test_windows(void **state)
{
	size_t n = PT_LCS_EXACT * 5 / 4, m = 0, removed = 0, len;
	uint32_t *a = calloc(n, sizeof(*a)), *b = calloc(n, sizeof(*b));
	size_t *match = calloc(n, sizeof(*match));
	struct pt_rng g;
	int exact;

	(void)state;
	assert_true(a && b && match);
	seed_rng(&g);
	for (size_t i = 0; i < n; i++) {
		a[i] = (uint32_t)pt_rng_below(&g, 1 << 18);
		if (i % 100003 == 77)
			removed++;
		else
			b[m++] = a[i];
	}
	assert_int_equal(pt_lcs_align(a, n, b, m, 1 << 18, match, &len, &exact), 0);
	assert_false(exact);
	assert_in_range(len, n - removed - 64 * 4, n - removed);
	check_alignment(a, n, b, match, len);
	free(a);
	free(b);
	free(match);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_textbook),
		cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
