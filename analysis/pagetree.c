// SPDX-License-Identifier: GPL-2.0-or-later
/* The page cache's trees: see pagetree.h. */
#include "analysis/pagetree.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pagetree_node.h"
#include "util/bits.h"

struct file {
	struct branch *branches;
	uint64_t filled;
};

#define MAX_TOUCH ((UINT64_C(0x7ffff000) >> 12) + 2) /* MAX_RW_COUNT, both ends unaligned */
#define RECENT    1024 /* branches found without hashing: 16 GiB of files, if they are few */

struct pt_pagetree {
	struct file *files;
	uint32_t nfiles;
	struct pt_map branches; /* (file, index) -> struct branch * */
	struct branch *recent[RECENT];
	struct pt_shadowlists lists;
};

struct pt_pagetree *pt_pagetree_new(void)
{
	struct pt_pagetree *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	pt_map_init(&t->branches);
	pt_shadowlists_init(&t->lists);
	return t;
}

static void branch_free(struct branch *b)
{
	for (unsigned int i = 0; i < SLOTS; i++)
		free(b->below[i].leaf);
	free(b->n.folios);
	free(b);
}

void pt_pagetree_free(struct pt_pagetree *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->nfiles; i++) {
		struct branch *next;

		for (struct branch *b = t->files[i].branches; b; b = next) {
			next = b->next;
			branch_free(b);
		}
	}
	free(t->files);
	pt_map_done(&t->branches);
	pt_shadowlists_done(&t->lists);
	free(t);
}

/* ---- Finding and making nodes */

/* calloc() at the begin of a line; @size is whole lines. */
static void *zeroed(size_t size)
{
	void *p = aligned_alloc(LINE, size);

	return p ? memset(p, 0, size) : NULL;
}

static struct file *file_get(struct pt_pagetree *t, uint32_t id)
{
	if (id >= t->nfiles) {
		uint64_t n = (uint64_t)id + id / 2 + 16;
		struct file *v;

		if (n > UINT32_MAX)
			return NULL;
		v = reallocarray(t->files, n, sizeof(*v));
		if (!v)
			return NULL;
		memset(v + t->nfiles, 0, (n - t->nfiles) * sizeof(*v));
		t->files = v;
		t->nfiles = (uint32_t)n;
	}
	return &t->files[id];
}

static unsigned int recent_place(uint32_t file, uint64_t index)
{
	return (unsigned int)((index ^ (uint64_t)file * 31) % RECENT);
}

static struct branch *branch_find(struct pt_pagetree *t, uint32_t file, uint64_t index)
{
	struct branch **recent = &t->recent[recent_place(file, index)];
	uint64_t *v;

	if (*recent && (*recent)->index == index && (*recent)->file == file)
		return *recent;
	v = pt_map_get(&t->branches, (struct pt_map_key){ .hi = file, .lo = index });
	if (!v)
		return NULL;
	*recent = (struct branch *)(uintptr_t)*v;
	return *recent;
}

static struct branch *branch_make(struct pt_pagetree *t, uint32_t file, uint64_t index,
				  const struct pt_owner *owner)
{
	struct branch *b = branch_find(t, file, index);
	struct file *f;

	if (b)
		return b;
	f = file_get(t, file);
	b = zeroed(sizeof(*b));
	if (!f || !b || pt_shadowlists_intern(&t->lists, owner, &b->n.link.list) < 0 ||
	    !pt_map_put(&t->branches, (struct pt_map_key){ .hi = file, .lo = index }, (uintptr_t)b,
			NULL)) {
		free(b);
		return NULL;
	}
	b->index = index;
	b->file = file;
	b->next = f->branches;
	f->branches = b;
	return b;
}

static int branch_needs_folios(struct branch *b)
{
	if (!b->n.folios)
		b->n.folios = zeroed(SLOTS * sizeof(*b->n.folios));
	return b->n.folios ? 0 : -ENOMEM;
}

static struct leaf *leaf_make(struct pt_pagetree *t, struct branch *b, unsigned int place,
			      const struct pt_owner *owner)
{
	struct leaf *l = b->below[place].leaf;

	if (l)
		return l;
	l = zeroed(sizeof(*l));
	if (!l || pt_shadowlists_intern(&t->lists, owner, &l->n.link.list) < 0) {
		free(l);
		return NULL;
	}
	l->n.parent = b;
	l->n.place = (uint8_t)place;
	b->below[place].leaf = l;
	b->n.children |= UINT64_C(1) << place;
	pt_shadowlists_del(&b->n.link); /* with a child, a branch is more than shadows */
	return l;
}

static struct file *file_of(const struct pt_pagetree *t, const struct node *n)
{
	const struct branch *b = n->parent ? n->parent : (const struct branch *)n;

	return &t->files[b->file];
}

/* ---- Slots */

static void clear_slots(struct pt_pagetree *t, struct node *n, uint64_t mask)
{
	file_of(t, n)->filled -= pt_ones((n->pages | n->shadows) & mask);
	n->pages &= ~mask;
	n->shadows &= ~mask;
	n->used &= ~mask;
	n->twice &= ~mask;
	n->owed &= ~mask;
	n->mapped &= ~mask;
}

/* One entry of 2^order slots from @slot on, in place of what was there. */
static void fill_slots(struct pt_pagetree *t, struct node *n, unsigned int slot, unsigned int order,
		       const struct pt_folio *folio, int shadow)
{
	uint64_t mask = mask_of(slot, 1u << order);

	clear_slots(t, n, mask);
	file_of(t, n)->filled += 1u << order;
	*(shadow ? &n->shadows : &n->pages) |= mask;
	set_order(n, slot, 1u << order, order);
	folios_of(n)[slot] = *folio;
}

/* A file that has nothing but page 0 keeps it in the root, without a node. */
static int is_in_root(const struct pt_pagetree *t, const struct node *n)
{
	return file_of(t, n)->filled == 1 && n->parent && n->parent->index == 0 && n->place == 0 &&
	       ((n->pages | n->shadows) & 1);
}

static void relist(struct pt_pagetree *t, struct node *n)
{
	if (n->shadows && !n->pages && !n->children && !is_in_root(t, n))
		pt_shadowlists_add(&t->lists, &n->link);
	else
		pt_shadowlists_del(&n->link);
}

static void leaf_drop(struct pt_pagetree *t, struct leaf *l)
{
	struct branch *b = l->n.parent;

	clear_slots(t, &l->n, UINT64_MAX);
	pt_shadowlists_del(&l->n.link);
	b->below[l->n.place].leaf = NULL;
	b->n.children &= ~(UINT64_C(1) << l->n.place);
	free(l);
	relist(t, &b->n);
}

/*
 * After a change: lists, an empty leaf, and the file's move into or out of its root. @had_pages:
 * before it, so that the node was on no list.
 */
static void settle(struct pt_pagetree *t, struct node *n, int had_pages)
{
	struct file *f = file_of(t, n);
	struct branch *b = n->parent ? n->parent : (struct branch *)n;
	uint32_t file = b->file;

	if (!had_pages || !n->pages)
		relist(t, n);
	if (n->parent && !(n->pages | n->shadows))
		leaf_drop(t, (struct leaf *)n);
	if (f->filled > SLOTS) /* one store fills at most half as many: page 0 was not alone */
		return;
	b = branch_find(t, file, 0);
	if (b && b->below[0].leaf)
		relist(t, &b->below[0].leaf->n);
}

/* ---- Splitting entries that are larger than what is to be stored */

/* Make the entry over @slot one of entries of 2^order slots. */
static void split_in_node(struct node *n, unsigned int slot, unsigned int order)
{
	unsigned int head = head_of(n, slot), old = order_of(n, slot);
	struct pt_folio *folios = folios_of(n);

	for (unsigned int i = head; i < head + (1u << old); i += 1u << order)
		folios[i] = folios[head];
	set_order(n, head, 1u << old, order);
}

/* Turn a branch's entry over 64 pages into a leaf with two entries of 32. */
static struct leaf *split_to_leaf(struct pt_pagetree *t, struct branch *b, unsigned int slot,
				  const struct pt_owner *owner)
{
	uint64_t bit = UINT64_C(1) << slot;
	int shadow = !!(b->n.shadows & bit);
	int used = !!(b->n.used & bit), twice = !!(b->n.twice & bit);
	int mapped = !!(b->n.mapped & bit);
	struct leaf *l;

	if (order_of(&b->n, slot))
		split_in_node(&b->n, slot, 0);
	l = leaf_make(t, b, slot, owner);
	if (!l)
		return NULL;
	clear_slots(t, &b->n, bit);
	fill_slots(t, &l->n, 0, SHIFT - 1, &b->n.folios[slot], shadow);
	fill_slots(t, &l->n, SLOTS / 2, SHIFT - 1, &b->n.folios[slot], shadow);
	if (used)
		l->n.used = UINT64_MAX;
	if (twice)
		l->n.twice = UINT64_MAX;
	if (mapped)
		l->n.mapped = UINT64_MAX;
	relist(t, &l->n);
	relist(t, &b->n);
	return l;
}

struct place {
	struct node *n;
	struct branch *b;
	unsigned int slot, order; /* order: log2 of slots */
	unsigned int in_branch;   /* the branch's slot that it is, or is below */
};

/* The slots for an extent, with no larger entry over them; n is NULL only when out of memory. */
static struct place place_for(struct pt_pagetree *t, const struct pt_extent *at,
			      const struct pt_owner *owner)
{
	uint64_t page = at->page & ~((UINT64_C(1) << at->order) - 1);
	unsigned int in_branch = page >> SHIFT & (SLOTS - 1);
	struct place p = { .b = branch_make(t, at->file, page >> (2 * SHIFT), owner),
			   .in_branch = in_branch };
	struct leaf *l;

	if (!p.b)
		return p;
	if (at->order >= SHIFT) {
		if (branch_needs_folios(p.b) < 0)
			return p;
		p.n = &p.b->n;
		p.slot = in_branch;
		p.order = at->order - SHIFT;
	} else {
		if ((p.b->n.pages | p.b->n.shadows) >> in_branch & 1)
			l = split_to_leaf(t, p.b, in_branch, owner);
		else
			l = leaf_make(t, p.b, in_branch, owner);
		p.n = l ? &l->n : NULL;
		p.slot = page & (SLOTS - 1);
		p.order = at->order;
	}
	if (p.n && ((p.n->pages | p.n->shadows) >> p.slot & 1) && order_of(p.n, p.slot) > p.order)
		split_in_node(p.n, p.slot, p.order);
	return p;
}

/* ---- What is there */

static void look(struct node *n, uint64_t mask, struct pt_found *f)
{
	if (n->shadows & mask) {
		f->shadow = folios_of(n)[head_of(n, highest(n->shadows & mask))];
		f->has_shadow = 1;
	}
	if ((n->pages & mask) && !f->has_folio) {
		f->folio = folios_of(n)[head_of(n, lowest(n->pages & mask))];
		f->has_folio = 1;
	}
	f->used |= !!(n->used & mask);
	f->mapped |= !!(n->mapped & mask);
	f->twice |= !!(n->twice & mask);
}

/* Look at every slot of a place in order, leaves below it included. */
static void look_all(const struct place *p, struct pt_found *f)
{
	uint64_t mask = mask_of(p->slot, 1u << p->order);

	if (!leaves_in(p->n, mask)) {
		look(p->n, mask, f);
		return;
	}
	for (unsigned int i = p->slot; i < p->slot + (1u << p->order); i++) {
		if (p->b->below[i].leaf)
			look(&p->b->below[i].leaf->n, UINT64_MAX, f);
		else
			look(p->n, UINT64_C(1) << i, f);
	}
}

static uint64_t learn(struct place *p)
{
	uint64_t unknown = 0;

	if (p->n->parent) {
		uint64_t mask = mask_of(p->slot, 1u << p->order),
			 *known = &p->b->below[p->in_branch].known;

		unknown = pt_ones(mask & ~*known);
		*known |= mask;
		return unknown;
	}
	for (unsigned int i = p->slot; i < p->slot + (1u << p->order); i++) {
		unknown += pt_ones(~p->b->below[i].known);
		p->b->below[i].known = UINT64_MAX;
	}
	return unknown;
}

/* Find the place and what is there; leaves under a larger entry go, being replaced. */
static int open_place(struct pt_pagetree *t, const struct pt_extent *at,
		      const struct pt_owner *owner, struct place *ret_p, struct pt_found *found)
{
	struct place p;

	*found = (struct pt_found){ 0 };
	if (at->order > PT_TREE_MAX_ORDER || at->page > PT_TREE_MAX_PAGE)
		return -EINVAL;
	p = place_for(t, at, owner);
	if (!p.n)
		return -ENOMEM;
	look_all(&p, found);
	found->unknown_pages = learn(&p);
	if (leaves_in(p.n, mask_of(p.slot, 1u << p.order)))
		for (unsigned int i = p.slot; i < p.slot + (1u << p.order); i++)
			if (p.b->below[i].leaf)
				leaf_drop(t, p.b->below[i].leaf);
	*ret_p = p;
	return 0;
}

/* ---- The operations */

int pt_pagetree_add(struct pt_pagetree *t, const struct pt_extent *at, const struct pt_owner *owner,
		    const struct pt_folio *folio, unsigned int flags, struct pt_found *ret_found)
{
	struct place p;
	uint64_t mask;
	int had_pages, r = open_place(t, at, owner, &p, ret_found);

	if (r < 0)
		return r;
	mask = mask_of(p.slot, 1u << p.order);
	had_pages = !!p.n->pages;
	fill_slots(t, p.n, p.slot, p.order, folio, 0);
	if (flags & PT_TREE_USED)
		p.n->used |= mask;
	if (flags & PT_TREE_OWED)
		p.n->owed |= mask;
	settle(t, p.n, had_pages);
	ret_found->stored = &folios_of(p.n)[p.slot];
	return 0;
}

int pt_pagetree_evict(struct pt_pagetree *t, const struct pt_extent *at,
		      const struct pt_owner *owner, const struct pt_folio *shadow,
		      struct pt_found *ret_found)
{
	struct place p;
	int had_pages, r = open_place(t, at, owner, &p, ret_found);

	if (r < 0)
		return r;
	had_pages = !!p.n->pages;
	fill_slots(t, p.n, p.slot, p.order, shadow, 1);
	settle(t, p.n, had_pages);
	ret_found->stored = &folios_of(p.n)[p.slot];
	return 0;
}

int pt_pagetree_remove(struct pt_pagetree *t, const struct pt_extent *at,
		       const struct pt_owner *owner, struct pt_found *ret_found)
{
	struct place p;
	int had_pages, r = open_place(t, at, owner, &p, ret_found);

	if (r < 0)
		return r;
	had_pages = !!p.n->pages;
	clear_slots(t, p.n, mask_of(p.slot, 1u << p.order));
	settle(t, p.n, had_pages);
	return 0;
}

void pt_pagetree_expect(const struct pt_pagetree *t, uint32_t file, uint64_t page, int step)
{
	uint64_t index = page >> (2 * SHIFT);
	const struct branch *b = t->recent[recent_place(file, index)];
	unsigned int place = page >> SHIFT & (SLOTS - 1), slot = page & (SLOTS - 1);
	const struct leaf *l;

	if (!b || b->index != index || b->file != file)
		return;
	if (!step) {
		__builtin_prefetch(&b->below[place], 1);
		return;
	}
	l = b->below[place].leaf;
	if (!l)
		return;
	__builtin_prefetch(&l->n.pages, 1);
	if (step == 1)
		return;
	__builtin_prefetch(&l->folios[slot], 1);
}

void pt_pagetree_peek(struct pt_pagetree *t, const struct pt_extent *at, struct pt_found *ret_found)
{
	struct place p = { 0 };
	unsigned int in_branch;
	uint64_t page;

	*ret_found = (struct pt_found){ 0 };
	if (at->order > PT_TREE_MAX_ORDER)
		return;
	page = at->page & ~((UINT64_C(1) << at->order) - 1);
	in_branch = page >> SHIFT & (SLOTS - 1);
	p.b = branch_find(t, at->file, page >> (2 * SHIFT));
	if (!p.b)
		return;
	p.n = &p.b->n;
	p.slot = in_branch;
	p.order = at->order >= SHIFT ? at->order - SHIFT : 0;
	if (at->order < SHIFT && p.b->below[in_branch].leaf) {
		p.n = &p.b->below[in_branch].leaf->n;
		p.slot = page & (SLOTS - 1);
		p.order = at->order;
	}
	look_all(&p, ret_found);
}

static void touch_node(struct node *n, uint64_t mask)
{
	uint64_t again;

	mask &= n->pages;
	again = mask & ~n->owed;
	n->owed &= ~mask;
	n->twice |= n->used & again;
	n->used |= mask;
}

static inline void access_node(struct node *n, uint64_t mask, int certain)
{
	if (certain)
		touch_node(n, mask);
	else
		n->mapped |= mask & n->pages;
}

static inline void access_pages(struct pt_pagetree *t, uint32_t file, uint64_t page,
				uint64_t npages, int certain)
{
	uint64_t end = page + (npages < MAX_TOUCH ? npages : MAX_TOUCH);

	if (page > PT_TREE_MAX_PAGE)
		return;
	while (page < end) {
		struct branch *b = branch_find(t, file, page >> (2 * SHIFT));
		unsigned int place = page >> SHIFT & (SLOTS - 1), slot = page & (SLOTS - 1);
		uint64_t left = end - page;
		unsigned int n = left < SLOTS - slot ? (unsigned int)left : SLOTS - slot;

		if (!b) {
			page = ((page >> (2 * SHIFT)) + 1) << (2 * SHIFT);
			continue;
		}
		if (b->below[place].leaf)
			access_node(&b->below[place].leaf->n, mask_of(slot, n), certain);
		else
			access_node(&b->n, UINT64_C(1) << place, certain);
		page += n;
	}
}

void pt_pagetree_touch(struct pt_pagetree *t, uint32_t file, uint64_t page, uint64_t npages)
{
	access_pages(t, file, page, npages, 1);
}

void pt_pagetree_map(struct pt_pagetree *t, uint32_t file, uint64_t page, uint64_t npages)
{
	access_pages(t, file, page, npages, 0);
}

/* Shadows with a slot in @mask, whole entries. */
static void forget_in_node(struct pt_pagetree *t, struct node *n, uint64_t mask)
{
	uint64_t gone = 0;

	for (uint64_t m = n->shadows & mask; m; m &= ~gone) {
		unsigned int slot = lowest(m);

		gone |= mask_of(head_of(n, slot), 1u << order_of(n, slot));
	}
	if (!gone)
		return;
	clear_slots(t, n, gone);
	settle(t, n, !!n->pages);
}

/* The slots of a node, each of 2^shift pages and beginning at page @base, that [first, end) meets.
 */
static uint64_t overlap(uint64_t base, unsigned int shift, uint64_t first, uint64_t end)
{
	uint64_t lo = first > base ? (first - base) >> shift : 0;
	uint64_t hi;

	if (end <= base || lo >= SLOTS)
		return 0;
	hi = (end - base - 1) >> shift;
	if (hi >= SLOTS)
		hi = SLOTS - 1;
	return mask_of((unsigned int)lo, (unsigned int)(hi - lo + 1));
}

void pt_pagetree_forget(struct pt_pagetree *t, uint32_t file, uint64_t page, uint64_t npages)
{
	uint64_t end = npages < UINT64_MAX - page ? page + npages : UINT64_MAX;

	if (file >= t->nfiles || !npages)
		return;
	for (struct branch *b = t->files[file].branches; b; b = b->next) {
		uint64_t base = b->index << (2 * SHIFT);
		uint64_t mask = overlap(base, SHIFT, page, end);

		for (uint64_t m = mask & b->n.children; m; m &= m - 1) {
			unsigned int i = lowest(m);

			forget_in_node(t, &b->below[i].leaf->n,
				       overlap(base + ((uint64_t)i << SHIFT), 0, page, end));
		}
		forget_in_node(t, &b->n, mask);
	}
}

uint64_t pt_pagetree_shrink(struct pt_pagetree *t, uint64_t nodes,
			    int (*eligible)(const void *ctx, const struct pt_owner *owner),
			    const void *ctx)
{
	uint64_t done;

	for (done = 0; done < nodes; done++) {
		struct pt_shadow_link *oldest = pt_shadowlists_oldest(&t->lists, eligible, ctx);
		struct node *n;

		if (!oldest)
			break;
		n = (struct node *)(void *)((char *)oldest - offsetof(struct node, link));
		clear_slots(t, n, UINT64_MAX);
		settle(t, n, 0);
	}
	return done;
}

uint64_t pt_pagetree_filled(const struct pt_pagetree *t, uint32_t file)
{
	return file < t->nfiles ? t->files[file].filled : 0;
}
