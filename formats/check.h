/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a tape is what it says: every frame, every record, the index and the seek table.
 */
#ifndef PT_FORMATS_CHECK_H
#define PT_FORMATS_CHECK_H

#include "formats/reader.h"

struct pt_check {
	struct pt_reader_summary summary; /* as the frames have it, not the index */
	uint64_t records;                 /* decoded */
	uint64_t faults;                  /* places that are wrong; a missing end is not counted */
	int finished;                     /* has its closing index */
	int complete;                     /* finished, vouched for, and without faults */

	/* Called for each fault. */
	void (*complain)(void *ctx, int err, const struct pt_diag *what);
	void *ctx;
};

/*
 * Check the tape at @path; @c has complain and ctx, the rest is filled. Returns 0 also where there
 * are faults; errors as pt_reader_open() where it cannot even begin.
 */
int pt_check_tape(struct pt_check *c, const char *path, struct pt_diag *diag);

#endif
