// SPDX-License-Identifier: GPL-2.0-or-later
/* Tapes one by one: see eachtape.h. */
#include "cli/eachtape.h"

#include <errno.h>
#include <stdio.h>

int pt_eachtape_run(const struct pt_eachtape *e, char *const *paths, int n)
{
	struct pt_table *csv = e->common->csv ? e->new_csv() : NULL;
	int complete = 1, status = -1;

	if (e->common->csv && !csv)
		return pt_fail(e->verb, -ENOMEM, &(struct pt_diag)PT_DIAG_INIT);
	for (int i = 0; i < n && status < 0; i++) {
		struct pt_diag diag = PT_DIAG_INIT;
		int err = e->one(e->ctx, paths[i], csv, &complete, &diag);

		if (err == -EPIPE)
			break; /* the reader of our output has seen enough */
		if (err < 0)
			status = pt_fail(e->verb, pt_diag_file(&diag, err, paths[i]), &diag);
		else if (!e->common->json && !csv && i + 1 < n)
			putchar('\n');
	}
	if (csv && status < 0)
		pt_table_print(csv, stdout);
	pt_table_free(csv);
	if (status >= 0)
		return status;
	return complete ? PT_EXIT_DONE : pt_exit_incomplete(e->common);
}

int pt_eachtape_whole(const char *verb, const char *path, const struct pt_walk *walk,
		      const struct pt_reader *r, int *ret_complete)
{
	int whole = pt_walk_complete(walk, r);

	if (!whole)
		pt_warn(verb, "%s: incomplete: events were lost or the tape was cut", path);
	*ret_complete &= whole;
	return whole;
}
