/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tape over time as text. */
#ifndef PT_CLI_TIMELINE_PRINT_H
#define PT_CLI_TIMELINE_PRINT_H

#include "analysis/tape_timeline.h"
#include "util/table.h"

/* Windows as a table with bars, then a map for each file that has one, on stdout. */
int pt_timeline_print(const char *path, const struct pt_reader *r,
		      const struct pt_tape_timeline *t);

/* The windows as rows of a table for --csv, and what they are added to. NULL, -ENOMEM: no memory.
 */
struct pt_table *pt_timeline_csv_new(void);
int pt_timeline_csv_add(struct pt_table *table, const char *path, const struct pt_reader *r,
			const struct pt_tape_timeline *t);

#endif
