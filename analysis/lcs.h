/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The longest common subsequence of two sequences of symbols, with its alignment.
 *
 * Exact up to PT_LCS_EXACT symbols each, in linear space. Sequences that differ little are divided
 * where paths from both ends meet (Myers 1986), which costs their length and the square of what
 * differs. Others are divided by Hirschberg's way (1975), with rows computed bit-parallel
 * (Crochemore, Iliopoulos, Pinzon and Reid 2001; Hyyro 2004) of which only the words that a match
 * or a carry reaches are visited; the worst case is n * m / 32 steps.
 *
 * Beyond that the sequences are cut into windows at places where they agree, each aligned on its
 * own: a common subsequence still, but perhaps not the longest.
 */
#ifndef PT_ANALYSIS_LCS_H
#define PT_ANALYSIS_LCS_H

#include <stddef.h>
#include <stdint.h>

#define PT_LCS_EXACT ((size_t)1 << 20)
#define PT_LCS_NONE  SIZE_MAX

/*
 * Set @match[i] to the place in @b that a[i] is matched with, or PT_LCS_NONE, for all @n places of
 * @a. Symbols are below @nsymbols. *@ret_len is the number matched, *@ret_exact whether that is
 * surely the most. 0 or -ENOMEM.
 */
int pt_lcs_align(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint32_t nsymbols,
		 size_t *match, size_t *ret_len, int *ret_exact);

#endif
