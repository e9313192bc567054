/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where in files, and when: accesses and refaults of some chosen files, a grid of file offset by
 * time for each.
 *
 * Rows are equally many pages, columns equally long times. Memory: the grids, whatever the tape
 * holds. Not thread-safe.
 */
#ifndef PT_ANALYSIS_HEATMAP_H
#define PT_ANALYSIS_HEATMAP_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/cgroupfilter.h"
#include "analysis/refault.h"

#define PT_HEATMAP_FILES_MAX 64
#define PT_HEATMAP_SIDE_MAX  4096

struct pt_heatmap_file {
	uint32_t file;
	uint64_t end_page; /* one beyond the last; what lies further is not counted */
};

struct pt_heatmap_options {
	uint64_t first_ns, last_ns; /* of the records; what is outside counts in the nearest one */
	size_t rows, columns;       /* at most; a file of fewer pages has a row for each page */
	uint32_t page_size;         /* bytes; 0 is taken as 4096 */
	const struct pt_heatmap_file *files; /* copied */
	size_t nfiles;
	struct pt_cgroupfilter *filter; /* what counts; NULL: everything. Borrowed */
};

/* A file's grids. Cells [row * columns + column]: row 0 has the file's first pages. */
struct pt_heatmap_grid {
	uint32_t file;
	uint64_t row_pages;
	size_t rows, columns;
	uint32_t *accesses, *refaults; /* pages, at most UINT32_MAX */
};

struct pt_heatmap;

/* @ref is fed from now on, counts the same cgroups, and stays the caller's. 0 and *@ret_h, -EINVAL
 * or -ENOMEM. */
int pt_heatmap_new(const struct pt_heatmap_options *opt, struct pt_refault *ref,
		   struct pt_heatmap **ret_h);
void pt_heatmap_free(struct pt_heatmap *h);

/* Take the next record, in the tape's order. 0 or -ENOMEM. */
int pt_heatmap_feed(struct pt_heatmap *h, const struct pt_record *rec);

/* The grid of the options' file @i. Valid until free. */
const struct pt_heatmap_grid *pt_heatmap_grid(const struct pt_heatmap *h, size_t i);
size_t pt_heatmap_count(const struct pt_heatmap *h);
uint64_t pt_heatmap_column_ns(const struct pt_heatmap *h);

#endif
