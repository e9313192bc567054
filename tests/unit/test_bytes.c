// SPDX-License-Identifier: GPL-2.0-or-later
/* util/bytes: round trips, and refusal of what is cut or too long. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/bytes.h"

static void varint_round_trips(void **state)
{
	static const uint64_t values[] = { 0, 1, 127, 128, 300, UINT32_MAX, INT64_MAX, UINT64_MAX };
	struct pt_buf b = { 0 };
	size_t pos = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_int_equal(pt_buf_put_varint(&b, values[i]), 0);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		uint64_t v;

		assert_int_equal(pt_varint_get(b.data, b.len, &pos, &v), 0);
		assert_true(v == values[i]);
	}
	assert_true(pos == b.len);
	pt_buf_done(&b);
}

static void varint_refuses(void **state)
{
	static const uint8_t cut[] = { 0x80, 0x80 };
	static const uint8_t wide[] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02
	};
	size_t pos = 0;
	uint64_t v = 7;

	(void)state;
	assert_int_equal(pt_varint_get(cut, sizeof(cut), &pos, &v), -EBADMSG);
	assert_int_equal(pt_varint_get(wide, sizeof(wide), &pos, &v), -EBADMSG);
	assert_true(pos == 0 && v == 7);
}

static void zigzag_round_trips(void **state)
{
	static const int64_t values[] = { 0, 1, -1, 63, -64, INT64_MAX, INT64_MIN };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_true(zigzag_unfold(zigzag_fold(values[i])) == values[i]);
	assert_true(zigzag_fold(-1) == 1);
}

static void crc_is_the_common_one(void **state)
{
	(void)state;
	assert_true(pt_crc32("123456789", 9) == 0xcbf43926u);
}

static void little_endian_round_trips(void **state)
{
	struct pt_buf b = { 0 };

	(void)state;
	assert_int_equal(pt_buf_put_le16(&b, 0x0102), 0);
	assert_int_equal(pt_buf_put_le32(&b, 0x03040506), 0);
	assert_int_equal(pt_buf_put_le64(&b, UINT64_C(0x0708090a0b0c0d0e)), 0);
	assert_int_equal(b.len, 14);
	assert_int_equal(b.data[0], 2);
	assert_int_equal(le16_get(b.data), 0x0102);
	assert_int_equal(le32_get(b.data + 2), 0x03040506);
	assert_true(le64_get(b.data + 6) == UINT64_C(0x0708090a0b0c0d0e));
	pt_buf_done(&b);
	assert_true(!b.data && !b.len);
}

static void impossible_growth_is_refused(void **state)
{
	struct pt_buf b = { 0 };

	(void)state;
	assert_int_equal(pt_buf_put(&b, "abc", 3), 0);
	assert_int_equal(pt_buf_reserve(&b, SIZE_MAX), -ENOMEM);
	assert_int_equal(pt_buf_reserve(&b, SIZE_MAX - 8), -ENOMEM);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.data, "abc", 3);
	pt_buf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(little_endian_round_trips),
		cmocka_unit_test(impossible_growth_is_refused),
		cmocka_unit_test(varint_round_trips),
		cmocka_unit_test(varint_refuses),
		cmocka_unit_test(zigzag_round_trips),
		cmocka_unit_test(crc_is_the_common_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
