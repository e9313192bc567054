// SPDX-License-Identifier: GPL-2.0-or-later
/* Merging documents of `hist --json`: see hist_merge.h. */
#include "analysis/hist_merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hist_json.h"
#include "util/cleanup.h"
#include "util/json.h"

#define MAX_DEPTH 8 /* of the objects in such a document */

/* Shares in percent, and what they are of: beside them in their object. */
static const struct {
	const char *key, *part, *without, *whole; /* without: what the part is less of, or NULL */
} shares[] = {
	{ "wrong_percent", "wrong", NULL, "decisions" },
	{ "wrong_live_percent", "wrong_live", NULL, "decisions" },
	{ "wrong_fitted_percent", "wrong_fitted", NULL, "decisions" },
	{ "missed_percent", "kernel_refaults", "agreed", "kernel_refaults" },
	{ "invented_percent", "model_refaults", "agreed", "kernel_refaults" },
};

static int merge_objects(json_t *into, const json_t *from, int depth);

static int unlike(struct pt_diag *diag, const char *what)
{
	return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "cannot be merged: %s", what);
}

int pt_hist_merge_check(const json_t *doc, struct pt_diag *diag)
{
	const char *kind = json_string_value(json_object_get(doc, "kind"));
	const json_t *histograms = json_object_get(doc, "histograms"), *o;
	size_t i;

	if (!kind || strcmp(kind, "hist") ||
	    json_integer_value(json_object_get(doc, "schema")) != 1)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "not a document of hist --json");
	if (!json_is_array(histograms) || !json_is_array(json_object_get(doc, "groups")) ||
	    !json_is_integer(json_object_get(doc, "page_size")))
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "histograms are missing");
	json_array_foreach(histograms, i, o)
	{
		auto_free struct pt_log2hist *h = NULL;
		enum pt_distance d;
		int err = pt_hist_json_parse(o, &d, &h);

		if (err < 0)
			return pt_diag_set(diag, err, PT_NO_OFFSET, "histogram %zu is malformed",
					   i);
	}
	return 0;
}

/* ---- Histograms */

static int merge_histogram(json_t *list, size_t i, const json_t *from)
{
	auto_free struct pt_log2hist *a = NULL, *b = NULL;
	enum pt_distance da, db;
	json_t *merged;
	int err = pt_hist_json_parse(json_array_get(list, i), &da, &a);

	if (!err)
		err = pt_hist_json_parse(from, &db, &b);
	if (err < 0)
		return err;
	if (da != db)
		return -EINVAL;
	if (a && b)
		pt_log2hist_merge(a, b);
	merged = pt_hist_json(da, a, a && b);
	return json_array_set_new(list, i, merged) < 0 ? -ENOMEM : 0;
}

static int merge_histograms(json_t *into, const json_t *from)
{
	const json_t *o;
	size_t i;
	int err = 0;

	if (!json_is_array(into) || !json_is_array(from))
		return -EBADMSG;
	/* A group in which nothing was refaulted has none. */
	if (!json_array_size(into))
		return json_array_extend(into, (json_t *)from) < 0 ? -ENOMEM : 0;
	if (!json_array_size(from))
		return 0;
	if (json_array_size(into) != json_array_size(from))
		return -EINVAL;
	json_array_foreach(from, i, o)
	{
		err = merge_histogram(into, i, o);
		if (err < 0)
			break;
	}
	return err;
}

/* ---- Groups */

static json_t *find_group(const json_t *list, const json_t *key)
{
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o) if (json_equal(json_object_get(o, "key"), key)) return o;
	return NULL;
}

/* Quadratic in the number of groups. */
static int merge_groups(json_t *into, const json_t *from, int depth)
{
	json_t *o;
	size_t i;

	if (!json_is_array(into) || !json_is_array(from))
		return -EBADMSG;
	json_array_foreach(from, i, o)
	{
		json_t *same = find_group(into, json_object_get(o, "key"));
		int err = 0;

		if (same)
			err = merge_objects(same, o, depth);
		else if (json_array_append_new(into, json_deep_copy(o)) < 0)
			err = -ENOMEM;
		if (err < 0)
			return err;
	}
	return 0;
}

/* ---- Values */

/* What @a and @b are together; NULL where that is not known. */
static json_t *together(const json_t *a, const json_t *b)
{
	json_int_t sum;

	if (json_is_boolean(a) && json_is_boolean(b))
		return json_boolean(json_is_true(a) && json_is_true(b));
	if (!json_is_integer(a) || !json_is_integer(b))
		return json_equal(a, b) ? json_deep_copy(a) : NULL;
	return __builtin_add_overflow(json_integer_value(a), json_integer_value(b), &sum)
		       ? NULL
		       : json_integer(sum);
}

static int merge_value(json_t *into, const char *key, const json_t *from, int depth)
{
	json_t *a = json_object_get(into, key);

	if (strcmp(key, "histograms") == 0)
		return merge_histograms(a, from);
	if (strcmp(key, "groups") == 0)
		return merge_groups(a, from, depth - 1);
	if (json_is_object(a) && json_is_object(from))
		return merge_objects(a, from, depth - 1);
	pt_json_set(into, key, together(a, from));
	return 0;
}

static void make_shares(json_t *o)
{
	for (size_t i = 0; i < PT_ARRAY_SIZE(shares); i++) {
		double part = json_number_value(json_object_get(o, shares[i].part));
		double whole = json_number_value(json_object_get(o, shares[i].whole));

		if (!json_object_get(o, shares[i].key))
			continue;
		if (shares[i].without)
			part -= json_number_value(json_object_get(o, shares[i].without));
		pt_json_set(o, shares[i].key, whole > 0 ? json_real(100 * part / whole) : NULL);
	}
}

static int merge_objects(json_t *into, const json_t *from, int depth)
{
	static const char *const fixed[] = { "schema", "pagetape", "kind", "tape_id", "page_size" };
	const char *key;
	json_t *value;
	void *next;

	if (!depth)
		return -EBADMSG;
	json_object_foreach_safe(into, next, key, value)
	{
		const json_t *other = json_object_get(from, key);
		int err = 0, skip = 0;

		for (size_t i = 0; i < PT_ARRAY_SIZE(fixed); i++)
			skip |= strcmp(key, fixed[i]) == 0;
		if (!skip && other)
			err = merge_value(into, key, other, depth);
		else if (!skip)
			pt_json_set(into, key, NULL);
		if (err < 0)
			return err;
	}
	make_shares(into);
	return 0;
}

int pt_hist_merge(json_t *into, const json_t *from, struct pt_diag *diag)
{
	static const struct {
		const char *key, *what;
	} same[] = {
		{ "page_size", "its pages have another size" },
		{ "by", "its groups are by something else" },
		{ "cgroup", "it is of another choice of cgroups" },
	};
	int err;

	for (size_t i = 0; i < PT_ARRAY_SIZE(same); i++) {
		const json_t *a = json_object_get(into, same[i].key);
		const json_t *b = json_object_get(from, same[i].key);

		if (a && b && !json_equal(a, b))
			return unlike(diag, same[i].what);
	}
	err = merge_objects(into, from, MAX_DEPTH);
	if (err == -EINVAL)
		return unlike(diag, "it has other distances");
	pt_json_set(into, "tape_id", NULL);
	return err < 0 ? pt_diag_set(diag, err, PT_NO_OFFSET, "the documents are not alike") : 0;
}
