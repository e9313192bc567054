/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run did to the machine: the kernel's counters before and after, and a run as JSON.
 */
#ifndef PT_REPLAY_MEASURE_H
#define PT_REPLAY_MEASURE_H

#include <jansson.h>

#include "host/cgroup.h"
#include "host/counters.h"
#include "replay/stage.h"

/* One reading of everything. All zero is an empty one; what could not be read stays empty. */
struct pt_sample {
	struct pt_counters vmstat, kswapd, psi_machine, memstat, psi_cgroup, io;
};

/* Read for process @pid, and for @memcg where it is not NULL. */
void pt_sample_take(struct pt_sample *s, const struct pt_memcg *memcg, pid_t pid);
void pt_sample_done(struct pt_sample *s);

/*
 * A run as in the results' schema: @stage's results, and the differences between the samples.
 * Counters that the kernel does not keep, or that cannot tell here, are null. @has_cgroup: the run
 * was limited by a cgroup (then kswapd had no part in it). Returns a new object, NULL without
 * memory.
 */
json_t *pt_measure_run(const struct pt_stage *stage, const struct pt_sample *before,
		       const struct pt_sample *after, int has_cgroup);

/* Operations that failed, of all threads. */
uint64_t pt_measure_errors(const struct pt_stage *stage);

#endif
