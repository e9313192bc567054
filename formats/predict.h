/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the next file, open file and page are likely to be, from the records before: the state
 * behind the transforms PT_T_TASK, PT_T_TASK_END and PT_T_FILE_END (docs/format.md, "Prediction").
 *
 * Packing and unpacking walk the records of a block in order with the same calls, so both see the
 * same predictions. All numbers are stored numbers; arithmetic wraps at 64 bits.
 */
#ifndef PT_FORMATS_PREDICT_H
#define PT_FORMATS_PREDICT_H

#include <stdint.h>

#include "formats/record.h"

/* What a task did last. */
struct pt_predict_task {
	uint64_t file, open, page, end;
};

struct pt_predict {
	struct pt_predict_task *tasks;      /* by stored task: 0 is the unknown one */
	uint64_t *file_ends[PT_KIND_COUNT]; /* by kind and stored file, made on demand */
	uint32_t n_tasks, n_files;          /* of the block's tables */
};

/* Returns 0 or -ENOMEM. Release with pt_predict_done(). */
int pt_predict_init(struct pt_predict *p, uint32_t n_tasks, uint32_t n_files);
void pt_predict_done(struct pt_predict *p);

/* Make the place of @kind's file ends, all 0. Returns 0 or -ENOMEM. */
int pt_predict_use_file_ends(struct pt_predict *p, unsigned int kind);

/* The kinds whose records are part of a task's walk: reclaim's are not, nor kinds of later
 * versions. */
static inline int pt_predict_walks(unsigned int kind)
{
	const uint64_t walking =
		UINT64_C(1) << PT_ACCESS | UINT64_C(1) << PT_OPEN | UINT64_C(1) << PT_MAP |
		UINT64_C(1) << PT_UNMAP | UINT64_C(1) << PT_TOUCH | UINT64_C(1) << PT_WRITE |
		UINT64_C(1) << PT_ADD | UINT64_C(1) << PT_ACTIVATE | UINT64_C(1) << PT_REFAULT |
		UINT64_C(1) << PT_DIRTY | UINT64_C(1) << PT_READAHEAD;

	return kind < 64 && (walking >> kind & 1);
}

/* Pages of a record, from its stored npages and order (0 where it has none). */
static inline uint64_t pt_predict_pages(uint64_t npages, uint64_t order)
{
	if (npages)
		return npages - 1;
	return order && order <= 32 ? UINT64_C(1) << (order - 1) : 1;
}

/* A record went by, with these stored numbers; @has are the kind's fields. */
static inline void pt_predict_advance(struct pt_predict_task *t, uint32_t has, uint64_t file,
				      uint64_t open, uint64_t page, uint64_t end)
{
	if (has & 1u << PT_F_FILE)
		t->file = file;
	if (has & 1u << PT_F_OPEN)
		t->open = open;
	if (page) {
		t->page = page;
		t->end = end;
	}
}

#endif
