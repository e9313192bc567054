/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a finished tape: totals, final head and index of blocks in one skippable frame, then
 * the seek table of zstd's seekable format.
 */
#ifndef PT_FORMATS_TAIL_H
#define PT_FORMATS_TAIL_H

#include "formats/blockhead.h"

/* One block, as the index knows it. */
struct pt_tail_block {
	uint64_t offset;
	uint64_t first_ns, last_ns;
	uint64_t kinds; /* as in struct pt_blockhead */
	uint32_t records;
	uint32_t flags;  /* enum pt_block_flags */
	uint64_t extent; /* bytes in the file */
};

struct pt_totals {
	uint64_t events, records, lost_events, gaps, unknown_gaps, blocks;
	uint64_t first_ns, last_ns; /* PT_UNKNOWN: no records */
	uint64_t counts[PT_KIND_COUNT];
};

/* What a block adds to the totals. */
void pt_totals_add(struct pt_totals *t, const struct pt_blockhead *h);

#define PT_TOTALS_INIT                                        \
	{                                                     \
		.first_ns = PT_UNKNOWN, .last_ns = PT_UNKNOWN \
	}

struct pt_tail {
	struct pt_totals totals;
	uint32_t flags;   /* enum pt_tail_flags */
	const char *head; /* JSON; parse: borrowed from the payload, not terminated */
	size_t head_len;
	struct pt_tail_block *blocks; /* parse: from malloc, to be freed by the caller */
	size_t n_blocks;
};

/* Append the tail's frame. 0, -ENOMEM, -E2BIG. */
int pt_tail_put(struct pt_buf *out, const struct pt_tail *t);

/* Parse the payload of @len bytes in a file of @file_size. -EBADMSG with @diag, -ENOMEM. */
int pt_tail_parse(const uint8_t *payload, size_t len, uint64_t file_size, struct pt_tail *ret_t,
		  struct pt_diag *diag);

/* One frame of the file, for the seek table. */
struct pt_seek_entry {
	uint32_t size, content;
};

/* Append the seek table for @n frames. 0, -ENOMEM, -E2BIG. */
int pt_seek_put(struct pt_buf *out, const struct pt_seek_entry *entries, size_t n);

#endif
