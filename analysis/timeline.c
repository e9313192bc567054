// SPDX-License-Identifier: GPL-2.0-or-later
/* Windows of time: see timeline.h. */
#include "analysis/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernelmiss.h"
#include "analysis/pageaccess.h"
#include "util/cleanup.h"
#include "util/parse.h"
#include "util/textfile.h"

static const struct {
	enum pt_counters_how how;
	const char *key; /* in the text; NULL: the sum of all */
	const char *name;
} counters[] = {
	{ PT_COUNTERS_VMSTAT, "nr_active_file", "machine.nr_active_file" },
	{ PT_COUNTERS_VMSTAT, "nr_inactive_file", "machine.nr_inactive_file" },
	{ PT_COUNTERS_VMSTAT, "workingset_refault_file", "machine.workingset_refault_file" },
	{ PT_COUNTERS_VMSTAT, "workingset_activate_file", "machine.workingset_activate_file" },
	{ PT_COUNTERS_VMSTAT, "pgscan_file", "machine.pgscan_file" },
	{ PT_COUNTERS_VMSTAT, "pgsteal_file", "machine.pgsteal_file" },
	{ PT_COUNTERS_MEMSTAT, "active_file", "cgroup.active_file" },
	{ PT_COUNTERS_MEMSTAT, "inactive_file", "cgroup.inactive_file" },
	{ PT_COUNTERS_MEMSTAT, "workingset_refault_file", "cgroup.workingset_refault_file" },
	{ PT_COUNTERS_MEMSTAT, "workingset_activate_file", "cgroup.workingset_activate_file" },
	{ PT_COUNTERS_PSI, "some", "psi.some_us" },
	{ PT_COUNTERS_PSI, "full", "psi.full_us" },
	{ PT_COUNTERS_KSWAPD, NULL, "kswapd.cpu_ns" },
};
_Static_assert(PT_ARRAY_SIZE(counters) == PT_TIMELINE_COUNTERS, "a name for each");

struct pt_timeline {
	struct pt_timeline_options opt;
	struct pt_timeline_window *windows;
	struct pt_timeline_file *files;
	struct pt_refault *ref; /* borrowed */
	struct pt_kernelmiss misses;
	uint32_t *marks; /* by page id: 1 + the window of its last access; 0: none yet */
	size_t nmarks;
	uint64_t width_ns;
	size_t now;      /* the window of the last record */
	uint32_t cgroup; /* whose memory.stat is kept: the first's that is told */
	int has_cgroup;
};

const char *pt_timeline_counter_name(size_t i)
{
	return counters[i].name;
}

int pt_timeline_new(const struct pt_timeline_options *opt, struct pt_refault *ref,
		    struct pt_timeline **ret_t)
{
	struct pt_timeline *t;

	if (!opt->windows || opt->windows > PT_TIMELINE_WINDOWS_MAX || opt->last_ns < opt->first_ns)
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->opt = *opt;
	if (!t->opt.page_size)
		t->opt.page_size = 4096;
	t->ref = ref;
	/* So wide that the last record is still in the last window. */
	t->width_ns = (opt->last_ns - opt->first_ns) / opt->windows + 1;
	t->windows = calloc(opt->windows, sizeof(*t->windows));
	t->files = calloc((size_t)opt->nfiles + 1, sizeof(*t->files));
	pt_kernelmiss_init(&t->misses, 1);
	if (!t->windows || !t->files) {
		pt_timeline_free(t);
		return -ENOMEM;
	}
	for (size_t i = 0; i < opt->windows; i++)
		memset(t->windows[i].counters, 0xff, sizeof(t->windows[i].counters));
	*ret_t = t;
	return 0;
}

void pt_timeline_free(struct pt_timeline *t)
{
	if (!t)
		return;
	pt_kernelmiss_done(&t->misses);
	free(t->windows);
	free(t->files);
	free(t->marks);
	free(t);
}

/* ---- Time */

/* The record's window; how much was cached is carried on to it. */
static struct pt_timeline_window *enter(struct pt_timeline *t, uint64_t ts_ns)
{
	uint64_t i = ts_ns > t->opt.first_ns ? (ts_ns - t->opt.first_ns) / t->width_ns : 0;

	if (i >= t->opt.windows)
		i = t->opt.windows - 1;
	while (t->now < i) {
		t->windows[t->now + 1].cached = t->windows[t->now].cached;
		t->now++;
	}
	return &t->windows[t->now];
}

/* ---- Pages */

static struct pt_timeline_file *file_of(struct pt_timeline *t, uint32_t file)
{
	return file < t->opt.nfiles ? &t->files[file] : NULL;
}

static void reach(struct pt_timeline_file *f, uint64_t page, uint64_t npages)
{
	if (page + npages > f->end_page)
		f->end_page = page + npages;
}

static int make_room(struct pt_timeline *t)
{
	size_t n = 2 * (size_t)t->misses.ids.n;
	uint32_t *marks;

	if (t->misses.ids.n <= t->nmarks)
		return 0;
	marks = realloc(t->marks, n * sizeof(*marks));
	if (!marks)
		return -ENOMEM;
	memset(marks + t->nmarks, 0, (n - t->nmarks) * sizeof(*marks));
	t->marks = marks;
	t->nmarks = n;
	return 0;
}

/* Whether a page is new to the window, and to the tape. */
static int mark(struct pt_timeline *t, const struct pt_pageaccess *a, struct pt_timeline_window *w,
		struct pt_timeline_file *f)
{
	for (uint64_t i = 0; i < a->npages; i++) {
		uint32_t id;
		int err = pt_pageids_get(&t->misses.ids, a->file, a->page + i, &id);

		if (!err)
			err = make_room(t);
		if (err < 0)
			return err;
		if (t->marks[id] == t->now + 1)
			continue;
		if (f && !t->marks[id])
			f->pages++;
		t->marks[id] = (uint32_t)t->now + 1;
		w->working_set++;
	}
	return 0;
}

static int on_access(struct pt_timeline *t, const struct pt_record *rec,
		     struct pt_timeline_window *w)
{
	struct pt_timeline_file *f;
	struct pt_pageaccess a;
	uint64_t misses = t->misses.misses;
	int err;

	if (pt_pageaccess_of(rec, t->opt.page_size, &a) != PT_PAGEACCESS_PAGES)
		return 0;
	err = pt_kernelmiss_access(&t->misses, a.file, a.page, a.npages);
	if (err < 0)
		return err;
	misses = t->misses.misses - misses;
	w->accesses += a.npages;
	w->misses += misses;
	f = file_of(t, a.file);
	if (f) {
		f->accesses += a.npages;
		f->misses += misses;
		reach(f, a.page, a.npages);
	}
	return mark(t, &a, w, f);
}

/* A page that was accessed before its add came is known as a miss only now. */
static int on_folio(struct pt_timeline *t, const struct pt_record *rec,
		    struct pt_timeline_window *w)
{
	uint64_t misses = t->misses.misses;
	struct pt_timeline_file *f = file_of(t, rec->file);
	int err = pt_kernelmiss_feed(&t->misses, rec);

	if (err < 0)
		return err;
	misses = t->misses.misses - misses;
	w->misses += misses;
	w->cached = t->misses.cached;
	if (f)
		f->misses += misses;
	if (f && rec->page < UINT64_C(1) << 52 && (rec->order == PT_UNKNOWN8 || rec->order < 32))
		reach(f, rec->page, rec->order == PT_UNKNOWN8 ? 1 : UINT64_C(1) << rec->order);
	return 0;
}

static uint64_t sum_adds(const struct pt_refault_counts *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < PT_CAUSE_PLACES; i++)
		sum += c->adds[i];
	return sum;
}

/* What the model made of the record is this window's, and the record's file's. */
static int feed_model(struct pt_timeline *t, const struct pt_record *rec,
		      struct pt_timeline_window *w)
{
	const struct pt_refault_counts *c = pt_refault_counts(t->ref);
	const struct pt_refault_counts was = *c;
	struct pt_timeline_file *f = file_of(t, rec->file);
	uint64_t evictions;
	int err = pt_refault_feed(t->ref, rec);

	if (err < 0)
		return err;
	evictions = c->evictions - was.evictions + c->evictions_pageout - was.evictions_pageout;
	w->evictions += evictions;
	w->removals += c->removals - was.removals;
	w->refaults += c->refaults - was.refaults;
	w->adds += sum_adds(c) - sum_adds(&was);
	if (f) {
		f->evictions += evictions;
		f->refaults += c->refaults - was.refaults;
	}
	return 0;
}

/* ---- Counters */

static void set_counter(struct pt_timeline_window *w, unsigned int how, const char *key,
			uint64_t value)
{
	for (size_t i = 0; i < PT_TIMELINE_COUNTERS; i++) {
		if (counters[i].how != how)
			continue;
		if (!counters[i].key && value != PT_UNKNOWN)
			w->counters[i] =
				w->counters[i] == PT_UNKNOWN ? value : w->counters[i] + value;
		else if (counters[i].key && strcmp(counters[i].key, key) == 0)
			w->counters[i] = value;
	}
}

static int on_counters(struct pt_timeline *t, const struct pt_record *rec,
		       struct pt_timeline_window *w)
{
	auto_free char *text = strndup(rec->blob_len ? rec->blob : "", rec->blob_len);
	char *rest = text, *line;

	if (!text)
		return -ENOMEM;
	if (rec->how == PT_COUNTERS_MEMSTAT && !t->has_cgroup) {
		t->has_cgroup = 1;
		t->cgroup = rec->cgroup;
	}
	if (rec->how == PT_COUNTERS_MEMSTAT ? rec->cgroup != t->cgroup
					    : rec->cgroup != PT_UNKNOWN32)
		return 0;
	for (size_t i = 0; i < PT_TIMELINE_COUNTERS; i++) /* sums begin anew */
		if (counters[i].how == rec->how && !counters[i].key)
			w->counters[i] = PT_UNKNOWN;
	while ((line = pt_text_line(&rest))) {
		char *key = pt_text_word(&line), *value = key ? pt_text_word(&line) : NULL;
		uint64_t v;

		if (value && pt_parse_u64(value, &v) == 0)
			set_counter(w, rec->how, key, v);
	}
	return 0;
}

static void on_gap(const struct pt_record *rec, struct pt_timeline_window *w)
{
	if (rec->value[0] == PT_UNKNOWN || w->lost == PT_UNKNOWN ||
	    rec->value[0] > PT_UNKNOWN - 1 - w->lost)
		w->lost = PT_UNKNOWN;
	else
		w->lost += rec->value[0];
}

int pt_timeline_feed(struct pt_timeline *t, const struct pt_record *rec)
{
	struct pt_timeline_window *w = enter(t, rec->ts_ns);
	int has, err = feed_model(t, rec, w);

	has = err < 0 || !t->opt.filter ? 1 : pt_cgroupfilter_has(t->opt.filter, rec);
	if (err < 0 || has <= 0)
		return err < 0 ? err : has;
	switch (rec->kind) {
	case PT_ACCESS:
	case PT_WRITE:
		return on_access(t, rec, w);
	case PT_ADD:
	case PT_EVICT:
	case PT_REMOVE:
		return on_folio(t, rec, w);
	case PT_COUNTERS:
		return on_counters(t, rec, w);
	case PT_GAP:
		on_gap(rec, w);
		return 0;
	default:
		return 0;
	}
}

void pt_timeline_finish(struct pt_timeline *t)
{
	enter(t, t->opt.last_ns);
}

/* ---- What came out */

const struct pt_timeline_window *pt_timeline_window(const struct pt_timeline *t, size_t i)
{
	return &t->windows[i];
}

const struct pt_timeline_file *pt_timeline_file(const struct pt_timeline *t, uint32_t file)
{
	return &t->files[file];
}

uint64_t pt_timeline_width_ns(const struct pt_timeline *t)
{
	return t->width_ns;
}

uint64_t pt_timeline_cached_before(const struct pt_timeline *t)
{
	return t->misses.cached_before + t->misses.forgotten;
}
