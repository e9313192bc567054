// SPDX-License-Identifier: GPL-2.0-or-later
/* LRU stack distances: see stackdist.h. */
#include "analysis/stackdist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

#define FAN_BITS    4
#define FAN         (1u << FAN_BITS)
#define MIN_MOMENTS 1024u
#define MIN_SLOTS   64u
#define ROOM        4 /* moments for each live slot when there must be more */

static void release_tree(struct pt_stackdist *s)
{
	free(s->bits);
	free(s->owners);
	for (unsigned int i = 0; i < PT_STACKDIST_LEVELS; i++)
		free(s->counts[i]);
}

void pt_stackdist_done(struct pt_stackdist *s)
{
	release_tree(s);
	free(s->last);
	*s = (struct pt_stackdist){ 0 };
}

static void add(struct pt_stackdist *s, uint32_t moment)
{
	uint32_t i = moment >> 6;

	for (unsigned int l = 0; l < s->levels; l++, i >>= FAN_BITS)
		s->counts[l][i]++;
}

/* From place FAN - 1 - i on: all ones for those of FAN that are behind number i. */
static const uint32_t behind[2 * FAN] = {
	[FAN] = UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
	UINT32_MAX,         UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
	UINT32_MAX,         UINT32_MAX, UINT32_MAX, UINT32_MAX,
};

/* Clear the bit of @moment; the number of those behind it. */
static uint32_t take_out(struct pt_stackdist *s, uint32_t moment)
{
	uint32_t i = moment >> 6;
	uint32_t n = pt_ones(s->bits[i] >> (moment & 63)) - 1;

	s->bits[i] &= ~(UINT64_C(1) << (moment & 63));
	for (unsigned int l = 0; l < s->levels; l++, i >>= FAN_BITS) {
		uint32_t *node = &s->counts[l][i & ~(FAN - 1)];
		uint32_t own = i & (FAN - 1);

		/* All of the node, so that the compiler may do it at once. */
		for (uint32_t k = 0; k < FAN; k++)
			n += node[k] & behind[FAN - 1 - own + k];
		node[own]--;
	}
	return n;
}

static int make_tree(struct pt_stackdist *s, uint32_t moments)
{
	size_t n = moments >> 6;

	s->moments = moments;
	s->bits = calloc(n, sizeof(*s->bits));
	s->owners = malloc(moments * sizeof(*s->owners));
	if (!s->bits || !s->owners)
		return -ENOMEM;
	for (s->levels = 0; !s->levels || n > 1; n = (n + FAN - 1) >> FAN_BITS) {
		size_t padded = (n + FAN - 1) & ~(size_t)(FAN - 1);
		uint32_t *c = aligned_alloc(FAN * sizeof(*c), padded * sizeof(*c));

		if (!c)
			return -ENOMEM;
		memset(c, 0, padded * sizeof(*c));
		s->counts[s->levels++] = c;
	}
	return 0;
}

/* Begin anew with the live slots alone, in their order. */
static int squeeze(struct pt_stackdist *s)
{
	struct pt_stackdist next = { .last = s->last, .slots = s->slots };
	uint32_t moments = s->moments ? s->moments : MIN_MOMENTS;

	if (s->live > PT_STACKDIST_MAX)
		return -E2BIG;
	if (s->live > moments / 2)
		while (moments / ROOM < s->live)
			moments *= 2;
	if (make_tree(&next, moments) < 0) {
		release_tree(&next);
		return -ENOMEM;
	}
	for (uint32_t w = 0; w < s->moments >> 6; w++) {
		for (uint64_t bits = s->bits[w]; bits; bits &= bits - 1) {
			uint32_t to = next.now++;

			next.owners[to] = s->owners[w << 6 | (uint32_t)__builtin_ctzll(bits)];
			next.bits[to >> 6] |= UINT64_C(1) << (to & 63);
			add(&next, to);
			next.last[next.owners[to]] = next.now;
		}
	}
	next.live = s->live;
	release_tree(s);
	*s = next;
	return 0;
}

static int make_room(struct pt_stackdist *s, uint32_t slot)
{
	size_t n = s->slots ? s->slots : MIN_SLOTS;
	uint32_t *last;

	while (n <= slot)
		n *= 2;
	last = reallocarray(s->last, n, sizeof(*last));
	if (!last)
		return -ENOMEM;
	memset(last + s->slots, 0, (n - s->slots) * sizeof(*last));
	s->last = last;
	s->slots = n;
	return 0;
}

void pt_stackdist_forget(struct pt_stackdist *s, uint32_t slot)
{
	if (slot >= s->slots || !s->last[slot])
		return;
	take_out(s, s->last[slot] - 1);
	s->last[slot] = 0;
	s->live--;
}

int pt_stackdist_touch(struct pt_stackdist *s, uint32_t slot, uint32_t *ret_distance)
{
	uint32_t now, distance = PT_STACKDIST_COLD;
	int err = slot >= s->slots ? make_room(s, slot) : 0;

	if (!err && s->now == s->moments)
		err = squeeze(s);
	if (err < 0)
		return err;
	if (s->last[slot])
		distance = take_out(s, s->last[slot] - 1);
	else
		s->live++;
	now = s->now++;
	s->bits[now >> 6] |= UINT64_C(1) << (now & 63);
	add(s, now);
	s->owners[now] = slot;
	s->last[slot] = now + 1;
	*ret_distance = distance;
	return 0;
}
