// SPDX-License-Identifier: GPL-2.0-or-later
/* A whole tape over time: see tape_timeline.h. */
#include "analysis/tape_timeline.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/tape_refaults.h"
#include "util/cleanup.h"
#include "util/json.h"

/* ---- Reading */

static int feed_timeline(void *ctx, const struct pt_record *rec)
{
	return pt_timeline_feed(ctx, rec);
}

static int feed_heatmap(void *ctx, const struct pt_record *rec)
{
	return pt_heatmap_feed(ctx, rec);
}

/* The tape's first and last moment; both 0 in an empty one. */
static void span(const struct pt_reader *r, uint64_t *ret_first_ns, uint64_t *ret_last_ns)
{
	struct pt_reader_summary s;

	pt_reader_summary(r, &s);
	*ret_first_ns = s.first_ns == PT_UNKNOWN ? 0 : s.first_ns;
	*ret_last_ns =
		s.last_ns == PT_UNKNOWN || s.last_ns < *ret_first_ns ? *ret_first_ns : s.last_ns;
}

/* A fresh one for each reading, since it follows tasks from the start. */
static int make_filter(const struct pt_reader *r, const struct pt_tape_timeline_options *opt,
		       struct pt_tape_timeline *t)
{
	pt_cgroupfilter_free(t->filter);
	t->filter = opt->cgroups ? pt_cgroupfilter_new(r, opt->cgroups) : NULL;
	return opt->cgroups && !t->filter ? -ENOMEM : 0;
}

static int read_timeline(struct pt_reader *r, const struct pt_tape_timeline_options *opt,
			 struct pt_tape_timeline *t, struct pt_diag *diag)
{
	struct pt_refault_options by_file = { .by = PT_BY_FILE,
					      .cgroups = opt->cgroups,
					      .ncgroups = pt_reader_cgroup_count(r) };
	struct pt_timeline_options o = {
		.windows = opt->windows,
		.page_size = pt_head_page_size(pt_reader_head(r)),
		.nfiles = pt_reader_file_count(r),
	};
	uint64_t width;
	int err;

	span(r, &o.first_ns, &o.last_ns);
	if (opt->window_ns) {
		uint64_t n = (o.last_ns - o.first_ns) / opt->window_ns + 1;

		if (n > PT_TIMELINE_WINDOWS_MAX)
			return pt_diag_set(diag, -E2BIG, PT_NO_OFFSET,
					   "more than %d windows; make them wider",
					   PT_TIMELINE_WINDOWS_MAX);
		o.windows = (size_t)n;
		/* As wide as was asked for: the last is cut, not all made narrower. */
		o.last_ns = o.first_ns + n * opt->window_ns - 1;
	}
	err = make_filter(r, opt, t);
	o.filter = t->filter;
	if (!err)
		err = pt_tape_refaults_new(r, &by_file, &t->by_file);
	if (!err)
		err = pt_timeline_new(&o, t->by_file, &t->timeline);
	if (!err)
		err = pt_walk(r, feed_timeline, t->timeline, &t->walk, diag);
	if (err < 0)
		return err;
	pt_timeline_finish(t->timeline);
	span(r, &o.first_ns, &o.last_ns);
	width = pt_timeline_width_ns(t->timeline);
	t->windows = (size_t)((o.last_ns - o.first_ns) / width + 1);
	return 0;
}

/* Whether file @a is used more than @b: what comes back first, then what is asked for. */
static int is_more_used(const struct pt_timeline_file *a, const struct pt_timeline_file *b)
{
	if (a->refaults + a->misses != b->refaults + b->misses)
		return a->refaults + a->misses > b->refaults + b->misses;
	return a->accesses > b->accesses;
}

/* The most used, in order: an insertion into a short list. */
static void choose_files(const struct pt_reader *r, size_t wanted, struct pt_tape_timeline *t)
{
	for (uint32_t id = 0; wanted && id < pt_reader_file_count(r); id++) {
		const struct pt_timeline_file *f = pt_timeline_file(t->timeline, id);
		size_t at = t->nfiles;

		if (!f->accesses && !f->refaults && !f->evictions)
			continue;
		while (at && is_more_used(f, pt_timeline_file(t->timeline, t->files[at - 1])))
			at--;
		if (at == wanted)
			continue;
		if (t->nfiles < wanted)
			t->nfiles++;
		for (size_t i = t->nfiles - 1; i > at; i--)
			t->files[i] = t->files[i - 1];
		t->files[at] = id;
	}
}

static int read_heatmap(struct pt_reader *r, const struct pt_tape_timeline_options *opt,
			struct pt_tape_timeline *t, struct pt_diag *diag)
{
	struct pt_refault_options by_cgroup = { .by = PT_BY_CGROUP,
						.cgroups = opt->cgroups,
						.ncgroups = pt_reader_cgroup_count(r) };
	struct pt_heatmap_file files[PT_HEATMAP_FILES_MAX];
	struct pt_heatmap_options o = {
		.rows = opt->rows,
		.columns = opt->columns,
		.page_size = pt_head_page_size(pt_reader_head(r)),
		.files = files,
		.nfiles = t->nfiles,
	};
	struct pt_walk walk;
	int err;

	for (size_t i = 0; i < t->nfiles; i++)
		files[i] = (struct pt_heatmap_file){
			.file = t->files[i],
			.end_page = pt_timeline_file(t->timeline, t->files[i])->end_page,
		};
	span(r, &o.first_ns, &o.last_ns);
	err = make_filter(r, opt, t);
	o.filter = t->filter;
	if (!err)
		err = pt_reader_rewind(r);
	if (!err)
		err = pt_tape_refaults_new(r, &by_cgroup, &t->by_cgroup);
	if (!err)
		err = pt_heatmap_new(&o, t->by_cgroup, &t->heatmap);
	if (!err)
		err = pt_walk(r, feed_heatmap, t->heatmap, &walk, diag);
	return err;
}

int pt_tape_timeline(struct pt_reader *r, const struct pt_tape_timeline_options *opt,
		     struct pt_tape_timeline *ret_t, struct pt_diag *diag)
{
	int err;

	*ret_t = (struct pt_tape_timeline){ 0 };
	err = read_timeline(r, opt, ret_t, diag);
	if (err < 0)
		return err;
	choose_files(r, opt->files < PT_HEATMAP_FILES_MAX ? opt->files : PT_HEATMAP_FILES_MAX,
		     ret_t);
	return opt->rows ? read_heatmap(r, opt, ret_t, diag) : 0;
}

void pt_tape_timeline_done(struct pt_tape_timeline *t)
{
	pt_heatmap_free(t->heatmap);
	pt_timeline_free(t->timeline);
	pt_refault_free(t->by_file);
	pt_refault_free(t->by_cgroup);
	pt_cgroupfilter_free(t->filter);
	*t = (struct pt_tape_timeline){ 0 };
}

/* ---- Telling */

static void set_known(json_t *o, const char *key, int known, uint64_t v)
{
	pt_json_set_u64(o, key, known ? v : PT_UNKNOWN);
}

static void set_ratio(json_t *o, int known, uint64_t accesses, uint64_t misses)
{
	pt_json_set(o, "hit_ratio",
		    known && accesses ? json_real(1 - (double)misses / (double)accesses) : NULL);
}

static json_t *window_counters(const struct pt_timeline_window *w)
{
	json_t *o = json_object();

	for (size_t i = 0; i < PT_TIMELINE_COUNTERS; i++)
		if (w->counters[i] != PT_UNKNOWN)
			pt_json_set_u64(o, pt_timeline_counter_name(i), w->counters[i]);
	return o;
}

static json_t *windows(const struct pt_tape_timeline *t, int folios)
{
	int64_t before = (int64_t)pt_timeline_cached_before(t->timeline);
	json_t *list = json_array();

	for (size_t i = 0; i < t->windows; i++) {
		const struct pt_timeline_window *w = pt_timeline_window(t->timeline, i);
		int64_t cached = w->cached + before;
		json_t *o = json_object();

		pt_json_set_u64(o, "from_ns", i * pt_timeline_width_ns(t->timeline));
		pt_json_set_u64(o, "accesses", w->accesses);
		set_known(o, "misses", folios, w->misses);
		set_ratio(o, folios, w->accesses, w->misses);
		pt_json_set_u64(o, "working_set_pages", w->working_set);
		set_known(o, "cached_pages", folios, cached > 0 ? (uint64_t)cached : 0);
		set_known(o, "adds", folios, w->adds);
		set_known(o, "evictions", folios, w->evictions);
		set_known(o, "removals", folios, w->removals);
		set_known(o, "refaults", folios, w->refaults);
		pt_json_set_u64(o, "lost_events", w->lost);
		pt_json_set(o, "counters", window_counters(w));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *files(const struct pt_reader *r, const struct pt_tape_timeline *t, int folios)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->nfiles; i++) {
		const struct pt_timeline_file *f = pt_timeline_file(t->timeline, t->files[i]);
		auto_free char *name = pt_refault_key_name(r, PT_BY_FILE, t->files[i]);
		json_t *o = json_object();

		pt_json_set_string(o, "key", name);
		pt_json_set_u64(o, "size_bytes", pt_reader_file(r, t->files[i])->size);
		pt_json_set_u64(o, "accesses", f->accesses);
		set_known(o, "misses", folios, f->misses);
		set_ratio(o, folios, f->accesses, f->misses);
		pt_json_set_u64(o, "distinct_pages", f->pages);
		set_known(o, "evictions", folios, f->evictions);
		set_known(o, "refaults", folios, f->refaults);
		json_array_append_new(list, o);
	}
	return list;
}

/* Rows as lists of cells, the file's first pages first. */
static json_t *cells(const struct pt_heatmap_grid *g, const uint32_t *v)
{
	json_t *list = json_array();

	for (size_t row = 0; row < g->rows; row++) {
		json_t *line = json_array();

		for (size_t i = 0; i < g->columns; i++)
			json_array_append_new(line, json_integer(v[row * g->columns + i]));
		json_array_append_new(list, line);
	}
	return list;
}

static json_t *heat(const struct pt_reader *r, const struct pt_tape_timeline *t, int folios)
{
	json_t *list = json_array();

	for (size_t i = 0; t->heatmap && i < pt_heatmap_count(t->heatmap); i++) {
		const struct pt_heatmap_grid *g = pt_heatmap_grid(t->heatmap, i);
		auto_free char *name = pt_refault_key_name(r, PT_BY_FILE, g->file);
		json_t *o = json_object();

		pt_json_set_string(o, "key", name);
		pt_json_set_u64(o, "row_pages", g->row_pages);
		pt_json_set_u64(o, "column_ns", pt_heatmap_column_ns(t->heatmap));
		pt_json_set(o, "accesses", cells(g, g->accesses));
		pt_json_set(o, "refaults", folios ? cells(g, g->refaults) : NULL);
		json_array_append_new(list, o);
	}
	return list;
}

json_t *pt_tape_timeline_document(const struct pt_reader *r, const struct pt_tape_timeline *t,
				  int complete)
{
	const struct pt_head *head = pt_reader_head(r);
	json_t *doc = pt_json_document("timeline", pt_head_tape_id(head));
	struct pt_refault_knowledge k;

	pt_refault_know(head, &k);
	pt_json_set_u64(doc, "page_size", pt_head_page_size(head));
	pt_json_set_u64(doc, "window_ns", pt_timeline_width_ns(t->timeline));
	set_known(doc, "cached_before_pages", k.folios, pt_timeline_cached_before(t->timeline));
	pt_json_set_bool(doc, "complete", complete);
	pt_json_set(doc, "windows", windows(t, k.folios));
	pt_json_set(doc, "files", files(r, t, k.folios));
	pt_json_set(doc, "heat", heat(r, t, k.folios));
	return doc;
}
