/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All records or blocks of a tape, past damage: what every analysis that reads a whole tape has in
 * common.
 */
#ifndef PT_ANALYSIS_WALK_H
#define PT_ANALYSIS_WALK_H

#include "formats/reader.h"

struct pt_walk {
	uint64_t damaged; /* blocks left out */
	int cut;          /* the tape ends before its index */
};

/*
 * Hand each record to @fn, which returns 0 or a negative errno that ends the walk. Damaged blocks
 * are passed over and counted. 0, what @fn returned, or -errno of reading with @diag filled.
 */
int pt_walk(struct pt_reader *r, int (*fn)(void *ctx, const struct pt_record *rec), void *ctx,
	    struct pt_walk *ret_w, struct pt_diag *diag);

/*
 * The same, but @expect sees each record some time before @fn does, in batches: it may fetch memory
 * that @fn will need.
 */
int pt_walk_expecting(struct pt_reader *r,
		      void (*expect)(const void *ctx, const struct pt_record *recs, int n),
		      int (*fn)(void *ctx, const struct pt_record *rec), void *ctx,
		      struct pt_walk *ret_w, struct pt_diag *diag);

/* The same by blocks, see pt_reader_next_block(). */
int pt_walk_blocks(struct pt_reader *r, int (*fn)(void *ctx, const struct pt_reader_block *b),
		   void *ctx, struct pt_walk *ret_w, struct pt_diag *diag);

/* Whether what was read is all that there was to record. */
int pt_walk_complete(const struct pt_walk *w, const struct pt_reader *r);

#endif
