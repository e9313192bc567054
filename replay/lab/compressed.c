// SPDX-License-Identifier: GPL-2.0-or-later
/* Decompression by the distribution's libraries: see compressed.h. */
#include "replay/lab/compressed.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "util/cleanup.h"

#define STEP          (256u << 10)
#define DECODER_BYTES (128u << 20) /* of memory for a dictionary: more than any preset asks for */

/* The output of a decoder: room of at least a byte behind @b, none beyond @max. */
static int make_room(struct pt_buf *b, size_t end, size_t *ret_room)
{
	size_t left = end - b->len;

	/* One more than allowed, so that a file of just that size is told from a longer one. */
	*ret_room = left < STEP ? left + 1 : STEP;
	return pt_buf_reserve(b, *ret_room);
}

static int unpack_xz(const struct pt_buf *in, size_t end, struct pt_buf *b)
{
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret r = lzma_stream_decoder(&s, DECODER_BYTES, 0);
	int err = r == LZMA_OK ? 0 : -ENOMEM;

	s.next_in = in->data;
	s.avail_in = in->len;
	while (!err && r != LZMA_STREAM_END) {
		size_t room;

		err = make_room(b, end, &room);
		if (err)
			break;
		s.next_out = b->data + b->len;
		s.avail_out = room;
		r = lzma_code(&s, LZMA_FINISH);
		b->len += room - s.avail_out;
		if (b->len > end)
			err = -E2BIG;
		else if (r == LZMA_BUF_ERROR)
			err = -ENODATA;
		else if (r == LZMA_MEM_ERROR)
			err = -ENOMEM;
		else if (r != LZMA_OK && r != LZMA_STREAM_END)
			err = -EBADMSG;
	}
	lzma_end(&s);
	return err;
}

static int unpack_zstd(const struct pt_buf *in, size_t end, struct pt_buf *b)
{
	ZSTD_DStream *s = ZSTD_createDStream();
	ZSTD_inBuffer from = { in->data, in->len, 0 };
	size_t r = 1; /* 0: at the end of a frame */
	int err = s ? 0 : -ENOMEM;

	while (!err && r != 0) {
		ZSTD_outBuffer to = { 0 };
		size_t room;

		err = make_room(b, end, &room);
		if (err)
			break;
		to = (ZSTD_outBuffer){ b->data + b->len, room, 0 };
		r = ZSTD_decompressStream(s, &to, &from);
		b->len += to.pos;
		if (b->len > end)
			err = -E2BIG;
		else if (ZSTD_isError(r))
			err = -EBADMSG;
		else if (r != 0 && from.pos == from.size && to.pos < to.size)
			err = -ENODATA;
	}
	ZSTD_freeDStream(s);
	return err;
}

static int unpack_gzip(const struct pt_buf *in, size_t end, struct pt_buf *b)
{
	z_stream s = { .next_in = in->data, .avail_in = (uInt)in->len };
	int r = inflateInit2(&s, 16 + MAX_WBITS), err = r == Z_OK ? 0 : -ENOMEM;

	if (err)
		return err;
	while (!err && r != Z_STREAM_END) {
		size_t room;

		err = make_room(b, end, &room);
		if (err)
			break;
		s.next_out = b->data + b->len;
		s.avail_out = (uInt)room;
		r = inflate(&s, Z_NO_FLUSH);
		b->len += room - s.avail_out;
		if (b->len > end)
			err = -E2BIG;
		else if (r == Z_BUF_ERROR)
			err = -ENODATA;
		else if (r == Z_MEM_ERROR)
			err = -ENOMEM;
		else if (r != Z_OK && r != Z_STREAM_END)
			err = -EBADMSG;
	}
	inflateEnd(&s);
	return err;
}

/* By their magic numbers; a plain file is copied. */
static int unpack(const struct pt_buf *in, size_t end, struct pt_buf *b)
{
	if (in->len >= 6 && memcmp(in->data,
				   "\xfd"
				   "7zXZ",
				   6) == 0)
		return unpack_xz(in, end, b);
	if (in->len >= 4 && memcmp(in->data, "\x28\xb5\x2f\xfd", 4) == 0)
		return unpack_zstd(in, end, b);
	if (in->len >= 2 && memcmp(in->data, "\x1f\x8b", 2) == 0)
		return unpack_gzip(in, end, b);
	return pt_buf_put(b, in->data, in->len);
}

static int read_file(const char *path, size_t max, struct pt_buf *b)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		if (b->len > max)
			return -E2BIG;
		if (pt_buf_reserve(b, STEP) < 0)
			return -ENOMEM;
		n = read(fd, b->data + b->len, STEP);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			b->len += (size_t)n;
	} while (n != 0);
	return 0;
}

int pt_compressed_read(const char *path, size_t max_bytes, struct pt_buf *b, struct pt_diag *diag)
{
	auto_buf struct pt_buf in = { 0 };
	int err = read_file(path, max_bytes, &in);

	if (!err)
		err = unpack(&in, b->len + max_bytes, b);
	if (err == -EBADMSG)
		pt_diag_set(diag, err, PT_NO_OFFSET, "its compressed data is damaged");
	else if (err == -ENODATA)
		pt_diag_set(diag, err, PT_NO_OFFSET, "its compressed data is cut short");
	else if (err == -E2BIG)
		pt_diag_set(diag, err, PT_NO_OFFSET, "larger than %zu bytes", max_bytes);
	else if (err)
		pt_diag_errno(diag, err, "cannot read it");
	return err ? pt_diag_file(diag, err, path) : 0;
}
