// SPDX-License-Identifier: GPL-2.0-or-later
/* Headers of blocks: see blockhead.h and docs/format.md. */
#include "formats/blockhead.h"

#include <errno.h>
#include <string.h>

#include "formats/frame.h"

/*
 * Offsets in the payload. What follows the counts is for later versions, up to the CRC-32.
 */
enum {
	AT_SIGNATURE = 0,
	AT_FLAGS = 4,
	AT_SEQUENCE = 8,
	AT_FIRST = 16,
	AT_LAST = 24,
	AT_EVENTS = 32,
	AT_LOST = 40,
	AT_GAPS = 48,
	AT_UNKNOWN_GAPS = 52,
	AT_RECORDS = 56,
	AT_FRAMES = 60, /* size and content of definitions, data, times: 6 u32 */
	AT_COUNTS = 84, /* u32 how many */
	AT_RESERVED = 88,
};

_Static_assert(AT_RESERVED + 8 == PT_BLOCK_FIXED, "fixed part of a block's header");

int pt_blockhead_put(struct pt_buf *out, const struct pt_blockhead *h)
{
	const struct pt_blockhead_frame *frames[] = { &h->definitions, &h->data, &h->times };
	uint8_t p[PT_BLOCK_FIXED + PT_KIND_COUNT * PT_COUNT_SIZE] = { 0 };
	uint8_t *at = p + PT_BLOCK_FIXED;
	size_t start;
	int r;

	le32_put(p + AT_SIGNATURE, PT_BLOCK_SIGNATURE);
	le32_put(p + AT_FLAGS, h->flags);
	le64_put(p + AT_SEQUENCE, h->sequence);
	le64_put(p + AT_FIRST, h->first_ns);
	le64_put(p + AT_LAST, h->last_ns);
	le64_put(p + AT_EVENTS, h->events);
	le64_put(p + AT_LOST, h->lost_events);
	le32_put(p + AT_GAPS, h->gaps);
	le32_put(p + AT_UNKNOWN_GAPS, h->unknown_gaps);
	le32_put(p + AT_RECORDS, h->records);
	for (unsigned int i = 0; i < 3; i++) {
		le32_put(p + AT_FRAMES + i * 8, frames[i]->size);
		le32_put(p + AT_FRAMES + i * 8 + 4, frames[i]->content);
	}
	for (uint32_t k = 1; k < PT_KIND_COUNT; k++) {
		if (!h->counts[k])
			continue;
		le32_put(at, k);
		le64_put(at + 4, h->counts[k]);
		at += PT_COUNT_SIZE;
	}
	le32_put(p + AT_COUNTS, (uint32_t)((size_t)(at - p - PT_BLOCK_FIXED) / PT_COUNT_SIZE));
	r = pt_frame_begin(out, PT_MAGIC_BLOCK, &start);
	if (r == 0)
		r = pt_buf_put(out, p, (size_t)(at - p));
	return r < 0 ? r : pt_frame_end(out, start);
}

static struct pt_blockhead_frame frame_at(const uint8_t *p)
{
	return (struct pt_blockhead_frame){ le32_get(p), le32_get(p + 4) };
}

static int parse_counts(const uint8_t *p, uint32_t n, struct pt_blockhead *h)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++, p += PT_COUNT_SIZE) {
		uint32_t kind = le32_get(p);
		uint64_t count = le64_get(p + 4);

		if (!count || count > h->records - sum)
			return -EBADMSG;
		sum += count;
		h->kinds |= pt_kind_bit(kind);
		if (kind < PT_KIND_COUNT)
			h->counts[kind] = count;
	}
	return sum == h->records ? 0 : -EBADMSG;
}

static int frames_sane(const struct pt_blockhead *h)
{
	const struct {
		const struct pt_blockhead_frame *frame;
		uint32_t max;
		int wanted;
	} checks[] = {
		{ &h->definitions, PT_DEFS_MAX, h->flags & PT_BLOCK_DEFINITIONS },
		{ &h->data, PT_DATA_MAX, h->records > 0 },
		{ &h->times, PT_TIMES_MAX, h->records > 0 },
	};

	for (unsigned int i = 0; i < 3; i++) {
		const struct pt_blockhead_frame *f = checks[i].frame;

		if (f->content > checks[i].max || f->size > PT_PACKED_MAX(f->content) ||
		    !f->size != !checks[i].wanted)
			return 0;
	}
	return 1;
}

int pt_blockhead_parse(const uint8_t *payload, size_t len, struct pt_blockhead *ret_h,
		       struct pt_diag *diag)
{
	struct pt_blockhead h = { 0 };
	uint32_t n;

	if (len < PT_BLOCK_FIXED + 4 || le32_get(payload) != PT_BLOCK_SIGNATURE)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "bad block header");
	if (!pt_frame_crc_ok(payload, len))
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "block header is damaged (CRC)");
	h.flags = le32_get(payload + AT_FLAGS);
	h.sequence = le64_get(payload + AT_SEQUENCE);
	h.first_ns = le64_get(payload + AT_FIRST);
	h.last_ns = le64_get(payload + AT_LAST);
	h.events = le64_get(payload + AT_EVENTS);
	h.lost_events = le64_get(payload + AT_LOST);
	h.gaps = le32_get(payload + AT_GAPS);
	h.unknown_gaps = le32_get(payload + AT_UNKNOWN_GAPS);
	h.records = le32_get(payload + AT_RECORDS);
	h.definitions = frame_at(payload + AT_FRAMES + 0);
	h.data = frame_at(payload + AT_FRAMES + 8);
	h.times = frame_at(payload + AT_FRAMES + 16);
	h.header_size = (uint32_t)len + PT_FRAME_HEADER;
	n = le32_get(payload + AT_COUNTS);
	if (h.records > PT_BLOCK_RECORDS || h.first_ns > h.last_ns || !frames_sane(&h) ||
	    n > (len - 4 - PT_BLOCK_FIXED) / PT_COUNT_SIZE ||
	    parse_counts(payload + PT_BLOCK_FIXED, n, &h) < 0)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "block header contradicts itself");
	*ret_h = h;
	return 0;
}

uint64_t pt_blockhead_extent(const struct pt_blockhead *h)
{
	return (uint64_t)h->header_size + h->definitions.size + h->data.size + h->times.size;
}
