/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run's own recording tells of it: refaults, evictions and their distances, beside what the
 * kernel counted. It stands in the run's results, so that comparisons need no tapes.
 */
#ifndef PT_CLI_OWNTAPE_H
#define PT_CLI_OWNTAPE_H

#include <jansson.h>

#include "util/diag.h"

/* What of a recording counts, where a warm-up does not. */
struct pt_owntape_part {
	uint64_t from_ns; /* in the tape's clock */
	const json_t
		*counters; /* the kernel's from then on: {machine, cgroup} of a run's results */
};

/*
 * Read the recording @path, what counts of it (@part; NULL: all). {complete, scope ("cgroup": pages
 * of the cgroups of what was recorded; else "machine"), refaults, refault_source ("kernel" or
 * "model"), refault_activations, evictions, removals, evicted_pages {p50, p90, p99, mean, max},
 * kernel {the kernel's own counts over it, with refault_rule}, refault_gap_percent (of refaults
 * against the kernel's)}; null what is not known. A new reference in *@ret_doc. 0 or -errno with
 * @diag.
 */
int pt_owntape_read(const char *path, const struct pt_owntape_part *part, json_t **ret_doc,
		    struct pt_diag *diag);

#endif
