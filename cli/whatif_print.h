/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other thresholds for refaults, as text and as CSV. */
#ifndef PT_CLI_WHATIF_PRINT_H
#define PT_CLI_WHATIF_PRINT_H

#include "analysis/tape_whatif.h"
#include "util/table.h"

struct pt_whatif_print {
	const char *path;
	const struct pt_reader *reader;
	const struct pt_tape_whatif *answer;
	const char *cgroup; /* what was asked for, NULL: the machine */
	enum pt_whatif_by by;
	uint64_t top; /* groups at most; 0: all */
};

/* On stdout. 0 or -ENOMEM. */
int pt_whatif_print(const struct pt_whatif_print *p);

/* A table for the rows of all tapes; NULL when out of memory. */
struct pt_table *pt_whatif_csv_new(void);

/* Rows of one tape: all refaults by threshold, then each group. 0 or -ENOMEM. */
int pt_whatif_csv_add(struct pt_table *t, const struct pt_whatif_print *p);

#endif
