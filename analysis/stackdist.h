/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LRU stack distances: how many other pages were touched since a page's last touch.
 *
 * A bit for each moment says whether it is some page's latest touch; a distance is the number of
 * bits behind the page's own. A tree of counts with 16 children a node (a node is one cache line)
 * makes that O(log n) (the counting tree is Bennett and Kruskal's, 1975; Olken 1981). When the
 * moments run out, those that are no page's latest are squeezed out.
 *
 * Memory: 4 bytes for each slot, and between 9 and 36 bytes for each live one. Not thread-safe.
 */
#ifndef PT_ANALYSIS_STACKDIST_H
#define PT_ANALYSIS_STACKDIST_H

#include <stddef.h>
#include <stdint.h>

#define PT_STACKDIST_COLD UINT32_MAX
#define PT_STACKDIST_MAX  (UINT32_C(1) << 29) /* live slots */

#define PT_STACKDIST_LEVELS 8

/* All zero is an empty one. Release with pt_stackdist_done(). */
struct pt_stackdist {
	uint64_t *bits;   /* by moment */
	uint32_t *owners; /* moment -> slot */
	uint32_t *counts[PT_STACKDIST_LEVELS];
	unsigned int levels; /* counts[0] has one for each word of bits, the last fits in a node */
	uint32_t moments;    /* how many there are room for: a power of two */
	uint32_t now;        /* the next one */
	uint32_t live;       /* bits set */
	uint32_t *last;      /* slot -> moment + 1; 0: not live */
	size_t slots;
};

void pt_stackdist_done(struct pt_stackdist *s);

/*
 * Touch @slot (below UINT32_MAX; chosen by the caller, best dense). *@ret_distance is the number
 * of other live slots touched since, 0 for none, or PT_STACKDIST_COLD where it is not live.
 * 0, -ENOMEM, -E2BIG.
 */
int pt_stackdist_touch(struct pt_stackdist *s, uint32_t slot, uint32_t *ret_distance);

/*
 * Have the memory at hand that a touch of @slot will need: two steps, of which the second has to
 * wait for what the first fetches. Worth it where many touches are known ahead.
 */
static inline void pt_stackdist_expect(const struct pt_stackdist *s, uint32_t slot)
{
	if (slot < s->slots)
		__builtin_prefetch(&s->last[slot], 1);
}

static inline void pt_stackdist_expect_moment(const struct pt_stackdist *s, uint32_t slot)
{
	uint32_t word;

	if (slot >= s->slots || !s->last[slot])
		return;
	word = (s->last[slot] - 1) >> 6;
	__builtin_prefetch(&s->bits[word], 1);
	__builtin_prefetch(&s->counts[0][word], 1);
}

/* As if @slot had never been touched. */
void pt_stackdist_forget(struct pt_stackdist *s, uint32_t slot);

#endif
