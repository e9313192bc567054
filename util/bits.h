/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting bits. */
#ifndef PT_UTIL_BITS_H
#define PT_UTIL_BITS_H

#include <stdint.h>

/* popcount without the instruction, which not all of x86-64 has (Warren, Hacker's Delight 5-1). */
static inline unsigned int pt_ones(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned int)(x * UINT64_C(0x0101010101010101) >> 56);
}

#endif
