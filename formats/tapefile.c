// SPDX-License-Identifier: GPL-2.0-or-later
/* Heads, indices and frames in files: see tapefile.h. */
#include "formats/tapefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/frame.h"
#include "util/cleanup.h"

#define SCAN_CHUNK (1u << 16)

/* Read exactly @len bytes at @offset: 0, -ENODATA where the file ends before, -errno. */
static int read_at(const struct pt_tapefile *t, uint64_t offset, void *p, size_t len)
{
	uint8_t *at = p;

	if (offset > t->size || len > t->size - offset)
		return -ENODATA;
	while (len) {
		ssize_t n = pread(t->fd, at, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -ENODATA;
		at += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* Read @len bytes into @b, replacing what it has. The caller has checked @len. */
static int read_buf(const struct pt_tapefile *t, uint64_t offset, size_t len, struct pt_buf *b)
{
	int r;

	b->len = 0;
	if (pt_buf_reserve(b, len) < 0)
		return -ENOMEM;
	r = read_at(t, offset, b->data, len);
	if (r == 0)
		b->len = len;
	return r;
}

/* ---- Head */

static int open_file(struct pt_tapefile *t, const char *path, struct pt_diag *diag)
{
	struct stat st;

	t->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (t->fd < 0 || fstat(t->fd, &st) < 0)
		return pt_diag_errno(diag, -errno, "cannot open");
	if (S_ISDIR(st.st_mode))
		return pt_diag_set(diag, -EISDIR, PT_NO_OFFSET, "is a directory, not a tape");
	if (!S_ISREG(st.st_mode))
		return pt_diag_set(diag, -ESPIPE, PT_NO_OFFSET, "is not a regular file");
	if (st.st_size == 0)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "not a tape: the file is empty");
	t->size = (uint64_t)st.st_size;
	return 0;
}

static int check_version(struct pt_tapefile *t, const uint8_t *p, struct pt_diag *diag)
{
	uint64_t unknown = le64_get(p + 16) & ~PT_FEATURES_KNOWN;

	t->version_major = le16_get(p + 8);
	t->version_minor = le16_get(p + 10);
	t->features_optional = le64_get(p + 24);
	if (t->version_major != PT_VERSION_MAJOR)
		return pt_diag_set(diag, -EPROTONOSUPPORT, PT_FRAME_HEADER + 8,
				   "tape format %u.%u: this pagetape reads %u.x", t->version_major,
				   t->version_minor, PT_VERSION_MAJOR);
	if (unknown)
		return pt_diag_set(diag, -EPROTONOSUPPORT, PT_FRAME_HEADER + 16,
				   "the tape needs feature %d, which this pagetape does not know",
				   __builtin_ctzll(unknown));
	return 0;
}

static int read_head(struct pt_tapefile *t, struct pt_diag *diag)
{
	auto_buf struct pt_buf b = { 0 };
	uint8_t start[PT_FRAME_HEADER + PT_HEAD_FIXED];
	size_t got = t->size < sizeof(start) ? t->size : sizeof(start), len, json;
	int r = read_at(t, 0, start, got);

	if (r < 0)
		return pt_diag_errno(diag, r, "cannot read");
	if (got < 16 || le32_get(start) != PT_MAGIC_HEAD ||
	    memcmp(start + PT_FRAME_HEADER, PT_HEAD_SIGNATURE, 8) != 0)
		return pt_diag_set(diag, -EBADMSG, 0, "not a tape");
	if (got < sizeof(start))
		return pt_diag_set(diag, -ENODATA, got, "head is cut");
	r = check_version(t, start + PT_FRAME_HEADER, diag);
	if (r < 0)
		return r;
	len = le32_get(start + 4);
	json = le32_get(start + PT_FRAME_HEADER + 12);
	if (json > PT_HEAD_MAX || len < PT_HEAD_FIXED + 4 + json ||
	    len > PT_HEAD_FIXED + 4 + PT_HEAD_MAX)
		return pt_diag_set(diag, -EBADMSG, 4, "bad length of the head");
	r = read_buf(t, PT_FRAME_HEADER, len, &b);
	if (r == -ENODATA)
		return pt_diag_set(diag, r, t->size, "head is cut");
	if (r < 0)
		return r;
	if (!pt_frame_crc_ok(b.data, b.len))
		return pt_diag_set(diag, -EBADMSG, PT_FRAME_HEADER, "head is damaged (CRC)");
	t->head_size = PT_FRAME_HEADER + len;
	return pt_head_parse(&t->head, (const char *)b.data + PT_HEAD_FIXED, json, diag);
}

/* ---- Index */

/* The place of the tail's payload, by the seek table at the end: 1, or 0 where there is none. */
static int find_tail(const struct pt_tapefile *t, uint64_t *ret_at, size_t *ret_len)
{
	uint8_t footer[PT_SEEK_ENTRY + PT_SEEK_FOOTER], frame[PT_FRAME_HEADER];
	uint64_t seek_size, tail_size;

	if (t->size < sizeof(footer) ||
	    read_at(t, t->size - sizeof(footer), footer, sizeof(footer)) < 0 ||
	    le32_get(footer + sizeof(footer) - 4) != PT_MAGIC_SEEKEND)
		return 0;
	seek_size = PT_FRAME_HEADER + PT_SEEK_FOOTER +
		    (uint64_t)le32_get(footer + PT_SEEK_ENTRY) * PT_SEEK_ENTRY;
	tail_size = le32_get(footer);
	if (tail_size < PT_FRAME_HEADER || tail_size > PT_TAIL_MAX ||
	    seek_size + tail_size > t->size - t->head_size ||
	    read_at(t, t->size - seek_size - tail_size, frame, sizeof(frame)) < 0 ||
	    le32_get(frame) != PT_MAGIC_TAIL || le32_get(frame + 4) != tail_size - PT_FRAME_HEADER)
		return 0;
	*ret_at = t->size - seek_size - tail_size + PT_FRAME_HEADER;
	*ret_len = tail_size - PT_FRAME_HEADER;
	return 1;
}

/* 1 where the index was there and good; 0 to walk instead; or a negative errno. */
static int read_index(struct pt_tapefile *t)
{
	auto_buf struct pt_buf b = { 0 };
	struct pt_tail tail;
	struct pt_head head;
	uint64_t at;
	size_t len;
	int r;

	if (!find_tail(t, &at, &len))
		return 0;
	r = read_buf(t, at, len, &b);
	if (r == 0)
		r = pt_tail_parse(b.data, b.len, at, &tail, NULL);
	if (r == 0) {
		r = pt_head_parse(&head, tail.head, tail.head_len, NULL);
		if (r < 0)
			free(tail.blocks);
	}
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	pt_head_done(&t->head);
	t->head = head;
	t->blocks = tail.blocks;
	t->n_blocks = tail.n_blocks;
	t->totals = tail.totals;
	t->finished = 1;
	t->complete = tail.flags & PT_TAIL_COMPLETE;
	return 1;
}

/* ---- Walking */

static int add_block(struct pt_tapefile *t, uint64_t offset, const struct pt_blockhead *h,
		     uint32_t flags)
{
	if (t->n_blocks == t->cap_blocks) {
		size_t cap = t->cap_blocks ? t->cap_blocks * 2 : 64;
		struct pt_tail_block *blocks = reallocarray(t->blocks, cap, sizeof(*blocks));

		if (!blocks)
			return -ENOMEM;
		t->blocks = blocks;
		t->cap_blocks = cap;
	}
	t->blocks[t->n_blocks++] = (struct pt_tail_block){
		.offset = offset,
		.first_ns = h->first_ns,
		.last_ns = h->last_ns,
		.kinds = h->kinds,
		.records = h->records,
		.flags = h->flags | flags,
		.extent = pt_blockhead_extent(h),
	};
	pt_totals_add(&t->totals, h);
	return 0;
}

/* The header of a block at @offset: 0, -ENODATA where header or frames are cut, -EBADMSG. */
static int read_blockhead(const struct pt_tapefile *t, uint64_t offset, struct pt_buf *b,
			  struct pt_blockhead *ret_h, struct pt_diag *diag)
{
	uint8_t start[PT_FRAME_HEADER];
	struct pt_blockhead h;
	int r = read_at(t, offset, start, sizeof(start));

	if (r < 0)
		return r;
	if (le32_get(start) != PT_MAGIC_BLOCK || le32_get(start + 4) > PT_BLOCK_MAX)
		return pt_diag_set(diag, -EBADMSG, offset, "no block here");
	r = read_buf(t, offset + PT_FRAME_HEADER, le32_get(start + 4), b);
	if (r == 0)
		r = pt_blockhead_parse(b->data, b->len, &h, diag);
	if (r < 0)
		return r;
	if (pt_blockhead_extent(&h) > t->size - offset)
		return -ENODATA;
	*ret_h = h;
	return 0;
}

/*
 * Behind a damaged place: the next offset from *@pos on where a block's header is whole and right.
 * 1 with *@pos moved, 0 where there is none, or -ENOMEM.
 */
static int resync(const struct pt_tapefile *t, uint64_t *pos)
{
	static const uint8_t magic[] = { PT_MAGIC_BLOCK & 0xff, PT_MAGIC_BLOCK >> 8 & 0xff,
					 PT_MAGIC_BLOCK >> 16 & 0xff, PT_MAGIC_BLOCK >> 24 };
	auto_free uint8_t *chunk = malloc(SCAN_CHUNK);
	auto_buf struct pt_buf b = { 0 };

	if (!chunk)
		return -ENOMEM;
	while (*pos < t->size) {
		size_t len = t->size - *pos < SCAN_CHUNK ? t->size - *pos : SCAN_CHUNK;
		const uint8_t *at = chunk, *end = chunk + len;
		struct pt_blockhead h;

		if (read_at(t, *pos, chunk, len) < 0)
			return 0;
		while ((at = memmem(at, (size_t)(end - at), magic, sizeof(magic)))) {
			uint64_t hit = *pos + (uint64_t)(at++ - chunk);

			if (read_blockhead(t, hit, &b, &h, NULL) < 0)
				continue;
			*pos = hit;
			return 1;
		}
		/* The magic may lie across the chunk's end. */
		*pos += len > sizeof(magic) ? len - sizeof(magic) + 1 : len;
	}
	return 0;
}

/* A skippable frame that is no block: its size with header, or 0 where it is none or cut. */
static uint64_t skippable_at(const struct pt_tapefile *t, uint64_t pos)
{
	uint8_t start[PT_FRAME_HEADER];

	if (read_at(t, pos, start, sizeof(start)) < 0)
		return 0;
	if ((le32_get(start) & ~0xfu) != PT_MAGIC_HEAD || le32_get(start) == PT_MAGIC_BLOCK ||
	    le32_get(start + 4) > t->size - pos - PT_FRAME_HEADER)
		return 0;
	return PT_FRAME_HEADER + (uint64_t)le32_get(start + 4);
}

static int walk(struct pt_tapefile *t)
{
	auto_buf struct pt_buf b = { 0 };
	uint64_t pos = t->head_size, sequence = 0;
	uint32_t flags = 0;

	t->end = pos;
	t->totals = (struct pt_totals)PT_TOTALS_INIT;
	while (pos < t->size) {
		struct pt_blockhead h;
		int r = read_blockhead(t, pos, &b, &h, NULL);
		uint64_t skip = r < 0 ? skippable_at(t, pos) : 0;

		if (r == 0) {
			if (h.sequence != sequence)
				flags |= PT_BLOCK_AFTER_DAMAGE;
			r = add_block(t, pos, &h, flags);
			pos += pt_blockhead_extent(&h);
			sequence = h.sequence + 1;
			flags = 0;
		} else if (r != -ENODATA && r != -EBADMSG) {
			return r;
		} else if (skip) {
			pos += skip;
			r = 0;
		} else {
			r = resync(t, &pos);
			if (r == 0)
				break;
			flags = PT_BLOCK_AFTER_DAMAGE;
		}
		if (r < 0)
			return r;
		t->end = pos;
	}
	return 0;
}

int pt_tapefile_open(struct pt_tapefile *t, const char *path, int ignore_index,
		     struct pt_diag *diag)
{
	int r;

	*t = (struct pt_tapefile){ .fd = -1 };
	r = open_file(t, path, diag);
	if (r == 0)
		r = read_head(t, diag);
	if (r < 0)
		return r;
	r = ignore_index ? 0 : read_index(t);
	if (r < 0)
		return r;
	t->end = t->size;
	return t->finished ? 0 : walk(t);
}

void pt_tapefile_close(struct pt_tapefile *t)
{
	pt_head_done(&t->head);
	free(t->blocks);
	if (t->fd >= 0)
		close(t->fd);
	*t = (struct pt_tapefile){ .fd = -1 };
}

int pt_tapefile_read(const struct pt_tapefile *t, size_t i, unsigned int parts,
		     struct pt_tapefile_block *b, struct pt_diag *diag)
{
	const struct pt_tail_block *at = &t->blocks[i];
	struct pt_blockhead *h = &b->head;
	uint64_t offset;
	size_t before, len;
	int r = read_blockhead(t, at->offset, &b->bytes, h, diag);

	if (r == -ENODATA)
		return pt_diag_set(diag, -EBADMSG, at->offset, "block is cut");
	if (r < 0)
		return r;
	if (h->records != at->records || pt_blockhead_extent(h) != at->extent)
		return pt_diag_set(diag, -EBADMSG, at->offset, "index and block header differ");
	before = parts & PT_PART_DEFINITIONS ? 0 : h->definitions.size;
	len = (parts & PT_PART_DEFINITIONS ? h->definitions.size : 0) +
	      (parts & PT_PART_DATA ? h->data.size : 0) +
	      (parts & PT_PART_TIMES ? h->times.size : 0);
	offset = at->offset + h->header_size + before;
	r = read_buf(t, offset, len, &b->bytes);
	if (r < 0)
		return r == -ENOMEM ? r : pt_diag_errno(diag, r, "cannot read a block");
	len = parts & PT_PART_DEFINITIONS ? h->definitions.size : 0;
	b->definitions = len ? b->bytes.data : NULL;
	b->data = parts & PT_PART_DATA && h->data.size ? b->bytes.data + len : NULL;
	b->times =
		parts & PT_PART_TIMES && h->times.size ? b->bytes.data + len + h->data.size : NULL;
	return 0;
}
