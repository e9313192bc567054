// SPDX-License-Identifier: GPL-2.0-or-later
/* The growing buffer, LEB128 and CRC-32 of bytes.h. */
#include "util/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pt_buf_done(struct pt_buf *b)
{
	free(b->data);
	*b = (struct pt_buf){ 0 };
}

int pt_buf_reserve(struct pt_buf *b, size_t more)
{
	size_t cap = b->cap ? b->cap : 64;
	size_t need;
	uint8_t *data;

	if (__builtin_add_overflow(b->len, more, &need))
		return -ENOMEM;
	if (need <= b->cap)
		return 0;
	while (cap < need)
		if (__builtin_mul_overflow(cap, (size_t)2, &cap))
			return -ENOMEM;
	data = realloc(b->data, cap);
	if (!data)
		return -ENOMEM;
	b->data = data;
	b->cap = cap;
	return 0;
}

int pt_buf_put(struct pt_buf *b, const void *p, size_t len)
{
	int r = pt_buf_reserve(b, len);

	if (r < 0)
		return r;
	if (len)
		memcpy(b->data + b->len, p, len);
	b->len += len;
	return 0;
}

int pt_buf_put_le16(struct pt_buf *b, uint16_t v)
{
	uint8_t w[2];

	le16_put(w, v);
	return pt_buf_put(b, w, sizeof(w));
}

int pt_buf_put_le32(struct pt_buf *b, uint32_t v)
{
	uint8_t w[4];

	le32_put(w, v);
	return pt_buf_put(b, w, sizeof(w));
}

int pt_buf_put_le64(struct pt_buf *b, uint64_t v)
{
	uint8_t w[8];

	le64_put(w, v);
	return pt_buf_put(b, w, sizeof(w));
}

int pt_buf_put_varint(struct pt_buf *b, uint64_t v)
{
	uint8_t w[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		w[n++] = (uint8_t)(v | 0x80);
	w[n++] = (uint8_t)v;
	return pt_buf_put(b, w, n);
}

int pt_varint_get(const uint8_t *data, size_t len, size_t *pos, uint64_t *ret_v)
{
	uint64_t v = 0;
	size_t at = *pos;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint64_t bits;

		if (at >= len)
			return -EBADMSG;
		bits = data[at] & 0x7f;
		if (shift == 63 && bits > 1)
			return -EBADMSG;
		v |= bits << shift;
		if (!(data[at++] & 0x80)) {
			*pos = at;
			*ret_v = v;
			return 0;
		}
	}
	return -EBADMSG;
}

uint32_t pt_crc32(const void *p, size_t len)
{
	const uint8_t *b = p;
	uint32_t crc = ~0u;

	for (size_t i = 0; i < len; i++) {
		crc ^= b[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (0xedb88320u & -(crc & 1));
	}
	return ~crc;
}
