/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Single frames of a tape: zstd ones and skippable ones, in memory.
 */
#ifndef PT_FORMATS_FRAME_H
#define PT_FORMATS_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "formats/pack.h"
#include "util/bytes.h"
#include "util/diag.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

/* Append one zstd frame of @p to @out, with content size and checksum. 0, -ENOMEM, -EIO. */
int pt_frame_compress(struct ZSTD_CCtx_s *z, int level, const struct pt_packed *p,
		      struct pt_buf *out);

/*
 * Unpack the one zstd frame that @len bytes must be into @out (replacing what it has), which must
 * give @size bytes. The caller has checked @size against its limit. -EBADMSG or -ENOMEM.
 */
int pt_frame_decompress(struct ZSTD_DCtx_s *z, const uint8_t *frame, size_t len, size_t size,
			struct pt_buf *out);

/* Append the header of a skippable frame; its payload follows, then pt_frame_end() seals it. */
int pt_frame_begin(struct pt_buf *out, uint32_t magic, size_t *ret_start);

/* Append the CRC-32 of the payload since @start, and set the frame's length. */
int pt_frame_end(struct pt_buf *out, size_t start);

/* Check that @payload of @len bytes ends with its CRC-32. */
int pt_frame_crc_ok(const uint8_t *payload, size_t len);

#endif
