/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the bytes of a block's data and time frames back into records.
 *
 * All columns of a block that are wanted are resolved at once; handing out a record then only
 * copies. Every length and place in the bytes is checked before it is used.
 */
#ifndef PT_FORMATS_UNPACK_H
#define PT_FORMATS_UNPACK_H

#include "formats/layout.h"
#include "formats/names.h"
#include "formats/record.h"
#include "util/bytes.h"
#include "util/diag.h"

/* Copies one column's number into a record. */
struct pt_unpack_copy {
	const uint64_t *v;
	size_t offset; /* in struct pt_record */
};

/* One field of all records of a kind: value i is v[i * step], PT_UNKNOWN where it is not known. */
struct pt_unpack_column {
	const uint64_t *v;
	size_t step; /* 0: all have the same */
};

static inline uint64_t pt_unpack_value(const struct pt_unpack_column *c, uint32_t row)
{
	return c->v[row * c->step];
}

/* The records of one kind. */
struct pt_unpacked_kind {
	struct pt_unpack_column columns[PT_F_COUNT]; /* but blobs; set where n is not 0 */
	uint64_t constants[PT_F_COUNT];              /* what those with step 0 point to */
	struct pt_record common;                     /* what all of them share */
	uint32_t n, next;
	struct pt_unpack_copy copies[PT_F_COUNT]; /* grouped by width: 8, 4, 2, 1 bytes */
	uint8_t ends[4];                          /* of those groups */
	const uint8_t *blobs;
	uint32_t *blob_ends; /* NULL: no blobs; with PT_NO_BLOB where a record has none */
};
#define PT_NO_BLOB (1u << 31)

struct pt_unpacked {
	uint32_t n, at; /* records, and the next one */
	const uint8_t *kinds;
	uint64_t first_ns;
	uint64_t *ts_ns; /* valid where has_times */
	int has_times;
	uint64_t skipped; /* kinds that pt_unpacked_next() passes over: bit 1 << kind each */
	struct pt_unpacked_kind by_kind[PT_KIND_COUNT];
	uint64_t *numbers; /* memory of all columns */
	size_t numbers_cap;
	uint32_t *blob_numbers;
	size_t blob_numbers_cap;
};

/* All zero is an empty one. */
void pt_unpacked_done(struct pt_unpacked *u);

/*
 * Unpack @len bytes of columns, which @u borrows, with @n_records records. Keys in the tables get
 * their ids from @names; one that sealed names do not know is damage. @fields has the fields that
 * are wanted, by kind (PT_KIND_COUNT masks of 1 << PT_F_x; NULL: all of all); others read as
 * unknown, and cost next to nothing. -EBADMSG with @diag, -EOPNOTSUPP (coded in a way of later
 * versions), -ENOMEM.
 */
int pt_unpack_data(struct pt_unpacked *u, const uint8_t *data, size_t len, uint32_t n_records,
		   uint32_t page_size, struct pt_names *names, const uint32_t *fields,
		   struct pt_diag *diag);

/* Only make the keys in the tables of such columns known to @names. -EBADMSG, -ENOMEM. */
int pt_unpack_keys(const uint8_t *data, size_t len, uint32_t n_records, struct pt_names *names);

/* Unpack the times of the records that pt_unpack_data() has read; nothing is borrowed. */
int pt_unpack_times(struct pt_unpacked *u, const uint8_t *data, size_t len, uint64_t first_ns,
		    struct pt_diag *diag);

/* The next record, of kinds known to this version and not skipped; 1, or 0 at the end. */
int pt_unpacked_next(struct pt_unpacked *u, struct pt_record *ret_rec);

#endif
