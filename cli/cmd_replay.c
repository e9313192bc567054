// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape replay: drive a tape's accesses through real I/O and measure. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/replay_options.h"
#include "cli/replay_print.h"
#include "cli/replay_watch.h"
#include "cli/verbs.h"
#include "formats/result.h"
#include "replay/order.h"
#include "replay/session.h"
#include "util/json.h"
#include "util/outfile.h"
#include "util/parse.h"

#define VERB "replay"

struct opts {
	struct pt_common common;
	const char *target, *output, *order, *pace, *warmup, *cgroup, *record;
	uint64_t memory, repeat;
	int dry_run, sparse, force, remove;
};

static const struct opts defaults = {
	.order = "window:32",
	.pace = "original",
	.memory = PT_UNKNOWN,
	.repeat = 1,
};

#define O(field) offsetof(struct opts, field), 0

static const struct pt_option options[] = {
	{ "target", 't', "DIR", "where the files are made and played on (required)", PT_OPT_STRING,
	  O(target) },
	{ "memory", 'm', "SIZE", "limit it to this much memory, in a cgroup", PT_OPT_SIZE,
	  O(memory) },
	{ "repeat", 'n', "N", "how many runs (1)", PT_OPT_COUNT, O(repeat) },
	{ "order", 0, "ORDER", "among tasks: task, window:N, strict (window:32)", PT_OPT_STRING,
	  O(order) },
	{ "pace", 0, "PACE", "original, max, or a factor as in 2 (original)", PT_OPT_STRING,
	  O(pace) },
	{ "warmup", 0, "FRACTION", "do not measure the first operations: 0.3, or 30%",
	  PT_OPT_STRING, O(warmup) },
	{ "cgroup", 0, "PATH", "play only tasks of this recorded cgroup", PT_OPT_STRING,
	  O(cgroup) },
	{ "record", 'r', "TAPE", "record the replay there and say how faithful it was",
	  PT_OPT_OUTPUT, O(record) },
	{ "output", 'o', "FILE", "write the results there, as JSON", PT_OPT_OUTPUT, O(output) },
	{ "dry-run", 0, NULL, "say what would be done, and do nothing", PT_OPT_FLAG, O(dry_run) },
	{ "sparse", 0, NULL, "make files without data: reads then do no I/O", PT_OPT_FLAG,
	  O(sparse) },
	{ "force", 0, NULL, "play on tmpfs, too; believe sizes beyond belief", PT_OPT_FLAG,
	  O(force) },
	{ "remove", 0, NULL, "remove the files at the end", PT_OPT_FLAG, O(remove) },
	{ 0 },
};

/* ---- Options */

/* -1 to go on, or an exit code. */
static int to_session(const struct opts *o, int argc, char **argv, struct pt_session_options *s)
{
	if (argc != 1)
		return pt_usage(VERB, "expected one tape");
	if (!o->target)
		return pt_usage(VERB, "--target DIR is missing");
	if (o->memory == 0)
		return pt_usage(VERB, "--memory 0: expected a size, as in 64M");
	if (o->repeat < 1 || o->repeat > 10000)
		return pt_usage(VERB, "--repeat %" PRIu64 ": expected 1 to 10000", o->repeat);
	if (pt_replay_parse_order(o->order, &s->window) < 0)
		return pt_usage(VERB, "--order %s: task, strict, or window:N with N up to %u",
				o->order, PT_ORDER_WINDOW_MAX);
	if (pt_replay_parse_pace(o->pace, &s->speed) < 0)
		return pt_usage(VERB, "--pace %s: original, max, or a factor", o->pace);
	if (o->warmup && pt_replay_parse_warmup(o->warmup, &s->warmup) < 0)
		return pt_usage(VERB, "--warmup %s: 0 or more and below 1, or below 100%%",
				o->warmup);
	if (o->dry_run && o->common.csv)
		return pt_usage(VERB, "--csv does not go with --dry-run");
	s->tape = argv[0];
	s->target = o->target;
	s->cgroup = o->cgroup;
	s->memory_bytes = o->memory == PT_UNKNOWN ? 0 : o->memory;
	s->repeat = o->repeat;
	s->flags = (o->sparse ? PT_SESSION_SPARSE : 0) | (o->force ? PT_SESSION_FORCE : 0) |
		   (o->remove ? PT_SESSION_REMOVE : 0);
	return -1;
}

/* ---- Output */

static int show(const struct opts *o, const json_t *doc, struct pt_diag *diag)
{
	int r = 0;

	if (o->output)
		r = pt_result_save(o->output, doc, diag);
	if (r < 0)
		return r;
	if (o->common.json)
		return pt_json_write(doc, stdout);
	return pt_replay_print(doc, &o->common);
}

static int show_plan(const struct opts *o, const struct pt_session *s)
{
	json_t *plan = pt_session_plan(s), *doc;
	int r;

	if (!o->common.json) {
		pt_replay_print_plan(plan);
		json_decref(plan);
		return 0;
	}
	doc = pt_json_document("replay-plan", pt_session_tape_id(s));
	pt_json_set(doc, "plan", plan);
	r = pt_json_write(doc, stdout);
	json_decref(doc);
	return r;
}

/* ---- The verb */

static int replay(const struct opts *o, const struct pt_session_options *so,
		  const struct pt_watch *watch, struct pt_diag *diag)
{
	struct pt_session *s = NULL;
	json_t *doc = NULL;
	int status = PT_EXIT_DONE, r;

	r = o->output ? pt_outfile_check(o->output, diag) : 0;
	if (r == 0 && o->record)
		r = pt_outfile_check(o->record, diag);
	if (r == 0)
		r = pt_session_open(so, &s, diag);
	if (r == 0 && o->dry_run) {
		r = show_plan(o, s);
	} else if (r == 0) {
		r = pt_session_run(s, &doc, diag);
		if (r == 0)
			r = show(o, doc, diag);
		if (watch->incomplete)
			pt_warn(VERB, "%s: incomplete: %" PRIu64 " events were lost", watch->output,
				watch->lost_events);
		if (r == 0 &&
		    (json_array_size(json_object_get(doc, "diverged")) > 0 || watch->incomplete))
			status = pt_exit_incomplete(&o->common);
	}
	json_decref(doc);
	pt_session_close(s);
	return r < 0 ? r : status;
}

static int run(void *opts, int argc, char **argv)
{
	const struct opts *o = opts;
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_progress progress;
	struct pt_session_options so = { .stop = pt_interrupted, .progress = &progress };
	struct pt_watch watch = { .original = argc ? argv[0] : NULL, .output = o->record };
	int r = to_session(o, argc, argv, &so);

	if (r >= 0)
		return r;
	pt_progress_init(&progress, o->common.quiet);
	pt_interrupt_catch();
	if (o->record) {
		so.before_run = pt_watch_before_run;
		so.after_run = pt_watch_after_run;
		so.ctx = &watch;
	}
	r = replay(o, &so, &watch, &diag);
	pt_watch_done(&watch);
	if (r >= 0)
		return r;
	r = pt_fail(VERB, r, &diag);
	return *pt_interrupted ? 128 + *pt_interrupted : r;
}

const struct pt_verb pt_verb_replay = {
	.name = VERB,
	.help = "play a tape's accesses through real I/O and measure",
	.usage = "[options] TAPE --target DIR",
	.about = "Make the recorded files below DIR, play the recorded accesses on them by reads,\n"
		 "writes and mappings, and measure what the kernel makes of it.",
	.options = options,
	.has_json = 1,
	.has_csv = 1,
	.opts_size = sizeof(struct opts),
	.defaults = &defaults,
	.run = run,
};
