/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A live recording's sink before the writer's: it takes note of what is new, so that files get
 * names, tasks their parents, and cgroups their paths.
 */
#ifndef PT_CAPTURE_LIVESINK_H
#define PT_CAPTURE_LIVESINK_H

#include <stdint.h>
#include <sys/types.h>

#include "capture/finder.h"
#include "capture/whoswho.h"
#include "formats/sink.h"
#include "util/map.h"

struct pt_livesink {
	struct pt_sink sink;      /* to be given to the interpreter */
	const struct pt_sink *to; /* the writer's */
	struct pt_finder *finder;
	struct pt_whoswho whos;
	struct pt_map cgroups; /* ids that the tape uses */
	pid_t subject;         /* whose threads are PT_TASK_SUBJECT; 0: nobody's */
	uint32_t pid;          /* of the event being interpreted: set before each */
};

/* All goes on to @to, which is borrowed. 0 or -ENOMEM; pt_livesink_done() it in both cases. Must
 * not move afterwards. */
int pt_livesink_init(struct pt_livesink *s, const struct pt_sink *to, pid_t subject);
void pt_livesink_done(struct pt_livesink *s);

/* The interpreter's describe_task, with the pt_livesink as its ctx. */
void pt_livesink_describe_task(void *ctx, uint32_t pid, struct pt_task *def, char *comm);

/* The end: define what was found of all files and cgroups. 0 or the sink's failure. */
int pt_livesink_finish(struct pt_livesink *s);

#endif
