/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of the block being written, as one array of stored numbers for each kind and field.
 *
 * A column costs memory only once its numbers differ. Not thread-safe.
 */
#ifndef PT_FORMATS_COLUMNS_H
#define PT_FORMATS_COLUMNS_H

#include "formats/field.h"
#include "formats/layout.h"
#include "formats/record.h"
#include "util/bytes.h"

struct pt_column {
	uint64_t *v;    /* stored numbers, valid where varied */
	uint64_t first; /* of all records, where not varied */
	uint32_t cap;   /* of v */
	int varied;
};

/* The records of one kind. */
struct pt_rows {
	uint32_t n, cap;
	struct pt_column columns[PT_F_COUNT];
	struct pt_field_take takes[PT_F_COUNT]; /* how the numbers get out of a record */
	unsigned int n_takes;                   /* 0: not planned yet */
	struct pt_buf blobs; /* one behind the other; PT_F_BLOB's column has their lengths */
};

struct pt_columns {
	uint32_t n;
	uint8_t kinds[PT_BLOCK_RECORDS]; /* of each record, in order */
	uint64_t ts_ns[PT_BLOCK_RECORDS];
	size_t blob_bytes;
	struct pt_rows rows[PT_KIND_COUNT];
};

/* All zero is empty. Release with pt_columns_done(). */
void pt_columns_done(struct pt_columns *c);

/*
 * Append a record (the block must not be full). 0, -EINVAL (no such kind), -E2BIG (blob over
 * PT_STRING_MAX), -ENOMEM; then nothing was added.
 */
int pt_columns_add(struct pt_columns *c, const struct pt_record *r);

/* Forget the records, keep the memory that they are likely to need again. */
void pt_columns_clear(struct pt_columns *c);

/* A column for reading: number i is v[i * step]. A field without column reads as unknown (0). */
struct pt_numbers {
	const uint64_t *v;
	size_t step;
};

static inline struct pt_numbers pt_column_numbers(const struct pt_column *c)
{
	return c->varied ? (struct pt_numbers){ c->v, 1 } : (struct pt_numbers){ &c->first, 0 };
}

#endif
