// SPDX-License-Identifier: GPL-2.0-or-later
/* All records of a tape: see walk.h. */
#include "analysis/walk.h"

#include <errno.h>

#define BATCH 32 /* as many as memory can fetch at a time, and few enough to stay in the cache */

/* The walk ended where the reader returned @n. */
static int end(struct pt_reader *r, struct pt_walk *w, int n, struct pt_walk *ret_w,
	       struct pt_diag *diag)
{
	w->cut = n == -ENODATA;
	*ret_w = *w;
	if (n == 0 || w->cut)
		return 0;
	if (diag)
		*diag = *pt_reader_diag(r);
	return n;
}

int pt_walk(struct pt_reader *r, int (*fn)(void *ctx, const struct pt_record *rec), void *ctx,
	    struct pt_walk *ret_w, struct pt_diag *diag)
{
	struct pt_walk w = { 0 };
	struct pt_record rec;
	int n, err = 0;

	for (;;) {
		n = pt_reader_next(r, &rec);
		if (n == -EBADMSG) {
			w.damaged++;
			continue;
		}
		if (n <= 0)
			break;
		err = fn(ctx, &rec);
		if (err < 0)
			return err;
	}
	return end(r, &w, n, ret_w, diag);
}

int pt_walk_expecting(struct pt_reader *r,
		      void (*expect)(const void *ctx, const struct pt_record *recs, int n),
		      int (*fn)(void *ctx, const struct pt_record *rec), void *ctx,
		      struct pt_walk *ret_w, struct pt_diag *diag)
{
	struct pt_record recs[BATCH];
	struct pt_walk w = { 0 };
	int n, err;

	for (;;) {
		n = pt_reader_next_some(r, recs, BATCH);
		if (n == -EBADMSG) {
			w.damaged++;
			continue;
		}
		if (n <= 0)
			break;
		expect(ctx, recs, n);
		for (int i = 0; i < n; i++) {
			err = fn(ctx, &recs[i]);
			if (err < 0)
				return err;
		}
	}
	return end(r, &w, n, ret_w, diag);
}

int pt_walk_blocks(struct pt_reader *r, int (*fn)(void *ctx, const struct pt_reader_block *b),
		   void *ctx, struct pt_walk *ret_w, struct pt_diag *diag)
{
	struct pt_walk w = { 0 };
	struct pt_reader_block b;
	int n, err = 0;

	for (;;) {
		n = pt_reader_next_block(r, &b);
		if (n == -EBADMSG) {
			w.damaged++;
			continue;
		}
		if (n <= 0)
			break;
		err = fn(ctx, &b);
		if (err < 0)
			return err;
	}
	return end(r, &w, n, ret_w, diag);
}

int pt_walk_complete(const struct pt_walk *w, const struct pt_reader *r)
{
	struct pt_reader_summary s;

	pt_reader_summary(r, &s);
	return s.complete && !w->damaged && !w->cut;
}
