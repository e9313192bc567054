/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Documents of `hist --json` become one, as of the hosts of a fleet: whether they were saved or
 * come from tapes makes no difference.
 *
 * Counts add up, and so do histograms, of which percentiles are made anew. What one of them does
 * not know is not known of all. Groups are the same where their keys are. Shares ("..._percent")
 * are made anew from the counts that they are of. Documents go together if their pages have one
 * size, and they are about the same: grouped by the same, of the same choice of cgroups and
 * distances.
 */
#ifndef PT_ANALYSIS_HIST_MERGE_H
#define PT_ANALYSIS_HIST_MERGE_H

#include <jansson.h>

#include "util/diag.h"

/* Whether @doc is such a document, and can be merged: 0, or -EBADMSG with @diag. */
int pt_hist_merge_check(const json_t *doc, struct pt_diag *diag);

/*
 * Merge @from into @into; both were checked. 0, -EINVAL where they do not go together (@diag has
 * the reason), -EBADMSG, -ENOMEM; then @into is of no use any more.
 */
int pt_hist_merge(json_t *into, const json_t *from, struct pt_diag *diag);

#endif
