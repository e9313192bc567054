/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the bytes of a block's data and time frames back into records.
 *
 * All columns of a block are resolved at once; handing out a record then only copies. Every length
 * and place in the bytes is checked before it is used.
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

/* The records of one kind. */
struct pt_unpacked_kind {
	struct pt_record common; /* what all of them share */
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
 * their ids from @names; one that sealed names do not know is damage. -EBADMSG with @diag,
 * -EOPNOTSUPP (coded in a way of later versions), -ENOMEM.
 */
int pt_unpack_data(struct pt_unpacked *u, const uint8_t *data, size_t len, uint32_t n_records,
		   uint32_t page_size, struct pt_names *names, struct pt_diag *diag);

/* Only make the keys in the tables of such columns known to @names. -EBADMSG, -ENOMEM. */
int pt_unpack_keys(const uint8_t *data, size_t len, uint32_t n_records, struct pt_names *names);

/* Unpack the times of the records that pt_unpack_data() has read; nothing is borrowed. */
int pt_unpack_times(struct pt_unpacked *u, const uint8_t *data, size_t len, uint64_t first_ns,
		    struct pt_diag *diag);

/* The next record, of kinds known to this version; 1, or 0 at the end. */
int pt_unpacked_next(struct pt_unpacked *u, struct pt_record *ret_rec);

#endif
