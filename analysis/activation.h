/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which refaults the classic LRU activates, told from the tape and held against what it did.
 *
 * A refault is activated if its nonresident age is at most the length of the active list, with swap
 * also of both anonymous lists (workingset_test_recent()). The kernel takes these lengths from its
 * statistics, which are up to date only when they have just been flushed: every two seconds, and
 * when somebody reads memory.stat. So the threshold is constant for a period between two flushes.
 *
 * Three predictions are counted: by the threshold as the tape tells it at the last flush, none
 * fitted; by the lists as they really were at that moment; and by the one threshold for each period
 * that gets most decisions right, which says how good the distances are by themselves.
 */
#ifndef PT_ANALYSIS_ACTIVATION_H
#define PT_ANALYSIS_ACTIVATION_H

#include <stdint.h>

#include "analysis/refault_event.h"

/* In folios: the kernel decides once for each. */
struct pt_activation_counts {
	uint64_t decisions;    /* refaults of which all that follows is known */
	uint64_t activated;    /* of these, by the kernel */
	uint64_t unknown;      /* refaults that are not among them */
	uint64_t periods;      /* between flushes of an evicting lruvec, with any decision */
	uint64_t wrong;        /* by the length at the last flush */
	uint64_t wrong_live;   /* by the length at that moment */
	uint64_t wrong_fitted; /* by the best threshold of each period */
};

struct pt_activation;

/* @with_anon: there is swap. 0 and *@ret_a, or -ENOMEM. */
int pt_activation_new(int with_anon, struct pt_activation **ret_a);
void pt_activation_free(struct pt_activation *a);

/* Take a refault, and what was told later of one: as struct pt_refault_observer's calls. */
int pt_activation_refaulted(struct pt_activation *a, const struct pt_refault_event *e);
void pt_activation_activated(struct pt_activation *a, uint32_t lruvec, uint64_t rank);

/* Close the last periods: call it behind the last refault. Valid until free. */
const struct pt_activation_counts *pt_activation_finish(struct pt_activation *a);

#endif
