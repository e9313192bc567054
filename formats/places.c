// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of a block being packed: see places.h. */
#include "formats/places.h"

#include <errno.h>
#include <stdlib.h>

void pt_places_done(struct pt_places *l)
{
	free(l->place);
	free(l->used);
	*l = (struct pt_places){ 0 };
}

int pt_places_reserve(struct pt_places *l, uint32_t n)
{
	uint32_t *place;

	if (n <= l->cap)
		return 0;
	place = reallocarray(l->place, (size_t)n * 2, sizeof(*place));
	if (!place)
		return -ENOMEM;
	for (size_t i = l->cap; i < (size_t)n * 2; i++)
		place[i] = 0;
	l->place = place;
	l->cap = n * 2;
	return 0;
}

static int add(struct pt_places *l, uint32_t id)
{
	if (l->n_used == l->used_cap) {
		uint32_t cap = l->used_cap ? l->used_cap * 2 : 64;
		uint32_t *used = reallocarray(l->used, cap, sizeof(*used));

		if (!used)
			return -ENOMEM;
		l->used = used;
		l->used_cap = cap;
	}
	l->used[l->n_used++] = id;
	l->place[id] = l->n_used;
	return 0;
}

int pt_places_of(struct pt_places *l, uint64_t *v, uint32_t n, uint32_t n_ids)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id;

		if (!v[i])
			continue;
		if (v[i] > n_ids)
			return -EINVAL;
		id = (uint32_t)(v[i] - 1);
		if (!l->place[id] && add(l, id) < 0)
			return -ENOMEM;
		v[i] = l->place[id];
	}
	return 0;
}

void pt_places_clear(struct pt_places *l)
{
	for (uint32_t i = 0; i < l->n_used; i++)
		l->place[l->used[i]] = 0;
	l->n_used = 0;
}
