// SPDX-License-Identifier: GPL-2.0-or-later
/* Collecting records as columns: see columns.h. */
#include "formats/columns.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_ROWS 256u

static int column_grow(struct pt_column *c, uint32_t cap)
{
	uint64_t *v;

	if (c->cap >= cap)
		return 0;
	v = reallocarray(c->v, cap, sizeof(*v));
	if (!v)
		return -ENOMEM;
	c->v = v;
	c->cap = cap;
	return 0;
}

static int rows_grow(struct pt_rows *rows)
{
	uint32_t cap = rows->cap ? rows->cap * 2 : FIRST_ROWS;

	for (unsigned int f = 1; f < PT_F_COUNT; f++)
		if (rows->columns[f].varied && column_grow(&rows->columns[f], cap) < 0)
			return -ENOMEM;
	rows->cap = cap;
	return 0;
}

/* A first different number: write out what was one number for all until now. */
static int column_spread(struct pt_column *c, const struct pt_rows *rows)
{
	if (column_grow(c, rows->cap) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n; i++)
		c->v[i] = c->first;
	c->varied = 1;
	return 0;
}

/* Room for row n, and the number in it, where it is not the one that all have so far. */
static int column_add_slowly(struct pt_column *c, const struct pt_rows *rows, uint64_t stored)
{
	if (rows->n == 0) {
		c->first = stored;
		return 0;
	}
	if (column_spread(c, rows) < 0)
		return -ENOMEM;
	c->v[rows->n] = stored;
	return 0;
}

static inline int column_add(struct pt_column *c, const struct pt_rows *rows, uint64_t stored)
{
	if (c->varied)
		c->v[rows->n] = stored;
	else if (c->first != stored)
		return column_add_slowly(c, rows, stored);
	return 0;
}

static int add_blob(struct pt_columns *c, struct pt_rows *rows, const struct pt_record *r)
{
	int r2;

	if (r->blob && r->blob_len > PT_STRING_MAX)
		return -E2BIG;
	r2 = column_add(&rows->columns[PT_F_BLOB], rows, r->blob ? r->blob_len + 1ull : 0);
	if (r2 < 0 || !r->blob)
		return r2;
	c->blob_bytes += r->blob_len;
	return pt_buf_put(&rows->blobs, r->blob, r->blob_len);
}

static void plan_takes(struct pt_rows *rows, uint32_t fields)
{
	for (uint32_t left = fields & ~(1u << PT_F_BLOB); left; left &= left - 1)
		rows->takes[rows->n_takes++] = pt_field_take_of((unsigned int)__builtin_ctz(left));
}

int pt_columns_add(struct pt_columns *c, const struct pt_record *r)
{
	const struct pt_kind_info *info = pt_kind_info(r->kind);
	struct pt_rows *rows;
	int err = 0;

	if (!info)
		return -EINVAL;
	rows = &c->rows[r->kind];
	if (rows->n == rows->cap && rows_grow(rows) < 0)
		return -ENOMEM;
	if (!rows->n_takes)
		plan_takes(rows, info->fields);
	for (unsigned int i = 0; i < rows->n_takes; i++) {
		const struct pt_field_take *t = &rows->takes[i];

		if (column_add(&rows->columns[t->field], rows, pt_field_take(r, t)) < 0)
			return -ENOMEM;
	}
	if (info->fields & 1u << PT_F_BLOB)
		err = add_blob(c, rows, r);
	if (err < 0)
		return err;
	rows->n++;
	c->kinds[c->n] = r->kind;
	c->ts_ns[c->n++] = r->ts_ns;
	return 0;
}

static void rows_release(struct pt_rows *rows)
{
	for (unsigned int f = 1; f < PT_F_COUNT; f++)
		free(rows->columns[f].v);
	pt_buf_done(&rows->blobs);
	*rows = (struct pt_rows){ 0 };
}

void pt_columns_done(struct pt_columns *c)
{
	for (unsigned int k = 0; k < PT_KIND_COUNT; k++)
		rows_release(&c->rows[k]);
	c->n = 0;
}

void pt_columns_clear(struct pt_columns *c)
{
	for (unsigned int k = 0; k < PT_KIND_COUNT; k++) {
		struct pt_rows *rows = &c->rows[k];

		/* Blocks of another mixture must not add up to the sum of all their needs. */
		if (rows->cap > 16 * FIRST_ROWS && rows->n < rows->cap / 8)
			rows_release(rows);
		rows->n = 0;
		rows->blobs.len = 0;
		for (unsigned int f = 1; f < PT_F_COUNT; f++)
			rows->columns[f].varied = 0;
	}
	c->n = 0;
	c->blob_bytes = 0;
}
