/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verbs that answer for each of their tapes by itself: as text, as a JSON document each, or as rows
 * of one CSV table.
 */
#ifndef PT_CLI_EACHTAPE_H
#define PT_CLI_EACHTAPE_H

#include "analysis/walk.h"
#include "cli/cli.h"
#include "formats/reader.h"
#include "util/table.h"

struct pt_eachtape {
	const char *verb;
	const struct pt_common *common;
	/* Where the rows go: made with --csv alone. */
	struct pt_table *(*new_csv)(void);
	/*
	 * Answer for one tape, into @csv where that is not NULL; clear *@ret_complete where the
	 * tape is not whole. 0 or -errno with @diag.
	 */
	int (*one)(void *ctx, const char *path, struct pt_table *csv, int *ret_complete,
		   struct pt_diag *diag);
	void *ctx;
};

/*
 * Was @walk of the tape at @path whole? Says so where it was not, and clears *@ret_complete.
 */
int pt_eachtape_whole(const char *verb, const char *path, const struct pt_walk *walk,
		      const struct pt_reader *r, int *ret_complete);

/* Do that for @paths in order, up to the first failure, which is said. An exit code. */
int pt_eachtape_run(const struct pt_eachtape *e, char *const *paths, int n);

#endif
