/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Miss-ratio curves as text and CSV: what `mrc` shows without --json. */
#ifndef PT_CLI_MRC_PRINT_H
#define PT_CLI_MRC_PRINT_H

#include "analysis/tape_mrc.h"
#include "util/table.h"

/* All of it to stdout; groups are @by. 0 or -ENOMEM. */
int pt_mrc_print(const struct pt_reader *r, const struct pt_mrc *m, enum pt_group_by by);

/*
 * The table of `mrc --csv`, which has a row for each tape, owner, size and policy. NULL when out of
 * memory.
 */
struct pt_table *pt_mrc_csv_new(void);

/* Append the rows of a tape, which is called @path. 0 or -ENOMEM. */
int pt_mrc_csv_add(struct pt_table *t, const char *path, const struct pt_reader *r,
		   const struct pt_mrc *m, enum pt_group_by by);

#endif
