// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape hist: evictions, refaults and the distances between them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tape_refaults.h"
#include "cli/bars.h"
#include "cli/verbs.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"
#include "util/table.h"

struct hist_opts {
	struct pt_common common;
	const char *by, *cgroup, *metric;
};

static const struct pt_option options[] = {
	{ "by", 'b', "WHAT", "also by cgroup, file, task or node", PT_OPT_STRING,
	  offsetof(struct hist_opts, by), 0 },
	{ "cgroup", 'c', "PATH", "only this cgroup and those below; or 'subject'", PT_OPT_STRING,
	  offsetof(struct hist_opts, cgroup), 0 },
	{ "metric", 'm', "NAME", "show this distance only, or 'all'", PT_OPT_STRING,
	  offsetof(struct hist_opts, metric), 0 },
	{ 0 },
};

static const char *const by_names[] = {
	[PT_BY_CGROUP] = "cgroup",
	[PT_BY_FILE] = "file",
	[PT_BY_TASK] = "task",
	[PT_BY_NODE] = "node",
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

/* Mark the cgroups in which the recording's subject tasks began. */
static void choose_subjects(const struct pt_reader *r, uint8_t *chosen, int *ret_found)
{
	for (uint32_t i = 0; i < pt_reader_task_count(r); i++) {
		const struct pt_task *t = pt_reader_task(r, i);

		if (t->flags == PT_UNKNOWN32 || !(t->flags & PT_TASK_SUBJECT) ||
		    t->cgroup >= pt_reader_cgroup_count(r))
			continue;
		chosen[t->cgroup] = 1;
		*ret_found = 1;
	}
}

/*
 * A byte for each of the tape's cgroups: is it @path or below? *@ret_found tells whether any is.
 * NULL when out of memory.
 */
static uint8_t *choose_cgroups(const struct pt_reader *r, const char *path, int *ret_found)
{
	size_t n = pt_reader_cgroup_count(r), len = strlen(path);
	uint8_t *chosen = calloc(n + 1, 1);

	*ret_found = 0;
	if (chosen && strcmp(path, "subject") == 0) {
		choose_subjects(r, chosen, ret_found);
		return chosen;
	}
	while (len > 1 && path[len - 1] == '/')
		len--;
	for (uint32_t i = 0; chosen && i < n; i++) {
		const char *p = pt_reader_cgroup(r, i)->path;

		if (!p || strncmp(p, path, len) != 0)
			continue;
		chosen[i] = p[len] == '\0' || p[len] == '/' || len == 1;
		*ret_found |= chosen[i];
	}
	return chosen;
}

/* ---- Text */

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_causes(const char *title, const uint64_t counts[PT_CAUSE_PLACES])
{
	char n[32];

	printf("  %-12s", title);
	for (unsigned int i = 0; i < PT_CAUSE_PLACES; i++)
		if (counts[i])
			printf(" %s %s", i < PT_CAUSE_COUNT ? pt_how_name(PT_ADD, i) : "unknown",
			       pt_format_count(counts[i], n, sizeof(n)));
	putchar('\n');
}

/* What the kernel itself counted, where someone asked it while recording. */
static void print_kernel(const struct pt_refault_knowledge *k)
{
	char n[32];

	if (k->counted_refaults != PT_UNKNOWN)
		printf("  %-12s %s refaults, by its own counter of the %s\n", "kernel says",
		       pt_format_count(k->counted_refaults, n, sizeof(n)),
		       k->scope ? k->scope : "machine");
}

static void print_summary(const struct pt_refault *ref, const struct pt_refault_knowledge *k)
{
	const struct pt_refault_counts *c = pt_refault_counts(ref);
	char a[32], b[32];

	printf("  %-12s %s pages", "evicted", pt_format_count(c->evictions, a, sizeof(a)));
	printf(", %s of them read ahead and never used\n",
	       pt_format_count(c->evicted_unused, a, sizeof(a)));
	if (c->evictions_pageout)
		printf("  %-12s %s pages by DAMON or MADV_PAGEOUT\n", "paged out",
		       pt_format_count(c->evictions_pageout, a, sizeof(a)));
	printf("  %-12s %s pages in %s folios, %.1f%% of the evicted (%s)\n", "refaulted",
	       pt_format_count(c->refaults, a, sizeof(a)),
	       pt_format_count(c->refault_folios, b, sizeof(b)),
	       percent(c->refaults, c->evictions + c->evictions_pageout),
	       k->kernel_word ? "the kernel's word" : "by the model");
	if (k->activations)
		printf("  %-12s %s of them at once\n", "activated",
		       pt_format_count(c->activations, a, sizeof(a)));
	else
		printf("  %-12s not known under MGLRU\n", "activated");
	print_kernel(k);
	print_causes("added for", c->adds);
	print_causes("refaulted by", c->refaults_by_cause);
	printf("  %-12s %s pages whose past the tape does not know\n", "first seen",
	       pt_format_count(c->unknown_before_start, a, sizeof(a)));
	printf("  %-12s %s pages, without a shadow\n", "removed",
	       pt_format_count(c->removals, a, sizeof(a)));
}

static char *format_value(enum pt_distance d, uint64_t v, char *buf, size_t size)
{
	return d <= PT_DISTANCE_NONRESIDENT_AGE ? pt_format_count(v, buf, size)
						: pt_format_time(v, buf, size);
}

static const char *const metric_titles[PT_DISTANCE_COUNT] = {
	[PT_DISTANCE_EVICTED_PAGES] = "pages evicted between eviction and refault",
	[PT_DISTANCE_NONRESIDENT_AGE] = "the kernel's refault distance, in pages",
	[PT_DISTANCE_INTERVAL] = "time between eviction and refault",
	[PT_DISTANCE_RESIDENCY] = "time from add to eviction",
};

static void print_histogram(const struct pt_refault *ref, enum pt_distance d,
			    const struct pt_bars_style *style)
{
	const struct pt_log2hist *h = pt_refault_distances(ref, d);
	const double q[] = { 0.5, 0.9, 0.99 };
	char v[64];

	printf("\n%s: %s\n", pt_distance_name(d), metric_titles[d]);
	if (!h->count) {
		puts("  none");
		return;
	}
	for (size_t i = 0; i < PT_ARRAY_SIZE(q); i++)
		printf("  p%.0f %s", 100 * q[i],
		       format_value(d, pt_log2hist_quantile(h, q[i]), v, sizeof(v)));
	printf("  mean %s", format_value(d, (uint64_t)pt_log2hist_mean(h), v, sizeof(v)));
	printf("  max %s\n", format_value(d, h->max, v, sizeof(v)));
	pt_bars_print(h, d <= PT_DISTANCE_NONRESIDENT_AGE ? PT_BARS_PAGES : PT_BARS_TIME, style,
		      stdout);
}

/* Most refaults first, then most evictions; ties in order of appearance. */
static int by_refaults(const void *a, const void *b)
{
	const struct pt_refault_group *x = *(const struct pt_refault_group *const *)a;
	const struct pt_refault_group *y = *(const struct pt_refault_group *const *)b;

	if (x->counts.refaults != y->counts.refaults)
		return x->counts.refaults < y->counts.refaults ? 1 : -1;
	if (x->counts.evictions != y->counts.evictions)
		return x->counts.evictions < y->counts.evictions ? 1 : -1;
	return (x > y) - (x < y);
}

static int print_groups(const struct pt_reader *r, const struct pt_refault *ref,
			enum pt_group_by by)
{
	const char *columns[] = { by_names[by], ">evicted",      ">unused",
				  ">refaulted", ">p50 distance", ">added" };
	struct pt_table *t = pt_table_new(columns, PT_ARRAY_SIZE(columns));
	size_t n = pt_refault_group_count(ref);
	auto_free const struct pt_refault_group **sorted = calloc(n + 1, sizeof(*sorted));
	int bad = !t || !sorted;

	for (size_t i = 0; !bad && i < n; i++)
		sorted[i] = pt_refault_group(ref, i);
	if (!bad)
		qsort(sorted, n, sizeof(*sorted), by_refaults);
	for (size_t i = 0; !bad && i < n; i++) {
		const struct pt_refault_group *g = sorted[i];
		auto_free char *name = pt_refault_key_name(r, by, g->key);
		uint64_t added = 0;

		for (unsigned int c = 0; c < PT_CAUSE_PLACES; c++)
			added += g->counts.adds[c];
		bad |= pt_table_cell(t, "%s", name ? name : "(not known)");
		bad |= pt_table_cell(t, "%" PRIu64, g->counts.evictions);
		bad |= pt_table_cell(t, "%" PRIu64, g->counts.evicted_unused);
		bad |= pt_table_cell(t, "%" PRIu64, g->counts.refaults);
		if (g->evicted_pages)
			bad |= pt_table_cell(t, "%" PRIu64,
					     pt_log2hist_quantile(g->evicted_pages, 0.5));
		else
			bad |= pt_table_cell(t, "-");
		bad |= pt_table_cell(t, "%" PRIu64, added);
	}
	if (!bad) {
		putchar('\n');
		pt_table_print(t, stdout);
	}
	pt_table_free(t);
	return bad ? -ENOMEM : 0;
}

static int print_text(const struct hist_opts *o, const char *path, const struct pt_reader *r,
		      const struct pt_refault *ref, enum pt_group_by by)
{
	struct pt_refault_knowledge k;
	struct pt_bars_style style;

	pt_refault_know(pt_reader_head(r), &k);
	pt_bars_style_of(stdout, &style);
	printf("%s\n", path);
	print_summary(ref, &k);
	for (enum pt_distance d = 0; d < PT_DISTANCE_COUNT; d++) {
		if (o->metric ? strcmp(o->metric, "all") && strcmp(o->metric, pt_distance_name(d))
			      : d != PT_DISTANCE_EVICTED_PAGES)
			continue;
		if (d == PT_DISTANCE_NONRESIDENT_AGE && !k.age)
			printf("\n%s: not known under MGLRU\n", pt_distance_name(d));
		else
			print_histogram(ref, d, &style);
	}
	return by ? print_groups(r, ref, by) : 0;
}

/* ---- The verb */

static int print(const struct hist_opts *o, const char *path, const struct pt_reader *r,
		 const struct pt_refault *ref, enum pt_group_by by, int complete)
{
	const char *metric = o->metric && strcmp(o->metric, "all") ? o->metric : NULL;
	json_t *doc;
	int err;

	if (!o->common.json)
		return print_text(o, path, r, ref, by);
	doc = pt_tape_refaults_document(r, ref, by, metric, complete);
	err = doc ? pt_json_write(doc, stdout) : -ENOMEM;
	json_decref(doc);
	return err;
}

/* One tape: *@ret_complete is cleared where it is not whole. */
static int hist_tape(const struct hist_opts *o, const char *path, enum pt_group_by by,
		     int *ret_complete, struct pt_diag *diag)
{
	struct pt_refault_options opt = { .by = by };
	auto_free uint8_t *cgroups = NULL;
	struct pt_refault *ref = NULL;
	struct pt_reader *r = NULL;
	struct pt_walk walk;
	int found, whole, err;

	err = pt_reader_open(path, &(struct pt_reader_options){ 0 }, &r, diag);
	if (err < 0)
		return err;
	if (o->cgroup) {
		cgroups = choose_cgroups(r, o->cgroup, &found);
		if (!found)
			pt_warn("hist", "%s: no cgroup %s in this tape", path, o->cgroup);
		opt.cgroups = cgroups;
		opt.ncgroups = pt_reader_cgroup_count(r);
	}
	err = o->cgroup && !cgroups ? -ENOMEM : pt_tape_refaults(r, &opt, &ref, &walk, diag);
	if (!err) {
		whole = pt_walk_complete(&walk, r);
		if (!whole)
			pt_warn("hist", "%s: incomplete: events were lost or the tape was cut",
				path);
		*ret_complete &= whole;
		err = print(o, path, r, ref, by, whole);
	}
	pt_refault_free(ref);
	pt_reader_close(r);
	return err;
}

static int run(void *opts, int argc, char **argv)
{
	const struct hist_opts *o = opts;
	enum pt_group_by by;
	int complete = 1;

	if (!argc)
		return pt_usage("hist", "which tape?");
	if (find_by(o->by, &by) < 0)
		return pt_usage("hist", "--by %s: cgroup, file, task or node", o->by);
	if (o->metric && !is_metric(o->metric))
		return pt_usage("hist",
				"--metric %s: evicted_pages, nonresident_age, interval_ns, "
				"residency_ns or all",
				o->metric);
	for (int i = 0; i < argc; i++) {
		struct pt_diag diag = PT_DIAG_INIT;
		int err = hist_tape(o, argv[i], by, &complete, &diag);

		if (err == -EPIPE)
			break; /* the reader of our output has seen enough */
		if (err < 0)
			return pt_fail("hist", pt_diag_file(&diag, err, argv[i]), &diag);
		if (!o->common.json && i + 1 < argc)
			putchar('\n');
	}
	return complete ? PT_EXIT_DONE : pt_exit_incomplete(&o->common);
}

const struct pt_verb pt_verb_hist = {
	.name = "hist",
	.help = "how far apart evictions and refaults are",
	.usage = "[options] TAPE...",
	.about = "Count evictions and refaults in a tape and show the distances between them.",
	.options = options,
	.has_json = 1,
	.opts_size = sizeof(struct hist_opts),
	.run = run,
};
