// SPDX-License-Identifier: GPL-2.0-or-later
/* Folios by pfn, and those not used yet: see folios.h. */
#include "capture/folios.h"

#include <errno.h>
#include <stdlib.h>

#include "formats/record.h"

#define NONE          UINT32_MAX
#define LARGEST_ORDER 11 /* MAX_XAS_ORDER: the page cache has no larger folios */

static struct pt_map_key key_of(uint64_t pfn)
{
	return (struct pt_map_key){ 0, pfn };
}

int pt_folios_init(struct pt_folios *f)
{
	*f = (struct pt_folios){ .free_list = NONE };
	pt_map_init(&f->by_pfn);
	f->fresh = calloc(PT_FRESH_ROOM, sizeof(*f->fresh));
	return f->fresh ? 0 : -ENOMEM;
}

void pt_folios_done(struct pt_folios *f)
{
	pt_map_done(&f->by_pfn);
	free(f->all);
	free(f->fresh);
	f->all = NULL;
	f->fresh = NULL;
}

/* A free place in all[], NONE where there is no room. */
static uint32_t take_place(struct pt_folios *f)
{
	uint32_t place = f->free_list, room;
	struct pt_seen_folio *all;

	if (place != NONE) {
		f->free_list = f->all[place].file;
		return place;
	}
	if (f->count == f->room) {
		room = f->room ? f->room * 2 : 4096;
		all = room <= PT_FOLIOS_MAX ? reallocarray(f->all, room, sizeof(*all)) : NULL;
		if (!all)
			return NONE;
		f->all = all;
		f->room = room;
	}
	return f->count++;
}

int pt_folios_add(struct pt_folios *f, uint64_t pfn, uint32_t file, uint64_t page, uint8_t order)
{
	uint64_t *place = pt_map_get(&f->by_pfn, key_of(pfn));
	uint32_t taken;

	if (!place) {
		taken = take_place(f);
		if (taken == NONE) {
			f->untracked++;
			return 0;
		}
		place = pt_map_put(&f->by_pfn, key_of(pfn), taken, NULL);
		if (!place)
			return -ENOMEM;
	}
	f->all[*place] = (struct pt_seen_folio){ .page = page, .file = file, .order = order };
	return 0;
}

struct pt_seen_folio *pt_folios_find(struct pt_folios *f, uint64_t pfn)
{
	const uint64_t *place = pt_map_get(&f->by_pfn, key_of(pfn));

	return place ? &f->all[*place] : NULL;
}

void pt_folios_del(struct pt_folios *f, uint64_t pfn)
{
	const uint64_t *place = pt_map_get(&f->by_pfn, key_of(pfn));

	if (!place)
		return;
	f->all[*place].file = f->free_list;
	f->free_list = (uint32_t)*place;
	pt_map_del(&f->by_pfn, key_of(pfn));
}

static struct pt_fresh *fresh_slot(const struct pt_folios *f, uint32_t file, uint64_t page)
{
	/* Neighbouring pages of a file take neighbouring slots; files start at scattered ones. */
	uint64_t i = page + file * UINT64_C(0x9e3779b97f4a7c15);

	return &f->fresh[i & (PT_FRESH_ROOM - 1)];
}

static struct pt_fresh *fresh_find(const struct pt_folios *f, uint32_t file, uint64_t page)
{
	struct pt_fresh *slot, *newest = NULL;

	for (uint32_t left = f->orders; left; left &= left - 1) {
		int order = __builtin_ctz(left);
		uint64_t head = page & ~((UINT64_C(1) << order) - 1);

		slot = fresh_slot(f, file, head);
		if (slot->in_use && slot->file == file && slot->page == head &&
		    slot->order == order && (!newest || slot->added_ns >= newest->added_ns))
			newest = slot;
	}
	return newest;
}

static uint32_t *unused_of(struct pt_folios *f, uint32_t file)
{
	return &f->unused[file % PT_FRESH_COUNTS];
}

void pt_folios_read_in(struct pt_folios *f, uint32_t file, uint64_t page, uint8_t order,
		       uint64_t now_ns)
{
	struct pt_fresh *slot = fresh_slot(f, file, page);

	if (order > LARGEST_ORDER)
		return;
	if (slot->in_use && slot->uptodate_ns == PT_UNKNOWN)
		--*unused_of(f, slot->file);
	*slot = (struct pt_fresh){ .page = page,
				   .added_ns = now_ns,
				   .uptodate_ns = PT_UNKNOWN,
				   .file = file,
				   .order = order,
				   .in_use = 1 };
	++*unused_of(f, file);
	f->orders |= UINT32_C(1) << order;
}

const struct pt_fresh *pt_folios_fresh(const struct pt_folios *f, uint32_t file, uint64_t page)
{
	return fresh_find(f, file, page);
}

int pt_folios_is_fresh(const struct pt_folios *f, uint32_t file, uint64_t page, uint64_t since_ns)
{
	const struct pt_fresh *slot = fresh_find(f, file, page);

	return slot && slot->uptodate_ns > since_ns;
}

void pt_folios_use(struct pt_folios *f, uint32_t file, uint64_t first, uint64_t end,
		   uint64_t now_ns)
{
	/* Nothing older than the table's room is remembered. */
	if (end - first > PT_FRESH_ROOM)
		first = end - PT_FRESH_ROOM;
	while (first < end && *unused_of(f, file)) {
		struct pt_fresh *slot = fresh_find(f, file, first);

		first = slot ? slot->page + (UINT64_C(1) << slot->order) : first + 1;
		if (!slot || slot->uptodate_ns != PT_UNKNOWN)
			continue;
		slot->uptodate_ns = now_ns;
		--*unused_of(f, file);
	}
}
