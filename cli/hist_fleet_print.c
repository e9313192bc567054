// SPDX-License-Identifier: GPL-2.0-or-later
/* Merged histograms as text and CSV: see hist_fleet.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hist_json.h"
#include "cli/hist_fleet.h"
#include "cli/hist_print.h"
#include "util/cleanup.h"
#include "util/parse.h"
#include "util/plot.h"

/* A count, PT_UNKNOWN where it is null. */
static uint64_t count_of(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_integer(v) && json_integer_value(v) >= 0 ? (uint64_t)json_integer_value(v)
								: PT_UNKNOWN;
}

static const char *text_of(const json_t *o, const char *key, char *buf, size_t size)
{
	uint64_t n = count_of(o, key);

	return n == PT_UNKNOWN ? "(not known)" : pt_format_count(n, buf, size);
}

static void print_causes(const json_t *doc, const char *key, const char *title)
{
	json_t *causes = json_object_get(doc, key);
	const char *cause;
	json_t *v;
	char n[32];

	printf("  %-12s", title);
	json_object_foreach(causes, cause, v) if (json_integer_value(v) > 0) printf(
		" %s %s", cause, pt_format_count((uint64_t)json_integer_value(v), n, sizeof(n)));
	putchar('\n');
}

static void print_summary(const json_t *doc, size_t inputs)
{
	char a[32], b[32];

	printf("%zu input%s merged%s\n", inputs, inputs == 1 ? "" : "s",
	       json_is_true(json_object_get(doc, "complete")) ? "" : ", not all of them complete");
	printf("  %-12s %s pages, ", "evicted", text_of(doc, "evictions", a, sizeof(a)));
	printf("%s of them read ahead and never used\n",
	       text_of(doc, "evicted_unused", a, sizeof(a)));
	printf("  %-12s %s pages in %s folios\n", "refaulted",
	       text_of(doc, "refaults", a, sizeof(a)),
	       text_of(doc, "refault_folios", b, sizeof(b)));
	printf("  %-12s %s pages at refault\n", "activated",
	       text_of(doc, "refault_activations", a, sizeof(a)));
	print_causes(doc, "adds", "added for");
	print_causes(doc, "refaults_by_cause", "refaulted by");
	printf("  %-12s %s pages, without a shadow\n", "removed",
	       text_of(doc, "removals", a, sizeof(a)));
}

/* ---- Histograms */

static int print_histograms(const json_t *doc, const char *metric)
{
	const json_t *o, *list = json_object_get(doc, "histograms");
	struct pt_plot_style style;
	size_t i;

	pt_plot_style_of(stdout, &style);
	json_array_foreach(list, i, o)
	{
		auto_free struct pt_log2hist *h = NULL;
		enum pt_distance d;
		int err = pt_hist_json_parse(o, &d, &h);

		if (err < 0)
			return err;
		if (metric ? strcmp(metric, "all") && strcmp(metric, pt_distance_name(d))
			   : d != PT_DISTANCE_EVICTED_PAGES)
			continue;
		if (h)
			pt_hist_print_distance(d, h, &style);
		else
			printf("\n%s: not known of all\n", pt_distance_name(d));
	}
	return 0;
}

static int csv_histograms(const json_t *doc)
{
	static const char *const columns[] = { "metric", "unit", "lo", "hi", "pages" };
	struct pt_table *t = pt_table_new_as(columns, PT_ARRAY_SIZE(columns), PT_TABLE_CSV);
	const json_t *o, *b;
	size_t i, k;
	int bad = !t;

	json_array_foreach(json_object_get(doc, "histograms"), i, o)
	{
		json_array_foreach(json_object_get(o, "buckets"), k, b)
		{
			if (bad)
				break;
			bad = pt_table_text(t, json_string_value(json_object_get(o, "metric"))) |
			      pt_table_text(t, json_string_value(json_object_get(o, "unit"))) |
			      pt_table_count(t, count_of(b, "lo")) |
			      pt_table_count(t, count_of(b, "hi")) |
			      pt_table_count(t, count_of(b, "count"));
		}
	}
	if (!bad)
		pt_table_print(t, stdout);
	pt_table_free(t);
	return bad ? -ENOMEM : 0;
}

/* ---- Groups */

/* Most refaults first, then most evictions; ties in order of appearance, which is that in memory.
 */
static int by_refaults(const void *a, const void *b)
{
	static const char *const keys[] = { "refaults", "evictions" };
	const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;

	for (size_t i = 0; i < PT_ARRAY_SIZE(keys); i++) {
		json_int_t m = json_integer_value(json_object_get(x, keys[i]));
		json_int_t n = json_integer_value(json_object_get(y, keys[i]));

		if (m != n)
			return m < n ? 1 : -1;
	}
	return strcmp(json_string_value(json_object_get(x, "key")) ?: "",
		      json_string_value(json_object_get(y, "key")) ?: "");
}

static uint64_t added_to(const json_t *group)
{
	json_t *adds = json_object_get(group, "adds"), *v;
	const char *cause;
	uint64_t sum = 0;

	json_object_foreach(adds, cause, v) sum +=
		json_is_integer(v) ? (uint64_t)json_integer_value(v) : 0;
	return sum;
}

static int group_row(struct pt_table *t, const json_t *g)
{
	const json_t *h = json_array_get(json_object_get(g, "histograms"), 0);
	const char *key = json_string_value(json_object_get(g, "key"));

	return pt_table_text(t, key ? key : "(not known)") |
	       pt_table_count(t, count_of(g, "evictions")) |
	       pt_table_count(t, count_of(g, "evicted_unused")) |
	       pt_table_count(t, count_of(g, "refaults")) | pt_table_count(t, count_of(h, "p50")) |
	       pt_table_count(t, added_to(g));
}

static int print_groups(const struct pt_hist_fleet *f, const json_t *doc, enum pt_table_style style)
{
	const char *columns[] = { f->by_name,
				  ">evicted|evicted_pages",
				  ">unused|evicted_unused_pages",
				  ">refaulted|refaulted_pages",
				  ">p50 distance|p50_evicted_pages",
				  ">added|added_pages" };
	const json_t *g, *list = json_object_get(doc, "groups");
	size_t i, n = json_array_size(list), shown = f->top && f->top < n ? (size_t)f->top : n;
	auto_free const json_t **sorted = calloc(n + 1, sizeof(*sorted));
	struct pt_table *t = pt_table_new_as(columns, PT_ARRAY_SIZE(columns), style);
	int bad = !t || !sorted;

	if (!bad) {
		json_array_foreach(list, i, g) sorted[i] = g;
		qsort(sorted, n, sizeof(*sorted), by_refaults);
	}
	for (i = 0; !bad && i < shown; i++)
		bad = group_row(t, sorted[i]);
	if (!bad && style == PT_TABLE_TEXT)
		putchar('\n');
	if (!bad)
		pt_table_print(t, stdout);
	if (!bad && style == PT_TABLE_TEXT && shown < n)
		printf("%zu more are not shown (--top 0 shows all)\n", n - shown);
	pt_table_free(t);
	return bad ? -ENOMEM : 0;
}

int pt_hist_fleet_print(const struct pt_hist_fleet *f, const json_t *doc, size_t inputs,
			const char *metric)
{
	int err;

	print_summary(doc, inputs);
	err = print_histograms(doc, metric);
	return err < 0 || !f->by_name ? err : print_groups(f, doc, PT_TABLE_TEXT);
}

int pt_hist_fleet_csv(const struct pt_hist_fleet *f, const json_t *doc)
{
	return f->by_name ? print_groups(f, doc, PT_TABLE_CSV) : csv_histograms(doc);
}
