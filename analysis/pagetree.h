/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page cache of every file as the kernel's xarray holds it: folios, shadows, and which tree
 * nodes the shadow shrinker could free.
 *
 * The model follows lib/xarray.c and mm/filemap.c. A leaf has 64 slots of one page, its parent 64
 * slots of 64 pages; a folio of order below 6 fills slots of a leaf, one of order 6 to 11 slots of
 * the parent. A file whose only entry is page 0 has no nodes at all. Entries that are larger than
 * what replaces a part of them are split first, as 6.15 and later do it (only along the path;
 * before, the whole entry was split evenly). Storing over shadows yields the last of them. A node
 * is on its owner's list (shadowlist.h) exactly while all its filled slots are shadows.
 *
 * Memory: 4.4 KiB for 64 neighbouring pages of which one is cached or has a shadow, and one bit for
 * a page that ever was. Not thread-safe.
 */
#ifndef PT_ANALYSIS_PAGETREE_H
#define PT_ANALYSIS_PAGETREE_H

#include <stdint.h>

#include "analysis/shadowlist.h"

#define PT_TREE_MAX_ORDER 11
#define PT_TREE_MAX_PAGE  (UINT64_C(1) << 52) /* a file of 2^63 bytes is smaller */

/*
 * What is kept with a cached folio or with its shadow. The tree copies it, no more: which of the
 * two it is, says where it was found.
 */
struct pt_folio {
	uint64_t ts_ns; /* added, or evicted; PT_UNKNOWN: before the tape began */
	union {
		uint64_t refault;   /* folio: rank + 1 of the refault that brought it; 0: none */
		uint64_t evictions; /* shadow: its owner's evictions so far, itself included */
	};
	union {
		struct {
			uint32_t adder; /* folio: the task that added it, PT_UNKNOWN32 */
			uint8_t cause;  /* folio: enum pt_cause, PT_UNKNOWN8 */
		};
		uint64_t age; /* shadow: the target's nonresident age, itself excluded */
	};
	uint32_t owner;  /* lruvec of the owner */
	uint32_t target; /* shadow: lruvec whose reclaim it was; folio: that of its refault */
} __attribute__((aligned(32))); /* half a line of the CPU's cache */

/* Where a folio lies. Pages that are no multiple of 2^order are rounded down. */
struct pt_extent {
	uint64_t page;
	uint32_t file;
	uint32_t order; /* at most PT_TREE_MAX_ORDER */
};

enum pt_tree_add_flags {
	PT_TREE_USED = 1 << 0, /* the task wanted these pages: that is their first access */
	PT_TREE_OWED = 1 << 1, /* and the next touch is that same access, not another one */
};

/* What a store found in its place. */
struct pt_found {
	struct pt_folio shadow; /* the last shadow, where has_shadow */
	struct pt_folio folio;  /* the first cached folio, where has_folio */
	uint64_t unknown_pages; /* never seen before, nor anything known of them */
	int has_shadow, has_folio;
	int used;   /* some page of the folio was accessed */
	int twice;  /* and some page at least twice */
	int mapped; /* some page may have been accessed: it was mapped beside another */
	/* Add and evict: what was stored, to be corrected before the next call. */
	struct pt_folio *stored;
};

struct pt_pagetree;

/* NULL when out of memory. */
struct pt_pagetree *pt_pagetree_new(void);
void pt_pagetree_free(struct pt_pagetree *t);

/*
 * Put a folio at @at, over whatever is there. @owner is charged for a new tree node. 0, -EINVAL for
 * an order or page too large, or -ENOMEM (a part may be done: give up). @ret_found is always
 * filled.
 */
int pt_pagetree_add(struct pt_pagetree *t, const struct pt_extent *at, const struct pt_owner *owner,
		    const struct pt_folio *folio, unsigned int flags, struct pt_found *ret_found);

/* Put a shadow there. Errors as above. */
int pt_pagetree_evict(struct pt_pagetree *t, const struct pt_extent *at,
		      const struct pt_owner *owner, const struct pt_folio *shadow,
		      struct pt_found *ret_found);

/* Leave nothing there. Errors as above. */
int pt_pagetree_remove(struct pt_pagetree *t, const struct pt_extent *at,
		       const struct pt_owner *owner, struct pt_found *ret_found);

/*
 * Have the memory at hand that an operation on this page will need: first step 0, then, for what
 * that fetches, step 1 for a touch, or step 2 for what stores. Worth it where many operations
 * are known ahead.
 */
void pt_pagetree_expect(const struct pt_pagetree *t, uint32_t file, uint64_t page, int step);

/* What is there, changing nothing; unknown_pages and stored are not filled. */
void pt_pagetree_peek(struct pt_pagetree *t, const struct pt_extent *at,
		      struct pt_found *ret_found);

/* An access to @npages (more than the largest read, 2 GiB of 4 KiB pages, is cut). */
void pt_pagetree_touch(struct pt_pagetree *t, uint32_t file, uint64_t page, uint64_t npages);

/* Pages that were mapped around a fault: whether they are touched then, nobody sees. */
void pt_pagetree_map(struct pt_pagetree *t, uint32_t file, uint64_t page, uint64_t npages);

/* Forget the shadows in a range, as truncation and DONTNEED do; folios stay. */
void pt_pagetree_forget(struct pt_pagetree *t, uint32_t file, uint64_t page, uint64_t npages);

/*
 * The shadow shrinker freed @nodes: the oldest on the lists that are @eligible. Returns how many
 * of them there were.
 */
uint64_t pt_pagetree_shrink(struct pt_pagetree *t, uint64_t nodes,
			    int (*eligible)(const void *ctx, const struct pt_owner *owner),
			    const void *ctx);

/* Slots that hold something in all of a file's nodes; 64 pages count as one where a folio has 64 or
 * more. */
uint64_t pt_pagetree_filled(const struct pt_pagetree *t, uint32_t file);

#endif
