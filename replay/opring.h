/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of operations from the parent, which reads the tape, to one thread of the child.
 *
 * One producer, one consumer, in memory that both share; either sleeps when it must.
 */
#ifndef PT_REPLAY_OPRING_H
#define PT_REPLAY_OPRING_H

#include <stdatomic.h>

#include "replay/op.h"

#define PT_OPRING_OPS 512 /* a power of two; 24 KiB */

struct pt_opring {
	_Alignas(64) _Atomic uint32_t head; /* operations ever put */
	_Atomic uint32_t consumer_sleeps;
	_Alignas(64) _Atomic uint32_t tail; /* operations ever taken */
	_Atomic uint32_t producer_sleeps;
	_Alignas(64) struct pt_op ops[PT_OPRING_OPS];
};

/* Put one; waits at most @timeout_ns for room. Returns 1, or 0 where there is none yet. */
int pt_opring_put(struct pt_opring *r, const struct pt_op *op, uint64_t timeout_ns);

/* The next operation, waiting for it; *@ret_slept is set to 1 where it slept. It stays valid until
 * pt_opring_pop(). */
const struct pt_op *pt_opring_peek(struct pt_opring *r, int *ret_slept);
void pt_opring_pop(struct pt_opring *r);

#endif
