/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread of the child: takes operations off its ring, waits for their time and turn, does them
 * and notes how long they took.
 */
#ifndef PT_REPLAY_WORKER_H
#define PT_REPLAY_WORKER_H

#include "replay/fileset.h"
#include "replay/plan.h"
#include "replay/stage.h"

/* What all threads of the child know; nothing here changes while they run. */
struct pt_cast {
	struct pt_stage *stage;
	const struct pt_fileset *files;
	const struct pt_plan *plan; /* its handles alone: the parent is reading the tape */
	double speed;               /* recorded seconds a second; 0: as fast as it goes */
	uint32_t page_size;         /* the tape's */
};

/* Until PT_OP_END. */
void pt_worker_run(const struct pt_cast *cast, struct pt_worker *w);

#endif
