// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape hist: evictions, refaults and the distances between them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sections.h"
#include "analysis/tape_refaults.h"
#include "cli/eachtape.h"
#include "cli/hist_fleet.h"
#include "cli/hist_print.h"
#include "cli/hist_scope.h"
#include "cli/verbs.h"
#include "util/cleanup.h"
#include "util/json.h"

struct hist_opts {
	struct pt_common common;
	struct pt_strings by;
	const char *cgroup, *metric;
	uint64_t top, threads;
};

static const struct hist_opts defaults = { .top = 20 };

static const struct pt_option options[] = {
	{ "by", 'b', "WHAT", "also by cgroup, file, task, node or ELF section", PT_OPT_LIST,
	  offsetof(struct hist_opts, by), 0 },
	{ "cgroup", 'c', "PATH", "only this cgroup and those below; or 'subject'", PT_OPT_STRING,
	  offsetof(struct hist_opts, cgroup), 0 },
	{ "top", 0, "N", "at most so many rows by WHAT (20); 0: all", PT_OPT_COUNT,
	  offsetof(struct hist_opts, top), 0 },
	{ "metric", 'm', "NAME", "show this distance only, or 'all'", PT_OPT_STRING,
	  offsetof(struct hist_opts, metric), 0 },
	{ "threads", 'j', "N", "work with so many threads (one a CPU)", PT_OPT_COUNT,
	  offsetof(struct hist_opts, threads), 0, 1 },
	{ 0 },
};

static const char *const by_names[] = {
	[PT_BY_CGROUP] = "cgroup", [PT_BY_FILE] = "file",       [PT_BY_TASK] = "task",
	[PT_BY_NODE] = "node",     [PT_BY_SECTION] = "section",
};

static int find_by(const char *name, enum pt_group_by *ret_by)
{
	*ret_by = PT_BY_NOTHING;
	if (!name)
		return 0;
	for (unsigned int i = PT_BY_CGROUP; i < PT_ARRAY_SIZE(by_names); i++) {
		if (strcmp(name, by_names[i]) == 0) {
			*ret_by = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int is_metric(const char *name)
{
	for (enum pt_distance d = 0; d < PT_DISTANCE_COUNT; d++)
		if (strcmp(name, pt_distance_name(d)) == 0)
			return 1;
	return strcmp(name, "all") == 0;
}

static struct pt_hist_fleet fleet_of(const struct hist_opts *o, enum pt_group_by by)
{
	return (struct pt_hist_fleet){
		.by = by,
		.by_name = by_names[by],
		.cgroup = o->cgroup,
		.metric = o->metric && strcmp(o->metric, "all") ? o->metric : NULL,
		.threads = pt_threads(o->threads),
		.top = o->top,
	};
}

static int print_json(const struct hist_opts *o, const struct pt_hist_print *p, int complete)
{
	const struct pt_hist_fleet f = fleet_of(o, p->by);
	json_t *doc = pt_hist_fleet_document(&f, p->reader, p->refaults, complete);
	int err = doc ? pt_json_write(doc, stdout) : -ENOMEM;

	json_decref(doc);
	return err;
}

/* What of the tape is counted: the cgroups asked for, and how they are grouped. 0 or -errno. */
static int set_scope(const struct hist_opts *o, const struct pt_reader *r, enum pt_group_by by,
		     uint8_t **ret_cgroups, uint8_t **ret_subjects, struct pt_refault_options *opt,
		     struct pt_diag *diag)
{
	int err = 0;

	opt->by = by;
	if (o->cgroup) {
		err = pt_scope_choose(r, o->cgroup, ret_cgroups, diag);
		opt->cgroups = *ret_cgroups;
		opt->ncgroups = pt_reader_cgroup_count(r);
	} else if (!o->common.json && (by == PT_BY_NOTHING || by == PT_BY_CGROUP)) {
		/* Groups by cgroup cost nothing, and tell the command's share. */
		err = pt_scope_choose(r, PT_SCOPE_SUBJECT, ret_subjects, NULL);
		if (err == -ENOENT)
			err = 0;
		if (*ret_subjects)
			opt->by = PT_BY_CGROUP;
	}
	return err;
}

/* One tape: *@ret_complete is cleared where it is not whole. */
static int hist_open_tape(const struct hist_opts *o, const char *path, struct pt_reader *r,
			  enum pt_group_by by, int *ret_complete, struct pt_diag *diag)
{
	auto_free uint8_t *cgroups = NULL, *subjects = NULL;
	struct pt_refault_options opt = { 0 };
	struct pt_sections *sections = NULL;
	struct pt_refault *ref = NULL;
	struct pt_walk walk;
	int whole, err = set_scope(o, r, by, &cgroups, &subjects, &opt, diag);

	if (!err && by == PT_BY_SECTION) {
		err = pt_sections_new(r, &sections);
		opt.section_of = pt_scope_section_of;
		opt.section_ctx = sections;
	}
	if (!err)
		err = pt_tape_refaults(r, &opt, &ref, &walk, diag);
	if (!err) {
		const struct pt_hist_print p = {
			.path = path,
			.reader = r,
			.refaults = ref,
			.metric = o->metric,
			.cgroup = o->cgroup,
			.subjects = subjects,
			.by = by,
			.by_name = by_names[by],
			.top = o->top,
		};

		whole = pt_eachtape_whole("hist", path, &walk, r, ret_complete);
		err = o->common.json ? print_json(o, &p, whole) : pt_hist_print(&p);
	}
	pt_refault_free(ref);
	pt_sections_free(sections);
	return err;
}

static int hist_tape(const struct hist_opts *o, const char *path, enum pt_group_by by,
		     int *ret_complete, struct pt_diag *diag)
{
	const struct pt_reader_options ropt = { .fields = pt_refault_fields,
						.threads = pt_threads(o->threads) };
	struct pt_reader *r;
	int err = pt_reader_open(path, &ropt, &r, diag);

	if (err < 0)
		return err;
	err = hist_open_tape(o, path, r, by, ret_complete, diag);
	pt_reader_close(r);
	return err;
}

/* Several inputs, or one that is a document, or CSV. */
static int hist_fleet(const struct hist_opts *o, enum pt_group_by by, int argc, char **argv,
		      int *ret_complete, struct pt_diag *diag)
{
	const struct pt_hist_fleet f = fleet_of(o, by);
	json_t *doc = NULL;
	int err = pt_hist_fleet_read(&f, argv, (size_t)argc, &doc, ret_complete, diag);

	if (err < 0)
		return err;
	if (o->common.json)
		err = pt_json_write(doc, stdout);
	else if (o->common.csv)
		err = pt_hist_fleet_csv(&f, doc);
	else
		err = pt_hist_fleet_print(&f, doc, (size_t)argc, o->metric);
	json_decref(doc);
	return err;
}

static int run(void *opts, int argc, char **argv)
{
	const struct hist_opts *o = opts;
	struct pt_diag diag = PT_DIAG_INIT;
	int err;
	enum pt_group_by by;
	int complete = 1;

	if (!argc)
		return pt_usage("hist", "which tape?");
	if (o->by.n > 1)
		return pt_usage("hist", "--by can be given once");
	if (find_by(o->by.n ? o->by.v[0] : NULL, &by) < 0)
		return pt_usage("hist", "--by %s: cgroup, file, task, node or section", o->by.v[0]);
	if (o->metric && !is_metric(o->metric))
		return pt_usage("hist",
				"--metric %s: evicted_pages, nonresident_age, interval_ns, "
				"residency_ns, lru_percent, generations or all",
				o->metric);
	if (argc > 1 || o->common.csv || pt_hist_fleet_is_document(argv[0]))
		err = hist_fleet(o, by, argc, argv, &complete, &diag);
	else
		err = hist_tape(o, argv[0], by, &complete, &diag);
	if (err < 0 && err != -EPIPE) /* then the reader of our output has seen enough */
		return pt_fail("hist", argc > 1 ? err : pt_diag_file(&diag, err, argv[0]), &diag);
	return complete ? PT_EXIT_DONE : pt_exit_incomplete(&o->common);
}

const struct pt_verb pt_verb_hist = {
	.name = "hist",
	.help = "how far apart evictions and refaults are",
	.usage = "[options] TAPE...",
	.about = "Count evictions and refaults in a tape and show the distances between them.\n"
		 "Several tapes, or documents that --json has made of them, become one histogram.",
	.options = options,
	.has_json = 1,
	.has_csv = 1,
	.opts_size = sizeof(struct hist_opts),
	.defaults = &defaults,
	.run = run,
};
