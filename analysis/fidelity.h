/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How faithful one tape (B, a replay's) is to another (A).
 *
 * Tasks and files of B are matched with those of A by what B says they stand for; where it says
 * nothing, files by path (or inode, where they have none) and tasks by (comm, order of
 * appearance). Of A's accesses those of the recording's subject tasks count where any task is
 * marked as one, else all; evictions, residency and refaults count for the files that those
 * accesses are to. A window (fault-around) is the same access as another window that begins in the
 * same 16 pages.
 */
#ifndef PT_ANALYSIS_FIDELITY_H
#define PT_ANALYSIS_FIDELITY_H

#include <jansson.h>

#include "analysis/walk.h"

/* Shares in [0, 1]; NAN where there is nothing to compare, or it is not known. */
struct pt_fidelity {
	double access_match;  /* accesses of A in the longest common subsequences by task */
	double order_match;   /* neighbours in A by different tasks, matched in that order in B */
	double miss_match;    /* matched accesses that hit or missed alike */
	double evict_overlap; /* multiset of evicted pages: common over the larger one's */
	double residency_jaccard; /* pages cached at the end */
	double refault_ratio;     /* refaults of B over those of A */
	double hist_ks;           /* Kolmogorov-Smirnov distance of evicted_pages, to 1/64 */
	double file_budget_error;
	int access_match_exact; /* 0: access_match is a lower bound */
	uint64_t accesses[2];   /* that count, of A and of B; PT_UNKNOWN: not known, so matched */
	uint64_t matched;
	uint64_t evictions[2]; /* of the files that count; PT_UNKNOWN: not known, so refaults */
	uint64_t refaults[2];
};

/*
 * Compare two tapes, read in full. 0, or -errno with @diag; *@ret_complete tells whether both
 * tapes are whole.
 */
int pt_fidelity_measure(struct pt_reader *a, struct pt_reader *b, struct pt_fidelity *ret_f,
			int *ret_complete, struct pt_diag *diag);

/* The object that stands under "fidelity". NULL when out of memory. */
json_t *pt_fidelity_json(const struct pt_fidelity *f);

#endif
