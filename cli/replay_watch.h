/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records the runs of a replay, and holds each recording against the original tape.
 *
 * This is where replay, capture and analysis meet: its two functions are the hooks of a
 * pt_session.
 */
#ifndef PT_CLI_REPLAY_WATCH_H
#define PT_CLI_REPLAY_WATCH_H

#include "replay/session.h"

struct pt_recorder;

struct pt_watch {
	const char *original; /* the tape that is replayed */
	const char *output;   /* the first run's tape; those of later ones are OUTPUT.2, OUTPUT.3 */
	struct pt_recorder *recorder;
	struct pt_session *session;
	uint64_t incomplete; /* recordings that lost events */
	uint64_t lost_events;
};

int pt_watch_before_run(void *ctx, struct pt_session *s, uint64_t run, pid_t pid,
			const char *cgroup_dir, struct pt_diag *diag);
int pt_watch_after_run(void *ctx, struct pt_session *s, uint64_t run, int failed,
		       struct pt_session_seen *ret_seen, struct pt_diag *diag);

/* Give up a recording that is still on. */
void pt_watch_done(struct pt_watch *w);

#endif
