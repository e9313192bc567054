/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `report` shows, as one JSON document that the page draws from: an entry for each input, with
 * what is known of it and what should warn the reader, and the comparison of results.
 *
 * Everything is reduced here: lists have fixed bounds, whatever the inputs hold, and heat maps are
 * left out where the document would grow beyond PT_REPORT_BYTES_MAX.
 */
#ifndef PT_ANALYSIS_REPORT_H
#define PT_ANALYSIS_REPORT_H

#include <jansson.h>

#include "analysis/comparison.h"
#include "formats/reader.h"

#define PT_REPORT_BYTES_MAX (2u << 20) /* less 64 KiB for the page itself */

struct pt_report_tape_options {
	const uint8_t
		*cgroups;  /* what counts, as in tape_timeline.h; NULL: the machine. Borrowed */
	const char *scope; /* how that is called; NULL: the machine */
	double sample;     /* the share of pages that the miss-ratio curve is made of */
	size_t maps;       /* heat maps of so many files */
};

/*
 * The entry of a tape called @name: read to its end some times. 0, *@ret_entry and *@ret_complete,
 * or -errno with @diag. @r must be fresh, opened for all kinds.
 */
int pt_report_tape(struct pt_reader *r, const char *name, const struct pt_report_tape_options *opt,
		   json_t **ret_entry, int *ret_complete, struct pt_diag *diag);

/*
 * The entry of a document that `hist`, `mrc`, `timeline` or `replay` printed, NULL when out of
 * memory. @doc is borrowed and may hold anything; lists that are too long are cut.
 */
json_t *pt_report_document(const json_t *doc, const char *name);

/* Whether pt_report_document() takes documents of @kind. */
int pt_report_takes(const char *kind);

/* The whole: @entries is stolen, @comparison (NULL: none) borrowed. NULL when out of memory. */
json_t *pt_report_make(json_t *entries, const struct pt_comparison *comparison);

#endif
