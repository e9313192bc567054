/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where each field of a record lies in memory, how wide it is and what its number refers to.
 *
 * A field's value is kept as a *stored* number, which is the value plus one in the field's own
 * width: unknown (all ones) becomes 0, and small values stay small.
 */
#ifndef PT_FORMATS_FIELD_H
#define PT_FORMATS_FIELD_H

#include <string.h>

#include "formats/record.h"

enum pt_refers {
	PT_REFERS_NOTHING = 0,
	PT_REFERS_FILE,
	PT_REFERS_TASK,
	PT_REFERS_CGROUP,
	PT_REFERS_COUNT
};

struct pt_field_place {
	uint8_t offset; /* in struct pt_record */
	uint8_t width;  /* bytes; 0: no number (the blob) */
	uint8_t refers; /* enum pt_refers */
};

extern const struct pt_field_place pt_field_places[PT_F_COUNT];

static inline uint64_t pt_width_mask(unsigned int width)
{
	return width >= 8 ? UINT64_MAX : (UINT64_C(1) << (width * 8)) - 1;
}

/* How to get a field's stored number out of a record: see pt_field_take(). */
struct pt_field_take {
	uint64_t mask;
	uint8_t field, word, shift; /* word: offset of the aligned eight bytes that hold it */
};

struct pt_field_take pt_field_take_of(unsigned int field);

/*
 * The stored number. Every field lies inside one aligned word of eight bytes, so one load, one
 * shift and one mask do for all widths.
 */
static inline uint64_t pt_field_take(const struct pt_record *r, const struct pt_field_take *t)
{
	uint64_t word;

	memcpy(&word, (const char *)r + t->word, sizeof(word));
	return ((word >> t->shift) + 1) & t->mask;
}

#endif
