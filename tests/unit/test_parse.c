// SPDX-License-Identifier: GPL-2.0-or-later
/* util/parse: every unit, every limit, and no junk. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/cleanup.h"
#include "util/parse.h"

struct sample {
	const char *text;
	int r;
	uint64_t v;
};

/* A failure must leave the result alone. */
static void check(int (*parse)(const char *, uint64_t *), const struct sample *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t v = 77;
		int r = parse(s[i].text, &v);

		if (r != s[i].r || v != (r < 0 ? 77 : s[i].v))
			fail_msg("'%s' gives %d, %llu", s[i].text, r, (unsigned long long)v);
	}
}

static void decimal(void **state)
{
	static const struct sample samples[] = {
		{ "0", 0, 0 },
		{ "007", 0, 7 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
		{ "1.0", -EINVAL, 0 },
		{ "1K", -EINVAL, 0 },
	};
	uint32_t narrow = 77;

	(void)state;
	check(pt_parse_u64, samples, PT_ARRAY_SIZE(samples));
	assert_int_equal(pt_parse_u32("4294967296", &narrow), -ERANGE);
	assert_int_equal(narrow, 77);
	assert_int_equal(pt_parse_u32("4294967295", &narrow), 0);
	assert_true(narrow == UINT32_MAX);
}

static void hexadecimal(void **state)
{
	static const struct sample samples[] = {
		{ "ff", 0, 255 },
		{ "0xFF", 0, 255 },
		{ "ffffffffffffffff", 0, UINT64_MAX },
		{ "10000000000000000", -ERANGE, 0 },
		{ "0x", -EINVAL, 0 },
		{ "x1", -EINVAL, 0 },
		{ "fg", -EINVAL, 0 },
		{ "-f", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
	};

	(void)state;
	check(pt_parse_hex, samples, PT_ARRAY_SIZE(samples));
}

static void sizes(void **state)
{
	static const struct sample samples[] = {
		{ "0", 0, 0 },
		{ "1K", 0, 1024 },
		{ "64M", 0, 64u << 20 },
		{ "3G", 0, UINT64_C(3) << 30 },
		{ "16777215T", 0, UINT64_C(16777215) << 40 },
		{ "16777216T", -ERANGE, 0 },
		{ "18446744073709551616K", -ERANGE, 0 },
		{ "64", -EINVAL, 0 },
		{ "64k", -EINVAL, 0 },
		{ "64MB", -EINVAL, 0 },
		{ "64 M", -EINVAL, 0 },
		{ "1.5G", -EINVAL, 0 },
		{ "-1M", -EINVAL, 0 },
		{ "M", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
	};

	(void)state;
	check(pt_parse_size, samples, PT_ARRAY_SIZE(samples));
}

static void times(void **state)
{
	static const struct sample samples[] = {
		{ "0", 0, 0 },
		{ "1ns", 0, 1 },
		{ "2us", 0, 2000 },
		{ "500ms", 0, 500000000 },
		{ "1.5s", 0, 1500000000 },
		{ ".5s", 0, 500000000 },
		{ "2m", 0, 120000000000 },
		{ "1h", 0, 3600000000000 },
		{ "1d", 0, 86400000000000 },
		{ "0.4ns", 0, 0 },
		{ "9223372036s", 0, 9223372036000000000 },
		{ "9223372037s", -ERANGE, 0 },
		{ "1e999s", -ERANGE, 0 },
		{ "10", -EINVAL, 0 },
		{ "10S", -EINVAL, 0 },
		{ "10 s", -EINVAL, 0 },
		{ "0x1s", -EINVAL, 0 },
		{ "-1s", -EINVAL, 0 },
		{ "infs", -EINVAL, 0 },
		{ "nans", -EINVAL, 0 },
		{ ".s", -EINVAL, 0 },
		{ "s", -EINVAL, 0 },
		{ "off", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
	};

	(void)state;
	check(pt_parse_time, samples, PT_ARRAY_SIZE(samples));
}

static void fractions(void **state)
{
	static const char *const junk[] = { "",  " 1",    "1 ", "-1",  "+1",  "0x10", "0X1",
					    ".", "1.2.3", "1e", "inf", "nan", "1,5" };
	double v = 77;

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(junk); i++)
		assert_int_equal(pt_parse_double(junk[i], &v), -EINVAL);
	assert_int_equal(pt_parse_double("1e999", &v), -ERANGE);
	assert_true(v == 77);
	assert_int_equal(pt_parse_double("0.5", &v), 0);
	assert_true(v == 0.5);
	assert_int_equal(pt_parse_double("1e-3", &v), 0);
	assert_true(v == 1e-3);
}

static void for_people(void **state)
{
	char buf[32];

	(void)state;
	assert_string_equal(pt_format_size(0, buf, sizeof(buf)), "0 B");
	assert_string_equal(pt_format_size(1023, buf, sizeof(buf)), "1023 B");
	assert_string_equal(pt_format_size(1536, buf, sizeof(buf)), "1.5 KiB");
	assert_string_equal(pt_format_size(UINT64_MAX, buf, sizeof(buf)), "16.0 EiB");
	assert_string_equal(pt_format_time(999, buf, sizeof(buf)), "999 ns");
	assert_string_equal(pt_format_time(1500, buf, sizeof(buf)), "1.5 us");
	assert_string_equal(pt_format_time(2500000, buf, sizeof(buf)), "2.5 ms");
	assert_string_equal(pt_format_time(1000000000, buf, sizeof(buf)), "1.0 s");
	assert_string_equal(pt_format_time(64000000000, buf, sizeof(buf)), "1m04s");
	assert_string_equal(pt_format_time(7260000000000, buf, sizeof(buf)), "2h01m");
}

static void thousands(void **state)
{
	char buf[27], tight[6];

	(void)state;
	assert_string_equal(pt_format_count(0, buf, sizeof(buf)), "0");
	assert_string_equal(pt_format_count(999, buf, sizeof(buf)), "999");
	assert_string_equal(pt_format_count(1000, buf, sizeof(buf)), "1,000");
	assert_string_equal(pt_format_count(1000, tight, sizeof(tight)), "1,000");
	assert_string_equal(pt_format_count(UINT64_MAX, buf, sizeof(buf)),
			    "18,446,744,073,709,551,615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimal),   cmocka_unit_test(hexadecimal),
		cmocka_unit_test(sizes),     cmocka_unit_test(times),
		cmocka_unit_test(fractions), cmocka_unit_test(for_people),
		cmocka_unit_test(thousands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
