/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Refault counts in all and by cgroup, file, task or node: the book-keeping of refault.c. */
#ifndef PT_ANALYSIS_REFAULT_GROUPS_H
#define PT_ANALYSIS_REFAULT_GROUPS_H

#include "analysis/pagetree.h"
#include "analysis/refault.h"

/* Whose a count is; parts are PT_UNKNOWN32 where not known. */
struct pt_refault_who {
	uint32_t cgroup, file, task, node;
	uint64_t page;
};

/* Initialise with pt_refault_groups_init(); release with pt_refault_groups_done(). */
struct pt_refault_groups {
	struct pt_refault_counts total;
	struct pt_refault_group *v; /* in order of appearance */
	size_t n, cap;
	struct pt_map ids; /* key -> index */
	enum pt_group_by by;
	int (*section_of)(void *ctx, uint32_t file, uint64_t page); /* as in the options */
	void *section_ctx;
	const uint8_t *cgroups; /* likewise */
	size_t ncgroups;
	int early; /* the record at hand came before count_from_ns of the options */
};

void pt_refault_groups_init(struct pt_refault_groups *s, const struct pt_refault_options *opt);
void pt_refault_groups_done(struct pt_refault_groups *s);

/*
 * Whether @who counts (1) or is left out, by the choice of cgroups or as too early (0); -ENOMEM.
 * *@ret_group is its group, NULL where there are none; valid until the next call.
 */
int pt_refault_groups_find(struct pt_refault_groups *s, const struct pt_refault_who *who,
			   struct pt_refault_group **ret_group);

/* Count an eviction of @pages, in all and in @group unless that is NULL. */
void pt_refault_groups_evicted(struct pt_refault_groups *s, struct pt_refault_group *group,
			       const struct pt_found *found, uint64_t pages, int pageout);

/* Add to a group's histogram, made where it is the first. 0 or -ENOMEM. */
int pt_refault_group_distance(struct pt_refault_group *g, uint64_t distance, uint64_t pages);

#endif
