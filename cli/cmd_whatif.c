// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape whatif: which refaults another threshold would activate. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tape_whatif.h"
#include "cli/eachtape.h"
#include "cli/hist_scope.h"
#include "cli/verbs.h"
#include "cli/whatif_print.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"

#define VERB "whatif"

struct whatif_opts {
	struct pt_common common;
	const char *thresholds, *by, *cgroup;
	uint64_t top, memory;
};

static const struct whatif_opts defaults = { .top = 10 };

static const struct pt_option options[] = {
	{ "threshold", 't', "LIST", "active, inactive, active+inactive, or sizes: 64M,1G",
	  PT_OPT_STRING, offsetof(struct whatif_opts, thresholds), 0 },
	{ "by", 'b', "WHAT", "list by file (default), cgroup or page", PT_OPT_STRING,
	  offsetof(struct whatif_opts, by), 0 },
	{ "top", 0, "N", "at most so many rows of that list (10); 0: all", PT_OPT_COUNT,
	  offsetof(struct whatif_opts, top), 0 },
	{ "cgroup", 'c', "PATH", "only this cgroup and those below; or 'subject'", PT_OPT_STRING,
	  offsetof(struct whatif_opts, cgroup), 0 },
	{ "memory", 'm', "SIZE", "simulate with so much page cache", PT_OPT_SIZE,
	  offsetof(struct whatif_opts, memory), 0, 1 },
	{ 0 },
};

/* What the words of the command line ask for; sizes in bytes. */
struct request {
	struct pt_whatif_rule rules[PT_WHATIF_RULES];
	size_t nrules;
	enum pt_whatif_by by;
};

static int take_rule(struct request *q, const char *word)
{
	struct pt_whatif_rule *rule = &q->rules[q->nrules];

	if (q->nrules == PT_WHATIF_RULES)
		return pt_usage(VERB, "--threshold: more than %d", PT_WHATIF_RULES);
	q->nrules++;
	for (rule->by = PT_LISTS_ACTIVE; rule->by < PT_LISTS_FIXED; rule->by++)
		if (strcmp(word, pt_lists_rule_name(rule->by)) == 0)
			return -1;
	if (pt_parse_size(word, &rule->pages) < 0 || !rule->pages)
		return pt_usage(VERB,
				"--threshold %s: active, inactive, active+inactive, or a size "
				"with its unit, as in 64M",
				word);
	return -1;
}

/* -1, or an exit code. */
static int understand(const struct whatif_opts *o, struct request *q)
{
	auto_free char *copy =
		strdup(o->thresholds ? o->thresholds : "active,inactive,active+inactive");
	char *rest = copy, *word;
	int r = -1;

	if (!copy)
		return pt_fail(VERB, -ENOMEM, &(struct pt_diag)PT_DIAG_INIT);
	while (r < 0 && (word = strsep(&rest, ",")))
		r = take_rule(q, word);
	q->by = PT_WHATIF_BY_FILE;
	if (r >= 0 || !o->by || strcmp(o->by, "file") == 0)
		return r;
	if (strcmp(o->by, "cgroup") == 0)
		q->by = PT_WHATIF_BY_CGROUP;
	else if (strcmp(o->by, "page") == 0)
		q->by = PT_WHATIF_BY_PAGE;
	else
		return pt_usage(VERB, "--by %s: file, cgroup or page", o->by);
	return -1;
}

/* @csv: where the rows go, NULL unless they are wanted. */
static int print(const struct whatif_opts *o, struct pt_table *csv, const struct pt_whatif_print *p,
		 int complete)
{
	json_t *doc;
	int err;

	if (csv)
		return pt_whatif_csv_add(csv, p);
	if (!o->common.json)
		return pt_whatif_print(p);
	doc = pt_tape_whatif_document(p->reader, p->answer, p->by, p->top, complete);
	err = doc ? pt_json_write(doc, stdout) : -ENOMEM;
	json_decref(doc);
	return err;
}

static uint64_t in_pages(uint64_t bytes, uint32_t page_size)
{
	return bytes && bytes < page_size ? 1 : bytes / page_size;
}

static int answer(const struct whatif_opts *o, const struct request *q, struct pt_reader *r,
		  struct pt_tape_whatif **ret_t, struct pt_walk *walk, struct pt_diag *diag)
{
	uint32_t page_size = pt_head_page_size(pt_reader_head(r));
	struct pt_tape_whatif_options opt = { .nrules = q->nrules,
					      .memory_pages = in_pages(o->memory, page_size) };
	auto_free uint8_t *cgroups = NULL;
	int err = 0;

	for (size_t i = 0; i < q->nrules; i++)
		opt.rules[i] = (struct pt_whatif_rule){ q->rules[i].by,
							in_pages(q->rules[i].pages, page_size) };
	if (o->cgroup)
		err = pt_scope_choose(r, o->cgroup, &cgroups, diag);
	opt.cgroups = cgroups;
	opt.ncgroups = pt_reader_cgroup_count(r);
	if (!err)
		err = pt_tape_whatif(r, &opt, ret_t, walk, diag);
	if (!err) /* was ours */
		(*ret_t)->opt.cgroups = NULL;
	return err;
}

struct work {
	const struct whatif_opts *o;
	struct request q;
};

/* One tape: see eachtape.h. */
static int whatif_tape(void *ctx, const char *path, struct pt_table *csv, int *ret_complete,
		       struct pt_diag *diag)
{
	const struct work *w = ctx;
	const struct whatif_opts *o = w->o;
	const struct request *q = &w->q;
	struct pt_tape_whatif *t = NULL;
	struct pt_reader *r = NULL;
	struct pt_walk walk;
	int whole, err = pt_reader_open(path, &(struct pt_reader_options){ 0 }, &r, diag);

	if (!err)
		err = answer(o, q, r, &t, &walk, diag);
	if (!err && !t->known.folios)
		err = pt_diag_set(diag, -ENODATA, PT_NO_OFFSET,
				  "the tape says what was accessed, not what was evicted");
	if (!err) {
		const struct pt_whatif_print p = {
			.path = path,
			.reader = r,
			.answer = t,
			.cgroup = o->cgroup,
			.by = q->by,
			.top = o->top,
		};

		whole = pt_eachtape_whole(VERB, path, &walk, r, ret_complete);
		err = print(o, csv, &p, whole);
	}
	pt_tape_whatif_free(t);
	pt_reader_close(r);
	return err;
}

static int run(void *opts, int argc, char **argv)
{
	struct work w = { .o = opts };
	const struct pt_eachtape each = {
		.verb = VERB,
		.common = &w.o->common,
		.new_csv = pt_whatif_csv_new,
		.one = whatif_tape,
		.ctx = &w,
	};
	int r;

	if (!argc)
		return pt_usage(VERB, "which tape?");
	r = understand(w.o, &w.q);
	return r < 0 ? pt_eachtape_run(&each, argv, argc) : r;
}

const struct pt_verb pt_verb_whatif = {
	.name = VERB,
	.help = "which refaults another threshold would activate",
	.usage = "[options] TAPE...",
	.about = "Hold the refaults of a tape against other thresholds than the active list's\n"
		 "length: how many would be activated, which pages that protects, and what a\n"
		 "simulation makes of it.",
	.options = options,
	.has_json = 1,
	.has_csv = 1,
	.opts_size = sizeof(struct whatif_opts),
	.defaults = &defaults,
	.run = run,
};
