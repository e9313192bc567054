/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What results were made of and with: tape, kernel, memory, pace. Groups that differ in it may not
 * say what their figures seem to say.
 */
#ifndef PT_ANALYSIS_CIRCUMSTANCES_H
#define PT_ANALYSIS_CIRCUMSTANCES_H

#include <jansson.h>
#include <stddef.h>

#include "formats/result.h"

struct pt_result_group {
	const char *name;
	const struct pt_result *results; /* each run of each is one value */
	size_t n;
};

enum pt_circumstance {
	PT_MADE_KERNEL, /* release */
	PT_MADE_LRU,    /* "classic" or "mglru" */
	PT_MADE_MEMORY, /* the limit in bytes, null: none */
	PT_MADE_ORDER,
	PT_MADE_PACE,   /* "max", or a factor of the recorded speed */
	PT_MADE_WARMUP, /* the part of the operations that was not measured */
	PT_MADE_TAPE,   /* its id */
	PT_MADE_PLAYED, /* the recorded cgroup that was played, null: all */
	PT_MADE_SPARSE,
	PT_MADE_FILESYSTEM,
	PT_MADE_READ_AHEAD, /* of the target's device, in KiB */
	PT_MADE_CGROUP_VERSION,
	PT_MADE_ACCELERATOR,
	PT_MADE_COUNT
};

/*
 * A group's value, borrowed: that of its first result that knows it. NULL where none does.
 * *@ret_mixed (may be NULL) tells whether its results differ.
 */
const json_t *pt_circumstance_of(const struct pt_result_group *g, enum pt_circumstance c,
				 int *ret_mixed);

/* Whether any two results differ in it; what is not known differs from nothing. */
int pt_circumstance_differs(const struct pt_result_group *groups, size_t n, enum pt_circumstance c);

/* The name of its key in JSON ("memory_bytes"). */
const char *pt_circumstance_key(enum pt_circumstance c);

/* The value as people read it ("48.0 MiB", "none", "unknown") in @buf; returns @buf. */
const char *pt_circumstance_text(const json_t *v, enum pt_circumstance c, char *buf, size_t size);

/*
 * Append to @warnings a sentence for each circumstance that differs and that a comparison should
 * have in common. Kernels and their LRUs are not among them: those are what is compared.
 */
void pt_circumstances_warn(const struct pt_result_group *groups, size_t n, json_t *warnings);

#endif
