/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's lists of tree nodes that hold nothing but shadows (mm/workingset.c, shadow_nodes).
 *
 * There is one list for each owner and NUMA node, first in, first out. The owner is the memory
 * cgroup that the node's allocation was charged to. Where a tape knows no cgroups, it is the task
 * that caused the allocation: then a reclaim "for a cgroup's limit" is taken to reach the nodes of
 * all tasks that were seen in such a reclaim, or whose pages were evicted by one: it takes only
 * what is charged to the cgroup.
 */
#ifndef PT_ANALYSIS_SHADOWLIST_H
#define PT_ANALYSIS_SHADOWLIST_H

#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

enum pt_owner_kind {
	PT_OWNER_TASK = 0,   /* cgroup not known: the task's id, or PT_UNKNOWN32 */
	PT_OWNER_CGROUP = 1, /* a cgroup's id */
};

struct pt_owner {
	uint32_t kind; /* enum pt_owner_kind */
	uint32_t id;
	uint32_t node; /* NUMA node */
};

/* Embedded in a tree node. All zero but list is "on no list". */
struct pt_shadow_link {
	struct pt_shadow_link *prev, *next;
	uint64_t seq;  /* rank over all lists, by the time of joining */
	uint32_t list; /* given out by pt_shadowlists_intern() */
	uint32_t listed;
};

struct pt_shadowlist {
	struct pt_owner owner;
	struct pt_shadow_link ends; /* sentinel: next is the oldest */
};

/* Initialise with pt_shadowlists_init(); release with pt_shadowlists_done(). */
struct pt_shadowlists {
	struct pt_shadowlist **lists;
	size_t n, cap;
	struct pt_map ids; /* owner -> index */
	uint64_t seq;
};

void pt_shadowlists_init(struct pt_shadowlists *s);

/* The links that are still listed are forgotten, not freed. */
void pt_shadowlists_done(struct pt_shadowlists *s);

/* The number of @owner's list, made where it is new. 0 or -ENOMEM. */
int pt_shadowlists_intern(struct pt_shadowlists *s, const struct pt_owner *owner, uint32_t *ret);

/* Join the young end, or leave; nothing happens where that is so already. */
void pt_shadowlists_add(struct pt_shadowlists *s, struct pt_shadow_link *link);
void pt_shadowlists_del(struct pt_shadow_link *link);

/*
 * The oldest link among the lists for which @eligible says yes (it stays listed), or NULL. Linear
 * in the number of lists.
 */
struct pt_shadow_link *pt_shadowlists_oldest(const struct pt_shadowlists *s,
					     int (*eligible)(const void *ctx,
							     const struct pt_owner *owner),
					     const void *ctx);

#endif
