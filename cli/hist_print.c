// SPDX-License-Identifier: GPL-2.0-or-later
/* Evictions and refaults as text: see hist_print.h. */
#include "cli/hist_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/parse.h"
#include "util/plot.h"
#include "util/printable.h"
#include "util/table.h"

#define EXACT_BELOW (2u << PT_LOG2HIST_SUB_BITS) /* histograms keep such values as they are */

/* ---- Summary */

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
	char n[32], text[64];

	if (k->counted_refaults == PT_UNKNOWN)
		return;
	printf("  %-12s workingset_refault_file %s", "kernel says",
	       pt_format_count(k->counted_refaults, n, sizeof(n)));
	if (k->counted_activations != PT_UNKNOWN)
		printf(", workingset_activate_file %s",
		       pt_format_count(k->counted_activations, n, sizeof(n)));
	printf(", of the %s", pt_printable(k->scope ? k->scope : "machine", text, sizeof(text)));
	if (k->rule && strcmp(k->rule, "pages") != 0)
		printf(" (counts %s)", pt_printable(k->rule, text, sizeof(text)));
	putchar('\n');
}

/* Whose pages these are; beside the machine's, those of the command that was recorded. */
static void print_scope(const struct pt_hist_print *p)
{
	uint64_t evictions = 0, refaults = 0;
	char a[32], b[32];

	if (p->cgroup)
		printf("  %-12s %s%s\n", "scope", strcmp(p->cgroup, "subject") ? "cgroup " : "",
		       strcmp(p->cgroup, "subject") ? p->cgroup : "the recorded command's cgroups");
	if (!p->subjects)
		return;
	for (size_t i = 0; i < pt_refault_group_count(p->refaults); i++) {
		const struct pt_refault_group *g = pt_refault_group(p->refaults, i);

		if (g->key == PT_UNKNOWN32 || !p->subjects[g->key])
			continue;
		evictions += g->counts.evictions;
		refaults += g->counts.refaults;
	}
	printf("  %-12s the whole machine; -c subject for the command's cgroups alone,\n", "scope");
	printf("  %-12s which have %s evicted and %s refaulted pages\n", "",
	       pt_format_count(evictions, a, sizeof(a)), pt_format_count(refaults, b, sizeof(b)));
}

static void print_evictions(const struct pt_refault_counts *c)
{
	char n[32];

	printf("  %-12s %s pages", "evicted", pt_format_count(c->evictions, n, sizeof(n)));
	printf(", %s of them read ahead and never used\n",
	       pt_format_count(c->evicted_unused, n, sizeof(n)));
	if (c->evictions_pageout)
		printf("  %-12s %s pages by DAMON or MADV_PAGEOUT\n", "paged out",
		       pt_format_count(c->evictions_pageout, n, sizeof(n)));
}

/* The model held against the kernel, where the kernel said something. */
static void print_check(const struct pt_refault *ref)
{
	const struct pt_refault_check *c = pt_refault_check(ref);
	char a[32], b[32], d[32];

	if (c->kernel)
		printf("  %-12s agrees on %s of the kernel's %s refaulted pages, has %s more\n",
		       "model", pt_format_count(c->confirmed, a, sizeof(a)),
		       pt_format_count(c->kernel, b, sizeof(b)),
		       pt_format_count(c->model - c->confirmed, d, sizeof(d)));
}

static void print_predictions(const struct pt_refault *ref)
{
	const struct pt_activation_counts *c = pt_refault_predictions(ref);
	char a[32], b[32], n[32];

	if (!c || !c->decisions)
		return;
	printf("  %-12s %.2f%% of %s decisions wrong by the active list at the last flush of\n",
	       "predicted", percent(c->wrong, c->decisions),
	       pt_format_count(c->decisions, n, sizeof(n)));
	printf("  %-12s statistics, %.2f%% by one fitted threshold for each of %s periods\n", "",
	       percent(c->wrong_fitted, c->decisions), pt_format_count(c->periods, a, sizeof(a)));
	if (c->unknown)
		printf("  %-12s (not of %s refaults: their list's length is not known)\n", "",
		       pt_format_count(c->unknown, b, sizeof(b)));
}

static void print_refaults(const struct pt_refault *ref, const struct pt_refault_counts *c,
			   const struct pt_refault_knowledge *k)
{
	char a[32], b[32];

	printf("  %-12s %s pages in %s folios, %.1f%% of the evicted (%s)\n", "refaulted",
	       pt_format_count(c->refaults, a, sizeof(a)),
	       pt_format_count(c->refault_folios, b, sizeof(b)),
	       percent(c->refaults, c->evictions + c->evictions_pageout),
	       k->kernel_word ? "by the kernel's WORKINGSET_REFAULT"
			      : "by the model of its shadows");
	if (k->activations)
		printf("  %-12s %s pages at refault (WORKINGSET_ACTIVATE)\n", "activated",
		       pt_format_count(c->activations, a, sizeof(a)));
	else
		printf("  %-12s not known under MGLRU\n", "activated");
	print_kernel(k);
	print_check(ref);
	print_predictions(ref);
}

static void print_summary(const struct pt_refault *ref, const struct pt_refault_knowledge *k)
{
	const struct pt_refault_counts *c = pt_refault_counts(ref);
	char n[32];

	print_evictions(c);
	print_refaults(ref, c, k);
	print_causes("added for", c->adds);
	print_causes("refaulted by", c->refaults_by_cause);
	printf("  %-12s %s pages whose past the tape does not know\n", "first seen",
	       pt_format_count(c->unknown_before_start, n, sizeof(n)));
	printf("  %-12s %s pages, without a shadow\n", "removed",
	       pt_format_count(c->removals, n, sizeof(n)));
}

/* ---- Distances */

static int is_time(enum pt_distance d)
{
	return d == PT_DISTANCE_INTERVAL || d == PT_DISTANCE_RESIDENCY;
}

static char *format_value(enum pt_distance d, uint64_t v, char *buf, size_t size)
{
	char n[32];

	if (d == PT_DISTANCE_LRU_PERCENT) {
		snprintf(buf, size, "%s%%", pt_format_count(v, n, sizeof(n)));
		return buf;
	}
	return is_time(d) ? pt_format_time(v, buf, size) : pt_format_count(v, buf, size);
}

/* A percentile is a bucket's upper end: three digits, and "~" where even those are not exact. */
static char *format_quantile(enum pt_distance d, const struct pt_log2hist *h, double q, char *buf,
			     size_t size)
{
	uint64_t v = pt_log2hist_quantile(h, q), unit = 1;

	if (v < EXACT_BELOW || v == h->max)
		return format_value(d, v, buf, size);
	while (v / unit >= 1000)
		unit *= 10;
	v -= v % unit;
	buf[0] = '~';
	format_value(d, v, buf + 1, size - 1);
	return buf;
}

static const char *const metric_titles[PT_DISTANCE_COUNT] = {
	[PT_DISTANCE_EVICTED_PAGES] = "pages evicted between eviction and refault",
	[PT_DISTANCE_NONRESIDENT_AGE] = "the kernel's refault distance, in pages",
	[PT_DISTANCE_INTERVAL] = "time between eviction and refault",
	[PT_DISTANCE_RESIDENCY] = "time from add to eviction",
	[PT_DISTANCE_LRU_PERCENT] = "pages evicted in between, in percent of the file pages cached",
	[PT_DISTANCE_GENERATIONS] = "generations used up between eviction and refault",
};

void pt_hist_print_distance(enum pt_distance d, const struct pt_log2hist *h,
			    const struct pt_plot_style *style)
{
	const double q[] = { 0.5, 0.9, 0.99 };
	char v[64];

	printf("\n%s: %s\n", pt_distance_name(d), metric_titles[d]);
	if (!h->count) {
		puts("  none");
		return;
	}
	for (size_t i = 0; i < PT_ARRAY_SIZE(q); i++)
		printf("  p%.0f %s", 100 * q[i], format_quantile(d, h, q[i], v, sizeof(v)));
	printf("  mean %s", format_value(d, (uint64_t)pt_log2hist_mean(h), v, sizeof(v)));
	printf("  max %s\n", format_value(d, h->max, v, sizeof(v)));
	pt_plot_hist(h, is_time(d) ? PT_PLOT_TIME : PT_PLOT_PAGES, style, stdout);
}

/* What generations are as exact as. */
static void print_resolution(const struct pt_refault *ref)
{
	uint64_t readings, step;
	char n[32], m[32];

	pt_refault_generations(ref, &readings, &step);
	printf("  as of the reading before: of %s readings, two were up to %s generations apart\n",
	       pt_format_count(readings, n, sizeof(n)), pt_format_count(step, m, sizeof(m)));
}

static void print_generations(const struct pt_hist_print *p, const struct pt_refault_knowledge *k,
			      const struct pt_plot_style *style)
{
	const struct pt_log2hist *h = pt_refault_distances(p->refaults, PT_DISTANCE_GENERATIONS);

	if (!k->mglru || !h->count) {
		printf("\n%s: %s\n", pt_distance_name(PT_DISTANCE_GENERATIONS),
		       k->mglru ? "not known: nobody read them" : "the classic LRU has none");
		return;
	}
	pt_hist_print_distance(PT_DISTANCE_GENERATIONS, h, style);
	print_resolution(p->refaults);
}

static void print_distances(const struct pt_hist_print *p, const struct pt_refault_knowledge *k)
{
	struct pt_plot_style style;

	pt_plot_style_of(stdout, &style);
	for (enum pt_distance d = 0; d < PT_DISTANCE_COUNT; d++) {
		if (p->metric ? strcmp(p->metric, "all") && strcmp(p->metric, pt_distance_name(d))
			      : d != PT_DISTANCE_EVICTED_PAGES)
			continue;
		if (d == PT_DISTANCE_NONRESIDENT_AGE && !k->age)
			printf("\n%s: not known under MGLRU\n", pt_distance_name(d));
		else if (d == PT_DISTANCE_GENERATIONS)
			print_generations(p, k, &style);
		else
			pt_hist_print_distance(d, pt_refault_distances(p->refaults, d), &style);
	}
}

/* ---- Groups */

static uint64_t added_to(const struct pt_refault_group *g)
{
	uint64_t sum = 0;

	for (unsigned int c = 0; c < PT_CAUSE_PLACES; c++)
		sum += g->counts.adds[c];
	return sum;
}

static int compare_counts(uint64_t x, uint64_t y)
{
	return (x < y) - (x > y);
}

/* Most refaults first, then most evictions, most adds; ties in order of appearance. */
static int by_refaults(const void *a, const void *b)
{
	const struct pt_refault_group *x = *(const struct pt_refault_group *const *)a;
	const struct pt_refault_group *y = *(const struct pt_refault_group *const *)b;
	int r = compare_counts(x->counts.refaults, y->counts.refaults);

	if (!r)
		r = compare_counts(x->counts.evictions, y->counts.evictions);
	if (!r)
		r = compare_counts(added_to(x), added_to(y));
	return r ? r : (x > y) - (x < y);
}

/* All groups with something to show, sorted; *@ret_n of them. NULL: out of memory. */
static const struct pt_refault_group **sort_groups(const struct pt_refault *ref, size_t *ret_n)
{
	size_t count = pt_refault_group_count(ref), n = 0;
	const struct pt_refault_group **sorted = calloc(count + 1, sizeof(*sorted));

	for (size_t i = 0; sorted && i < count; i++) {
		const struct pt_refault_group *g = pt_refault_group(ref, i);

		if (g->counts.refaults || g->counts.evictions || added_to(g))
			sorted[n++] = g;
	}
	if (sorted)
		qsort(sorted, n, sizeof(*sorted), by_refaults);
	*ret_n = n;
	return sorted;
}

static int count_cell(struct pt_table *t, uint64_t v)
{
	char n[32];

	return pt_table_cell(t, "%s", pt_format_count(v, n, sizeof(n)));
}

static int group_row(struct pt_table *t, const struct pt_hist_print *p,
		     const struct pt_refault_group *g)
{
	auto_free char *name = pt_refault_key_name(p->reader, p->by, g->key);
	const struct pt_log2hist *h = g->evicted_pages;
	char p50[64] = "-";
	int bad = pt_table_cell(t, "%s", name ? name : "(not known)");

	if (h && h->count)
		format_quantile(PT_DISTANCE_EVICTED_PAGES, h, 0.5, p50, sizeof(p50));
	bad |= count_cell(t, g->counts.evictions);
	bad |= count_cell(t, g->counts.evicted_unused);
	bad |= count_cell(t, g->counts.refaults);
	bad |= pt_table_cell(t, "%s", p50);
	return bad | count_cell(t, added_to(g));
}

static int print_groups(const struct pt_hist_print *p)
{
	const char *columns[] = { p->by_name,   ">evicted",      ">unused",
				  ">refaulted", ">p50 distance", ">added" };
	struct pt_table *t = pt_table_new(columns, PT_ARRAY_SIZE(columns));
	auto_free const struct pt_refault_group **sorted = NULL;
	size_t n, shown;
	int bad;

	sorted = sort_groups(p->refaults, &n);
	bad = !t || !sorted;
	shown = p->top && p->top < n ? (size_t)p->top : n;
	for (size_t i = 0; !bad && i < shown; i++)
		bad = group_row(t, p, sorted[i]);
	if (!bad) {
		putchar('\n');
		pt_table_print(t, stdout);
	}
	if (!bad && shown < n)
		printf("%zu more are not shown (--top 0 shows all)\n", n - shown);
	pt_table_free(t);
	return bad ? -ENOMEM : 0;
}

int pt_hist_print(const struct pt_hist_print *p)
{
	struct pt_refault_knowledge k;

	pt_refault_know(pt_reader_head(p->reader), &k);
	printf("%s\n", p->path);
	if (!k.folios) {
		printf("  %-12s not known: the tape says what was accessed, not what was evicted\n",
		       "refaulted");
		return 0;
	}
	print_scope(p);
	print_summary(p->refaults, &k);
	print_distances(p, &k);
	return p->by ? print_groups(p) : 0;
}
