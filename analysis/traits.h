/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fidelity compares of a tape: its accesses in order, evicted pages, pages cached at the end,
 * refaults.
 *
 * Files and tasks have numbers here that are the same in both tapes: those of A's ids, or
 * PT_UNKNOWN32 in B for what stands for nothing of A.
 */
#ifndef PT_ANALYSIS_TRAITS_H
#define PT_ANALYSIS_TRAITS_H

#include "analysis/refault.h"
#include "analysis/walk.h"
#include "util/map.h"

struct pt_trait_access {
	uint64_t page;
	uint32_t npages; /* at most UINT32_MAX */
	uint32_t file, task;
	uint8_t how;
	uint8_t miss; /* 0 or 1; PT_UNKNOWN8: not known */
};

/* Initialise with zeros, fill with pt_traits_read(), release with pt_traits_done(). */
struct pt_traits {
	struct pt_trait_access *accesses;
	size_t n, cap;
	struct pt_map evicted; /* (file, page) -> times */
	struct pt_map cached;  /* (file, page) -> 1: cached at the end, 0: no longer */
	struct pt_refault *refaults;
	uint32_t *files; /* id in the tape -> number */
	uint32_t *tasks;
	uint32_t nfiles, ntasks;
	int subjects; /* only tasks that are marked count */
	struct pt_walk walk;
};

/*
 * Read @r. For A, @of is NULL; for B it is A's reader, which says what stands for what.
 * 0, or -errno with @diag; release in either case.
 */
int pt_traits_read(struct pt_traits *t, struct pt_reader *r, const struct pt_reader *of,
		   struct pt_diag *diag);
void pt_traits_done(struct pt_traits *t);

#endif
