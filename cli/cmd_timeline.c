// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape timeline: what a tape shows window by window, and heat maps of its files. */
#include <errno.h>
#include <stdio.h>

#include "analysis/tape_timeline.h"
#include "cli/eachtape.h"
#include "cli/hist_scope.h"
#include "cli/timeline_print.h"
#include "cli/verbs.h"
#include "util/cleanup.h"
#include "util/json.h"

#define VERB "timeline"

struct timeline_opts {
	struct pt_common common;
	const char *cgroup;
	uint64_t windows, window_ns, maps, rows, columns;
};

static const struct timeline_opts defaults = { .windows = 24, .rows = 16, .columns = 96 };

static const struct pt_option options[] = {
	{ "windows", 'n', "N", "so many windows of equal length (24)", PT_OPT_COUNT,
	  offsetof(struct timeline_opts, windows), 0, 1 },
	{ "window", 'w', "TIME", "windows of this length, as in 1s", PT_OPT_TIME,
	  offsetof(struct timeline_opts, window_ns), 0, 1 },
	{ "cgroup", 'c', "PATH", "only this cgroup and those below; or 'subject'", PT_OPT_STRING,
	  offsetof(struct timeline_opts, cgroup), 0 },
	{ "maps", 'm', "N", "also heat maps of the N most used files", PT_OPT_COUNT,
	  offsetof(struct timeline_opts, maps), 0 },
	{ "rows", 0, "N", "so many steps of file offset in a map (16)", PT_OPT_COUNT,
	  offsetof(struct timeline_opts, rows), 0, 1 },
	{ "columns", 0, "N", "so many steps of time in a map (96)", PT_OPT_COUNT,
	  offsetof(struct timeline_opts, columns), 0, 1 },
	{ 0 },
};

/* @csv: where the rows go, NULL unless they are wanted. */
static int print(const struct timeline_opts *o, const char *path, const struct pt_reader *r,
		 const struct pt_tape_timeline *t, struct pt_table *csv, int complete)
{
	json_t *doc;
	int err;

	if (csv)
		return pt_timeline_csv_add(csv, path, r, t);
	if (!o->common.json)
		return pt_timeline_print(path, r, t);
	doc = pt_tape_timeline_document(r, t, complete);
	err = doc ? pt_json_write(doc, stdout) : -ENOMEM;
	json_decref(doc);
	return err;
}

/* An open tape: *@ret_complete is cleared where it is not whole. */
static int timeline_open_tape(const struct timeline_opts *o, const char *path, struct pt_reader *r,
			      struct pt_table *csv, int *ret_complete, struct pt_diag *diag)
{
	auto_free uint8_t *cgroups = NULL;
	struct pt_tape_timeline_options opt = {
		.windows = o->windows,
		.window_ns = o->window_ns,
		.files = o->maps ? o->maps : PT_HEATMAP_FILES_MAX,
		.rows = o->maps ? o->rows : 0,
		.columns = o->columns,
	};
	struct pt_tape_timeline t = { 0 };
	int whole, err = o->cgroup ? pt_scope_choose(r, o->cgroup, &cgroups, diag) : 0;

	opt.cgroups = cgroups;
	if (!err)
		err = pt_tape_timeline(r, &opt, &t, diag);
	if (!err) {
		whole = pt_eachtape_whole(VERB, path, &t.walk, r, ret_complete);
		err = print(o, path, r, &t, csv, whole);
	}
	pt_tape_timeline_done(&t);
	return err;
}

/* One tape: see eachtape.h. */
static int timeline_tape(void *ctx, const char *path, struct pt_table *csv, int *ret_complete,
			 struct pt_diag *diag)
{
	const struct timeline_opts *o = ctx;
	struct pt_reader *r;
	int err = pt_reader_open(path, &(struct pt_reader_options){ 0 }, &r, diag);

	if (err < 0)
		return err;
	err = timeline_open_tape(o, path, r, csv, ret_complete, diag);
	pt_reader_close(r);
	return err;
}

static int check(const struct timeline_opts *o)
{
	if (o->windows > PT_TIMELINE_WINDOWS_MAX)
		return pt_usage(VERB, "--windows: at most %d", PT_TIMELINE_WINDOWS_MAX);
	if (o->maps > PT_HEATMAP_FILES_MAX)
		return pt_usage(VERB, "--maps: at most %d", PT_HEATMAP_FILES_MAX);
	if (o->rows > PT_HEATMAP_SIDE_MAX || o->columns > PT_HEATMAP_SIDE_MAX)
		return pt_usage(VERB, "--rows, --columns: at most %d", PT_HEATMAP_SIDE_MAX);
	return -1;
}

static int run(void *opts, int argc, char **argv)
{
	const struct timeline_opts *o = opts;
	const struct pt_eachtape each = {
		.verb = VERB,
		.common = &o->common,
		.new_csv = pt_timeline_csv_new,
		.one = timeline_tape,
		.ctx = opts,
	};
	int r;

	if (!argc)
		return pt_usage(VERB, "which tape?");
	r = check(o);
	return r < 0 ? pt_eachtape_run(&each, argv, argc) : r;
}

const struct pt_verb pt_verb_timeline = {
	.name = VERB,
	.help = "what happened when, and where in files",
	.usage = "[options] TAPE...",
	.about = "Show a tape window by window: working set, cached pages, hits, evictions and\n"
		 "refaults; and heat maps of its files, offset by time.",
	.options = options,
	.has_json = 1,
	.has_csv = 1,
	.opts_size = sizeof(struct timeline_opts),
	.defaults = &defaults,
	.run = run,
};
