// SPDX-License-Identifier: GPL-2.0-or-later
/* Lruvecs: see lruvec.h. */
#include "analysis/lruvec.h"

#include <errno.h>
#include <stdlib.h>

#include "formats/record.h"

#define MAX_DEPTH 64 /* of cgroups; also ends a cycle that a damaged tape may describe */

void pt_lruvecs_init(struct pt_lruvecs *l)
{
	*l = (struct pt_lruvecs){ 0 };
	pt_map_init(&l->ids);
}

void pt_lruvecs_done(struct pt_lruvecs *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].recent);
	free(l->v);
	free(l->parents);
	free(l->limited);
	pt_map_done(&l->ids);
	*l = (struct pt_lruvecs){ 0 };
}

/* Make room for what is known of @cgroup. */
static int meet(struct pt_lruvecs *l, uint32_t cgroup)
{
	size_t n = (size_t)cgroup + cgroup / 2 + 16;
	uint8_t *limited;
	uint32_t *v;

	if (cgroup < l->ncgroups)
		return 0;
	v = reallocarray(l->parents, n, sizeof(*v));
	if (!v)
		return -ENOMEM;
	l->parents = v;
	limited = realloc(l->limited, n);
	if (!limited)
		return -ENOMEM;
	l->limited = limited;
	for (size_t i = l->ncgroups; i < n; i++) {
		v[i] = PT_UNKNOWN32;
		limited[i] = 0;
	}
	l->ncgroups = n;
	return 0;
}

int pt_lruvecs_set_parent(struct pt_lruvecs *l, uint32_t cgroup, uint32_t parent)
{
	if (meet(l, cgroup) < 0)
		return -ENOMEM;
	l->parents[cgroup] = parent;
	return 0;
}

int pt_lruvecs_set_limited(struct pt_lruvecs *l, uint32_t cgroup, int limited)
{
	if (meet(l, cgroup) < 0)
		return -ENOMEM;
	l->limited[cgroup] = !!limited;
	return 0;
}

uint32_t pt_lruvecs_limit_above(const struct pt_lruvecs *l, uint32_t cgroup)
{
	for (int depth = 0; depth < MAX_DEPTH && cgroup < l->ncgroups; depth++) {
		if (l->limited[cgroup])
			return cgroup;
		cgroup = l->parents[cgroup];
	}
	return PT_UNKNOWN32;
}

uint32_t pt_lruvecs_parent(const struct pt_lruvecs *l, uint32_t cgroup)
{
	return cgroup < l->ncgroups ? l->parents[cgroup] : PT_UNKNOWN32;
}

uint32_t pt_lruvecs_root(const struct pt_lruvecs *l, uint32_t cgroup)
{
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		uint32_t parent = pt_lruvecs_parent(l, cgroup);

		if (parent == PT_UNKNOWN32)
			break;
		cgroup = parent;
	}
	return cgroup;
}

uint32_t pt_lruvecs_top(const struct pt_lruvecs *l)
{
	for (uint32_t i = 0; i < l->ncgroups; i++)
		if (l->parents[i] != PT_UNKNOWN32)
			return pt_lruvecs_root(l, i);
	return PT_UNKNOWN32;
}

int pt_lruvecs_is_below(const struct pt_lruvecs *l, uint32_t cgroup, uint32_t ancestor)
{
	for (int depth = 0; depth < MAX_DEPTH && cgroup != PT_UNKNOWN32; depth++) {
		if (cgroup == ancestor)
			return 1;
		cgroup = pt_lruvecs_parent(l, cgroup);
	}
	return 0;
}

static int append(struct pt_lruvecs *l, uint32_t cgroup, uint32_t node, uint32_t *ret_index)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 16;
		struct pt_lruvec *v = reallocarray(l->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		l->v = v;
		l->cap = cap;
	}
	if (!pt_map_put(&l->ids, (struct pt_map_key){ .hi = cgroup, .lo = node }, l->n, NULL))
		return -ENOMEM;
	l->v[l->n] = (struct pt_lruvec){ .cgroup = cgroup, .node = node, .parent = PT_LRUVEC_NONE };
	l->many_nodes |= node != 0;
	*ret_index = (uint32_t)l->n++;
	return 0;
}

int pt_lruvecs_get(struct pt_lruvecs *l, uint32_t cgroup, uint32_t node, uint32_t *ret_index)
{
	uint32_t child = PT_LRUVEC_NONE;

	if (l->last < l->n && l->v[l->last].cgroup == cgroup && l->v[l->last].node == node) {
		*ret_index = (uint32_t)l->last;
		return 0;
	}
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		uint64_t *known =
			pt_map_get(&l->ids, (struct pt_map_key){ .hi = cgroup, .lo = node });
		uint32_t index;

		if (known)
			index = (uint32_t)*known;
		else if (append(l, cgroup, node, &index) < 0)
			return -ENOMEM;
		if (child == PT_LRUVEC_NONE)
			*ret_index = (uint32_t)(l->last = index);
		else
			l->v[child].parent = index;
		cgroup = pt_lruvecs_parent(l, cgroup);
		if (known || cgroup == PT_UNKNOWN32)
			break;
		child = index;
	}
	return 0;
}

void pt_lruvecs_age(struct pt_lruvecs *l, uint32_t index, uint64_t pages)
{
	for (int depth = 0; depth < MAX_DEPTH && index != PT_LRUVEC_NONE; depth++) {
		l->v[index].age += pages;
		index = l->v[index].parent;
	}
}

/* A damaged tape may add up to anything: sums wrap. */
static int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

void pt_lruvecs_resize(struct pt_lruvecs *l, uint32_t index, int64_t file, int64_t active)
{
	for (int depth = 0; depth < MAX_DEPTH && index != PT_LRUVEC_NONE; depth++) {
		struct pt_lruvec *v = &l->v[index];

		v->now.file = sum(v->now.file, file);
		v->now.active = sum(v->now.active, active);
		index = v->parent;
	}
}

void pt_lruvecs_read(struct pt_lruvecs *l, uint32_t index, const struct pt_lru_sizes *sizes)
{
	struct pt_lruvec *v = &l->v[index];

	pt_lruvecs_resize(l, index, sum(sizes->file, -v->now.file),
			  sum(sizes->active, -v->now.active));
	v->now.anon = sizes->anon;
	v->sizes_known = 1;
}

void pt_lruvecs_flush(struct pt_lruvecs *l, uint32_t cgroup)
{
	for (size_t i = 0; i < l->n; i++) {
		struct pt_lruvec *v = &l->v[i];

		if (cgroup != PT_UNKNOWN32 && !pt_lruvecs_is_below(l, v->cgroup, cgroup))
			continue;
		v->flushed = v->now;
		v->flushes++;
	}
}

int pt_lruvec_refaulted(struct pt_lruvec *v, uint64_t distance, uint64_t *ret_rank)
{
	if (!v->recent)
		v->recent = calloc(PT_LRUVEC_RECENT, sizeof(*v->recent));
	if (!v->recent)
		return -ENOMEM;
	v->recent[v->refaults % PT_LRUVEC_RECENT] =
		(struct pt_lruvec_refault){ .rank = v->refaults, .distance = distance };
	*ret_rank = v->refaults++;
	return 0;
}

struct pt_lruvec_refault *pt_lruvec_recall(struct pt_lruvec *v, uint64_t rank)
{
	struct pt_lruvec_refault *r = v->recent ? &v->recent[rank % PT_LRUVEC_RECENT] : NULL;

	return r && r->rank == rank && rank < v->refaults ? r : NULL;
}

uint64_t pt_lruvec_threshold(const struct pt_lruvec *v)
{
	uint64_t most = 0;

	for (int i = 0; v->recent && i < PT_LRUVEC_RECENT; i++)
		if (v->recent[i].active && v->recent[i].distance > most)
			most = v->recent[i].distance;
	return most;
}
