/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single refaults, as refault.h measures them. */
#ifndef PT_ANALYSIS_REFAULT_EVENT_H
#define PT_ANALYSIS_REFAULT_EVENT_H

#include <stdint.h>

#include "analysis/lruvec.h"

/* One refault. */
struct pt_refault_event {
	uint64_t ts_ns;
	uint64_t page, pages; /* the folio's first page; how many came back */
	uint32_t file;
	uint32_t cgroup, task, node; /* who has it now, PT_UNKNOWN32 where not known */
	int cause;                   /* place in the counts */
	int dated;                   /* else what follows is not known */
	uint64_t evicted_pages, age, interval_ns;
	uint64_t generations; /* PT_UNKNOWN without readings of them */
	/* The lruvec that had evicted it: its number, and the refault's rank among its refaults. */
	uint32_t lruvec;
	uint32_t evictor; /* whose lruvec that is, PT_UNKNOWN32 where not known */
	uint64_t rank;
	int activated; /* 1 or 0 by the kernel's word; -1: not known, or not yet */
	/* That lruvec's lists, as they are and as the kernel knows them; how often it looked. */
	struct pt_lru_sizes now, flushed;
	uint64_t flushes;
	int sizes_known;
};

/* Called for each refault that counts, in the tape's order. 0, or an error that ends the reading.
 */
struct pt_refault_observer {
	void *ctx;
	int (*refaulted)(void *ctx, const struct pt_refault_event *e);
	/* An earlier one's pages were activated after all; NULL: nobody asks. */
	int (*activated)(void *ctx, uint32_t lruvec, uint64_t rank, uint64_t pages);
};

#endif
