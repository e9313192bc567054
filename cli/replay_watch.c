// SPDX-License-Identifier: GPL-2.0-or-later
/* replay --record: a recording of each run, and its fidelity. */
#include "cli/replay_watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "analysis/fidelity.h"
#include "capture/recorder.h"
#include "cli/owntape.h"
#include "util/cleanup.h"
#include "util/json.h"

/* Release with free(); NULL when out of memory. */
static char *output_of(const struct pt_watch *w, uint64_t run, const char *suffix)
{
	char *name;
	int r;

	if (run == 0)
		r = asprintf(&name, "%s%s", w->output, suffix);
	else
		r = asprintf(&name, "%s.%" PRIu64 "%s", w->output, run + 1, suffix);
	return r < 0 ? NULL : name;
}

static int tell_cast(void *ctx, const struct pt_sink *sink)
{
	const struct pt_watch *w = ctx;

	return pt_session_tell_cast(w->session, sink);
}

int pt_watch_before_run(void *ctx, struct pt_session *s, uint64_t run, pid_t pid,
			const char *cgroup_dir, struct pt_diag *diag)
{
	struct pt_watch *w = ctx;
	auto_free char *output = output_of(w, run, "");
	uint64_t every_ns = pt_session_counters_every_ns(s);
	const struct pt_recorder_options opt = {
		.output = output,
		.counters_every_ns = every_ns ? every_ns : UINT64_MAX,
		.subject = pid,
		.cgroup = cgroup_dir,
		.source = "replay",
		.before_finish = tell_cast,
		.ctx = w,
	};

	if (!output)
		return -ENOMEM;
	w->session = s;
	return pt_recorder_start(&opt, &w->recorder, diag);
}

static int measure(const struct pt_watch *w, const char *output, json_t **ret_fidelity,
		   struct pt_diag *diag)
{
	struct pt_reader *a = NULL, *b = NULL;
	struct pt_fidelity f;
	int complete, r;

	r = pt_reader_open(w->original, NULL, &a, diag);
	if (r == 0)
		r = pt_reader_open(output, NULL, &b, diag);
	if (r == 0)
		r = pt_fidelity_measure(a, b, &f, &complete, diag);
	if (r == 0) {
		*ret_fidelity = pt_fidelity_json(&f);
		pt_json_set_bool(*ret_fidelity, "complete", complete);
	}
	pt_reader_close(a);
	pt_reader_close(b);
	return r;
}

/* Its refaults count from where the run's measures do. */
static int read_own(const struct pt_session *s, uint64_t run, const char *output, json_t **ret_own,
		    struct pt_diag *diag)
{
	struct pt_owntape_part part;

	part.from_ns = pt_session_measured_from_ns(s, run, &part.counters);
	return pt_owntape_read(output, part.from_ns ? &part : NULL, ret_own, diag);
}

int pt_watch_after_run(void *ctx, struct pt_session *s, uint64_t run, int failed,
		       struct pt_session_seen *ret_seen, struct pt_diag *diag)
{
	struct pt_watch *w = ctx;
	auto_free char *output = output_of(w, run, ""), *part = output_of(w, run, ".part");
	struct pt_recorder_stats stats;
	int r = 0;

	if (!output || !part)
		r = -ENOMEM;
	if (r == 0 && !failed)
		r = pt_recorder_stop(w->recorder, &stats, diag);
	if (r == 0 && !failed) {
		w->incomplete += !stats.complete;
		w->lost_events += stats.lost_events;
		r = measure(w, output, &ret_seen->fidelity, diag);
		if (r == 0)
			r = read_own(s, run, output, &ret_seen->own_tape, diag);
	}
	pt_watch_done(w);
	if (failed && part)
		unlink(part); /* of a replay that did not happen there is nothing to keep */
	return r;
}

void pt_watch_done(struct pt_watch *w)
{
	pt_recorder_free(w->recorder);
	w->recorder = NULL;
}
