/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lruvecs: what the kernel keeps for each memory cgroup and NUMA node, as far as refaults need it.
 *
 * A lruvec's nonresident age counts evictions and activations; what ages one ages its ancestors'
 * too (workingset_age_nonresident()). Its evictions count pages that it owned. Where a tape knows
 * no cgroups there is one lruvec a node, for PT_UNKNOWN32.
 */
#ifndef PT_ANALYSIS_LRUVEC_H
#define PT_ANALYSIS_LRUVEC_H

#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

#define PT_LRUVEC_NONE   UINT32_MAX
#define PT_LRUVEC_RECENT 256 /* refaults remembered to judge an ambiguous one by */

struct pt_lruvec_refault {
	uint64_t rank, distance;
	int active;
};

struct pt_lruvec {
	uint64_t age;
	uint64_t evictions;
	uint64_t refaults;                /* ranks given out */
	struct pt_lruvec_refault *recent; /* PT_LRUVEC_RECENT by rank, or NULL before the first */
	uint32_t cgroup, node;
	uint32_t parent; /* PT_LRUVEC_NONE at the root */
};

/* Initialise with pt_lruvecs_init(); release with pt_lruvecs_done(). */
struct pt_lruvecs {
	struct pt_lruvec *v;
	size_t n, cap;
	uint32_t *parents; /* by cgroup id; PT_UNKNOWN32: none or not known */
	size_t nparents;
	struct pt_map ids; /* (cgroup, node) -> index */
};

void pt_lruvecs_init(struct pt_lruvecs *l);
void pt_lruvecs_done(struct pt_lruvecs *l);

/* Say whose child a cgroup is, before its lruvec is first used. 0 or -ENOMEM. */
int pt_lruvecs_set_parent(struct pt_lruvecs *l, uint32_t cgroup, uint32_t parent);

/* A cgroup's parent, PT_UNKNOWN32 where it has none or that is not known. */
uint32_t pt_lruvecs_parent(const struct pt_lruvecs *l, uint32_t cgroup);

/* The uppermost ancestor of @cgroup, which may be itself. */
uint32_t pt_lruvecs_root(const struct pt_lruvecs *l, uint32_t cgroup);

/* Whether @cgroup is @ancestor or below it. */
int pt_lruvecs_is_below(const struct pt_lruvecs *l, uint32_t cgroup, uint32_t ancestor);

/* The index of a lruvec, made where it is new. 0 or -ENOMEM. */
int pt_lruvecs_get(struct pt_lruvecs *l, uint32_t cgroup, uint32_t node, uint32_t *ret_index);

/* Advance the nonresident age of @index and of its ancestors. */
void pt_lruvecs_age(struct pt_lruvecs *l, uint32_t index, uint64_t pages);

/* A refault at @distance, not known to be active; its rank goes to *@ret_rank. 0 or -ENOMEM. */
int pt_lruvec_refaulted(struct pt_lruvec *v, uint64_t distance, uint64_t *ret_rank);

/* The refault of that rank, NULL where it is forgotten. */
struct pt_lruvec_refault *pt_lruvec_recall(struct pt_lruvec *v, uint64_t rank);

/* The largest distance at which a remembered refault was activated; 0 where none was. */
uint64_t pt_lruvec_threshold(const struct pt_lruvec *v);

#endif
