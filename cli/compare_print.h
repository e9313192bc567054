/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison of groups of results as text, or as CSV. */
#ifndef PT_CLI_COMPARE_PRINT_H
#define PT_CLI_COMPARE_PRINT_H

#include "analysis/comparison.h"
#include "util/table.h"

/* On stdout: a line for each group, the table of metrics, and what its marks mean. 0 or -ENOMEM. */
int pt_compare_print(const struct pt_comparison *c);

/*
 * As CSV: a row for each metric that can be compared and each group. @tape: what the results are
 * of; NULL: several, or not known. Release the table with pt_table_free(); NULL,
 * -ENOMEM: no memory.
 */
struct pt_table *pt_compare_csv_new(void);
int pt_compare_csv_add(struct pt_table *t, const char *tape, const struct pt_comparison *c);

#endif
