// SPDX-License-Identifier: GPL-2.0-or-later
/* Native runs as results: see lab_native.h. */
#include "cli/lab_native.h"

#include <errno.h>
#include <stdio.h>

#include "cli/owntape.h"
#include "formats/reader.h"
#include "util/cleanup.h"
#include "util/json.h"

/* The kernel's counts alone: words beside them say whose they are, and by which rule. */
static json_t *numbers_of(const json_t *counts)
{
	json_t *o = json_object(), *v;
	const char *key;

	json_object_foreach((json_t *)counts, key, v)
	{
		if (json_is_number(v))
			json_object_set(o, key, v);
	}
	return o;
}

static json_t *run_json(const struct pt_head *head, json_t *own)
{
	const json_t *counts = json_object_get(head->doc, "kernel_counts");
	const char *scope = json_string_value(json_object_get(counts, "scope"));
	json_t *run = json_object(), *counters = json_object();

	pt_json_set(run, "wall_ns", json_incref(json_object_get(head->doc, "duration_ns")));
	if (scope)
		pt_json_set(counters, scope, numbers_of(counts));
	pt_json_set(run, "counters", counters);
	pt_json_set(run, "own_tape", own);
	pt_json_set(run, "distorted", json_array());
	return run;
}

static json_t *document(const struct pt_head *head, uint64_t memory_bytes, json_t *own)
{
	json_t *doc = pt_json_document("replay", NULL), *settings = json_object();
	json_t *runs = json_array();

	pt_json_set_bool(doc, "native", 1);
	pt_json_set(doc, "kernel", json_incref(json_object_get(head->doc, "kernel")));
	pt_json_set(doc, "distorted", json_array());
	pt_json_set_u64(settings, "memory_bytes", memory_bytes ? memory_bytes : PT_UNKNOWN);
	pt_json_set(doc, "settings", settings);
	json_array_append_new(runs, run_json(head, own));
	pt_json_set(doc, "runs", runs);
	return doc;
}

int pt_native_result(const char *part, uint64_t memory_bytes, json_t **ret_doc,
		     struct pt_diag *diag)
{
	struct pt_reader *r = NULL;
	auto_free char *path = NULL;
	json_t *own = NULL;
	int err;

	if (asprintf(&path, "%s/%s", part, PT_NATIVE_TAPE) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	err = pt_owntape_read(path, NULL, &own, diag);
	if (!err)
		err = pt_reader_open(path, NULL, &r, diag);
	if (err < 0) {
		json_decref(own);
		return pt_diag_file(diag, err, path);
	}
	*ret_doc = document(pt_reader_head(r), memory_bytes, own);
	pt_reader_close(r);
	return *ret_doc ? 0 : -ENOMEM;
}
