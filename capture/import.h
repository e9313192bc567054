/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings of other tools, turned into tapes.
 */
#ifndef PT_CAPTURE_IMPORT_H
#define PT_CAPTURE_IMPORT_H

#include <stdint.h>

#include "util/diag.h"

struct pt_import_stats {
	uint64_t events, records, gaps, undecoded, bytes;
	uint64_t lost_events;  /* known losses */
	uint64_t unknown_gaps; /* of the gaps, those that lost an unknown number */
	int complete; /* nothing was lost, and the recording has what it takes to know that */
};

struct pt_import {
	const char *name;  /* "trace.dat" */
	const char *about; /* one line for convert --list */
	/* Whether @path looks like one: 1, 0, or -errno. */
	int (*probe)(const char *path);
	/* Convert @path to the tape @output, whole or not at all. 0, or -errno with @diag. */
	int (*convert)(const char *path, const char *output, struct pt_import_stats *ret_stats,
		       struct pt_diag *diag);
};

/* All of them; NULL ends. */
extern const struct pt_import *const pt_imports[];

/* The one that @path looks like. 0, -EOPNOTSUPP (none of them), or -errno; @diag says so. */
int pt_import_find(const char *path, const struct pt_import **ret_import, struct pt_diag *diag);

#endif
