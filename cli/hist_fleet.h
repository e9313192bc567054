/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One histogram of many tapes, and of documents that were saved before: several inputs at a time,
 * merged in the order of the command line, so that it makes no difference who was ready first.
 */
#ifndef PT_CLI_HIST_FLEET_H
#define PT_CLI_HIST_FLEET_H

#include <jansson.h>

#include "analysis/tape_refaults.h"
#include "util/table.h"

#define PT_HIST_FLEET_THREADS 64

struct pt_hist_fleet {
	enum pt_group_by by;
	const char *by_name; /* NULL: no groups */
	const char *cgroup;  /* only these; NULL: all */
	const char *metric;  /* this distance alone; NULL: all */
	unsigned int threads;
	uint64_t top; /* rows of the table of groups at most; 0: all */
};

/* The document of a tape, with what was asked for. NULL when out of memory. */
json_t *pt_hist_fleet_document(const struct pt_hist_fleet *f, const struct pt_reader *r,
			       const struct pt_refault *ref, int whole);

/* Whether the file at @path begins as a JSON document does. */
int pt_hist_fleet_is_document(const char *path);

/*
 * The merged document of @n inputs, at least one. *@ret_complete is cleared where one is not whole,
 * which is said on stderr. 0, or -errno with @diag, which names the input.
 */
int pt_hist_fleet_read(const struct pt_hist_fleet *f, char *const *paths, size_t n,
		       json_t **ret_doc, int *ret_complete, struct pt_diag *diag);

/* Such a document as text on stdout. @metric as for one tape. 0, -ENOMEM, -EBADMSG. */
int pt_hist_fleet_print(const struct pt_hist_fleet *f, const json_t *doc, size_t inputs,
			const char *metric);

/* Its histograms, or with groups those, as CSV on stdout. The same errors. */
int pt_hist_fleet_csv(const struct pt_hist_fleet *f, const json_t *doc);

#endif
