// SPDX-License-Identifier: GPL-2.0-or-later
/* Who reclaims for whom: see reclaimer.h. */
#include "analysis/reclaimer.h"

#include <errno.h>
#include <stdlib.h>

#define NOBODY                                          \
	((struct pt_reclaimer){ .file = PT_UNKNOWN32,   \
				.cgroup = PT_UNKNOWN32, \
				.target = PT_UNKNOWN32, \
				.how = PT_UNKNOWN8 })

void pt_reclaimers_init(struct pt_reclaimers *s, const struct pt_lruvecs *lruvecs)
{
	*s = (struct pt_reclaimers){ .lruvecs = lruvecs };
}

void pt_reclaimers_done(struct pt_reclaimers *s)
{
	free(s->v);
	s->v = NULL;
	s->n = 0;
}

/* The task's place, made where it is new; NULL for no task or no memory. */
static struct pt_reclaimer *get(struct pt_reclaimers *s, uint32_t task)
{
	if (task == PT_UNKNOWN32)
		return NULL;
	if (task >= s->n) {
		size_t n = (size_t)task + task / 2 + 16;
		struct pt_reclaimer *v = reallocarray(s->v, n, sizeof(*v));

		if (!v)
			return NULL;
		for (size_t i = s->n; i < n; i++)
			v[i] = NOBODY;
		s->v = v;
		s->n = n;
	}
	return &s->v[task];
}

/* What get()'s NULL means: nothing to note where no task is known, else no memory. */
static int nobody(uint32_t task)
{
	return task == PT_UNKNOWN32 ? 0 : -ENOMEM;
}

static struct pt_reclaimer find(const struct pt_reclaimers *s, uint32_t task)
{
	return task < s->n ? s->v[task] : NOBODY;
}

int pt_reclaimers_define(struct pt_reclaimers *s, uint32_t task, uint32_t cgroup)
{
	struct pt_reclaimer *t = get(s, task);

	if (!t)
		return -ENOMEM;
	t->cgroup = cgroup;
	return 0;
}

int pt_reclaimers_feed(struct pt_reclaimers *s, const struct pt_record *rec)
{
	struct pt_reclaimer *t = get(s, rec->task);

	if (!t)
		return nobody(rec->task);
	switch (rec->kind) {
	case PT_ATTACH:
		t->cgroup = rec->cgroup;
		break;
	case PT_RECLAIM_BEGIN:
		s->brackets = 1;
		t->how = rec->how;
		t->target = rec->target;
		t->limited |= rec->how == PT_RECLAIM_MEMCG;
		break;
	case PT_RECLAIM_END:
		t->how = PT_UNKNOWN8;
		t->target = PT_UNKNOWN32;
		break;
	default:
		break;
	}
	return 0;
}

int pt_reclaimers_accesses(struct pt_reclaimers *s, const struct pt_record *rec)
{
	struct pt_reclaimer *t = get(s, rec->task);

	if (!t)
		return nobody(rec->task);
	t->file = rec->file;
	t->page = rec->page;
	t->npages = rec->npages == PT_UNKNOWN ? 1 : rec->npages;
	return 0;
}

int pt_reclaimers_limit(struct pt_reclaimers *s, uint32_t task)
{
	struct pt_reclaimer *t = get(s, task);

	if (!t)
		return nobody(task);
	t->limited = 1;
	return 0;
}

uint32_t pt_reclaimers_cgroup(const struct pt_reclaimers *s, uint32_t task)
{
	return find(s, task).cgroup;
}

int pt_reclaimers_wanted(const struct pt_reclaimers *s, const struct pt_record *add)
{
	struct pt_reclaimer t = find(s, add->task);
	uint64_t pages = add->order < 64 ? UINT64_C(1) << add->order : 1;

	return t.file == add->file && t.page < add->page + pages &&
	       add->page - t.page < t.npages + pages;
}

/*
 * Whose limit made a task reclaim a page of @owner's: charging stops at the first limit from the
 * task's own cgroup upwards that is reached, and only what is below that is reclaimed.
 */
static uint32_t limit_target(const struct pt_reclaimers *s, struct pt_reclaimer t, uint32_t owner)
{
	uint32_t by =
		t.target != PT_UNKNOWN32 ? t.target : pt_lruvecs_limit_above(s->lruvecs, t.cgroup);

	if (by != PT_UNKNOWN32 && pt_lruvecs_is_below(s->lruvecs, owner, by))
		return by;
	by = pt_lruvecs_limit_above(s->lruvecs, owner);
	return by != PT_UNKNOWN32 ? by : owner;
}

uint32_t pt_reclaimers_target(const struct pt_reclaimers *s, const struct pt_record *evict,
			      uint32_t owner)
{
	if (evict->target != PT_UNKNOWN32)
		return evict->target;
	if (evict->how == PT_RECLAIM_MEMCG)
		return limit_target(s, find(s, evict->task), owner);
	if (evict->how == PT_UNKNOWN8)
		return owner;
	return pt_lruvecs_root(s->lruvecs, owner);
}

void pt_reclaimers_scope(const struct pt_reclaimers *s, const struct pt_record *scan, int any_node,
			 struct pt_reclaim_scope *ret_scope)
{
	struct pt_reclaimer t = find(s, scan->task);

	*ret_scope = (struct pt_reclaim_scope){
		.reclaimers = s,
		.cgroup = scan->target != PT_UNKNOWN32 ? scan->target : t.target,
		.node = scan->node,
		.any_node = any_node || scan->node == PT_UNKNOWN16,
		.limit = t.how == PT_RECLAIM_MEMCG || t.how == PT_RECLAIM_PROACTIVE ||
			 t.how == PT_RECLAIM_SOFTLIMIT,
	};
	if (ret_scope->cgroup != PT_UNKNOWN32)
		return;
	ret_scope->cgroup = ret_scope->limit ? limit_target(s, t, t.cgroup)
					     : pt_lruvecs_root(s->lruvecs, t.cgroup);
}

int pt_reclaim_scope_has(const void *ctx, const struct pt_owner *owner)
{
	const struct pt_reclaim_scope *scope = ctx;
	const struct pt_reclaimers *s = scope->reclaimers;

	if (!scope->any_node && owner->node != scope->node)
		return 0;
	if (!scope->limit || !s->brackets)
		return 1;
	if (owner->kind == PT_OWNER_CGROUP)
		return scope->cgroup == PT_UNKNOWN32 ||
		       pt_lruvecs_is_below(s->lruvecs, owner->id, scope->cgroup);
	return find(s, owner->id).limited;
}
