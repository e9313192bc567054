/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of a tape's records belong to some of its cgroups: accesses and writes by the task's cgroup
 * at that moment; what enters and leaves the cache by the pages' owner, or, where the tape does
 * not know owners, by who added them. Records of other kinds belong to everybody.
 *
 * Memory: a byte for each page whose owner the tape does not tell. Not thread-safe.
 */
#ifndef PT_ANALYSIS_CGROUPFILTER_H
#define PT_ANALYSIS_CGROUPFILTER_H

#include "formats/reader.h"

struct pt_cgroupfilter;

/* @cgroups has a byte for each of the reader's cgroups, not 0 where it is meant; it is copied.
 * Records must then come in the tape's order, from its start. NULL when out of memory. */
struct pt_cgroupfilter *pt_cgroupfilter_new(const struct pt_reader *r, const uint8_t *cgroups);
void pt_cgroupfilter_free(struct pt_cgroupfilter *f);

/* 1 where @rec belongs, 0 where not, -ENOMEM, -E2BIG. */
int pt_cgroupfilter_has(struct pt_cgroupfilter *f, const struct pt_record *rec);

#endif
