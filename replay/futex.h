/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sleeping on a word of memory that processes share.
 */
#ifndef PT_REPLAY_FUTEX_H
#define PT_REPLAY_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PT_FUTEX_ANY FUTEX_BITSET_MATCH_ANY

/*
 * Sleep while *@word is @seen, until woken with a bit in common with @bits, or @timeout_ns passed
 * (0: none). May return for no reason: the caller looks again.
 */
static inline void pt_futex_wait(_Atomic uint32_t *word, uint32_t seen, uint32_t bits,
				 uint64_t timeout_ns)
{
	struct timespec until, *limit = NULL;

	if (timeout_ns) { /* FUTEX_WAIT_BITSET takes an absolute time */
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += (time_t)(timeout_ns / 1000000000);
		until.tv_nsec += (long)(timeout_ns % 1000000000);
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		limit = &until;
	}
	(void)syscall(SYS_futex, word, FUTEX_WAIT_BITSET, seen, limit, NULL, bits);
}

/* Wake all who sleep on @word with a bit in common with @bits. */
static inline void pt_futex_wake(_Atomic uint32_t *word, uint32_t bits)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, bits);
}

#endif
