// SPDX-License-Identifier: GPL-2.0-or-later
/* Single-producer single-consumer ring of operations across processes. */
#include "replay/opring.h"

#include "replay/futex.h"

#define REFILL (PT_OPRING_OPS / 2) /* a sleeping producer is woken for this much room */

/* Announce sleep, look once more, sleep. Both sides store their flag before they load the other's
 * counter, and the other way round: one of them notices. */
int pt_opring_put(struct pt_opring *r, const struct pt_op *op, uint64_t timeout_ns)
{
	uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed), tail;

	tail = atomic_load(&r->tail);
	if (head - tail == PT_OPRING_OPS) {
		atomic_store(&r->producer_sleeps, 1);
		tail = atomic_load(&r->tail);
		if (head - tail == PT_OPRING_OPS)
			pt_futex_wait(&r->tail, tail, PT_FUTEX_ANY, timeout_ns);
		atomic_store(&r->producer_sleeps, 0);
		if (head - atomic_load(&r->tail) == PT_OPRING_OPS)
			return 0;
	}
	r->ops[head % PT_OPRING_OPS] = *op;
	atomic_store(&r->head, head + 1);
	if (atomic_load(&r->consumer_sleeps))
		pt_futex_wake(&r->head, PT_FUTEX_ANY);
	return 1;
}

const struct pt_op *pt_opring_peek(struct pt_opring *r, int *ret_slept)
{
	uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	while (atomic_load(&r->head) == tail) {
		atomic_store(&r->consumer_sleeps, 1);
		if (atomic_load(&r->head) == tail)
			pt_futex_wait(&r->head, tail, PT_FUTEX_ANY, 0);
		atomic_store(&r->consumer_sleeps, 0);
		*ret_slept = 1;
	}
	return &r->ops[tail % PT_OPRING_OPS];
}

void pt_opring_pop(struct pt_opring *r)
{
	uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed) + 1;

	atomic_store(&r->tail, tail);
	if (atomic_load(&r->producer_sleeps) &&
	    atomic_load_explicit(&r->head, memory_order_relaxed) - tail <= REFILL)
		pt_futex_wake(&r->tail, PT_FUTEX_ANY);
}
