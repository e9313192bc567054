/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whole tape over time: windows, its most used files, and their heat maps.
 *
 * The tape is read once, and once more for heat maps, since only then its files are known.
 */
#ifndef PT_ANALYSIS_TAPE_TIMELINE_H
#define PT_ANALYSIS_TAPE_TIMELINE_H

#include <jansson.h>

#include "analysis/heatmap.h"
#include "analysis/timeline.h"
#include "analysis/walk.h"

struct pt_tape_timeline_options {
	size_t windows;     /* 1 to PT_TIMELINE_WINDOWS_MAX */
	uint64_t window_ns; /* their width instead; 0: as windows says */
	size_t files;       /* so many of the most used, at most PT_HEATMAP_FILES_MAX; 0: none */
	/* A byte for each of the tape's cgroups, not 0 where it counts; NULL: everything. Borrowed.
	 */
	const uint8_t *cgroups;
	size_t rows, columns; /* of their heat maps; rows 0: no maps, and no second reading */
};

struct pt_tape_timeline {
	struct pt_timeline *timeline;
	size_t windows; /* of which the tape has something, at least 1 */
	/* The most used files, most refaults and accesses first. */
	uint32_t files[PT_HEATMAP_FILES_MAX];
	size_t nfiles;
	struct pt_heatmap *heatmap; /* of those files; NULL: not wanted */
	/* The model that counted: of the first reading by file, of the second by cgroup or NULL. */
	struct pt_refault *by_file, *by_cgroup;
	struct pt_cgroupfilter *filter; /* NULL: everything counts */
	struct pt_walk walk;
};

/*
 * Read @r (opened for all kinds). 0, -E2BIG (more windows than there may be), or -errno with @diag.
 * Release with pt_tape_timeline_done() in either case.
 */
int pt_tape_timeline(struct pt_reader *r, const struct pt_tape_timeline_options *opt,
		     struct pt_tape_timeline *ret_t, struct pt_diag *diag);
void pt_tape_timeline_done(struct pt_tape_timeline *t);

/* The document `timeline --json` prints. NULL when out of memory. */
json_t *pt_tape_timeline_document(const struct pt_reader *r, const struct pt_tape_timeline *t,
				  int complete);

#endif
