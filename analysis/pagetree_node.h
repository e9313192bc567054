/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a page cache's tree is made of: leaves of 64 pages below branches of 64 leaves. For
 * pagetree.c alone.
 */
#ifndef PT_ANALYSIS_PAGETREE_NODE_H
#define PT_ANALYSIS_PAGETREE_NODE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analysis/pagetree.h"

#define SHIFT 6 /* XA_CHUNK_SHIFT of 64-bit kernels */
#define SLOTS (1u << SHIFT)

#define LINE 64 /* bytes of memory that a CPU fetches at a time */

/*
 * A leaf, or the part of a branch that holds entries of its own. Masks have a bit for each slot.
 * Large trees lie in memory that no cache holds: an access looks at the first line only, an
 * addition or eviction of a page at that and at its entry, as long as others of the node are
 * cached.
 */
struct node {
	uint64_t pages, shadows;
	uint64_t used, twice, owed; /* of pages: see enum pt_tree_add_flags */
	uint64_t mapped;            /* of pages: see pt_pagetree_map() */
	uint64_t large;             /* slots of entries that have more than one */
	struct branch *parent;      /* NULL: this is a branch's */
	uint8_t order[SLOTS];       /* log2 of the entry's slots, at each that is large */
	struct pt_shadow_link link;
	uint64_t children;       /* branch: slots that hold a leaf */
	struct pt_folio *folios; /* by an entry's first slot; NULL in a branch without entries */
	uint8_t place;           /* leaf: its slot in the parent */
} __attribute__((aligned(LINE)));

_Static_assert(offsetof(struct node, order) == LINE, "what every operation reads is one line");
_Static_assert(LINE % sizeof(struct pt_folio) == 0, "folios do not straddle lines");

struct leaf {
	struct node n;
	struct pt_folio folios[SLOTS];
};

/* 64 pages of a branch. */
struct below {
	struct leaf *leaf; /* NULL: none */
	uint64_t known;    /* a bit for each page of which the tape has spoken */
};

struct branch {
	struct node n;
	struct below below[SLOTS];
	uint64_t index; /* page >> 12 */
	uint32_t file;
	struct branch *next; /* of the same file */
};

static inline uint64_t mask_of(unsigned int slot, unsigned int n)
{
	return (n >= SLOTS ? UINT64_MAX : (UINT64_C(1) << n) - 1) << slot;
}

static inline struct pt_folio *folios_of(struct node *n)
{
	return n->parent ? ((struct leaf *)n)->folios : n->folios;
}

static inline unsigned int order_of(const struct node *n, unsigned int slot)
{
	return n->large >> slot & 1 ? n->order[slot] : 0;
}

static inline void set_order(struct node *n, unsigned int slot, unsigned int slots,
			     unsigned int order)
{
	uint64_t mask = mask_of(slot, slots);

	if (order) {
		n->large |= mask;
		memset(n->order + slot, (int)order, slots);
	} else {
		n->large &= ~mask;
	}
}

static inline unsigned int head_of(const struct node *n, unsigned int slot)
{
	return slot & ~((1u << order_of(n, slot)) - 1);
}

/* The slots in @mask that hold a leaf. */
static inline uint64_t leaves_in(const struct node *n, uint64_t mask)
{
	return n->parent ? 0 : n->children & mask;
}

static inline unsigned int lowest(uint64_t mask)
{
	return (unsigned int)__builtin_ctzll(mask);
}

static inline unsigned int highest(uint64_t mask)
{
	return 63 - (unsigned int)__builtin_clzll(mask);
}

#endif
