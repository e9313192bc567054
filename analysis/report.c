// SPDX-License-Identifier: GPL-2.0-or-later
/* The document behind a page, and entries of documents: see report.h. Tapes: report_tape.c. */
#include "analysis/report.h"

#include <errno.h>
#include <string.h>

#include "analysis/report_entry.h"
#include "util/cleanup.h"
#include "util/json.h"

#define HISTOGRAMS_MAX 8
#define BUCKETS_MAX    65
#define GROUPS_MAX     20
#define CURVE_MAX      512
#define POLICIES_MAX   16
#define WINDOWS_MAX    1000
#define HEAT_MAX       8
#define CELLS_MAX      128 /* rows, and columns */
#define RUNS_MAX       200
#define TEXT_MAX       4096 /* of a name or sentence, in bytes of JSON */

json_t *pt_report_entry(const char *name, const char *kind)
{
	json_t *e = json_object();

	pt_json_set_string(e, "name", name);
	pt_json_set_string(e, "kind", kind);
	pt_json_set(e, "warnings", json_array());
	return e;
}

void pt_report_warn(json_t *entry, const char *text)
{
	json_t *warnings = json_object_get(entry, "warnings"), *holder = json_object();

	pt_json_set_string(holder, "text", text); /* makes UTF-8 of it */
	json_array_append(warnings, json_object_get(holder, "text"));
	json_decref(holder);
}

/* ---- Reducing */

void pt_report_cut(json_t *list, size_t n)
{
	while (json_array_size(list) > n)
		json_array_remove(list, json_array_size(list) - 1);
}

static void cut_histograms(json_t *list)
{
	json_t *h;
	size_t i;

	pt_report_cut(list, HISTOGRAMS_MAX);
	json_array_foreach(list, i, h) pt_report_cut(json_object_get(h, "buckets"), BUCKETS_MAX);
}

static void cut_cells(json_t *rows)
{
	json_t *row;
	size_t i;

	pt_report_cut(rows, CELLS_MAX);
	json_array_foreach(rows, i, row) pt_report_cut(row, CELLS_MAX);
}

void pt_report_reduce(json_t *doc)
{
	json_t *policies = json_object_get(doc, "policies"), *v;
	const char *key;
	size_t i, n = 0;
	void *tmp;

	cut_histograms(json_object_get(doc, "histograms"));
	pt_report_cut(json_object_get(doc, "groups"), GROUPS_MAX);
	json_array_foreach(json_object_get(doc, "groups"), i, v)
	{
		cut_histograms(json_object_get(v, "histograms"));
		json_object_del(v, "curve");
	}
	pt_report_cut(json_object_get(doc, "curve"), CURVE_MAX);
	pt_report_cut(json_object_get(json_object_get(doc, "reuse"), "buckets"), BUCKETS_MAX);
	json_object_foreach_safe(policies, tmp, key, v)
	{
		pt_report_cut(v, CURVE_MAX);
		if (n++ >= POLICIES_MAX)
			json_object_del(policies, key);
	}
	pt_report_cut(json_object_get(doc, "windows"), WINDOWS_MAX);
	pt_report_cut(json_object_get(doc, "files"), GROUPS_MAX);
	pt_report_cut(json_object_get(doc, "heat"), HEAT_MAX);
	json_array_foreach(json_object_get(doc, "heat"), i, v)
	{
		cut_cells(json_object_get(v, "accesses"));
		cut_cells(json_object_get(v, "refaults"));
	}
	pt_report_cut(json_object_get(doc, "runs"), RUNS_MAX);
}

/* Whether it is small enough to be shown, written down. */
static int is_small(const json_t *v)
{
	size_t n = json_dumpb(v, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);

	return n && n <= TEXT_MAX;
}

/* ---- Documents */

static const struct {
	const char *kind, *place;
} takes[] = {
	{ "hist", "hist" },
	{ "mrc", "mrc" },
	{ "timeline", "timeline" },
	{ "replay", "replay" },
};

static const char *place_of(const char *kind)
{
	for (size_t i = 0; kind && i < PT_ARRAY_SIZE(takes); i++)
		if (strcmp(takes[i].kind, kind) == 0)
			return takes[i].place;
	return NULL;
}

int pt_report_takes(const char *kind)
{
	return place_of(kind) != NULL;
}

static void warn_distorted(json_t *entry, const json_t *list, const char *of)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
	{
		char text[256];

		if (!json_is_string(v) || i >= GROUPS_MAX)
			continue;
		snprintf(text, sizeof(text), "Distorted%s: %s", of, json_string_value(v));
		pt_report_warn(entry, text);
	}
}

/* Of a replay's result only what the page shows: the rest stands in the comparison. */
static json_t *replay_facts(const json_t *doc)
{
	static const char *const keys[] = { "kernel",    "accelerator", "settings",
					    "candidate", "identity",    "fidelity" };
	json_t *o = json_object();

	for (size_t i = 0; i < PT_ARRAY_SIZE(keys); i++) {
		json_t *v = json_object_get(doc, keys[i]);

		if (v && is_small(v))
			pt_json_set(o, keys[i], json_incref(v));
	}
	pt_json_set_u64(o, "runs", json_array_size(json_object_get(doc, "runs")));
	return o;
}

json_t *pt_report_document(const json_t *doc, const char *name)
{
	const char *kind = json_string_value(json_object_get(doc, "kind"));
	json_t *e = pt_report_entry(name, kind), *copy;
	const json_t *run;
	size_t i;

	if (strcmp(kind, "replay") == 0) {
		pt_json_set(e, "replay", replay_facts(doc));
		warn_distorted(e, json_object_get(doc, "distorted"), "");
		json_array_foreach(json_object_get(doc, "runs"), i, run)
			warn_distorted(e, json_object_get(run, "distorted"), " in one run");
		return e;
	}
	copy = json_deep_copy(doc);
	pt_report_reduce(copy);
	pt_json_set(e, place_of(kind), copy);
	if (json_is_false(json_object_get(doc, "complete")))
		pt_report_warn(e, "Incomplete: events were lost, or the tape was cut.");
	return e;
}

/* ---- The whole */

static size_t bytes_of(const json_t *doc)
{
	return json_dumpb(doc, NULL, 0, JSON_COMPACT | JSON_ENSURE_ASCII);
}

/* Heat maps are the bulk: the last files' go first. */
static void fit(json_t *doc, json_t *entries)
{
	for (size_t i = json_array_size(entries);
	     i-- && bytes_of(doc) > PT_REPORT_BYTES_MAX - (64u << 10);) {
		json_t *e = json_array_get(entries, i);
		json_t *heat = json_object_get(json_object_get(e, "timeline"), "heat");

		if (!json_array_size(heat))
			continue;
		json_array_clear(heat);
		pt_report_warn(e, "Its heat maps are left out: the page would be too large.");
	}
}

json_t *pt_report_make(json_t *entries, const struct pt_comparison *comparison)
{
	json_t *doc = pt_json_document("report", NULL);

	pt_json_set(doc, "inputs", entries);
	pt_json_set(doc, "comparison", comparison ? pt_comparison_document(comparison) : NULL);
	pt_json_set(doc, "warnings", comparison ? json_incref(comparison->warnings) : json_array());
	fit(doc, entries);
	return doc;
}
