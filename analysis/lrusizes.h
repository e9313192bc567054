/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sizes of lruvecs (lruvec.h) as records tell them. */
#ifndef PT_ANALYSIS_LRUSIZES_H
#define PT_ANALYSIS_LRUSIZES_H

#include "analysis/lruvec.h"
#include "formats/record.h"

/*
 * Take a PT_COUNTERS: a reading of memory.stat or vmstat, or a flush of statistics; others are
 * passed over. memory.stat is flushed by reading it. Readings are of all NUMA nodes together, so
 * they are of use only where there is one. 0 or -ENOMEM.
 */
int pt_lrusizes_read(struct pt_lruvecs *l, const struct pt_record *rec, uint32_t page_size);

/*
 * Pages that a PT_SCAN moved between the lists of @lruvec. One of an active list does not say
 * whose: with swap it may have been the anonymous one's, until the next reading puts that right.
 */
void pt_lrusizes_scanned(struct pt_lruvecs *l, const struct pt_record *rec, uint32_t lruvec);

#endif
