/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records on their way to the sink, held back until what follows has told all about them.
 *
 * A first-in-first-out queue, so records leave in the order of their times. An entry with reasons
 * to wait stops those behind it, but never longer than a time limit and never more than the
 * queue's room: then it leaves with what is known. Not thread-safe.
 */
#ifndef PT_CAPTURE_PENDING_H
#define PT_CAPTURE_PENDING_H

#include "formats/sink.h"

#define PT_PENDING_ROOM     65536               /* entries; a power of two */
#define PT_PENDING_LIMIT_NS UINT64_C(500000000) /* with a block's second: a kill loses < 2 s */

#define PT_NO_SEQ UINT64_MAX

struct pt_held {
	struct pt_record rec; /* kind 0: dropped */
	uint64_t link;        /* for its keeper: an older entry, or PT_NO_SEQ */
	void *blob;           /* rec.blob where it is owned: freed when the record leaves */
	uint32_t waits;       /* reasons left; 0: may go */
};

struct pt_pending {
	struct pt_held *ring;
	uint64_t head, tail; /* sequence numbers: of the oldest entry, of the next one */
	const struct pt_sink *sink;
	int error; /* the sink's first failure */
};

/* 0 or -ENOMEM. @sink is borrowed. */
int pt_pending_init(struct pt_pending *q, const struct pt_sink *sink);
void pt_pending_done(struct pt_pending *q);

/* Append @rec with @waits reasons. Returns its sequence number. */
uint64_t pt_pending_push(struct pt_pending *q, const struct pt_record *rec, uint32_t waits);

/* The entry, or NULL where @seq is PT_NO_SEQ or has left. */
struct pt_held *pt_pending_get(struct pt_pending *q, uint64_t seq);

/* One reason less. */
void pt_pending_release(struct pt_pending *q, uint64_t seq);

/* Hand on all that may go at time @now_ns. */
void pt_pending_drain(struct pt_pending *q, uint64_t now_ns);

/* Hand on everything. */
void pt_pending_flush(struct pt_pending *q);

#endif
