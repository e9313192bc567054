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

/*
 * The stored number of field @p of @r. Every field lies inside one aligned word of eight bytes, so
 * one load, one shift and one mask do for all widths.
 */
static inline uint64_t pt_field_stored(const struct pt_record *r, const struct pt_field_place *p)
{
	uint64_t mask = pt_width_mask(p->width);
	unsigned int in_word = p->offset & 7u;
	uint64_t word;

	memcpy(&word, (const char *)r + (p->offset & ~7u), sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	in_word = 8u - p->width - in_word;
#endif
	return ((word >> (in_word * 8)) + 1) & mask;
}

#endif
