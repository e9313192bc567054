// SPDX-License-Identifier: GPL-2.0-or-later
/* Folios by pfn, and pages not used yet: see folios.h. */
#include "capture/folios.h"

#include <errno.h>
#include <stdlib.h>

#include "formats/record.h"

#define NONE        UINT32_MAX
#define WOKEN_NS    UINT64_C(10000000) /* two tasks waiting for one page: how far apart they run */
#define LARGE_ORDER 9                  /* of the largest folios that are looked for */

static struct pt_map_key key_of(uint64_t pfn)
{
	return (struct pt_map_key){ 0, pfn };
}

int pt_folios_init(struct pt_folios *f)
{
	*f = (struct pt_folios){ .free_list = NONE };
	pt_map_init(&f->by_pfn);
	f->fresh = calloc(PT_FRESH_ROOM, sizeof(*f->fresh));
	if (!f->fresh)
		return -ENOMEM;
	for (size_t i = 0; i < PT_FRESH_ROOM; i++)
		f->fresh[i].file = NONE;
	return 0;
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
	struct pt_fresh *slot;

	for (int order = 0; order <= LARGE_ORDER; order++) {
		uint64_t head = page & ~((UINT64_C(1) << order) - 1);

		slot = fresh_slot(f, file, head);
		if (slot->file == file && slot->page == head && slot->order >= order)
			return slot;
	}
	return NULL;
}

void pt_folios_read_in(struct pt_folios *f, uint32_t file, uint64_t page, uint8_t order)
{
	*fresh_slot(f, file, page) =
		(struct pt_fresh){ .page = page, .file = file, .order = order };
}

uint64_t pt_folios_skip(const struct pt_folios *f, uint32_t file, uint64_t page, unsigned int n)
{
	while (n--) {
		const struct pt_fresh *slot = fresh_find(f, file, page);

		if (!slot)
			return PT_UNKNOWN;
		page = slot->page + (UINT64_C(1) << slot->order);
	}
	return page;
}

int pt_folios_is_fresh(const struct pt_folios *f, uint32_t file, uint64_t page, uint32_t pid,
		       uint64_t now_ns)
{
	const struct pt_fresh *slot = fresh_find(f, file, page);

	if (!slot)
		return 0;
	return !slot->used_ns || (slot->user != pid && now_ns - slot->used_ns < WOKEN_NS);
}

void pt_folios_use(struct pt_folios *f, uint32_t file, uint64_t page, uint32_t pid, uint64_t now_ns)
{
	struct pt_fresh *slot = fresh_find(f, file, page);

	if (!slot || slot->used_ns)
		return;
	slot->used_ns = now_ns;
	slot->user = pid;
}
