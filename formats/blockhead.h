/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header of a block: a skippable frame that says what the frames behind it hold.
 */
#ifndef PT_FORMATS_BLOCKHEAD_H
#define PT_FORMATS_BLOCKHEAD_H

#include "formats/layout.h"
#include "formats/record.h"
#include "util/bytes.h"
#include "util/diag.h"

/* One of the up to three zstd frames of a block; size 0: not there. */
struct pt_blockhead_frame {
	uint32_t size;    /* in the file */
	uint32_t content; /* unpacked */
};

struct pt_blockhead {
	uint64_t sequence; /* of the block in the tape, from 0 */
	uint64_t first_ns, last_ns;
	uint64_t events;      /* kernel events since the block before */
	uint64_t lost_events; /* sum of the known gaps among the records */
	uint32_t gaps, unknown_gaps;
	uint32_t records;
	uint32_t flags; /* enum pt_block_flags */
	struct pt_blockhead_frame definitions, data, times;
	uint64_t counts[PT_KIND_COUNT]; /* records by kind; of kinds known to this version */
	uint64_t kinds;                 /* bit 1 << kind; bit 63 for kinds 63 and above */
	uint32_t header_size;           /* of this frame itself; filled by parse */
};

/* Append the frame. 0 or -ENOMEM. */
int pt_blockhead_put(struct pt_buf *out, const struct pt_blockhead *h);

/* Parse the payload of @len bytes. -EBADMSG with @diag (no offset: the caller knows it). */
int pt_blockhead_parse(const uint8_t *payload, size_t len, struct pt_blockhead *ret_h,
		       struct pt_diag *diag);

/* Bytes of the whole block in the file. */
uint64_t pt_blockhead_extent(const struct pt_blockhead *h);

/* A kind's bit in such a mask. */
static inline uint64_t pt_kind_bit(unsigned int kind)
{
	return UINT64_C(1) << (kind < 63 ? kind : 63);
}

#endif
