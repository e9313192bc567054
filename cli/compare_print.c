// SPDX-License-Identifier: GPL-2.0-or-later
/* A comparison as text: see compare_print.h. */
#include "cli/compare_print.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/parse.h"
#include "util/table.h"

#define NAME_SIZE 256

/* ---- Groups */

/* What a line of the first table says of a group, in this order. */
static const struct {
	const char *title;
	enum pt_circumstance what;
} shown[] = {
	{ "kernel", PT_MADE_KERNEL }, { "LRU", PT_MADE_LRU },   { "memory", PT_MADE_MEMORY },
	{ "order", PT_MADE_ORDER },   { "pace", PT_MADE_PACE }, { "tape", PT_MADE_TAPE },
};

static size_t counted_runs(const struct pt_group_runs *r)
{
	return r->keeps_distorted ? r->runs : r->runs - r->distorted;
}

static int print_groups(const struct pt_comparison *c)
{
	const char *columns[2 + PT_ARRAY_SIZE(shown)] = { "group", ">n" };
	struct pt_table *t;
	int bad;

	for (size_t i = 0; i < PT_ARRAY_SIZE(shown); i++)
		columns[2 + i] = shown[i].title;
	t = pt_table_new(columns, PT_ARRAY_SIZE(columns));
	bad = !t;
	for (size_t i = 0; !bad && i < c->ngroups; i++) {
		bad |= pt_table_cell(t, "%s", c->groups[i].name);
		bad |= pt_table_cell(t, "%zu", counted_runs(&c->runs[i]));
		for (size_t k = 0; k < PT_ARRAY_SIZE(shown); k++) {
			int mixed;
			const json_t *v = pt_circumstance_of(&c->groups[i], shown[k].what, &mixed);
			char text[NAME_SIZE];

			pt_circumstance_text(v, shown[k].what, text, sizeof(text));
			bad |= pt_table_cell(t, "%s", mixed ? "several" : text);
		}
	}
	if (!bad) {
		pt_table_print(t, stdout);
		putchar('\n');
	}
	pt_table_free(t);
	return bad ? -ENOMEM : 0;
}

/* ---- Figures */

/* In the unit that people would choose; and no more digits than matter. */
static void format_value(double v, const char *unit, char *buf, size_t size)
{
	uint64_t whole = v < 0x1p63 ? (uint64_t)(fabs(v) + 0.5) : UINT64_MAX;

	if (isnan(v))
		snprintf(buf, size, "-");
	else if (strcmp(unit, "ns") == 0)
		pt_format_time(whole, buf, size);
	else if (strcmp(unit, "us") == 0)
		pt_format_time(whole < UINT64_MAX / 1000 ? whole * 1000 : UINT64_MAX, buf, size);
	else if (unit[0] == 'B')
		pt_format_size(whole, buf, size);
	else if (fabs(v) >= 1000 || v == floor(v))
		pt_format_count(whole, buf, size);
	else
		snprintf(buf, size, "%.4g", v);
}

/* What stands behind a value that does not say it itself. */
static const char *unit_text(const char *unit)
{
	if (strcmp(unit, "ns") == 0 || strcmp(unit, "us") == 0 || strcmp(unit, "B") == 0)
		return "";
	return strcmp(unit, "B/s") == 0 ? "a second" : unit;
}

static int p_cell(struct pt_table *t, double p)
{
	if (isnan(p))
		return pt_table_cell(t, "-");
	return p < 0.0001 ? pt_table_cell(t, "<0.0001") : pt_table_cell(t, "%.4f", p);
}

static int group_cells(struct pt_table *t, const struct pt_compared *g, const char *unit, int first,
		       int detailed)
{
	char mean[32], spread[32];
	int bad;

	format_value(g->stats.mean, unit, mean, sizeof(mean));
	format_value(g->stats.stddev, unit, spread, sizeof(spread));
	bad = isnan(g->stats.stddev) ? pt_table_cell(t, "%s", mean)
				     : pt_table_cell(t, "%s +- %s", mean, spread);
	if (first)
		return bad;
	bad |= isnan(g->change_percent) ? pt_table_cell(t, "-")
					: pt_table_cell(t, "%+.2f%%%s", g->change_percent,
							g->significant ? " *" : "");
	if (!detailed)
		return bad;
	bad |= p_cell(t, g->p_adjusted);
	bad |= isnan(g->min_detectable_percent)
		       ? pt_table_cell(t, "-")
		       : pt_table_cell(t, g->min_detectable_percent < 10 ? "%.1f%%" : "%.0f%%",
				       g->min_detectable_percent);
	return bad;
}

/* A table of many groups says what is significant, and leaves by how much to the JSON: else it
 * would be too wide for a mail. */
static int is_detailed(const struct pt_comparison *c)
{
	return c->ngroups <= 3;
}

/* Columns: metric, unit, then for each group its mean, and from the second on how it differs. */
static struct pt_table *new_table(const struct pt_comparison *c)
{
	size_t n = 2 + 1 + (is_detailed(c) ? 4 : 2) * (c->ngroups - 1), at = 0;
	auto_free const char **columns = calloc(n, sizeof(*columns));
	auto_free char *names = calloc(c->ngroups, NAME_SIZE);
	char *name = names;

	if (!columns || !names)
		return NULL;
	columns[at++] = "metric";
	columns[at++] = "unit";
	for (size_t i = 0; i < c->ngroups; i++, name += NAME_SIZE) {
		snprintf(name, NAME_SIZE, ">%.200s", c->groups[i].name);
		columns[at++] = name;
		if (i)
			columns[at++] = ">change";
		if (i && is_detailed(c)) {
			columns[at++] = ">adjusted p";
			columns[at++] = ">least seen";
		}
	}
	return pt_table_new(columns, n);
}

/* Whether every run of every group counted none. */
static int is_zero(const struct pt_comparison *c, const struct pt_compared_metric *m)
{
	for (size_t i = 0; i < c->ngroups; i++)
		if (m->groups[i].stats.min != 0 || m->groups[i].stats.max != 0)
			return 0;
	return 1;
}

static const char *mark_of(const struct pt_compared_metric *m)
{
	if (m->distorted)
		return " (distorted)";
	return m->paced ? " (paced)" : "";
}

static int print_metrics(const struct pt_comparison *c)
{
	struct pt_table *t = new_table(c);
	int bad = !t;

	for (size_t i = 0; !bad && i < c->nmetrics; i++) {
		const struct pt_compared_metric *m = &c->metrics[i];

		if (m->why_not || is_zero(c, m))
			continue;
		bad |= pt_table_cell(t, "%s%s", m->metric->name, mark_of(m));
		bad |= pt_table_cell(t, "%s", unit_text(m->metric->unit));
		for (size_t k = 0; k < c->ngroups; k++)
			bad |= group_cells(t, &m->groups[k], m->metric->unit, k == 0,
					   is_detailed(c));
	}
	if (!bad)
		pt_table_print(t, stdout);
	pt_table_free(t);
	return bad ? -ENOMEM : 0;
}

/* ---- What it means */

static void explain(const struct pt_comparison *c)
{
	int tested = 0, stars = 0, paced = 0, distorted = 0;

	for (size_t i = 0; i < c->nmetrics; i++) {
		paced |= c->metrics[i].paced && !c->metrics[i].why_not;
		distorted |= c->metrics[i].distorted && !c->metrics[i].why_not;
		for (size_t k = 1; k < c->ngroups; k++) {
			tested |= !isnan(c->metrics[i].groups[k].p_value);
			stars |= c->metrics[i].groups[k].significant;
		}
	}
	puts("\nmean +- standard deviation; change against the first group");
	if (tested) {
		printf("%s significant at 5%%: %s test, p adjusted over all metrics (Holm)\n",
		       stars ? "*" : "nothing is",
		       c->test == PT_COMPARE_WELCH ? "Welch's t" : "Mann-Whitney U");
		if (is_detailed(c))
			puts("least seen: the change that so few runs show in 4 of 5 cases");
	} else {
		puts("significance needs two runs a group");
	}
	if (paced)
		puts("(paced): pinned by the tape's clock; replay with --pace max to measure it");
	if (distorted)
		puts("(distorted): it is that of an emulated machine");
}

static void print_incomparable(const struct pt_comparison *c)
{
	int any = 0;

	for (size_t i = 0; i < c->nmetrics; i++) {
		if (!c->metrics[i].why_not)
			continue;
		if (!any++)
			puts("\nnot comparable:");
		printf("  %s: %s\n", c->metrics[i].metric->name, c->metrics[i].why_not);
	}
}

int pt_compare_print(const struct pt_comparison *c)
{
	int err = print_groups(c);

	if (!err)
		err = print_metrics(c);
	if (err)
		return err;
	if (c->ngroups > 1)
		explain(c);
	print_incomparable(c);
	return 0;
}
