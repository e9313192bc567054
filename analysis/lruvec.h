/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lruvecs: what the kernel keeps for each memory cgroup and NUMA node, as far as refaults need it.
 *
 * A lruvec's nonresident age counts evictions and activations; what ages one ages its ancestors'
 * too (workingset_age_nonresident()). Its evictions count pages that it owned. Where a tape knows
 * no cgroups there is one lruvec a node, for PT_UNKNOWN32.
 *
 * The sizes of its LRU lists are those of all lruvecs below it together. They follow the records
 * from one reading of the kernel's counters to the next. When the kernel decides by such a size it
 * knows the one as of the last flush of its statistics (lruvec_page_state()), so that is kept too.
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

/* Pages. */
struct pt_lru_sizes {
	int64_t file, active; /* file pages, those on the active list; never read below 0 */
	int64_t anon;         /* anonymous pages, as of the last reading */
};

struct pt_lruvec {
	uint64_t age;
	struct pt_lru_sizes now, flushed;
	uint64_t flushes; /* of its statistics, as far as the tape tells */
	int sizes_known;  /* the kernel's counters have been read, or it began empty */
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
	uint8_t *limited;  /* likewise: it has a memory limit */
	size_t ncgroups;
	struct pt_map ids; /* (cgroup, node) -> index */
	size_t last;       /* looked up last: most look-ups are for it again */
	int many_nodes;    /* some lruvec is of another node than 0 */
};

void pt_lruvecs_init(struct pt_lruvecs *l);
void pt_lruvecs_done(struct pt_lruvecs *l);

/* Say whose child a cgroup is, before its lruvec is first used. 0 or -ENOMEM. */
int pt_lruvecs_set_parent(struct pt_lruvecs *l, uint32_t cgroup, uint32_t parent);

/* Say whether it has a memory limit; none has unless said. 0 or -ENOMEM. */
int pt_lruvecs_set_limited(struct pt_lruvecs *l, uint32_t cgroup, int limited);

/* The nearest with a limit among a cgroup and its ancestors; PT_UNKNOWN32: none. */
uint32_t pt_lruvecs_limit_above(const struct pt_lruvecs *l, uint32_t cgroup);

/* A cgroup's parent, PT_UNKNOWN32 where it has none or that is not known. */
uint32_t pt_lruvecs_parent(const struct pt_lruvecs *l, uint32_t cgroup);

/* The uppermost ancestor of @cgroup, which may be itself. */
uint32_t pt_lruvecs_root(const struct pt_lruvecs *l, uint32_t cgroup);

/* The uppermost cgroup that has been defined, PT_UNKNOWN32 where none has. */
uint32_t pt_lruvecs_top(const struct pt_lruvecs *l);

/* Whether @cgroup is @ancestor or below it. */
int pt_lruvecs_is_below(const struct pt_lruvecs *l, uint32_t cgroup, uint32_t ancestor);

/* The index of a lruvec, made where it is new. 0 or -ENOMEM. */
int pt_lruvecs_get(struct pt_lruvecs *l, uint32_t cgroup, uint32_t node, uint32_t *ret_index);

/* Advance the nonresident age of @index and of its ancestors. */
void pt_lruvecs_age(struct pt_lruvecs *l, uint32_t index, uint64_t pages);

/* File pages came or went (@active: those on the active list), here and in all ancestors. */
void pt_lruvecs_resize(struct pt_lruvecs *l, uint32_t index, int64_t file, int64_t active);

/* The kernel's counters say what the sizes are; ancestors change by as much. */
void pt_lruvecs_read(struct pt_lruvecs *l, uint32_t index, const struct pt_lru_sizes *sizes);

/* The statistics of @cgroup and of all below it are flushed; PT_UNKNOWN32: of all. */
void pt_lruvecs_flush(struct pt_lruvecs *l, uint32_t cgroup);

/* A refault at @distance, not known to be active; its rank goes to *@ret_rank. 0 or -ENOMEM. */
int pt_lruvec_refaulted(struct pt_lruvec *v, uint64_t distance, uint64_t *ret_rank);

/* The refault of that rank, NULL where it is forgotten. */
struct pt_lruvec_refault *pt_lruvec_recall(struct pt_lruvec *v, uint64_t rank);

/* The largest distance at which a remembered refault was activated; 0 where none was. */
uint64_t pt_lruvec_threshold(const struct pt_lruvec *v);

#endif
