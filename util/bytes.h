/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Little-endian loads and stores, and a growing byte buffer.
 *
 * Nothing here casts a buffer to a struct. The caller has checked that enough bytes are there.
 */
#ifndef PT_UTIL_BYTES_H
#define PT_UTIL_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t le16_get(const void *p)
{
	const uint8_t *b = p;

	return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t le32_get(const void *p)
{
	const uint8_t *b = p;

	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t le64_get(const void *p)
{
	const uint8_t *b = p;

	return (uint64_t)le32_get(b) | (uint64_t)le32_get(b + 4) << 32;
}

static inline void le16_put(void *p, uint16_t v)
{
	uint8_t *b = p;

	b[0] = (uint8_t)v;
	b[1] = (uint8_t)(v >> 8);
}

static inline void le32_put(void *p, uint32_t v)
{
	le16_put(p, (uint16_t)v);
	le16_put((uint8_t *)p + 2, (uint16_t)(v >> 16));
}

static inline void le64_put(void *p, uint64_t v)
{
	le32_put(p, (uint32_t)v);
	le32_put((uint8_t *)p + 4, (uint32_t)(v >> 32));
}

/* A growing byte buffer; all zero is an empty one. Release with pt_buf_done(). */
struct pt_buf {
	uint8_t *data;
	size_t len, cap;
};

void pt_buf_done(struct pt_buf *b);

#define auto_buf __attribute__((cleanup(pt_buf_done)))

/* Make room for @more bytes behind len, which stays. Returns 0 or -ENOMEM. */
int pt_buf_reserve(struct pt_buf *b, size_t more);

/* Append. Each returns 0 or -ENOMEM, and then the buffer is as it was. */
int pt_buf_put(struct pt_buf *b, const void *p, size_t len);
int pt_buf_put_le16(struct pt_buf *b, uint16_t v);
int pt_buf_put_le32(struct pt_buf *b, uint32_t v);
int pt_buf_put_le64(struct pt_buf *b, uint64_t v);

/* LEB128: seven bits a byte, lowest first, the top bit set on all but the last. */
int pt_buf_put_varint(struct pt_buf *b, uint64_t v);

/*
 * Read a LEB128 number at @data[*pos], with @len bytes in all, and move *@pos behind it.
 * Returns 0, or -EBADMSG when it is cut or does not fit in 64 bits (*pos is unchanged).
 */
int pt_varint_get(const uint8_t *data, size_t len, size_t *pos, uint64_t *ret_v);

/* Fold a signed number to an unsigned one, small for small magnitudes, and back. */
static inline uint64_t zigzag_fold(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t zigzag_unfold(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* CRC-32 (IEEE 802.3, reflected, as in zlib) of @len bytes. */
uint32_t pt_crc32(const void *p, size_t len);

#endif
