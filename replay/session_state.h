/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of a session, for the files session*.c alone.
 */
#ifndef PT_REPLAY_SESSION_STATE_H
#define PT_REPLAY_SESSION_STATE_H

#include "host/cgroup.h"
#include "replay/engine.h"
#include "replay/fileset.h"
#include "replay/measure.h"
#include "replay/recorded.h"
#include "replay/session.h"

struct pt_session {
	struct pt_session_options opt;
	struct pt_plan *plan;
	struct pt_recorded recorded;
	struct pt_fileset *files;
	struct pt_cgroup_hierarchy hierarchy; /* version 0: no limit asked for */
	struct pt_engine *engine;             /* of the run at hand */
	struct pt_memcg *memcg;
	json_t *runs, *fidelity;
	uint64_t errors;
	uint64_t warmup_ops;
	struct pt_sample before; /* of the run at hand: what is measured counts from here */
	const char *caches;      /* how they were emptied: "dropped", "advised", "not clean" */
	int partial;
};

/* ---- session_doc.c */

/* Set a finished run's "distorted". @dropped: somebody dropped the page cache while it ran. */
void pt_session_judge_run(json_t *run, int dropped);

/* What of the recording is not in the replay, in words: "diverged". */
json_t *pt_session_divergences(const struct pt_session *s);

/* The results' document. NULL when out of memory. */
json_t *pt_session_document(const struct pt_session *s);

#endif
