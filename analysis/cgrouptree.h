/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose child each cgroup of a tape is. */
#ifndef PT_ANALYSIS_CGROUPTREE_H
#define PT_ANALYSIS_CGROUPTREE_H

#include "formats/reader.h"

/*
 * For each of the tape's cgroups its nearest ancestor that the tape has, PT_UNKNOWN32 where there
 * is none: by the parent's id, or by the paths, since a tape defines only cgroups that it speaks
 * of. Release with free(). 0 or -ENOMEM.
 */
int pt_cgrouptree_new(const struct pt_reader *r, uint32_t **ret_parents);

#endif
