// SPDX-License-Identifier: GPL-2.0-or-later
/* Tail and seek table: see tail.h and docs/format.md. */
#include "formats/tail.h"

#include <errno.h>
#include <stdlib.h>

#include "formats/frame.h"
#include "util/cleanup.h"

/* Offsets in the payload; then counts, head and index. */
enum {
	AT_SIGNATURE = 0,
	AT_FLAGS = 4,
	AT_EVENTS = 8,
	AT_RECORDS = 16,
	AT_LOST = 24,
	AT_GAPS = 32,
	AT_UNKNOWN_GAPS = 40,
	AT_FIRST = 48,
	AT_LAST = 56,
	AT_BLOCKS = 64,
	AT_COUNTS = 72, /* u32 how many */
	AT_HEAD = 76,   /* u32 bytes */
};

_Static_assert(AT_HEAD + 4 == PT_TAIL_FIXED, "fixed part of a tail");

void pt_totals_add(struct pt_totals *t, const struct pt_blockhead *h)
{
	t->events += h->events;
	t->records += h->records;
	t->lost_events += h->lost_events;
	t->gaps += h->gaps;
	t->unknown_gaps += h->unknown_gaps;
	t->blocks++;
	for (unsigned int k = 0; k < PT_KIND_COUNT; k++)
		t->counts[k] += h->counts[k];
	if (!h->records)
		return;
	if (t->first_ns == PT_UNKNOWN)
		t->first_ns = h->first_ns;
	t->last_ns = h->last_ns;
}

static int put_counts(struct pt_buf *out, const struct pt_totals *t)
{
	for (uint32_t k = 1; k < PT_KIND_COUNT; k++)
		if (t->counts[k] &&
		    (pt_buf_put_le32(out, k) < 0 || pt_buf_put_le64(out, t->counts[k]) < 0))
			return -ENOMEM;
	return 0;
}

static int put_index(struct pt_buf *out, const struct pt_tail *t)
{
	for (size_t i = 0; i < t->n_blocks; i++) {
		const struct pt_tail_block *b = &t->blocks[i];
		uint8_t e[PT_INDEX_SIZE];

		le64_put(e, b->offset);
		le64_put(e + 8, b->first_ns);
		le64_put(e + 16, b->last_ns);
		le64_put(e + 24, b->kinds);
		le32_put(e + 32, b->records);
		le32_put(e + 36, b->flags);
		le64_put(e + 40, b->extent);
		if (pt_buf_put(out, e, sizeof(e)) < 0)
			return -ENOMEM;
	}
	return 0;
}

int pt_tail_put(struct pt_buf *out, const struct pt_tail *t)
{
	uint8_t p[PT_TAIL_FIXED] = { 0 };
	uint32_t n_counts = 0;
	size_t start;

	if (t->head_len > PT_HEAD_MAX ||
	    t->n_blocks > (PT_TAIL_MAX - 2 * PT_HEAD_MAX) / PT_INDEX_SIZE)
		return -E2BIG;
	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		n_counts += t->totals.counts[k] != 0;
	le32_put(p + AT_SIGNATURE, PT_TAIL_SIGNATURE);
	le32_put(p + AT_FLAGS, t->flags);
	le64_put(p + AT_EVENTS, t->totals.events);
	le64_put(p + AT_RECORDS, t->totals.records);
	le64_put(p + AT_LOST, t->totals.lost_events);
	le64_put(p + AT_GAPS, t->totals.gaps);
	le64_put(p + AT_UNKNOWN_GAPS, t->totals.unknown_gaps);
	le64_put(p + AT_FIRST, t->totals.first_ns);
	le64_put(p + AT_LAST, t->totals.last_ns);
	le64_put(p + AT_BLOCKS, t->n_blocks);
	le32_put(p + AT_COUNTS, n_counts);
	le32_put(p + AT_HEAD, (uint32_t)t->head_len);
	if (pt_frame_begin(out, PT_MAGIC_TAIL, &start) < 0 || pt_buf_put(out, p, sizeof(p)) < 0 ||
	    put_counts(out, &t->totals) < 0 || pt_buf_put(out, t->head, t->head_len) < 0 ||
	    put_index(out, t) < 0)
		return -ENOMEM;
	return pt_frame_end(out, start);
}

static int parse_index(const uint8_t *p, uint64_t file_size, struct pt_tail *t)
{
	auto_free struct pt_tail_block *blocks = calloc(t->n_blocks + 1, sizeof(*blocks));
	uint64_t end = 0;

	if (!blocks)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_blocks; i++, p += PT_INDEX_SIZE) {
		struct pt_tail_block *b = &blocks[i];

		*b = (struct pt_tail_block){ le64_get(p),      le64_get(p + 8),  le64_get(p + 16),
					     le64_get(p + 24), le32_get(p + 32), le32_get(p + 36),
					     le64_get(p + 40) };
		if (b->offset < end || b->offset > file_size || b->extent > file_size - b->offset ||
		    b->records > PT_BLOCK_RECORDS)
			return -EBADMSG;
		end = b->offset + b->extent;
	}
	t->blocks = steal_ptr(blocks);
	return 0;
}

static void parse_totals(const uint8_t *payload, uint32_t n_counts, struct pt_totals *t)
{
	const uint8_t *p = payload + PT_TAIL_FIXED;

	t->events = le64_get(payload + AT_EVENTS);
	t->records = le64_get(payload + AT_RECORDS);
	t->lost_events = le64_get(payload + AT_LOST);
	t->gaps = le64_get(payload + AT_GAPS);
	t->unknown_gaps = le64_get(payload + AT_UNKNOWN_GAPS);
	t->first_ns = le64_get(payload + AT_FIRST);
	t->last_ns = le64_get(payload + AT_LAST);
	t->blocks = le64_get(payload + AT_BLOCKS);
	for (uint32_t i = 0; i < n_counts; i++, p += PT_COUNT_SIZE)
		if (le32_get(p) < PT_KIND_COUNT)
			t->counts[le32_get(p)] = le64_get(p + 4);
}

int pt_tail_parse(const uint8_t *payload, size_t len, uint64_t file_size, struct pt_tail *ret_t,
		  struct pt_diag *diag)
{
	struct pt_tail t = { 0 };
	uint64_t n_counts, need;
	int r;

	if (len < PT_TAIL_FIXED + 4 || le32_get(payload) != PT_TAIL_SIGNATURE ||
	    !pt_frame_crc_ok(payload, len))
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "closing index is damaged");
	n_counts = le32_get(payload + AT_COUNTS);
	t.flags = le32_get(payload + AT_FLAGS);
	t.head_len = le32_get(payload + AT_HEAD);
	t.n_blocks = le64_get(payload + AT_BLOCKS);
	need = PT_TAIL_FIXED + n_counts * PT_COUNT_SIZE + t.head_len;
	if (need > len - 4 || t.n_blocks > (len - 4 - need) / PT_INDEX_SIZE)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "closing index is cut");
	parse_totals(payload, (uint32_t)n_counts, &t.totals);
	t.head = (const char *)payload + PT_TAIL_FIXED + n_counts * PT_COUNT_SIZE;
	r = parse_index(payload + need, file_size, &t);
	if (r < 0)
		return pt_diag_set(diag, r, PT_NO_OFFSET, "closing index contradicts itself");
	*ret_t = t;
	return 0;
}

int pt_seek_put(struct pt_buf *out, const struct pt_seek_entry *entries, size_t n)
{
	uint8_t footer[PT_SEEK_FOOTER] = { 0 };

	if (n > (UINT32_MAX - PT_SEEK_FOOTER) / PT_SEEK_ENTRY)
		return -E2BIG;
	if (pt_buf_put_le32(out, PT_MAGIC_SEEK) < 0 ||
	    pt_buf_put_le32(out, (uint32_t)(n * PT_SEEK_ENTRY + PT_SEEK_FOOTER)) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (pt_buf_put_le32(out, entries[i].size) < 0 ||
		    pt_buf_put_le32(out, entries[i].content) < 0)
			return -ENOMEM;
	le32_put(footer, (uint32_t)n);
	le32_put(footer + 5, PT_MAGIC_SEEKEND);
	return pt_buf_put(out, footer, sizeof(footer));
}
