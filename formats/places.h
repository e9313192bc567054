/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in a block's table, counted from 1, for the ids of one sort that the block uses.
 */
#ifndef PT_FORMATS_PLACES_H
#define PT_FORMATS_PLACES_H

#include <stdint.h>

struct pt_places {
	uint32_t *place; /* by global id; 0: not in this block */
	uint32_t cap;
	uint32_t *used; /* global ids in order of places */
	uint32_t n_used, used_cap;
};

/* All zero is an empty one. */
void pt_places_done(struct pt_places *l);

/* Make room for @n ids. 0 or -ENOMEM. */
int pt_places_reserve(struct pt_places *l, uint32_t n);

/*
 * Change @n stored ids, 0 for unknown, to stored places; there must be room for all @n_ids ids.
 * 0, -EINVAL (an id beyond them), -ENOMEM.
 */
int pt_places_of(struct pt_places *l, uint64_t *v, uint32_t n, uint32_t n_ids);

/* Forget all places, keep the memory. */
void pt_places_clear(struct pt_places *l);

#endif
