/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One histogram of `hist --json`: written, and read back whole, so that it can be merged.
 *
 * Beside the powers of two of "buckets" stands "steps", a text of LO:COUNT words, one for each step
 * of log2hist.h that holds something: percentiles are made of those, also of merged ones.
 */
#ifndef PT_ANALYSIS_HIST_JSON_H
#define PT_ANALYSIS_HIST_JSON_H

#include <jansson.h>

#include "analysis/refault.h"

/* @known 0: everything is null. NULL when out of memory. */
json_t *pt_hist_json(enum pt_distance d, const struct pt_log2hist *h, int known);

/*
 * The reverse. *@ret_d is what it measures; *@ret_h, to be freed, is NULL where it is not known.
 * 0, -EBADMSG, -ENOMEM.
 */
int pt_hist_json_parse(const json_t *o, enum pt_distance *ret_d, struct pt_log2hist **ret_h);

#endif
