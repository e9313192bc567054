// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape mrc: miss-ratio curves, simulated policies, and how far the kernel is from them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tape_mrc.h"
#include "cli/eachtape.h"
#include "cli/hist_scope.h"
#include "cli/mrc_print.h"
#include "cli/verbs.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"

#define VERB      "mrc"
#define MAX_SIZES 64
#define MIN_RATE  1e-6

struct mrc_opts {
	struct pt_common common;
	const char *by, *cgroup, *sizes, *policies;
	double rate;
	uint64_t sample_size, memory, threads;
};

static const struct mrc_opts defaults = { .rate = 1 };

static const struct pt_option options[] = {
	{ "by", 'b', "WHAT", "also by cgroup or file", PT_OPT_STRING, offsetof(struct mrc_opts, by),
	  0 },
	{ "cgroup", 'c', "PATH", "only this cgroup and those below; or 'subject'", PT_OPT_STRING,
	  offsetof(struct mrc_opts, cgroup), 0 },
	{ "sizes", 's', "LIST", "cache sizes, as in 64M,1G (powers of two)", PT_OPT_STRING,
	  offsetof(struct mrc_opts, sizes), 0 },
	{ "policy", 'p', "LIST", "simulate these policies, or 'all'", PT_OPT_STRING,
	  offsetof(struct mrc_opts, policies), 0 },
	{ "memory", 'm', "SIZE", "memory to compare the kernel at", PT_OPT_SIZE,
	  offsetof(struct mrc_opts, memory), 0 },
	{ "sample", 0, "RATE", "look at this share of pages, as in 0.01", PT_OPT_DOUBLE,
	  offsetof(struct mrc_opts, rate), 0 },
	{ "sample-pages", 0, "N", "look at no more than N pages", PT_OPT_COUNT,
	  offsetof(struct mrc_opts, sample_size), 0 },
	{ "threads", 'j', "N", "work with so many threads (one a CPU)", PT_OPT_COUNT,
	  offsetof(struct mrc_opts, threads), 0, 1 },
	{ 0 },
};

/* What the words of the command line ask for, but for what needs the page size. */
struct request {
	struct pt_mrc_options mrc;
	uint64_t sizes_bytes[MAX_SIZES];
	size_t nsizes;
};

/* ---- Words */

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* -1, or an exit code. */
static int take_sizes(struct request *q, const char *list)
{
	auto_free char *copy = strdup(list);
	char *rest = copy, *word;

	if (!copy)
		return pt_fail(VERB, -ENOMEM, &(struct pt_diag)PT_DIAG_INIT);
	while ((word = strsep(&rest, ","))) {
		if (q->nsizes == MAX_SIZES)
			return pt_usage(VERB, "--sizes: more than %d", MAX_SIZES);
		if (pt_parse_size(word, &q->sizes_bytes[q->nsizes]) < 0 ||
		    !q->sizes_bytes[q->nsizes])
			return pt_usage(VERB, "--sizes %s: expected sizes with units, as in 64M,1G",
					word);
		q->nsizes++;
	}
	qsort(q->sizes_bytes, q->nsizes, sizeof(*q->sizes_bytes), by_size);
	return -1;
}

static int is_chosen(const struct pt_mrc_options *o, const struct pt_policy *p)
{
	for (size_t i = 0; i < o->npolicies; i++)
		if (o->policies[i] == p)
			return 1;
	return 0;
}

static int take_policies(struct pt_mrc_options *o, const char *list)
{
	auto_free char *copy = strdup(list);
	char *rest = copy, *word;

	if (!copy)
		return pt_fail(VERB, -ENOMEM, &(struct pt_diag)PT_DIAG_INIT);
	while ((word = strsep(&rest, ","))) {
		const struct pt_policy *p = pt_policy_by_name(word);
		int all = strcmp(word, "all") == 0, opt = strcmp(word, "opt") == 0;

		if (!p && !all && !opt)
			return pt_usage(
				VERB,
				"--policy %s: lru, fifo, clock, sieve, s3fifo, arc, twolists, "
				"mglru, opt or all",
				word);
		o->opt |= all || opt;
		for (size_t i = 0; pt_policies[i]; i++)
			if ((all || pt_policies[i] == p) && !is_chosen(o, pt_policies[i]))
				o->policies[o->npolicies++] = pt_policies[i];
	}
	return -1;
}

static int understand(const struct mrc_opts *o, struct request *q)
{
	int r = -1;

	if (o->by && strcmp(o->by, "cgroup") == 0)
		q->mrc.by = PT_BY_CGROUP;
	else if (o->by && strcmp(o->by, "file") == 0)
		q->mrc.by = PT_BY_FILE;
	else if (o->by)
		return pt_usage(VERB, "--by %s: cgroup or file", o->by);
	if (o->by && o->cgroup)
		return pt_usage(VERB, "--by does not go with --cgroup");
	if (!(o->rate >= MIN_RATE && o->rate <= 1))
		return pt_usage(VERB, "--sample: a share of pages, from %g to 1", MIN_RATE);
	if (o->sample_size > UINT32_MAX / 16)
		return pt_usage(VERB, "--sample-pages: too many");
	q->mrc.sample = (struct pt_reuse_options){ o->rate, (uint32_t)o->sample_size };
	if (o->sizes)
		r = take_sizes(q, o->sizes);
	if (r < 0 && o->policies)
		r = take_policies(&q->mrc, o->policies);
	if (r < 0 && o->policies && o->sample_size)
		return pt_usage(VERB, "--policy does not go with --sample-pages; use --sample");
	return r;
}

/* ---- The verb */

/* @csv: where the rows go, NULL unless they are wanted. */
static int print(const struct mrc_opts *o, struct pt_table *csv, const char *path,
		 const struct pt_reader *r, const struct pt_mrc *m, enum pt_group_by by,
		 int complete)
{
	json_t *doc;
	int err;

	if (csv)
		return pt_mrc_csv_add(csv, path, r, m, by);
	if (!o->common.json) {
		printf("%s\n", path);
		pt_scope_print(r, o->cgroup);
		return pt_mrc_print(r, m, by);
	}
	doc = pt_mrc_document(r, m, by, complete);
	err = doc ? pt_json_write(doc, stdout) : -ENOMEM;
	json_decref(doc);
	return err;
}

/* Bytes to whole pages, at least one; sizes that fall together become one. */
static void size_in_pages(const struct mrc_opts *o, const struct request *q, uint32_t page_size,
			  struct pt_mrc_options *opt, uint64_t *sizes)
{
	for (size_t i = 0; i < q->nsizes; i++) {
		uint64_t pages = q->sizes_bytes[i] / page_size;

		pages = pages ? pages : 1;
		if (!opt->nsizes || sizes[opt->nsizes - 1] != pages)
			sizes[opt->nsizes++] = pages;
	}
	opt->sizes = sizes;
	if (o->memory)
		opt->memory_pages = o->memory < page_size ? 1 : o->memory / page_size;
}

struct work {
	const struct mrc_opts *o;
	struct request q;
};

/* One tape: see eachtape.h. */
static int mrc_tape(void *ctx, const char *path, struct pt_table *csv, int *ret_complete,
		    struct pt_diag *diag)
{
	const struct work *w = ctx;
	const struct mrc_opts *o = w->o;
	const struct request *q = &w->q;
	struct pt_reader_options ropt = { .flags = PT_READER_NO_TIME,
					  .kinds = PT_MRC_KINDS,
					  .fields = o->cgroup ? NULL : pt_mrc_fields,
					  .threads = pt_threads(o->threads) };
	struct pt_mrc_options opt = q->mrc;
	auto_free uint8_t *cgroups = NULL;
	uint64_t sizes[MAX_SIZES];
	struct pt_reader *r = NULL;
	struct pt_mrc *m = NULL;
	struct pt_walk walk;
	int whole, err;

	err = pt_reader_open(path, &ropt, &r, diag);
	if (err < 0)
		return err;
	size_in_pages(o, q, pt_head_page_size(pt_reader_head(r)), &opt, sizes);
	err = pt_head_need_accesses(pt_reader_head(r), diag);
	if (!err && o->cgroup)
		err = pt_scope_choose(r, o->cgroup, &cgroups, diag);
	opt.cgroups = cgroups;
	if (!err)
		err = pt_tape_mrc(r, &opt, &m, &walk, diag);
	if (!err) {
		whole = pt_eachtape_whole(VERB, path, &walk, r, ret_complete);
		err = print(o, csv, path, r, m, opt.by, whole);
	}
	pt_mrc_free(m);
	pt_reader_close(r);
	return err;
}

static int run(void *opts, int argc, char **argv)
{
	struct work w = { .o = opts };
	const struct pt_eachtape each = {
		.verb = VERB,
		.common = &w.o->common,
		.new_csv = pt_mrc_csv_new,
		.one = mrc_tape,
		.ctx = &w,
	};
	int r;

	if (!argc)
		return pt_usage(VERB, "which tape?");
	r = understand(w.o, &w.q);
	return r < 0 ? pt_eachtape_run(&each, argv, argc) : r;
}

const struct pt_verb pt_verb_mrc = {
	.name = "mrc",
	.help = "how many accesses would miss with how much memory",
	.usage = "[options] TAPE...",
	.about = "Show the miss-ratio curve of a tape's accesses, simulate policies, and tell how\n"
		 "far the kernel's own misses are from LRU's and OPT's.",
	.options = options,
	.has_json = 1,
	.has_csv = 1,
	.opts_size = sizeof(struct mrc_opts),
	.defaults = &defaults,
	.run = run,
};
