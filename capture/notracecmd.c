// SPDX-License-Identifier: GPL-2.0-or-later
/* tracedat.h in a build without libtracecmd: says so. */
#include <errno.h>

#include "capture/tracedat.h"

int pt_tracedat_open(const char *path, struct pt_tracedat **ret_t, struct pt_diag *diag)
{
	(void)path;
	(void)ret_t;
	return pt_diag_set(diag, -EOPNOTSUPP, PT_NO_OFFSET,
			   "this pagetape was built without libtracecmd, which reads trace.dat");
}

void pt_tracedat_close(struct pt_tracedat *t)
{
	(void)t;
}

int pt_tracedat_describe(struct pt_tracedat *t, struct pt_head *head)
{
	(void)t;
	(void)head;
	return -EOPNOTSUPP;
}

int pt_tracedat_run(struct pt_tracedat *t, const struct pt_sink *sink,
		    struct pt_tracedat_counts *ret_counts, struct pt_diag *diag)
{
	(void)t;
	(void)sink;
	(void)ret_counts;
	(void)diag;
	return -EOPNOTSUPP;
}
