/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What refault.c keeps, and refault_result.c tells of. */
#ifndef PT_ANALYSIS_REFAULT_STATE_H
#define PT_ANALYSIS_REFAULT_STATE_H

#include "analysis/generations.h"
#include "analysis/lruvec.h"
#include "analysis/pagetree.h"
#include "analysis/reclaimer.h"
#include "analysis/refault.h"
#include "analysis/refault_groups.h"

#define PT_REFAULT_CANDIDATES 64 /* model refaults that the kernel's word may still confirm */

struct pt_refault {
	struct pt_refault_options opt;
	struct pt_pagetree *tree;
	struct pt_lruvecs lruvecs;
	struct pt_generations generations;
	struct pt_reclaimers reclaimers;
	struct pt_refault_groups groups;
	struct pt_refault_counts model;
	struct pt_refault_check check;
	struct pt_activation *predictions; /* NULL: none are made */
	struct pt_log2hist *distances[PT_DISTANCE_COUNT];
	struct pt_refault_event candidates[PT_REFAULT_CANDIDATES];
	uint64_t ncandidates;
	uint64_t resident_pages; /* that may still be told as cached when the tape began */
	uint64_t malformed, nodes_kernel, nodes_model;
	int one_node; /* the tape does not say on which NUMA node pages are */
};

#endif
