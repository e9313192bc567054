// SPDX-License-Identifier: GPL-2.0-or-later
/* A lab's folder: see matrix.h. */
#include "replay/lab/matrix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/result.h"
#include "replay/lab/labname.h"
#include "replay/lab/leftovers.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/outfile.h"
#include "util/textfile.h"

/* Keys that say what a candidate is, whatever it was called by. */
static const char *const identity[] = { "kind",    "set",     "append",  "rev",
					"release", "version", "build_id" };

/* ---- lab.json */

static char *lab_path(const char *dir)
{
	char *path;

	return asprintf(&path, "%s/lab.json", dir) < 0 ? NULL : path;
}

/* Every entry an object with a name that is one, none twice. */
static bool are_named(const json_t *list)
{
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
	{
		const char *name = json_string_value(json_object_get(o, "name"));

		if (!name || !pt_labname_is_valid(name))
			return false;
		for (size_t k = 0; k < i; k++)
			if (strcmp(json_string_value(
					   json_object_get(json_array_get(list, k), "name")),
				   name) == 0)
				return false;
	}
	return json_is_array(list);
}

static bool is_lab(const json_t *doc)
{
	const char *kind = json_string_value(json_object_get(doc, "kind"));
	const json_t *repeat = json_object_get(doc, "repeat");

	return kind && strcmp(kind, "lab") == 0 &&
	       json_integer_value(json_object_get(doc, "schema")) == 1 &&
	       json_is_object(json_object_get(doc, "settings")) &&
	       are_named(json_object_get(doc, "candidates")) &&
	       are_named(json_object_get(doc, "tapes")) && json_integer_value(repeat) >= 1 &&
	       json_integer_value(repeat) <= PT_MATRIX_MAX_REPEAT;
}

/* 0 and *@ret_doc, -ENOENT where there is none, or -errno with @diag. */
static int load(const char *dir, json_t **ret_doc, struct pt_diag *diag)
{
	auto_free char *path = lab_path(dir), *text = NULL;
	json_error_t err;
	json_t *doc;
	int r = path ? pt_text_read("", path, &text) : -ENOMEM;

	if (r == -ENOENT)
		return r;
	if (r < 0)
		return pt_diag_file(diag, pt_diag_errno(diag, r, "cannot read it"), path);
	doc = json_loads(text, JSON_REJECT_DUPLICATES, &err);
	if (!doc || !is_lab(doc)) {
		pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "it is not what a lab leaves");
		json_decref(doc);
		return pt_diag_file(diag, -EBADMSG, path);
	}
	*ret_doc = doc;
	return 0;
}

static int save(const struct pt_matrix *m, struct pt_diag *diag)
{
	auto_free char *path = lab_path(m->dir);

	return path ? pt_result_save(path, m->doc, diag) : -ENOMEM;
}

/* ---- Putting together what was asked then and now */

static json_t *find(const json_t *list, const char *name)
{
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
	{
		if (strcmp(json_string_value(json_object_get(o, "name")), name) == 0)
			return o;
	}
	return NULL;
}

/* What is not known differs from nothing. */
static bool same_in(const json_t *a, const json_t *b, const char *key)
{
	const json_t *va = json_object_get(a, key), *vb = json_object_get(b, key);

	return !va || !vb || json_is_null(va) || json_is_null(vb) || json_equal(va, vb);
}

static int refuse(struct pt_diag *diag, const char *what, const char *name, const char *key)
{
	return pt_diag_set(diag, -EEXIST, PT_NO_OFFSET,
			   "the lab has another %s called %s (its %s differs): name this one "
			   "otherwise, or take another folder",
			   what, name, key);
}

static bool same_candidate(const json_t *a, const json_t *b, const char **ret_key)
{
	for (size_t i = 0; i < PT_ARRAY_SIZE(identity); i++) {
		*ret_key = identity[i];
		if (!same_in(a, b, identity[i]))
			return false;
	}
	return true;
}

/* Add to the list at @key of the lab what is new in that of this call. */
static int merge(json_t *doc, const json_t *asked, const char *key, const char *what,
		 struct pt_diag *diag)
{
	json_t *list = json_object_get(doc, key), *o;
	size_t i;

	json_array_foreach(json_object_get(asked, key), i, o)
	{
		const char *name = json_string_value(json_object_get(o, "name"));
		const char *differs = "tape_id";
		json_t *old = find(list, name);

		if (!old && json_array_append(list, o) < 0)
			return -ENOMEM;
		if (!old)
			continue;
		if (!same_candidate(old, o, &differs))
			return refuse(diag, what, name, differs);
		if (!same_in(old, o, "tape_id"))
			return refuse(diag, what, name, "tape_id");
	}
	return 0;
}

static int same_settings(const json_t *doc, const json_t *asked, struct pt_diag *diag)
{
	json_t *then = json_object_get(doc, "settings"), *now = json_object_get(asked, "settings");
	const char *key;
	json_t *v;

	json_object_foreach(now, key, v)
	{
		const json_t *old = json_object_get(then, key);
		auto_free char *a = NULL, *b = NULL;

		if (old ? json_equal(old, v) : json_is_null(v))
			continue;
		a = json_dumps(old ? old : json_null(), JSON_ENCODE_ANY | JSON_COMPACT);
		b = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
		return pt_diag_set(diag, -EEXIST, PT_NO_OFFSET,
				   "the lab was made with other settings (%s %s, now %s): take "
				   "another folder",
				   key, a ? a : "?", b ? b : "?");
	}
	return 0;
}

static int combine(struct pt_matrix *m, struct pt_diag *diag)
{
	json_int_t repeat = json_integer_value(json_object_get(m->asked, "repeat"));
	int r = same_settings(m->doc, m->asked, diag);

	if (r == 0)
		r = merge(m->doc, m->asked, "candidates", "candidate", diag);
	if (r == 0)
		r = merge(m->doc, m->asked, "tapes", "tape", diag);
	if (r == 0 && repeat > json_integer_value(json_object_get(m->doc, "repeat")))
		json_object_set_new(m->doc, "repeat", json_integer(repeat));
	return r < 0 ? pt_diag_file(diag, r, m->dir) : 0;
}

/* ---- Cells */

static const json_t *entry(const struct pt_matrix *m, const char *key, size_t i)
{
	return json_array_get(json_object_get(m->asked, key), i);
}

static const char *name_of(const json_t *o)
{
	return json_string_value(json_object_get(o, "name"));
}

const char *pt_matrix_candidate(const struct pt_matrix *m, size_t i)
{
	return name_of(entry(m, "candidates", i));
}

const char *pt_matrix_tape(const struct pt_matrix *m, size_t i)
{
	return name_of(entry(m, "tapes", i));
}

size_t pt_matrix_candidates(const struct pt_matrix *m)
{
	return json_array_size(json_object_get(m->asked, "candidates"));
}

size_t pt_matrix_tapes(const struct pt_matrix *m)
{
	return json_array_size(json_object_get(m->asked, "tapes"));
}

json_t *pt_matrix_cell_json(const struct pt_matrix *m, const struct pt_matrix_cell *c)
{
	json_t *o = json_object();

	pt_json_set(o, "settings", json_incref(json_object_get(m->doc, "settings")));
	pt_json_set(o, "candidate", json_incref((json_t *)entry(m, "candidates", c->candidate)));
	pt_json_set_string(o, "tape", pt_matrix_tape(m, c->tape));
	pt_json_set_u64(o, "repeat", c->repeat);
	return o;
}

static bool is_done(const struct pt_matrix *m, const struct pt_matrix_cell *c)
{
	const json_t *tape = entry(m, "tapes", c->tape);
	auto_free char *path = NULL;
	struct pt_result res;
	const json_t *lab;
	const char *differs;
	bool done;

	if (asprintf(&path, "%s/result.json", c->dir) < 0) {
		path = NULL;
		return false;
	}
	if (pt_result_load(path, &res, NULL) < 0)
		return false;
	lab = json_object_get(res.doc, "lab");
	done = json_equal(json_object_get(lab, "settings"), json_object_get(m->doc, "settings")) &&
	       same_candidate(json_object_get(lab, "candidate"),
			      entry(m, "candidates", c->candidate), &differs) &&
	       same_in(res.doc, tape, "tape_id");
	pt_result_done(&res);
	return done;
}

/* A B A B: what changes with time favours none. */
static int lay_out(struct pt_matrix *m, struct pt_diag *diag)
{
	size_t candidates = pt_matrix_candidates(m), tapes = pt_matrix_tapes(m);
	size_t repeat = (size_t)json_integer_value(json_object_get(m->asked, "repeat"));
	size_t n;

	if (__builtin_mul_overflow(candidates, tapes, &n) ||
	    __builtin_mul_overflow(n, repeat, &n) || n > PT_MATRIX_MAX_CELLS)
		return pt_diag_set(diag, -E2BIG, PT_NO_OFFSET, "more than %d runs",
				   PT_MATRIX_MAX_CELLS);
	m->cells = calloc(n + 1, sizeof(*m->cells));
	if (!m->cells)
		return -ENOMEM;
	for (; m->ncells < n; m->ncells++) {
		struct pt_matrix_cell *c = &m->cells[m->ncells];

		c->candidate = m->ncells % candidates;
		c->tape = m->ncells / candidates % tapes;
		c->repeat = (unsigned int)(m->ncells / candidates / tapes) + 1;
		if (asprintf(&c->dir, "%s/%s/%s/%u", m->dir, pt_matrix_candidate(m, c->candidate),
			     pt_matrix_tape(m, c->tape), c->repeat) < 0) {
			c->dir = NULL;
			return -ENOMEM;
		}
		c->done = is_done(m, c);
	}
	return 0;
}

/* ---- Open and close */

static int lock(struct pt_matrix *m, struct pt_diag *diag)
{
	if (mkdir(m->dir, 0755) < 0 && errno != EEXIST)
		return pt_diag_file(diag, pt_diag_errno(diag, -errno, "cannot make it"), m->dir);
	m->lock = open(m->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (m->lock < 0)
		return pt_diag_file(diag, pt_diag_errno(diag, -errno, "cannot open it"), m->dir);
	if (flock(m->lock, LOCK_EX | LOCK_NB) == 0)
		return 0;
	pt_diag_set(diag, -EBUSY, PT_NO_OFFSET, "another lab run is at work in it");
	return pt_diag_file(diag, -EBUSY, m->dir);
}

int pt_matrix_open(const char *dir, json_t *asked, bool run, struct pt_matrix *ret_m,
		   struct pt_diag *diag)
{
	struct pt_matrix m = { .dir = strdup(dir), .lock = -1, .asked = json_incref(asked) };
	int r = m.dir ? 0 : -ENOMEM;

	if (r == 0 && run)
		r = lock(&m, diag);
	if (r == 0)
		r = load(dir, &m.doc, diag);
	if (r == 0) {
		if (run)
			pt_leftovers_sweep(dir);
		r = combine(&m, diag);
	} else if (r == -ENOENT) {
		m.doc = json_deep_copy(asked);
		r = m.doc ? 0 : -ENOMEM;
	}
	if (r == 0 && run)
		r = save(&m, diag);
	if (r == 0)
		r = lay_out(&m, diag);
	if (r < 0)
		pt_matrix_done(&m);
	else
		*ret_m = m;
	return r;
}

int pt_matrix_read(const char *dir, struct pt_matrix *ret_m, struct pt_diag *diag)
{
	struct pt_matrix m = { .dir = strdup(dir), .lock = -1 };
	int r = m.dir ? load(dir, &m.doc, diag) : -ENOMEM;

	if (r == -ENOENT)
		r = pt_diag_file(
			diag, pt_diag_set(diag, r, PT_NO_OFFSET, "it is no lab: no lab.json"), dir);
	m.asked = json_incref(m.doc);
	if (r == 0)
		r = lay_out(&m, diag);
	if (r < 0)
		pt_matrix_done(&m);
	else
		*ret_m = m;
	return r;
}

void pt_matrix_done(struct pt_matrix *m)
{
	for (size_t i = 0; i < m->ncells; i++)
		free(m->cells[i].dir);
	free(m->cells);
	json_decref(m->doc);
	json_decref(m->asked);
	if (m->lock >= 0)
		close(m->lock);
	free(m->dir);
	*m = (struct pt_matrix){ .lock = -1 };
}
