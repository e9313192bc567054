/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif.h of a whole tape, and beside it what follows in a simulation.
 *
 * The simulation is that of the kernel's two lists (policy_twolists.h) with each rule's threshold,
 * on all page accesses of the tasks in the cgroup whose reclaim evicted most of what refaulted, in
 * as much memory as that cgroup had file pages. There protected pages do change what is evicted
 * later. Thresholds that are a number of pages stay so; anonymous pages are not simulated, nor is
 * read-ahead.
 */
#ifndef PT_ANALYSIS_TAPE_WHATIF_H
#define PT_ANALYSIS_TAPE_WHATIF_H

#include <jansson.h>

#include "analysis/tape_refaults.h"
#include "analysis/whatif.h"

struct pt_tape_whatif_options {
	struct pt_whatif_rule rules[PT_WHATIF_RULES];
	size_t nrules;
	/* Count only refaults of pages owned by these, as in pt_refault_options. Borrowed. */
	const uint8_t *cgroups;
	size_t ncgroups;
	uint64_t memory_pages; /* to simulate with; 0: what the tape tells */
};

struct pt_tape_whatif {
	struct pt_tape_whatif_options opt;
	struct pt_refault_knowledge known;
	struct pt_whatif *whatif;
	struct pt_whatif_total total;
	uint64_t kernel_activations; /* pages; PT_UNKNOWN */
	int by_evictions;            /* the distance is evicted_pages */
	int with_swap;
	uint64_t accesses; /* simulated, of pages; 0: nothing is */
	uint64_t memory_pages;
	double today;                       /* miss ratio with the active list as threshold */
	double miss_ratio[PT_WHATIF_RULES]; /* NAN where nothing is simulated */
};

/* Read @r twice. 0 and *@ret_t, or -errno with @diag. */
int pt_tape_whatif(struct pt_reader *r, const struct pt_tape_whatif_options *opt,
		   struct pt_tape_whatif **ret_t, struct pt_walk *ret_w, struct pt_diag *diag);
void pt_tape_whatif_free(struct pt_tape_whatif *t);

/*
 * How far today's rule by the tape is from what the kernel did, in activated pages, as a share of
 * all refaults: 0.1 is ten in a hundred too many, below 0 too few. NAN: the kernel's count is not
 * known, or nothing was refaulted.
 */
double pt_tape_whatif_error(const struct pt_tape_whatif *t);

/* "active", "inactive", "active+inactive"; NULL for a number of pages. */
const char *pt_lists_rule_name(enum pt_lists_rule by);

/* What a group stands for, "PATH", "PATH:PAGE". Release with free(); NULL where not known. */
char *pt_tape_whatif_group_name(const struct pt_reader *r, enum pt_whatif_by by,
				const struct pt_whatif_group *g);

/*
 * The document `whatif --json` prints, with at most @top groups (0: all). NULL when out of memory.
 */
json_t *pt_tape_whatif_document(const struct pt_reader *r, const struct pt_tape_whatif *t,
				enum pt_whatif_by by, uint64_t top, int complete);

#endif
