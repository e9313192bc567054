// SPDX-License-Identifier: GPL-2.0-or-later
/* The table behind field.h. */
#include "formats/field.h"

#define PLACE(member, what)                                                                \
	{                                                                                  \
		offsetof(struct pt_record, member),                                        \
			sizeof(((const struct pt_record *)NULL)->member), PT_REFERS_##what \
	}

_Static_assert(sizeof(struct pt_record) % 8 == 0 && sizeof(struct pt_record) <= 248,
	       "pt_field_take() loads whole words");

const struct pt_field_place pt_field_places[PT_F_COUNT] = {
	[PT_F_TASK] = PLACE(task, TASK),
	[PT_F_FILE] = PLACE(file, FILE),
	[PT_F_OPEN] = PLACE(open, NOTHING),
	[PT_F_OPEN_FROM] = PLACE(open_from, NOTHING),
	[PT_F_PAGE] = PLACE(page, NOTHING),
	[PT_F_NPAGES] = PLACE(npages, NOTHING),
	[PT_F_OFF] = PLACE(off_bytes, NOTHING),
	[PT_F_LEN] = PLACE(len_bytes, NOTHING),
	[PT_F_DURATION] = PLACE(duration_ns, NOTHING),
	[PT_F_CGROUP] = PLACE(cgroup, CGROUP),
	[PT_F_TARGET] = PLACE(target, CGROUP),
	[PT_F_FLAGS] = PLACE(flags, NOTHING),
	[PT_F_NODE] = PLACE(node, NOTHING),
	[PT_F_CPU] = PLACE(cpu, NOTHING),
	[PT_F_HOW] = PLACE(how, NOTHING),
	[PT_F_ORDER] = PLACE(order, NOTHING),
	[PT_F_VALUE0] = PLACE(value[0], NOTHING),
	[PT_F_VALUE1] = PLACE(value[1], NOTHING),
	[PT_F_VALUE2] = PLACE(value[2], NOTHING),
	[PT_F_VALUE3] = PLACE(value[3], NOTHING),
};

struct pt_field_take pt_field_take_of(unsigned int field)
{
	const struct pt_field_place *p = &pt_field_places[field];
	unsigned int in_word = p->offset & 7u;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	in_word = 8u - p->width - in_word;
#endif
	return (struct pt_field_take){ pt_width_mask(p->width), (uint8_t)field,
				       (uint8_t)(p->offset & ~7u), (uint8_t)(in_word * 8) };
}
