// SPDX-License-Identifier: GPL-2.0-or-later
/* Candidates: parsed, named, told. See candidate.h. */
#include "replay/lab/candidate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/lab/kerneltree.h"
#include "util/cleanup.h"
#include "util/json.h"

static const char *const keys[] = { "name=", "set=", "append=" };

static const char *key_at(const char *s)
{
	for (size_t i = 0; i < PT_ARRAY_SIZE(keys); i++)
		if (strncmp(s, keys[i], strlen(keys[i])) == 0)
			return keys[i];
	return NULL;
}

/* The place of the next ",KEY=" in @s, or its end. */
static const char *value_end(const char *s)
{
	while (*s && !(*s == ',' && key_at(s + 1)))
		s++;
	return s;
}

static int wrong(struct pt_diag *diag, const char *spec, const char *what)
{
	return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "%s: %s", spec, what);
}

static int take_set(struct pt_candidate *c, char *value, const char *spec, struct pt_diag *diag)
{
	const char *equals = strchr(value, '=');

	if (!equals || equals == value || !equals[1]) {
		free(value);
		return wrong(diag, spec, "set= takes KNOB=VALUE, as in set=lru_gen.enabled=0");
	}
	if (c->nsets == PT_CANDIDATE_SETS) {
		free(value);
		return pt_diag_set(diag, -E2BIG, PT_NO_OFFSET, "%s: more than %d settings", spec,
				   PT_CANDIDATE_SETS);
	}
	c->sets[c->nsets++] = value;
	return 0;
}

static int take(struct pt_candidate *c, const char *key, const char *from, size_t len,
		const char *spec, struct pt_diag *diag)
{
	char *value = strndup(from, len);
	int r = 0;

	if (!value)
		return -ENOMEM;
	if (strcmp(key, "set=") == 0)
		return take_set(c, value, spec, diag);
	if (strcmp(key, "append=") == 0) {
		free(c->append);
		c->append = value;
		return 0;
	}
	if (pt_labname_is_valid(value))
		snprintf(c->name, sizeof(c->name), "%s", value);
	else
		r = wrong(diag, spec,
			  "a name has letters, digits and ._+- and begins with a letter or digit");
	free(value);
	return r;
}

/* Take the revision off a tree's path. */
static int split_rev(struct pt_candidate *c, const char *spec, struct pt_diag *diag)
{
	char *dir;
	int r = pt_kerneltree_split(c->path, &dir, &c->rev);

	if (r == -EINVAL)
		return wrong(diag, spec, "expected DIR@REVISION");
	if (r < 0)
		return r;
	free(c->path);
	c->path = dir;
	return 0;
}

int pt_candidate_parse(const char *spec, bool is_tree, struct pt_candidate *ret_c,
		       struct pt_diag *diag)
{
	struct pt_candidate c = { .is_tree = is_tree };
	const char *s = value_end(spec);
	int r;

	c.path = strndup(spec, (size_t)(s - spec));
	r = c.path ? 0 : -ENOMEM;
	if (r == 0 && s == spec)
		r = wrong(diag, spec,
			  is_tree ? "expected a kernel tree first"
				  : "expected a kernel's path first");
	if (r == 0 && is_tree)
		r = split_rev(&c, spec, diag);
	while (r == 0 && *s) {
		const char *key = key_at(s + 1), *from = s + 1 + strlen(key);

		s = value_end(from);
		r = take(&c, key, from, (size_t)(s - from), spec, diag);
	}
	if (r < 0)
		pt_candidate_done(&c);
	else
		*ret_c = c;
	return r;
}

void pt_candidate_done(struct pt_candidate *c)
{
	for (size_t i = 0; i < c->nsets; i++)
		free(c->sets[i]);
	free(c->path);
	free(c->rev);
	free(c->append);
	*c = (struct pt_candidate){ 0 };
}

/* ---- Names */

static bool is_taken(const char *name, const struct pt_candidate *others, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, others[i].name) == 0)
			return true;
	return false;
}

/* "6.12.95" of "6.12.95+deb12-cloud-amd64"; a tree's has its build in it: the next is another. */
static void stem_of(const struct pt_candidate *c, const struct pt_image *image, bool whole,
		    char name[PT_LABNAME_SIZE])
{
	const char *slash = strrchr(c->path, '/');
	char text[PT_LABNAME_SIZE];
	size_t len;

	if (!image) {
		pt_labname_make(slash && slash[1] ? slash + 1 : c->path, name);
		if (c->rev)
			pt_labname_append(pt_labname_append(name, "-"), c->rev);
		return;
	}
	len = whole ? strlen(image->release) : strcspn(image->release, "+-");
	snprintf(text, sizeof(text), "%.*s", (int)len, image->release);
	pt_labname_make(text, name);
	if (c->is_tree && image->build_id) {
		snprintf(text, sizeof(text), "-%.8s", image->build_id);
		pt_labname_append(name, text);
	}
}

static void propose(const struct pt_candidate *c, const struct pt_image *image, bool whole,
		    char name[PT_LABNAME_SIZE])
{
	stem_of(c, image, whole, name);
	for (size_t i = 0; i < c->nsets; i++)
		pt_labname_append(pt_labname_append(name, "-"), c->sets[i]);
	if (c->append)
		pt_labname_append(pt_labname_append(name, "-"), c->append);
}

int pt_candidate_name(struct pt_candidate *c, const struct pt_image *image,
		      const struct pt_candidate *others, size_t n, struct pt_diag *diag)
{
	auto_free const char **taken = NULL;
	char name[PT_LABNAME_SIZE];

	if (c->name[0]) {
		if (!is_taken(c->name, others, n))
			return 0;
		return pt_diag_set(
			diag, -EEXIST, PT_NO_OFFSET,
			"two candidates are called %s: give one another with name=", c->name);
	}
	propose(c, image, false, name);
	if (is_taken(name, others, n))
		propose(c, image, true, name);
	taken = calloc(n + 1, sizeof(*taken));
	if (!taken)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		taken[i] = others[i].name;
	snprintf(c->name, sizeof(c->name), "%s", pt_labname_unique(name, taken, n));
	return 0;
}

json_t *pt_candidate_json(const struct pt_candidate *c, const struct pt_image *image)
{
	json_t *o = json_object(), *sets = json_array();

	for (size_t i = 0; i < c->nsets; i++)
		json_array_append_new(sets, json_string(c->sets[i]));
	pt_json_set_string(o, "name", c->name);
	pt_json_set_string(o, "kind", c->is_tree ? "tree" : "kernel");
	pt_json_set_string(o, "path", c->path);
	pt_json_set_string(o, "rev", c->rev);
	pt_json_set(o, "set", sets);
	pt_json_set_string(o, "append", c->append);
	pt_json_set_string(o, "boot", image ? image->boot : NULL);
	pt_json_set_string(o, "release", image ? image->release : NULL);
	pt_json_set_string(o, "version", image ? image->version : NULL);
	pt_json_set_string(o, "build_id", image ? image->build_id : NULL);
	return o;
}
