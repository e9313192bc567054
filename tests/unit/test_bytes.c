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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(varint_round_trips),
		cmocka_unit_test(varint_refuses),
		cmocka_unit_test(zigzag_round_trips),
		cmocka_unit_test(crc_is_the_common_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
