// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms of many inputs: see hist_fleet.h. */
#include "cli/hist_fleet.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hist_merge.h"
#include "analysis/sections.h"
#include "cli/cli.h"
#include "cli/hist_scope.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/textfile.h"

/* One input. */
struct job {
	const char *path;
	json_t *doc;
	int err;
	struct pt_diag diag;
};

/* What threads share. */
struct work {
	const struct pt_hist_fleet *f;
	unsigned int threads_each;
	struct job *jobs;
	size_t n, next;
	pthread_mutex_t lock;
};

json_t *pt_hist_fleet_document(const struct pt_hist_fleet *f, const struct pt_reader *r,
			       const struct pt_refault *ref, int whole)
{
	json_t *doc = pt_tape_refaults_document(r, ref, f->by, f->metric, whole);

	pt_json_set_string(doc, "by", f->by_name);
	pt_json_set_string(doc, "cgroup", f->cgroup);
	return doc;
}

int pt_hist_fleet_is_document(const char *path)
{
	auto_fclose FILE *file = fopen(path, "re");
	char text[64];
	size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[n] = '\0';
	return text[strspn(text, " \t\r\n")] == '{';
}

/* ---- One input */

static int read_document(const struct pt_hist_fleet *f, struct job *j)
{
	auto_free char *text = NULL;
	const char *by;
	json_error_t error;
	int err = pt_text_read("", j->path, &text);

	if (err < 0)
		return pt_diag_errno(&j->diag, err, "cannot read it");
	j->doc = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!j->doc)
		return pt_diag_set(&j->diag, -EBADMSG, PT_NO_OFFSET, "line %d: %s", error.line,
				   error.text);
	err = pt_hist_merge_check(j->doc, &j->diag);
	by = json_string_value(json_object_get(j->doc, "by"));
	if (!err && f->by_name && (!by || strcmp(by, f->by_name) != 0))
		err = pt_diag_set(&j->diag, -EINVAL, PT_NO_OFFSET, "its groups are by %s, not %s",
				  by ? by : "nothing", f->by_name);
	return err;
}

static int read_open_tape(const struct pt_hist_fleet *f, struct pt_reader *r, struct job *j)
{
	auto_free uint8_t *cgroups = NULL;
	struct pt_refault_options opt = { .by = f->by };
	struct pt_sections *sections = NULL;
	struct pt_refault *ref = NULL;
	struct pt_walk walk;
	int err = 0;

	if (f->by == PT_BY_SECTION) {
		err = pt_sections_new(r, &sections);
		opt.section_of = pt_scope_section_of;
		opt.section_ctx = sections;
	}
	if (!err && f->cgroup) {
		err = pt_scope_choose(r, f->cgroup, &cgroups, &j->diag);
		opt.cgroups = cgroups;
		opt.ncgroups = pt_reader_cgroup_count(r);
	}
	if (!err)
		err = pt_tape_refaults(r, &opt, &ref, &walk, &j->diag);
	if (!err)
		j->doc = pt_hist_fleet_document(f, r, ref, pt_walk_complete(&walk, r));
	if (!err && !j->doc)
		err = -ENOMEM;
	pt_refault_free(ref);
	pt_sections_free(sections);
	return err;
}

static int read_input(const struct work *w, struct job *j)
{
	const struct pt_reader_options opt = { .fields = pt_refault_fields,
					       .threads = w->threads_each };
	struct pt_reader *r;
	int err;

	if (pt_hist_fleet_is_document(j->path))
		return read_document(w->f, j);
	err = pt_reader_open(j->path, &opt, &r, &j->diag);
	if (err < 0)
		return err;
	err = read_open_tape(w->f, r, j);
	pt_reader_close(r);
	return err;
}

/* ---- All of them */

static void *do_jobs(void *arg)
{
	struct work *w = arg;

	for (;;) {
		struct job *j;

		pthread_mutex_lock(&w->lock);
		j = w->next < w->n ? &w->jobs[w->next++] : NULL;
		pthread_mutex_unlock(&w->lock);
		if (!j)
			return NULL;
		j->err = read_input(w, j);
	}
}

/* The caller works too; threads that cannot be had are done without. */
static void do_all(struct work *w, unsigned int threads)
{
	pthread_t ids[PT_HIST_FLEET_THREADS];
	unsigned int n = 0;

	while (n + 1 < threads && n < PT_HIST_FLEET_THREADS &&
	       pthread_create(&ids[n], NULL, do_jobs, w) == 0)
		n++;
	do_jobs(w);
	while (n)
		pthread_join(ids[--n], NULL);
}

static int merge_all(struct work *w, int *ret_complete, struct pt_diag *diag)
{
	for (size_t i = 0; i < w->n; i++) {
		struct job *j = &w->jobs[i];

		if (!j->err && i)
			j->err = pt_hist_merge(w->jobs[0].doc, j->doc, &j->diag);
		if (j->err < 0) {
			*diag = j->diag;
			return pt_diag_file(diag, j->err, j->path);
		}
	}
	*ret_complete = json_is_true(json_object_get(w->jobs[0].doc, "complete"));
	return 0;
}

/* Leave the histogram of @metric alone. */
static void choose_metric(json_t *doc, const char *metric)
{
	json_t *list = json_object_get(doc, "histograms");

	for (size_t i = json_array_size(list); metric && i-- > 0;) {
		const json_t *name = json_object_get(json_array_get(list, i), "metric");

		if (strcmp(json_string_value(name), metric) != 0)
			json_array_remove(list, i);
	}
}

static void tell_incomplete(const struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (!w->jobs[i].err && !json_is_true(json_object_get(w->jobs[i].doc, "complete")))
			pt_warn("hist", "%s: incomplete: events were lost or the tape was cut",
				w->jobs[i].path);
}

int pt_hist_fleet_read(const struct pt_hist_fleet *f, char *const *paths, size_t n,
		       json_t **ret_doc, int *ret_complete, struct pt_diag *diag)
{
	auto_free struct job *jobs = calloc(n, sizeof(*jobs));
	unsigned int threads = f->threads < n ? f->threads : (unsigned int)n;
	struct pt_hist_fleet all = *f; /* saved documents have all distances, so tapes must too */
	struct work w = { .f = &all, .threads_each = f->threads / threads, .jobs = jobs, .n = n };
	int err;

	if (!jobs)
		return -ENOMEM;
	all.metric = NULL;
	for (size_t i = 0; i < n; i++)
		jobs[i] = (struct job){ .path = paths[i], .diag = PT_DIAG_INIT };
	pthread_mutex_init(&w.lock, NULL);
	do_all(&w, threads);
	pthread_mutex_destroy(&w.lock);
	tell_incomplete(&w);
	err = merge_all(&w, ret_complete, diag);
	if (!err) {
		*ret_doc = json_incref(jobs[0].doc);
		choose_metric(*ret_doc, f->metric);
	}
	for (size_t i = 0; i < n; i++)
		json_decref(jobs[i].doc);
	return err;
}
