/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of a data frame as they are coded, and how they become stored numbers again.
 *
 * Between unpack.c, which finds the columns and makes records of them, and coded.c, which undoes
 * planes, differences and predictions.
 */
#ifndef PT_FORMATS_CODED_H
#define PT_FORMATS_CODED_H

#include "formats/field.h"
#include "formats/unpack.h"

/* One column of the frame. */
struct pt_coded {
	const uint8_t *bytes;
	uint32_t size;
	uint8_t transform, width, present;
	uint8_t needed;    /* wanted, or others cannot be had without it */
	uint64_t constant; /* PT_T_CONST: the stored number */
	uint64_t *v;       /* others: the numbers, coded at first, stored ones in the end */
};

/* A data frame being unpacked. */
struct pt_coded_frame {
	const uint8_t *data;
	size_t len, pos;
	struct pt_unpacked *u;
	struct pt_diag *diag;
	uint32_t n_tables[PT_REFERS_COUNT];
	uint32_t *ids[PT_REFERS_COUNT]; /* by place, from 1: the reader's id */
	uint32_t n_columns, page_size;
	uint32_t counts[256]; /* records by kind */
	struct pt_coded columns[PT_KIND_COUNT][PT_F_COUNT];
	const uint32_t *fields; /* wanted, by kind; NULL: all */
};

/* Whether the field is wanted for its own sake. */
static inline int pt_coded_is_wanted(const struct pt_coded_frame *f, unsigned int kind,
				     unsigned int field)
{
	return !f->fields || f->fields[kind] >> field & 1;
}

/* Note what is wrong, and where; returns -EBADMSG. */
int pt_coded_bad(const struct pt_coded_frame *f, const char *what);

/* Join @width byte planes of @n numbers each. */
void pt_coded_join(const uint8_t *p, uint32_t n, unsigned int width, uint64_t *v);

/*
 * Undo the transforms of all columns that are wanted, whose sizes were checked; the others stay
 * without numbers. 0, -EBADMSG, -ENOMEM.
 */
int pt_coded_resolve(struct pt_coded_frame *f);

#endif
