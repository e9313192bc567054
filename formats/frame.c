// SPDX-License-Identifier: GPL-2.0-or-later
/* zstd and skippable frames: see frame.h. */
#include "formats/frame.h"

#include <errno.h>
#include <string.h>
#include <zstd.h>

#include "formats/layout.h"

#define PIECE_MIN 1024u /* below that a table of its own costs more than it saves */

static int feed(struct ZSTD_CCtx_s *z, const uint8_t *data, size_t len, ZSTD_EndDirective end,
		struct pt_buf *out)
{
	ZSTD_inBuffer in = { data, len, 0 };
	size_t left;

	do {
		ZSTD_outBuffer o;

		if (pt_buf_reserve(out, PT_PACKED_MAX(len - in.pos)) < 0)
			return -ENOMEM;
		o = (ZSTD_outBuffer){ out->data + out->len, out->cap - out->len, 0 };
		left = ZSTD_compressStream2(z, &o, &in, end);
		if (ZSTD_isError(left))
			return -EIO;
		out->len += o.pos;
	} while (left || in.pos < in.size);
	return 0;
}

/* Feed the pieces; a large one is flushed, so that it gets blocks and statistics of its own. */
static int feed_pieces(struct ZSTD_CCtx_s *z, const struct pt_packed *p, struct pt_buf *out)
{
	size_t done = 0, start = 0;

	for (size_t i = 0; i < p->ends.len; i += sizeof(size_t)) {
		size_t end;
		int r;

		memcpy(&end, p->ends.data + i, sizeof(end));
		if (end - start >= PIECE_MIN && start > done) {
			r = feed(z, p->bytes.data + done, start - done, ZSTD_e_flush, out);
			if (r < 0)
				return r;
			done = start;
		}
		if (end - start >= PIECE_MIN && end < p->bytes.len) {
			r = feed(z, p->bytes.data + done, end - done, ZSTD_e_flush, out);
			if (r < 0)
				return r;
			done = end;
		}
		start = end;
	}
	return feed(z, p->bytes.data + done, p->bytes.len - done, ZSTD_e_end, out);
}

int pt_frame_compress(struct ZSTD_CCtx_s *z, int level, const struct pt_packed *p,
		      struct pt_buf *out)
{
	size_t before = out->len;
	int r;

	ZSTD_CCtx_reset(z, ZSTD_reset_session_only);
	if (ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, level)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1)) ||
	    ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(z, p->bytes.len)))
		return -EIO;
	r = feed_pieces(z, p, out);
	if (r < 0)
		out->len = before;
	return r;
}

int pt_frame_decompress(struct ZSTD_DCtx_s *z, const uint8_t *frame, size_t len, size_t size,
			struct pt_buf *out)
{
	size_t n;

	if (ZSTD_getFrameContentSize(frame, len) != size ||
	    ZSTD_findFrameCompressedSize(frame, len) != len)
		return -EBADMSG;
	out->len = 0;
	if (pt_buf_reserve(out, size ? size : 1) < 0)
		return -ENOMEM;
	n = ZSTD_decompressDCtx(z, out->data, size, frame, len);
	if (ZSTD_isError(n) || n != size)
		return -EBADMSG;
	out->len = size;
	return 0;
}

int pt_frame_begin(struct pt_buf *out, uint32_t magic, size_t *ret_start)
{
	size_t start = out->len;
	int r = pt_buf_put_le32(out, magic);

	if (r == 0)
		r = pt_buf_put_le32(out, 0);
	if (r == 0)
		*ret_start = start;
	return r;
}

int pt_frame_end(struct pt_buf *out, size_t start)
{
	const uint8_t *payload = out->data + start + PT_FRAME_HEADER;
	int r = pt_buf_put_le32(out, pt_crc32(payload, out->len - start - PT_FRAME_HEADER));

	if (r == 0)
		le32_put(out->data + start + 4, (uint32_t)(out->len - start - PT_FRAME_HEADER));
	return r;
}

int pt_frame_crc_ok(const uint8_t *payload, size_t len)
{
	return len >= 4 && le32_get(payload + len - 4) == pt_crc32(payload, len - 4);
}
