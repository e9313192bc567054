// SPDX-License-Identifier: GPL-2.0-or-later
/* Telling advice that a tape does not have from what was read in. */
#include "replay/habit.h"

#include <errno.h>
#include <stdlib.h>

#define ENOUGH    16 /* misses that say something: the first few may come before a habit */
#define TOLERANCE 64 /* one page read ahead in so many is what came before the advice */

void pt_habits_init(struct pt_habits *h)
{
	*h = (struct pt_habits){ 0 };
	pt_map_init(&h->index);
}

void pt_habits_done(struct pt_habits *h)
{
	pt_map_done(&h->index);
	free(h->v);
	h->v = NULL;
}

static struct pt_habit *habit_of(struct pt_habits *h, uint32_t task, uint32_t file)
{
	int added = 0;
	uint64_t *slot;

	if (h->n == h->cap) {
		uint32_t cap = h->cap ? h->cap * 2 : 64;
		struct pt_habit *v = reallocarray(h->v, cap, sizeof(*v));

		if (!v)
			return NULL;
		h->v = v;
		h->cap = cap;
	}
	slot = pt_map_put(&h->index, (struct pt_map_key){ task, file }, h->n, &added);
	if (!slot)
		return NULL;
	if (added)
		h->v[h->n++] = (struct pt_habit){ 0 };
	return &h->v[*slot];
}

int pt_habits_learn(struct pt_habits *h, const struct pt_record *rec)
{
	struct pt_habit *habit;

	if ((rec->kind != PT_ACCESS && rec->kind != PT_ADD) || rec->task == PT_UNKNOWN32 ||
	    rec->file == PT_UNKNOWN32)
		return 0;
	habit = habit_of(h, rec->task, rec->file);
	if (!habit)
		return -ENOMEM;
	if (rec->kind == PT_ACCESS)
		habit->read_misses += rec->how == PT_HOW_READ && rec->flags != PT_UNKNOWN32 &&
				      (rec->flags & PT_IO_MISS);
	else if (rec->how == PT_CAUSE_READAHEAD || (rec->order != PT_UNKNOWN8 && rec->order > 0))
		habit->ahead_pages++;
	else
		habit->fault_pages += rec->how == PT_CAUSE_FAULT;
	return 0;
}

int pt_habits_random(const struct pt_habits *h, uint32_t task, uint32_t file, int mapped)
{
	const uint64_t *slot = pt_map_get(&h->index, (struct pt_map_key){ task, file });
	uint64_t missed;

	if (!slot)
		return 0;
	missed = mapped ? h->v[*slot].fault_pages : h->v[*slot].read_misses;
	return missed >= ENOUGH && h->v[*slot].ahead_pages * TOLERANCE <= missed;
}
