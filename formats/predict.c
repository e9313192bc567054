// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of predict.h. */
#include "formats/predict.h"

#include <errno.h>
#include <stdlib.h>

int pt_predict_init(struct pt_predict *p, uint32_t n_tasks, uint32_t n_files)
{
	*p = (struct pt_predict){ .n_tasks = n_tasks, .n_files = n_files };
	p->tasks = calloc((size_t)n_tasks + 1, sizeof(*p->tasks));
	return p->tasks ? 0 : -ENOMEM;
}

void pt_predict_done(struct pt_predict *p)
{
	free(p->tasks);
	for (unsigned int k = 0; k < PT_KIND_COUNT; k++)
		free(p->file_ends[k]);
	*p = (struct pt_predict){ 0 };
}

int pt_predict_use_file_ends(struct pt_predict *p, unsigned int kind)
{
	if (p->file_ends[kind])
		return 0;
	p->file_ends[kind] = calloc((size_t)p->n_files + 1, sizeof(*p->file_ends[kind]));
	return p->file_ends[kind] ? 0 : -ENOMEM;
}
