/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The refaults of a whole tape, and what can be said of them to people and machines.
 */
#ifndef PT_ANALYSIS_TAPE_REFAULTS_H
#define PT_ANALYSIS_TAPE_REFAULTS_H

#include <jansson.h>

#include "analysis/refault.h"
#include "analysis/walk.h"

/* What the tape's kernel lets be known. */
struct pt_refault_knowledge {
	int folios;       /* the tape says what was added and evicted: else nothing is known */
	int kernel_word;  /* refaults are the kernel's own; else the model's */
	int activations;  /* refault_activations can be told */
	int age;          /* nonresident ages can be told */
	const char *rule; /* what workingset_refault_file counts there, NULL: not known */
	int mglru;
	/* The kernel's own counters over the recording, PT_UNKNOWN where nobody asked it, and of
	 * what they are ("cgroup", "machine"), NULL: not known. */
	uint64_t counted_refaults, counted_activations, counted_evictions;
	const char *scope;
};

/*
 * What workingset_refault_file counts, by kernel release ("6.18.44-...") and flavour: "pages" (all
 * pages of every refault), "pages-if-recent" (6.1 to 6.5 with MGLRU: only those that refaulted
 * within the oldest generation), "folios" (before 6.1: one a folio); NULL where not known.
 */
const char *pt_refault_rule(const char *release, int mglru);

void pt_refault_know(const struct pt_head *head, struct pt_refault_knowledge *ret_k);

/*
 * A model that knows the tasks and cgroups of @r and takes its records; page_size, kernel_word and
 * memory_bytes of @opt are set here. 0 and *@ret_r, or -ENOMEM.
 */
int pt_tape_refaults_new(const struct pt_reader *r, const struct pt_refault_options *opt,
			 struct pt_refault **ret_r);

/* The fields of records that are looked at, for pt_reader_options; of all kinds. */
extern const uint32_t pt_refault_fields[PT_KIND_COUNT];

/* The same, fed with all of @r (opened for all kinds). 0, or -errno with @diag. */
int pt_tape_refaults(struct pt_reader *r, const struct pt_refault_options *opt,
		     struct pt_refault **ret_r, struct pt_walk *ret_w, struct pt_diag *diag);

/* The name of a group's key: a cgroup's or file's path, "COMM-PID", or a number. Release with
 * free(); NULL where the key is unknown or memory is short. */
char *pt_refault_key_name(const struct pt_reader *r, enum pt_group_by by, uint32_t key);

/*
 * The document `hist --json` prints; @metric limits it to one (NULL: all). NULL when out of memory.
 */
json_t *pt_tape_refaults_document(const struct pt_reader *r, const struct pt_refault *ref,
				  enum pt_group_by by, const char *metric, int complete);

#endif
