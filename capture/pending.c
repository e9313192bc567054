// SPDX-License-Identifier: GPL-2.0-or-later
/* The hold-back queue of pending.h: a ring of entries addressed by sequence numbers. */
#include "capture/pending.h"

#include <errno.h>
#include <stdlib.h>

static struct pt_held *at(struct pt_pending *q, uint64_t seq)
{
	return &q->ring[seq & (PT_PENDING_ROOM - 1)];
}

static void hand_on(struct pt_pending *q)
{
	struct pt_held *h = at(q, q->head++);
	int r;

	if (h->rec.kind && !q->error) {
		r = q->sink->record(q->sink->ctx, &h->rec);
		if (r < 0)
			q->error = r;
	}
	free(h->blob);
}

int pt_pending_init(struct pt_pending *q, const struct pt_sink *sink)
{
	*q = (struct pt_pending){ .sink = sink };
	q->ring = calloc(PT_PENDING_ROOM, sizeof(*q->ring));
	return q->ring ? 0 : -ENOMEM;
}

void pt_pending_done(struct pt_pending *q)
{
	while (q->ring && q->head != q->tail)
		free(at(q, q->head++)->blob);
	free(q->ring);
	q->ring = NULL;
}

uint64_t pt_pending_push(struct pt_pending *q, const struct pt_record *rec, uint32_t waits)
{
	if (q->tail - q->head == PT_PENDING_ROOM)
		hand_on(q);
	*at(q, q->tail) = (struct pt_held){ .rec = *rec, .link = PT_NO_SEQ, .waits = waits };
	return q->tail++;
}

struct pt_held *pt_pending_get(struct pt_pending *q, uint64_t seq)
{
	return seq >= q->head && seq < q->tail ? at(q, seq) : NULL;
}

void pt_pending_release(struct pt_pending *q, uint64_t seq)
{
	struct pt_held *h = pt_pending_get(q, seq);

	if (h && h->waits)
		h->waits--;
}

void pt_pending_drain(struct pt_pending *q, uint64_t now_ns)
{
	while (q->head != q->tail) {
		const struct pt_held *h = at(q, q->head);

		if (h->waits && h->rec.ts_ns + PT_PENDING_LIMIT_NS > now_ns)
			return;
		hand_on(q);
	}
}

void pt_pending_flush(struct pt_pending *q)
{
	while (q->head != q->tail)
		hand_on(q);
}
