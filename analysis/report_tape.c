// SPDX-License-Identifier: GPL-2.0-or-later
/* The entry of a tape: see report.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/report.h"
#include "analysis/report_entry.h"
#include "analysis/tape_mrc.h"
#include "analysis/tape_refaults.h"
#include "analysis/tape_timeline.h"
#include "util/json.h"
#include "util/parse.h"

#define WINDOWS     120
#define MAP_ROWS    32
#define MAP_COLUMNS 96
#define FIRST_SIZE  16 /* pages: where the curve begins */
#define STEPS       4  /* sizes an octave */
#define SIZES_MAX   (64 * STEPS)
#define TOP         20

/* ---- Facts */

static json_t *facts(const struct pt_reader *r, const struct pt_reader_summary *s,
		     const struct pt_report_tape_options *opt)
{
	static const char *const heads[] = { "source",      "version", "kernel",
					     "environment", "command", "start_realtime_ns",
					     "known" };
	const struct pt_head *head = pt_reader_head(r);
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		pt_json_set(o, heads[i], json_incref(json_object_get(head->doc, heads[i])));
	pt_json_set_string(o, "tape_id", pt_head_tape_id(head));
	pt_json_set_u64(o, "page_size", pt_head_page_size(head));
	pt_json_set_u64(o, "duration_ns",
			s->first_ns == PT_UNKNOWN ? PT_UNKNOWN : s->last_ns - s->first_ns);
	pt_json_set_u64(o, "bytes", s->bytes);
	pt_json_set_u64(o, "events", s->events);
	pt_json_set_u64(o, "records", s->records);
	pt_json_set_u64(o, "lost_events", s->unknown_gaps ? PT_UNKNOWN : s->lost_events);
	pt_json_set_u64(o, "files", pt_reader_file_count(r));
	pt_json_set_u64(o, "tasks", pt_reader_task_count(r));
	pt_json_set_u64(o, "limit_bytes", pt_reader_limit_bytes(r));
	pt_json_set_string(o, "scope", opt->scope);
	return o;
}

static void warn(json_t *entry, const struct pt_reader_summary *s, const struct pt_walk *w)
{
	char text[160], a[32], b[32];

	if (s->unknown_gaps || s->lost_events) {
		snprintf(text, sizeof(text), "Events were lost: %s%s, in %s gaps.",
			 s->unknown_gaps ? "at least " : "",
			 pt_format_count(s->lost_events, a, sizeof(a)),
			 pt_format_count(s->gaps, b, sizeof(b)));
		pt_report_warn(entry, text);
	}
	if (w->damaged) {
		snprintf(text, sizeof(text), "Damaged: %s blocks could not be read.",
			 pt_format_count(w->damaged, a, sizeof(a)));
		pt_report_warn(entry, text);
	}
	if (w->cut || !s->finished)
		pt_report_warn(entry, "Cut: the tape ends before its index.");
	else if (!s->complete && !s->unknown_gaps && !s->lost_events)
		pt_report_warn(entry, "Incomplete: its recorder does not vouch for the whole.");
}

/* ---- Documents */

/* By refaults, then evictions, most first. */
static int compare_groups(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "refaults", "evictions" };

	for (size_t i = 0; i < 2; i++) {
		json_int_t x = json_integer_value(json_object_get(a, keys[i]));
		json_int_t y = json_integer_value(json_object_get(b, keys[i]));

		if (x != y)
			return x < y ? 1 : -1;
	}
	return 0;
}

/* The top of @list in order; the rest is dropped. */
static void keep_top(json_t *list)
{
	for (size_t k = 0; k < TOP && k < json_array_size(list); k++) {
		size_t best = k;
		json_t *v;

		for (size_t i = k + 1; i < json_array_size(list); i++)
			if (compare_groups(json_array_get(list, best), json_array_get(list, i)) > 0)
				best = i;
		v = json_incref(json_array_get(list, best));
		json_array_remove(list, best);
		json_array_insert_new(list, k, v);
	}
	pt_report_cut(list, TOP);
}

static json_t *refaults_of(const struct pt_reader *r, const struct pt_refault *ref,
			   enum pt_group_by by, int complete)
{
	json_t *doc = pt_tape_refaults_document(r, ref, by, NULL, complete);

	keep_top(json_object_get(doc, "groups"));
	pt_report_reduce(doc);
	return doc;
}

static int add_timeline(json_t *entry, struct pt_reader *r,
			const struct pt_report_tape_options *opt, struct pt_walk *ret_w,
			int *ret_complete, struct pt_diag *diag)
{
	const struct pt_tape_timeline_options o = {
		.windows = WINDOWS,
		.files = opt->maps,
		.cgroups = opt->cgroups,
		.rows = MAP_ROWS,
		.columns = MAP_COLUMNS,
	};
	struct pt_tape_timeline t;
	json_t *by_cgroup;
	int err = pt_tape_timeline(r, &o, &t, diag);

	if (!err) {
		*ret_w = t.walk;
		*ret_complete = pt_walk_complete(&t.walk, r);
		pt_json_set(entry, "timeline", pt_tape_timeline_document(r, &t, *ret_complete));
		pt_json_set(entry, "hist", refaults_of(r, t.by_file, PT_BY_FILE, *ret_complete));
		by_cgroup = refaults_of(r, t.by_cgroup, PT_BY_CGROUP, *ret_complete);
		pt_json_set(entry, "cgroups", json_incref(json_object_get(by_cgroup, "groups")));
		json_decref(by_cgroup);
	}
	pt_tape_timeline_done(&t);
	return err;
}

/* Some an octave, up to as many pages as there may be. */
static size_t make_sizes(uint64_t sizes[SIZES_MAX], uint64_t most)
{
	size_t n = 0;

	for (uint64_t octave = FIRST_SIZE; n + STEPS <= SIZES_MAX; octave *= 2) {
		for (uint64_t i = 0; i < STEPS; i++)
			sizes[n++] = octave + octave * i / STEPS;
		if (octave >= most)
			break;
	}
	return n;
}

static int add_mrc(json_t *entry, struct pt_reader *r, const struct pt_report_tape_options *opt,
		   struct pt_diag *diag)
{
	struct pt_mrc_options o = { .sample = { .rate = opt->sample }, .cgroups = opt->cgroups };
	struct pt_reuse_summary s;
	uint64_t sizes[SIZES_MAX];
	struct pt_walk walk;
	struct pt_mrc *m;
	json_t *doc, *curve;
	int err = pt_reader_rewind(r);

	o.sizes = sizes;
	o.nsizes = make_sizes(sizes, UINT64_C(1) << 48);
	if (!err)
		err = pt_tape_mrc(r, &o, &m, &walk, diag);
	if (err < 0)
		return err;
	pt_reuse_summarise(m->reuse, &s);
	doc = pt_mrc_document(r, m, PT_BY_NOTHING, pt_walk_complete(&walk, r));
	curve = json_object_get(doc, "curve");
	pt_report_cut(curve, make_sizes(sizes, s.distinct));
	pt_json_set(entry, "mrc", doc);
	pt_mrc_free(m);
	return 0;
}

int pt_report_tape(struct pt_reader *r, const char *name, const struct pt_report_tape_options *opt,
		   json_t **ret_entry, int *ret_complete, struct pt_diag *diag)
{
	json_t *entry = pt_report_entry(name, "tape");
	struct pt_reader_summary s;
	struct pt_walk walk = { 0 };
	int complete = 0, err;

	pt_reader_summary(r, &s);
	err = add_timeline(entry, r, opt, &walk, &complete, diag);
	if (!err)
		err = add_mrc(entry, r, opt, diag);
	if (err < 0) {
		json_decref(entry);
		return err;
	}
	pt_json_set(entry, "facts", facts(r, &s, opt));
	pt_json_set_bool(entry, "complete", complete);
	warn(entry, &s, &walk);
	*ret_entry = entry;
	*ret_complete = complete;
	return 0;
}
