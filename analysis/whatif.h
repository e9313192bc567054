/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What if refault distances were held against something else: how many of a tape's refaults would
 * then be activated, and which pages that would protect.
 *
 * Each refault's distance is held against every rule's threshold at that moment: the active list,
 * the inactive list, both, or a number of pages. With swap the first and third include the
 * anonymous pages, as the kernel has it. The lists' lengths are those as of the last flush of
 * statistics, which is what the kernel would see; where the tape has no counters of the evicting
 * cgroup, those that the tape itself adds up to since it began.
 *
 * Nothing else changes in this: neither what is evicted later, nor that a page which was activated
 * would not refault. So `again` is an upper bound: refaults of pages that the rule had activated at
 * an earlier refault. What follows from protecting pages must be simulated (policy_twolists.h) or
 * measured on a kernel.
 *
 * Memory: 64 bytes and 12 for each rule, for each folio that ever refaulted. Not thread-safe.
 */
#ifndef PT_ANALYSIS_WHATIF_H
#define PT_ANALYSIS_WHATIF_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/policy_twolists.h"
#include "analysis/refault_event.h"

#define PT_WHATIF_RULES 8

struct pt_whatif_rule {
	enum pt_lists_rule by;
	uint64_t pages; /* of PT_LISTS_FIXED */
};

struct pt_whatif_options {
	struct pt_whatif_rule rules[PT_WHATIF_RULES];
	size_t nrules;
	int with_swap;
	int by_evictions; /* the distance is evicted_pages: no kernel's age is known */
};

/* In pages, for one rule. */
struct pt_whatif_counts {
	uint64_t activated; /* refaults at most so far away */
	uint64_t protects;  /* different pages among them */
	uint64_t again;     /* later refaults of pages that it had activated */
};

/* A folio that refaulted, or all that refaulted of a file or cgroup. */
struct pt_whatif_group {
	uint32_t file, cgroup; /* PT_UNKNOWN32 where many or not known */
	uint64_t page, pages;  /* of a folio: the first, and how many */
	uint64_t refaults;
	struct pt_whatif_counts counts[PT_WHATIF_RULES];
};

struct pt_whatif_total {
	uint64_t refaults;
	uint64_t undated;  /* of these: the distance is not known */
	uint64_t modelled; /* of these: held against lengths that the tape adds up to */
	uint64_t today; /* activated by the active list's length, whatever rules were asked for */
	/* Of the cgroup whose reclaim had evicted most of them; PT_UNKNOWN32: it is not known. */
	uint32_t evictor;
	uint64_t file_pages_max;            /* the most that it had cached when one came */
	double thresholds[PT_WHATIF_RULES]; /* mean, by refaulted page; NAN: no refaults */
	struct pt_whatif_counts counts[PT_WHATIF_RULES];
};

struct pt_whatif;

/* 0 and *ret_w, or -ENOMEM. */
int pt_whatif_new(const struct pt_whatif_options *opt, struct pt_whatif **ret_w);
void pt_whatif_free(struct pt_whatif *w);

/* The call of a struct pt_refault_observer, with @w as its context. 0 or -ENOMEM. */
int pt_whatif_refaulted(void *w, const struct pt_refault_event *e);

void pt_whatif_total(const struct pt_whatif *w, struct pt_whatif_total *ret_t);

enum pt_whatif_by {
	PT_WHATIF_BY_PAGE = 0, /* folio */
	PT_WHATIF_BY_FILE = 1,
	PT_WHATIF_BY_CGROUP = 2,
};

/*
 * All groups, most refaults first, ties by file, page and cgroup. Release with free(). 0, *ret_v
 * and *ret_n, or -ENOMEM.
 */
int pt_whatif_groups(const struct pt_whatif *w, enum pt_whatif_by by,
		     struct pt_whatif_group **ret_v, size_t *ret_n);

#endif
