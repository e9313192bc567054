/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MGLRU's generations over time, as the tape's readings of them tell.
 *
 * A shadow has the number of the generation that was the oldest with file pages when its page was
 * evicted (min_seq: lru_gen_eviction() of mm/workingset.c, of the page's own cgroup and node). At
 * the refault lru_gen_refault() holds that against the number of then: until 6.13 against min_seq
 * again (they must be equal for the refault to count as recent), from 6.14 against max_seq (less
 * than MAX_NR_GENS, 4, apart). The kernel's events have neither number. So both come from the
 * readings just before, and are as old as these: at most one cadence of the counters.
 */
#ifndef PT_ANALYSIS_GENERATIONS_H
#define PT_ANALYSIS_GENERATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "formats/record.h"
#include "util/map.h"

struct pt_generations_history;

/* Initialise with pt_generations_init(); release with pt_generations_done(). */
struct pt_generations {
	struct pt_generations_history *v; /* of each cgroup and node */
	size_t n;
	struct pt_map ids;     /* (cgroup, node) -> index */
	uint64_t readings;     /* of a cgroup's node */
	uint64_t longest_step; /* generations that went by between two readings at most */
};

void pt_generations_init(struct pt_generations *g);
void pt_generations_done(struct pt_generations *g);

/* Take a PT_COUNTERS of PT_COUNTERS_LRU_GEN; its text may be anything. 0 or -ENOMEM. */
int pt_generations_read(struct pt_generations *g, const struct pt_record *rec);

/*
 * How many generations of file pages reclaim used up between two moments: min_seq at @to_ns less
 * min_seq at @from_ns; 0: it is still at the same. PT_UNKNOWN: nothing was read before @from_ns.
 */
uint64_t pt_generations_between(const struct pt_generations *g, uint32_t cgroup, uint32_t node,
				uint64_t from_ns, uint64_t to_ns);

#endif
