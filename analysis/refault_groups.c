// SPDX-License-Identifier: GPL-2.0-or-later
/* Refault counts by group: see refault_groups.h. */
#include "analysis/refault_groups.h"

#include <errno.h>
#include <stdlib.h>

void pt_refault_groups_init(struct pt_refault_groups *s, const struct pt_refault_options *opt)
{
	*s = (struct pt_refault_groups){
		.by = opt->by,
		.section_of = opt->section_of,
		.section_ctx = opt->section_ctx,
		.cgroups = opt->cgroups,
		.ncgroups = opt->ncgroups,
	};
	pt_map_init(&s->ids);
}

void pt_refault_groups_done(struct pt_refault_groups *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].evicted_pages);
	free(s->v);
	pt_map_done(&s->ids);
	*s = (struct pt_refault_groups){ 0 };
}

static uint32_t key_of(const struct pt_refault_groups *s, const struct pt_refault_who *who)
{
	switch (s->by) {
	case PT_BY_CGROUP:
		return who->cgroup;
	case PT_BY_FILE:
		return who->file;
	case PT_BY_TASK:
		return who->task;
	default:
		return who->node;
	}
}

/* 0 or a negative errno. */
static int get_key(const struct pt_refault_groups *s, const struct pt_refault_who *who,
		   uint32_t *ret_key)
{
	int key;

	if (s->by != PT_BY_SECTION) {
		*ret_key = key_of(s, who);
		return 0;
	}
	key = s->section_of(s->section_ctx, who->file, who->page);
	if (key < 0)
		return key;
	*ret_key = (uint32_t)key;
	return 0;
}

static int append(struct pt_refault_groups *s, uint32_t key, uint64_t *ret_index)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 16;
		struct pt_refault_group *v = reallocarray(s->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		s->v = v;
		s->cap = cap;
	}
	if (!pt_map_put(&s->ids, (struct pt_map_key){ .lo = key }, s->n, NULL))
		return -ENOMEM;
	s->v[s->n] = (struct pt_refault_group){ .key = key };
	*ret_index = s->n++;
	return 0;
}

int pt_refault_groups_find(struct pt_refault_groups *s, const struct pt_refault_who *who,
			   struct pt_refault_group **ret_group)
{
	uint64_t *known, index;
	uint32_t key;
	int err;

	*ret_group = NULL;
	if (s->early || (s->cgroups && (who->cgroup >= s->ncgroups || !s->cgroups[who->cgroup])))
		return 0;
	if (s->by == PT_BY_NOTHING)
		return 1;
	err = get_key(s, who, &key);
	if (err < 0)
		return err;
	known = pt_map_get(&s->ids, (struct pt_map_key){ .lo = key });
	if (known)
		index = *known;
	else if (append(s, key, &index) < 0)
		return -ENOMEM;
	*ret_group = &s->v[index];
	return 1;
}

static void count_eviction(struct pt_refault_counts *c, const struct pt_found *found,
			   uint64_t pages, int pageout)
{
	*(pageout ? &c->evictions_pageout : &c->evictions) += pages;
	if (found->has_folio && found->folio.cause == PT_CAUSE_READAHEAD && !found->used &&
	    !found->mapped)
		c->evicted_unused += pages;
}

void pt_refault_groups_evicted(struct pt_refault_groups *s, struct pt_refault_group *group,
			       const struct pt_found *found, uint64_t pages, int pageout)
{
	count_eviction(&s->total, found, pages, pageout);
	if (group)
		count_eviction(&group->counts, found, pages, pageout);
}

int pt_refault_group_distance(struct pt_refault_group *g, uint64_t distance, uint64_t pages)
{
	if (!g->evicted_pages)
		g->evicted_pages = pt_log2hist_new();
	if (!g->evicted_pages)
		return -ENOMEM;
	pt_log2hist_add(g->evicted_pages, distance, pages);
	return 0;
}
