// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of shadow-only nodes: see shadowlist.h. */
#include "analysis/shadowlist.h"

#include <errno.h>
#include <stdlib.h>

void pt_shadowlists_init(struct pt_shadowlists *s)
{
	*s = (struct pt_shadowlists){ 0 };
	pt_map_init(&s->ids);
}

void pt_shadowlists_done(struct pt_shadowlists *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->lists[i]);
	free(s->lists);
	pt_map_done(&s->ids);
	*s = (struct pt_shadowlists){ 0 };
}

static int append(struct pt_shadowlists *s, const struct pt_owner *owner)
{
	struct pt_shadowlist *l;

	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 16;
		struct pt_shadowlist **v = reallocarray(s->lists, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		s->lists = v;
		s->cap = cap;
	}
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->owner = *owner;
	l->ends.prev = l->ends.next = &l->ends;
	s->lists[s->n++] = l;
	return 0;
}

int pt_shadowlists_intern(struct pt_shadowlists *s, const struct pt_owner *owner, uint32_t *ret)
{
	struct pt_map_key key = { .hi = (uint64_t)owner->kind << 32 | owner->node,
				  .lo = owner->id };
	uint64_t *id = pt_map_get(&s->ids, key);

	if (!id) {
		if (append(s, owner) < 0)
			return -ENOMEM;
		id = pt_map_put(&s->ids, key, s->n - 1, NULL);
		if (!id) {
			free(s->lists[--s->n]);
			return -ENOMEM;
		}
	}
	*ret = (uint32_t)*id;
	return 0;
}

void pt_shadowlists_add(struct pt_shadowlists *s, struct pt_shadow_link *link)
{
	struct pt_shadow_link *ends = &s->lists[link->list]->ends;

	if (link->listed)
		return;
	link->listed = 1;
	link->seq = s->seq++;
	link->prev = ends->prev;
	link->next = ends;
	ends->prev->next = link;
	ends->prev = link;
}

void pt_shadowlists_del(struct pt_shadow_link *link)
{
	if (!link->listed)
		return;
	link->listed = 0;
	link->prev->next = link->next;
	link->next->prev = link->prev;
}

struct pt_shadow_link *pt_shadowlists_oldest(const struct pt_shadowlists *s,
					     int (*eligible)(const void *ctx,
							     const struct pt_owner *owner),
					     const void *ctx)
{
	struct pt_shadow_link *oldest = NULL;

	for (size_t i = 0; i < s->n; i++) {
		struct pt_shadow_link *first = s->lists[i]->ends.next;

		if (first == &s->lists[i]->ends || (oldest && oldest->seq < first->seq))
			continue;
		if (eligible(ctx, &s->lists[i]->owner))
			oldest = first;
	}
	return oldest;
}
