// SPDX-License-Identifier: GPL-2.0-or-later
/* Tapes, documents and lab folders: see report_inputs.h. */
#include "cli/report_inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/hist_scope.h"
#include "replay/lab/matrix.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/textfile.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* ---- Tapes */

/* What counts: as asked for; else the recorded command's cgroups where they can be told. */
static int choose(const struct pt_reader *r, const char *cgroup, uint8_t **ret_cgroups,
		  const char **ret_scope, struct pt_diag *diag)
{
	int err;

	*ret_scope = cgroup ? cgroup : PT_SCOPE_SUBJECT;
	if (cgroup && strcmp(cgroup, "/") == 0) {
		*ret_scope = NULL;
		return 0;
	}
	err = pt_scope_choose(r, *ret_scope, ret_cgroups, cgroup ? diag : NULL);
	if (err == -ENOENT && !cgroup) {
		*ret_scope = NULL;
		return 0;
	}
	return err;
}

static int read_tape(struct pt_report_inputs *in, const struct pt_report_inputs_options *opt,
		     const char *path, const char *name, struct pt_diag *diag)
{
	struct pt_report_tape_options o = { .sample = opt->sample, .maps = opt->maps };
	auto_free uint8_t *cgroups = NULL;
	struct pt_reader *r;
	json_t *entry;
	int complete, err = pt_reader_open(path, &(struct pt_reader_options){ 0 }, &r, diag);

	if (err < 0)
		return pt_diag_file(diag, err, path);
	err = choose(r, opt->cgroup, &cgroups, &o.scope, diag);
	o.cgroups = cgroups;
	if (!err)
		err = pt_report_tape(r, name, &o, &entry, &complete, diag);
	pt_reader_close(r);
	if (err < 0)
		return pt_diag_file(diag, err, path);
	in->complete &= complete;
	return json_array_append_new(in->entries, entry) < 0 ? -ENOMEM : 0;
}

/* ---- Results, in groups */

static int make_room(struct pt_report_inputs *in)
{
	size_t cap = in->cap ? 2 * in->cap : 16;
	struct pt_result *results;
	struct pt_result_group *groups;

	if (in->nresults < in->cap)
		return 0;
	results = reallocarray(in->results, cap, sizeof(*results));
	if (!results)
		return -ENOMEM;
	in->results = results;
	groups = reallocarray(in->groups, cap, sizeof(*groups));
	if (!groups)
		return -ENOMEM;
	in->groups = groups;
	in->cap = cap;
	return 0;
}

/* @begins: a new group, else one more of the last. @name: its own where NULL. */
static int add_result(struct pt_report_inputs *in, const char *path, const char *name, int begins,
		      struct pt_diag *diag)
{
	struct pt_result *res;
	json_t *entry;
	int err = make_room(in);

	if (err < 0)
		return err;
	res = &in->results[in->nresults];
	err = pt_result_load(path, res, diag);
	if (err < 0)
		return err;
	in->nresults++;
	if (name) {
		char *own = strdup(name);

		if (!own)
			return -ENOMEM;
		free(res->name);
		res->name = own;
	}
	if (begins)
		in->groups[in->ngroups++] = (struct pt_result_group){ 0 };
	in->groups[in->ngroups - 1].n++;
	if (!begins)
		return 0;
	entry = pt_report_document(res->doc, res->name);
	return json_array_append_new(in->entries, entry) < 0 ? -ENOMEM : 0;
}

/* ---- Documents */

static int read_document(struct pt_report_inputs *in, const char *path, struct pt_diag *diag)
{
	auto_free char *text = NULL;
	json_error_t e;
	const char *kind;
	json_t *doc;
	int err = pt_text_read("", path, &text);

	if (err < 0) {
		pt_diag_errno(diag, err, "cannot read");
		return pt_diag_file(diag, err, path);
	}
	doc = json_loads(text, 0, &e);
	kind = json_string_value(json_object_get(doc, "kind"));
	if (kind && strcmp(kind, "replay") == 0) {
		err = add_result(in, path, NULL, 1, diag);
	} else if (pt_report_takes(kind)) {
		in->complete &= !json_is_false(json_object_get(doc, "complete"));
		err = json_array_append_new(in->entries, pt_report_document(doc, base_name(path))) <
				      0
			      ? -ENOMEM
			      : 0;
	} else {
		err = -EBADMSG;
		pt_diag_set(diag, err, PT_NO_OFFSET,
			    "neither a tape nor a document of hist, mrc, timeline or replay");
	}
	json_decref(doc);
	return err < 0 ? pt_diag_file(diag, err, path) : 0;
}

/* ---- Labs */

static int is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The last two entries are of one cell, its result and its tape: they become one. */
static int join_entries(struct pt_report_inputs *in)
{
	size_t n = json_array_size(in->entries);
	json_t *result = json_array_get(in->entries, n - 2),
	       *tape = json_array_get(in->entries, n - 1);
	int bad = json_array_extend(json_object_get(tape, "warnings"),
				    json_object_get(result, "warnings"));

	bad |= json_object_update_missing(tape, result);
	return bad || json_array_remove(in->entries, n - 2) ? -ENOMEM : 0;
}

/* What a lab's candidate did with a tape: all repeats are one group, the first's tape is shown. */
struct series {
	const char *name;
	int begins, taped;
};

static int read_cell(struct pt_report_inputs *in, const struct pt_report_inputs_options *opt,
		     const char *dir, struct series *s, struct pt_diag *diag)
{
	auto_free char *result = NULL, *tape = NULL;
	int err;

	if (asprintf(&result, "%s/result.json", dir) < 0) {
		result = NULL;
		return -ENOMEM;
	}
	if (asprintf(&tape, "%s/replay.ptape", dir) < 0) {
		tape = NULL;
		return -ENOMEM;
	}
	err = add_result(in, result, s->name, s->begins, diag);
	s->begins = 0;
	if (err < 0 || s->taped || !is_file(tape))
		return err;
	s->taped = 1;
	err = read_tape(in, opt, tape, s->name, diag);
	return err < 0 ? err : join_entries(in);
}

static int read_series(struct pt_report_inputs *in, const struct pt_report_inputs_options *opt,
		       const struct pt_matrix *m, size_t candidate, size_t tape,
		       struct pt_diag *diag)
{
	struct series s = { .name = pt_matrix_candidate(m, candidate), .begins = 1 };
	auto_free char *both = NULL;
	int err = 0;

	if (pt_matrix_tapes(m) > 1) {
		if (asprintf(&both, "%s, %s", s.name, pt_matrix_tape(m, tape)) < 0) {
			both = NULL;
			return -ENOMEM;
		}
		s.name = both;
	}
	for (size_t i = 0; i < m->ncells && !err; i++)
		if (m->cells[i].done && m->cells[i].candidate == candidate &&
		    m->cells[i].tape == tape)
			err = read_cell(in, opt, m->cells[i].dir, &s, diag);
	return err;
}

static int read_lab(struct pt_report_inputs *in, const struct pt_report_inputs_options *opt,
		    const char *dir, struct pt_diag *diag)
{
	size_t before = in->nresults;
	struct pt_matrix m;
	int err = pt_matrix_read(dir, &m, diag);

	if (err < 0)
		return err;
	for (size_t t = 0; t < pt_matrix_tapes(&m) && !err; t++)
		for (size_t c = 0; c < pt_matrix_candidates(&m) && !err; c++)
			err = read_series(in, opt, &m, c, t, diag);
	pt_matrix_done(&m);
	if (err || in->nresults > before)
		return err;
	pt_diag_set(diag, -ENODATA, PT_NO_OFFSET, "the lab has no results yet");
	return pt_diag_file(diag, -ENODATA, dir);
}

/* ---- All */

/* 'd' a folder, '{' JSON, 't' anything else, or -errno with @diag. */
static int what_is(const char *path, struct pt_diag *diag)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[64];
	struct stat st;
	ssize_t n;
	int err;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		return 'd';
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n < 0) {
		err = -errno;
		pt_diag_errno(diag, err, "cannot read");
		return pt_diag_file(diag, err, path);
	}
	text[n] = '\0';
	return text[strspn(text, " \t\r\n")] == '{' ? '{' : 't';
}

int pt_report_inputs_read(struct pt_report_inputs *in, const struct pt_report_inputs_options *opt,
			  int argc, char **argv, struct pt_diag *diag)
{
	int err = 0;

	in->complete = 1;
	in->entries = json_array();
	for (int i = 0; i < argc && !err; i++) {
		int what = what_is(argv[i], diag);

		if (what == 'd')
			err = read_lab(in, opt, argv[i], diag);
		else if (what == '{')
			err = read_document(in, argv[i], diag);
		else
			err = what < 0 ? what
				       : read_tape(in, opt, argv[i], base_name(argv[i]), diag);
	}
	return err;
}

json_t *pt_report_inputs_document(struct pt_report_inputs *in, int *ret_err)
{
	struct pt_comparison c = { 0 };
	size_t at = 0;
	json_t *doc = NULL;

	*ret_err = 0;
	for (size_t i = 0; i < in->ngroups; i++) {
		in->groups[i].name = in->results[at].name;
		in->groups[i].results = &in->results[at];
		at += in->groups[i].n;
	}
	if (in->ngroups)
		*ret_err = pt_comparison_make(in->groups, in->ngroups, PT_COMPARE_WELCH, &c);
	if (!*ret_err) {
		doc = pt_report_make(in->entries, in->ngroups ? &c : NULL);
		in->entries = NULL;
		*ret_err = doc ? 0 : -ENOMEM;
	}
	pt_comparison_done(&c);
	return doc;
}

void pt_report_inputs_done(struct pt_report_inputs *in)
{
	for (size_t i = 0; i < in->nresults; i++)
		pt_result_done(&in->results[i]);
	free(in->results);
	free(in->groups);
	json_decref(in->entries);
	*in = (struct pt_report_inputs){ 0 };
}
