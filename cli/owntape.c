// SPDX-License-Identifier: GPL-2.0-or-later
/* A run's own recording in figures: see owntape.h. */
#include "cli/owntape.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/tape_refaults.h"
#include "cli/hist_scope.h"
#include "util/cleanup.h"
#include "util/json.h"

static void copy(json_t *to, const json_t *from, const char *key)
{
	pt_json_set(to, key, json_incref(json_object_get(from, key)));
}

/* The one histogram of @doc without its buckets. */
static json_t *distances(const json_t *doc)
{
	static const char *const keys[] = { "p50", "p90", "p99", "mean", "max" };
	const json_t *hist = json_array_get(json_object_get(doc, "histograms"), 0);
	json_t *o = json_object();

	for (size_t i = 0; i < PT_ARRAY_SIZE(keys); i++)
		copy(o, hist, keys[i]);
	return o;
}

static double gap_percent(const json_t *doc)
{
	const json_t *kernel = json_object_get(doc, "kernel");
	const json_t *counted = json_object_get(kernel, "workingset_refault_file");
	const json_t *refaults = json_object_get(doc, "refaults");

	if (!json_is_integer(counted) || !json_is_integer(refaults) || !json_integer_value(counted))
		return NAN;
	return 100 * (json_number_value(refaults) - json_number_value(counted)) /
	       json_number_value(counted);
}

/* The tape's head has the kernel's counts over all of it: have those of the part. */
static void set_kernel(json_t *kernel, const struct pt_owntape_part *part, int of_cgroup)
{
	static const char *const keys[] = { "workingset_refault_file", "workingset_activate_file",
					    "pgsteal_file" };
	const json_t *from = json_object_get(part->counters, of_cgroup ? "cgroup" : "machine");

	for (size_t i = 0; i < PT_ARRAY_SIZE(keys); i++)
		copy(kernel, from, keys[i]);
}

/* @doc: the tape's document as hist prints it. */
static json_t *summary(const json_t *doc, int of_cgroup)
{
	static const char *const keys[] = { "complete",  "refaults", "refault_source",
					    "evictions", "removals", "refault_activations" };
	json_t *o = json_object();

	pt_json_set_string(o, "scope", of_cgroup ? "cgroup" : "machine");
	for (size_t i = 0; i < PT_ARRAY_SIZE(keys); i++)
		copy(o, doc, keys[i]);
	pt_json_set(o, "evicted_pages", distances(doc));
	copy(o, doc, "kernel");
	pt_json_set_double(o, "refault_gap_percent", gap_percent(doc));
	return o;
}

/* The kernel counted a cgroup: so must we, or the two would not be of the same pages. */
static int scope_of(const struct pt_reader *r, uint8_t **ret_cgroups, struct pt_diag *diag)
{
	struct pt_refault_knowledge k;

	pt_refault_know(pt_reader_head(r), &k);
	if (!k.scope || strcmp(k.scope, "cgroup") != 0)
		return 0;
	return pt_scope_choose(r, PT_SCOPE_SUBJECT, ret_cgroups, diag);
}

static int read_tape(struct pt_reader *r, const struct pt_owntape_part *part, json_t **ret_doc,
		     struct pt_diag *diag)
{
	auto_free uint8_t *cgroups = NULL;
	struct pt_refault_options opt = { .count_from_ns = part ? part->from_ns : 0 };
	struct pt_refault *ref = NULL;
	struct pt_walk walk;
	json_t *doc;
	int err = scope_of(r, &cgroups, diag);

	opt.cgroups = cgroups;
	opt.ncgroups = cgroups ? pt_reader_cgroup_count(r) : 0;
	if (!err)
		err = pt_tape_refaults(r, &opt, &ref, &walk, diag);
	if (!err) {
		doc = pt_tape_refaults_document(r, ref, PT_BY_NOTHING,
						pt_distance_name(PT_DISTANCE_EVICTED_PAGES),
						pt_walk_complete(&walk, r));
		if (doc && part)
			set_kernel(json_object_get(doc, "kernel"), part, cgroups != NULL);
		*ret_doc = doc ? summary(doc, cgroups != NULL) : NULL;
		err = *ret_doc ? 0 : -ENOMEM;
		json_decref(doc);
	}
	pt_refault_free(ref);
	return err;
}

int pt_owntape_read(const char *path, const struct pt_owntape_part *part, json_t **ret_doc,
		    struct pt_diag *diag)
{
	struct pt_reader *r;
	int err = pt_reader_open(path, &(struct pt_reader_options){ 0 }, &r, diag);

	if (!err) {
		err = read_tape(r, part, ret_doc, diag);
		pt_reader_close(r);
	}
	return err < 0 ? pt_diag_file(diag, err, path) : 0;
}
