// SPDX-License-Identifier: GPL-2.0-or-later
/* The window over recorded order: a low-water mark that completions push along. */
#include "replay/order.h"

#include "replay/futex.h"
#include "util/progress.h"

static uint32_t slots_for(uint32_t window)
{
	uint32_t n = 64;

	while (n < window)
		n *= 2;
	return n;
}

size_t pt_order_bytes(uint32_t window)
{
	return sizeof(struct pt_order) + slots_for(window) * sizeof(_Atomic uint32_t);
}

void pt_order_init(struct pt_order *o, uint32_t window)
{
	uint32_t n = slots_for(window);

	o->window = window;
	o->mask = n - 1;
	atomic_init(&o->low, 0);
	atomic_init(&o->waiting, 0);
	/* A slot's value must not be that of a completion to come: s + 1 with s in that slot. */
	for (uint32_t i = 0; i < n; i++)
		atomic_init(&o->done[i], i);
}

/* Those who wait for the mark to reach t sleep with bit t % 32 set: few are woken in vain. */
static uint32_t bit_of(uint32_t target)
{
	return 1u << (target % 32);
}

static uint32_t bits_between(uint32_t from, uint32_t to)
{
	uint32_t bits = 0;

	if (to - from >= 32)
		return PT_FUTEX_ANY;
	while (from != to)
		bits |= bit_of(++from);
	return bits;
}

uint64_t pt_order_enter(struct pt_order *o, uint32_t seq)
{
	uint32_t target = seq - o->window + 1, low;
	uint64_t since = 0;

	if (o->window == 0)
		return 0;
	while ((int32_t)((low = atomic_load(&o->low)) - target) < 0) {
		if (since == 0)
			since = pt_now_ns();
		atomic_fetch_add(&o->waiting, 1);
		/* The kernel compares low again: a push between here and there is not missed. */
		pt_futex_wait(&o->low, low, bit_of(target), 0);
		atomic_fetch_sub(&o->waiting, 1);
	}
	return since ? pt_now_ns() - since : 0;
}

void pt_order_leave(struct pt_order *o, uint32_t seq)
{
	uint32_t from, low;

	if (o->window == 0)
		return;
	atomic_store(&o->done[seq & o->mask], seq + 1);
	from = low = atomic_load(&o->low);
	/*
	 * All threads see the stores to done[] and low in one order (they are sequentially
	 * consistent), so of two that complete neighbours at once at least one sees both.
	 */
	while (atomic_load(&o->done[low & o->mask]) == low + 1)
		if (atomic_compare_exchange_strong(&o->low, &low, low + 1))
			low++;
	if (low != from && atomic_load(&o->waiting))
		pt_futex_wake(&o->low, bits_between(from, low));
}
