// SPDX-License-Identifier: GPL-2.0-or-later
/* The refaults of a whole tape: see tape_refaults.h. */
#include "analysis/tape_refaults.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cgrouptree.h"
#include "analysis/hist_json.h"
#include "analysis/sections.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"

/* "6.18.44-cloud" -> 6, 18. */
static int parse_release(const char *release, uint32_t *ret_major, uint32_t *ret_minor)
{
	char major[8] = "", minor[8] = "";
	size_t n = strspn(release, "0123456789"), m;

	if (!n || n >= sizeof(major) || release[n] != '.')
		return -EINVAL;
	memcpy(major, release, n);
	m = strspn(release + n + 1, "0123456789");
	if (!m || m >= sizeof(minor))
		return -EINVAL;
	memcpy(minor, release + n + 1, m);
	return pt_parse_u32(major, ret_major) < 0 || pt_parse_u32(minor, ret_minor) < 0 ? -EINVAL
											: 0;
}

const char *pt_refault_rule(const char *release, int mglru)
{
	uint32_t major, minor;

	if (!release || parse_release(release, &major, &minor) < 0)
		return NULL;
	if (major < 6 || (major == 6 && minor < 1))
		return "folios";
	if (mglru && major == 6 && minor < 6)
		return "pages-if-recent";
	return "pages";
}

static uint64_t counted(const struct pt_head *head, const char *name)
{
	const json_t *v = json_object_get(json_object_get(head->doc, "kernel_counts"), name);

	return json_is_integer(v) && json_integer_value(v) >= 0 ? (uint64_t)json_integer_value(v)
								: PT_UNKNOWN;
}

void pt_refault_know(const struct pt_head *head, struct pt_refault_knowledge *ret_k)
{
	const char *flavour = pt_head_string(head, "kernel", "lru", "flavour", NULL);
	struct pt_refault_knowledge k = { 0 };

	k.folios = pt_head_known(head, "refaults") != PT_KNOWN_UNAVAILABLE;
	k.kernel_word = pt_head_known(head, "refaults") == PT_KNOWN_KNOWN;
	k.mglru = flavour && strcmp(flavour, "mglru") == 0;
	k.age = !k.mglru;
	k.activations = k.kernel_word || !k.mglru;
	k.rule = pt_head_string(head, "kernel_counts", "refault_rule", NULL);
	if (!k.rule)
		k.rule = pt_refault_rule(pt_head_string(head, "kernel", "release", NULL), k.mglru);
	k.counted_refaults = counted(head, "workingset_refault_file");
	k.counted_activations = counted(head, "workingset_activate_file");
	k.counted_evictions = counted(head, "pgsteal_file");
	k.scope = pt_head_string(head, "kernel_counts", "scope", NULL);
	*ret_k = k;
}

/* ---- Reading */

#define EVERYTHING UINT32_MAX

/* Of what there are few records, or all is wanted, everything. */
const uint32_t pt_refault_fields[PT_KIND_COUNT] = {
	[PT_ACCESS] = 1u << PT_F_TASK | 1u << PT_F_FILE | 1u << PT_F_PAGE | 1u << PT_F_NPAGES |
		      1u << PT_F_HOW | 1u << PT_F_FLAGS,
	[PT_ADD... PT_REFAULT] = EVERYTHING,
	[PT_SYNC... PT_KIND_COUNT - 1] = EVERYTHING,
};

static int define(const struct pt_reader *r, struct pt_refault *ref)
{
	auto_free uint32_t *parents = NULL;
	int err = pt_cgrouptree_new(r, &parents);

	for (uint32_t i = 0; i < pt_reader_cgroup_count(r) && !err; i++) {
		uint64_t max_bytes = pt_reader_cgroup(r, i)->max_bytes;

		err = pt_refault_define_cgroup(ref, i, parents[i]);
		if (!err && max_bytes != PT_UNKNOWN && max_bytes != PT_NO_LIMIT)
			err = pt_refault_limit_cgroup(ref, i);
	}
	for (uint32_t i = 0; i < pt_reader_task_count(r) && !err; i++) {
		const struct pt_task *t = pt_reader_task(r, i);

		err = pt_refault_define_task(ref, i, t->cgroup);
	}
	return err;
}

static int feed(void *ctx, const struct pt_record *rec)
{
	return pt_refault_feed(ctx, rec);
}

static void expect(const void *ctx, const struct pt_record *recs, int n)
{
	pt_refault_expect(ctx, recs, n);
}

int pt_tape_refaults_new(const struct pt_reader *r, const struct pt_refault_options *opt,
			 struct pt_refault **ret_r)
{
	struct pt_refault_options o = *opt;
	struct pt_refault_knowledge k;
	struct pt_refault *ref;
	const json_t *memory;
	int err;

	pt_refault_know(pt_reader_head(r), &k);
	o.page_size = pt_head_page_size(pt_reader_head(r));
	o.kernel_word = k.kernel_word;
	o.predict = k.folios && k.age && k.activations;
	o.with_swap = pt_head_has_swap(pt_reader_head(r));
	memory = json_object_get(json_object_get(pt_reader_head(r)->doc, "environment"),
				 "memory_bytes");
	if (json_is_integer(memory) && json_integer_value(memory) > 0)
		o.memory_bytes = (uint64_t)json_integer_value(memory);
	err = pt_refault_new(&o, &ref);
	if (err < 0)
		return err;
	err = define(r, ref);
	if (err < 0) {
		pt_refault_free(ref);
		return err;
	}
	*ret_r = ref;
	return 0;
}

int pt_tape_refaults(struct pt_reader *r, const struct pt_refault_options *opt,
		     struct pt_refault **ret_r, struct pt_walk *ret_w, struct pt_diag *diag)
{
	struct pt_refault *ref;
	int err = pt_tape_refaults_new(r, opt, &ref);

	if (err < 0)
		return err;
	err = pt_walk_expecting(r, expect, feed, ref, ret_w, diag);
	if (err < 0) {
		pt_refault_free(ref);
		return err;
	}
	*ret_r = ref;
	return 0;
}

/* ---- Telling */

static char *file_name(const struct pt_file *f)
{
	char *s = NULL;

	if (f->path)
		return strdup(f->path);
	return asprintf(&s, "%u:%u/%" PRIu64, f->key.dev >> 20, f->key.dev & 0xfffff, f->key.ino) <
			       0
		       ? NULL
		       : s;
}

char *pt_refault_key_name(const struct pt_reader *r, enum pt_group_by by, uint32_t key)
{
	const struct pt_cgroup *c;
	const struct pt_task *t;
	char *s = NULL;
	int n = -1;

	if (key == PT_UNKNOWN32)
		return NULL;
	switch (by) {
	case PT_BY_FILE:
		return file_name(pt_reader_file(r, key));
	case PT_BY_TASK:
		t = pt_reader_task(r, key);
		n = asprintf(&s, "%s-%u", t->comm ? t->comm : "?", t->key.pid);
		break;
	case PT_BY_CGROUP:
		c = pt_reader_cgroup(r, key);
		n = c->path ? asprintf(&s, "%s", c->path)
			    : asprintf(&s, "cgroup id %" PRIu64, c->id);
		break;
	case PT_BY_SECTION:
		return pt_sections_name(key) ? strdup(pt_sections_name(key)) : NULL;
	default:
		n = asprintf(&s, "%u", key);
		break;
	}
	return n < 0 ? NULL : s;
}

static json_t *causes(const uint64_t counts[PT_CAUSE_PLACES])
{
	json_t *o = json_object();

	for (unsigned int i = 0; i < PT_CAUSE_COUNT; i++)
		pt_json_set_u64(o, pt_how_name(PT_ADD, i), counts[i]);
	pt_json_set_u64(o, "unknown", counts[PT_CAUSE_COUNT]);
	return o;
}

static void set_counts(json_t *o, const struct pt_refault_counts *known,
		       const struct pt_refault_knowledge *k)
{
	struct pt_refault_counts counts = *known, *c = &counts;

	if (!k->folios)
		memset(c, 0xff, sizeof(*c)); /* each of its numbers is PT_UNKNOWN */
	pt_json_set_u64(o, "evictions", c->evictions);
	pt_json_set_u64(o, "evictions_pageout", c->evictions_pageout);
	pt_json_set_u64(o, "removals", c->removals);
	pt_json_set_u64(o, "refaults", c->refaults);
	pt_json_set_u64(o, "refault_folios", c->refault_folios);
	pt_json_set_u64(o, "refaults_undated", c->refaults_undated);
	pt_json_set_u64(o, "unknown_before_start", c->unknown_before_start);
	pt_json_set_u64(o, "refault_activations", k->activations ? c->activations : PT_UNKNOWN);
	pt_json_set(o, "adds", causes(c->adds));
	pt_json_set(o, "refaults_by_cause", causes(c->refaults_by_cause));
	pt_json_set_u64(o, "evicted_unused", c->evicted_unused);
}

static json_t *kernel_counts(const struct pt_refault_knowledge *k)
{
	json_t *o = json_object();

	pt_json_set_string(o, "refault_rule", k->rule);
	pt_json_set_u64(o, "workingset_refault_file", k->counted_refaults);
	pt_json_set_u64(o, "workingset_activate_file", k->counted_activations);
	pt_json_set_u64(o, "pgsteal_file", k->counted_evictions);
	pt_json_set_string(o, "scope", k->scope);
	return o;
}

static json_t *model(const struct pt_refault *ref, int folios)
{
	const struct pt_refault_counts *c = pt_refault_model(ref);
	uint64_t kernel_nodes, model_nodes;
	json_t *o = json_object();

	pt_refault_nodes(ref, &kernel_nodes, &model_nodes);
	pt_json_set_u64(o, "refaults", folios ? c->refaults : PT_UNKNOWN);
	pt_json_set_u64(o, "refault_activations", folios ? c->activations : PT_UNKNOWN);
	pt_json_set_u64(o, "shadow_nodes_freed", folios ? model_nodes : PT_UNKNOWN);
	pt_json_set_u64(o, "shadow_nodes_freed_by_kernel", kernel_nodes);
	pt_json_set_u64(o, "malformed_records", pt_refault_malformed(ref));
	return o;
}

static void set_percent(json_t *o, const char *key, uint64_t part, uint64_t whole)
{
	pt_json_set(o, key, whole ? json_real(100.0 * (double)part / (double)whole) : NULL);
}

/* The model held against the kernel's word, page by page. */
static json_t *check(const struct pt_refault *ref, const struct pt_refault_knowledge *k)
{
	const struct pt_refault_check *c = pt_refault_check(ref);
	json_t *o;

	if (!k->kernel_word)
		return NULL;
	o = json_object();
	pt_json_set_u64(o, "kernel_refaults", c->kernel);
	pt_json_set_u64(o, "model_refaults", c->model);
	pt_json_set_u64(o, "agreed", c->confirmed);
	set_percent(o, "missed_percent", c->kernel - c->confirmed, c->kernel);
	set_percent(o, "invented_percent", c->model - c->confirmed, c->kernel);
	return o;
}

static json_t *predictions(const struct pt_refault *ref)
{
	const struct pt_activation_counts *c = pt_refault_predictions(ref);
	json_t *o;

	if (!c)
		return NULL;
	o = json_object();
	pt_json_set_u64(o, "decisions", c->decisions);
	pt_json_set_u64(o, "activated", c->activated);
	pt_json_set_u64(o, "undecided", c->unknown);
	pt_json_set_u64(o, "flush_periods", c->periods);
	pt_json_set_u64(o, "wrong", c->wrong);
	set_percent(o, "wrong_percent", c->wrong, c->decisions);
	pt_json_set_u64(o, "wrong_live", c->wrong_live);
	set_percent(o, "wrong_live_percent", c->wrong_live, c->decisions);
	pt_json_set_u64(o, "wrong_fitted", c->wrong_fitted);
	set_percent(o, "wrong_fitted_percent", c->wrong_fitted, c->decisions);
	return o;
}

/* How exact the metric of that name is. */
static json_t *generations(const struct pt_head *head, const struct pt_refault *ref,
			   const struct pt_refault_knowledge *k)
{
	const json_t *cadence = json_object_get(head->doc, "counters_every_ns");
	uint64_t readings, step;
	json_t *o;

	pt_refault_generations(ref, &readings, &step);
	if (!k->mglru || !readings)
		return NULL;
	o = json_object();
	pt_json_set_u64(o, "readings", readings);
	pt_json_set_u64(o, "cadence_ns",
			json_is_integer(cadence) && json_integer_value(cadence) > 0
				? (uint64_t)json_integer_value(cadence)
				: PT_UNKNOWN);
	pt_json_set_u64(o, "between_readings_max", step);
	return o;
}

static json_t *groups(const struct pt_reader *r, const struct pt_refault *ref, enum pt_group_by by,
		      const struct pt_refault_knowledge *k)
{
	json_t *list = json_array();

	for (size_t i = 0; i < pt_refault_group_count(ref); i++) {
		const struct pt_refault_group *g = pt_refault_group(ref, i);
		auto_free char *name = pt_refault_key_name(r, by, g->key);
		json_t *o = json_object(), *h = json_array();

		pt_json_set_string(o, "key", name);
		set_counts(o, &g->counts, k);
		if (g->evicted_pages)
			json_array_append_new(h, pt_hist_json(PT_DISTANCE_EVICTED_PAGES,
							      g->evicted_pages, k->folios));
		pt_json_set(o, "histograms", h);
		json_array_append_new(list, o);
	}
	return list;
}

static int is_known(const struct pt_refault *ref, enum pt_distance d,
		    const struct pt_refault_knowledge *k)
{
	if (d == PT_DISTANCE_LRU_PERCENT && !pt_refault_distances(ref, d)->count)
		return 0; /* no counters, or no refaults: the others tell */
	if (d == PT_DISTANCE_GENERATIONS)
		return k->folios && k->mglru && pt_refault_distances(ref, d)->count;
	return k->folios && (d != PT_DISTANCE_NONRESIDENT_AGE || k->age);
}

json_t *pt_tape_refaults_document(const struct pt_reader *r, const struct pt_refault *ref,
				  enum pt_group_by by, const char *metric, int complete)
{
	const struct pt_head *head = pt_reader_head(r);
	json_t *doc = pt_json_document("hist", pt_head_tape_id(head));
	json_t *hists = json_array();
	struct pt_refault_knowledge k;

	pt_refault_know(head, &k);
	pt_json_set_u64(doc, "page_size", pt_head_page_size(head));
	set_counts(doc, pt_refault_counts(ref), &k);
	pt_json_set_string(doc, "refault_source", k.kernel_word ? "kernel" : "model");
	pt_json_set(doc, "kernel", kernel_counts(&k));
	pt_json_set(doc, "model", model(ref, k.folios));
	pt_json_set(doc, "model_check", check(ref, &k));
	pt_json_set(doc, "activation_prediction", predictions(ref));
	pt_json_set(doc, "generations", generations(head, ref, &k));
	pt_json_set_bool(doc, "complete", complete);
	for (enum pt_distance d = 0; d < PT_DISTANCE_COUNT; d++)
		if (!metric || strcmp(metric, pt_distance_name(d)) == 0)
			json_array_append_new(hists, pt_hist_json(d, pt_refault_distances(ref, d),
								  is_known(ref, d, &k)));
	pt_json_set(doc, "histograms", hists);
	pt_json_set(doc, "groups", groups(r, ref, by, &k));
	return doc;
}
