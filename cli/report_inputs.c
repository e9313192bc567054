// SPDX-License-Identifier: GPL-2.0-or-later
/* Tapes, documents and lab folders: see report_inputs.h. */
#include "cli/report_inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/hist_scope.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/textfile.h"

#define CELLS_MAX 4096 /* of a lab */

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

/* ---- Labs: DIR/CANDIDATE/TAPE/N/{result.json,replay.ptape} */

static int is_shown(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && !(len > 5 && strcmp(d->d_name + len - 5, ".part") == 0);
}

static int is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The folders in @dir, 2 before 10; what is no folder drops out when it is looked into. */
static int list(const char *dir, struct dirent ***ret_v)
{
	int n = scandir(dir, ret_v, is_shown, versionsort);

	return n < 0 ? (errno == ENOTDIR ? 0 : -errno) : n;
}

/* DIR/NAME and what follows. Release with free(); NULL: no memory. */
static char *join(const char *dir, const char *name, const char *tail)
{
	char *s;

	return asprintf(&s, "%s/%s%s", dir, name, tail) < 0 ? NULL : s;
}

static void list_done(struct dirent **v, int n)
{
	for (int i = 0; i < n; i++)
		free(v[i]);
	if (n > 0)
		free(v);
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

/* All repetitions of one tape on one candidate: a group of results, and the first's own tape. */
static int read_cells(struct pt_report_inputs *in, const struct pt_report_inputs_options *opt,
		      const char *dir, const char *name, struct pt_diag *diag)
{
	struct dirent **v = NULL;
	int n = list(dir, &v), err = 0, begins = 1, taped = 0;

	for (int i = 0; i < n && !err; i++) {
		auto_free char *result = join(dir, v[i]->d_name, "/result.json");
		auto_free char *tape = join(dir, v[i]->d_name, "/replay.ptape");

		if (!result || !tape) {
			err = -ENOMEM;
		} else if (is_file(result)) {
			err = add_result(in, result, name, begins, diag);
			begins = 0;
		}
		if (!err && !taped && is_file(tape)) {
			err = read_tape(in, opt, tape, name, diag);
			if (!err && !begins)
				err = join_entries(in);
			taped = 1;
		}
	}
	list_done(v, n);
	return err;
}

static int read_candidate(struct pt_report_inputs *in, const struct pt_report_inputs_options *opt,
			  const char *dir, const char *candidate, struct pt_diag *diag)
{
	struct dirent **v = NULL;
	int n = list(dir, &v), err = 0;

	for (int i = 0; i < n && !err; i++) {
		auto_free char *path = join(dir, v[i]->d_name, "");
		char name[600];

		snprintf(name, sizeof(name), "%s, %s", candidate, v[i]->d_name);
		err = path ? read_cells(in, opt, path, name, diag) : -ENOMEM;
	}
	list_done(v, n);
	return err;
}

static int read_lab(struct pt_report_inputs *in, const struct pt_report_inputs_options *opt,
		    const char *dir, struct pt_diag *diag)
{
	size_t before = json_array_size(in->entries);
	auto_free char *lab = join(dir, "lab.json", "");
	struct dirent **v = NULL;
	int n, err = 0;

	if (!lab)
		return -ENOMEM;
	if (!is_file(lab)) {
		pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "a folder without lab.json is no lab");
		return pt_diag_file(diag, -EBADMSG, dir);
	}
	n = list(dir, &v);
	for (int i = 0; i < n && !err && in->nresults < CELLS_MAX; i++) {
		auto_free char *path = join(dir, v[i]->d_name, "");

		err = path ? read_candidate(in, opt, path, v[i]->d_name, diag) : -ENOMEM;
	}
	list_done(v, n);
	if (!err && json_array_size(in->entries) == before) {
		pt_diag_set(diag, -ENODATA, PT_NO_OFFSET, "the lab has no results yet");
		return pt_diag_file(diag, -ENODATA, dir);
	}
	return err;
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
