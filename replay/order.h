/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the recorded order of operations between threads, within a window.
 *
 * Operations are numbered 0, 1, 2... in recorded order. With a window of N, operation s may begin
 * when all operations before s - N + 1 are complete: at most N are under way or ahead of the
 * slowest; N = 1 is the strict order. The low-water mark is advanced by whoever completes the
 * operation it waits for; nobody spins and no lock is held. Lives in memory that parent and child
 * share. Every operation must be begun by some thread that does not wait for a later one.
 */
#ifndef PT_REPLAY_ORDER_H
#define PT_REPLAY_ORDER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define PT_ORDER_WINDOW_MAX (1u << 20)

struct pt_order {
	uint32_t window;                   /* 0: every thread for itself */
	uint32_t mask;                     /* slots in done[], less one: a power of two >= window */
	_Alignas(64) _Atomic uint32_t low; /* all operations before it are complete */
	_Alignas(64) _Atomic uint32_t waiting; /* threads that sleep on low */
	_Alignas(64) _Atomic uint32_t done[];  /* slot of s: s + 1 once s is complete */
};

/* Bytes that pt_order_init() needs for @window (at most PT_ORDER_WINDOW_MAX). */
size_t pt_order_bytes(uint32_t window);
void pt_order_init(struct pt_order *o, uint32_t window);

/* Wait until @seq may begin. Returns the ns spent waiting, 0 where it did not sleep. */
uint64_t pt_order_enter(struct pt_order *o, uint32_t seq);

/* @seq is complete. */
void pt_order_leave(struct pt_order *o, uint32_t seq);

#endif
