/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a tape says of the recording that a replay is to be held against.
 */
#ifndef PT_REPLAY_RECORDED_H
#define PT_REPLAY_RECORDED_H

#include <jansson.h>

#include "replay/plan.h"

struct pt_recorded {
	/* The memory limit of the cgroup in which the played tasks began, the least of its
	 * ancestors' where the tape has those. PT_NO_LIMIT: there was none; PT_UNKNOWN: the tape
	 * does not say, or it is not the same for all. */
	uint64_t limit_bytes;
	uint64_t refaults; /* PT_UNKNOWN: nobody counted them */
	/* Who counted: "cgroup" (its memory.stat, pages), "machine" (vmstat, pages), "tape" (its
	 * own refault records, folios); borrowed, NULL where nobody did. */
	const char *refaults_of;
};

void pt_recorded_read(const struct pt_plan *plan, struct pt_recorded *ret_rec);

/* Append {what: "memory_limit_bytes", recorded, here} to @differs where the recorded limit is known
 * and @limit_bytes (0: none) is another; no limit is "none". */
void pt_recorded_compare_limit(const struct pt_recorded *rec, uint64_t limit_bytes,
			       json_t *differs);

#endif
