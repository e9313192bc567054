// SPDX-License-Identifier: GPL-2.0-or-later
/* Other thresholds on a tape: see tape_whatif.h. */
#include "analysis/tape_whatif.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cgrouptree.h"
#include "analysis/pageaccess.h"
#include "analysis/pagelog.h"
#include "util/cleanup.h"
#include "util/json.h"

#define MAX_DEPTH 64 /* of cgroups, and the end of a cycle */

const char *pt_lists_rule_name(enum pt_lists_rule by)
{
	static const char *const names[] = {
		[PT_LISTS_ACTIVE] = "active",
		[PT_LISTS_INACTIVE] = "inactive",
		[PT_LISTS_BOTH] = "active+inactive",
	};

	return by < PT_LISTS_FIXED ? names[by] : NULL;
}

void pt_tape_whatif_free(struct pt_tape_whatif *t)
{
	if (!t)
		return;
	pt_whatif_free(t->whatif);
	free(t);
}

/* ---- Refaults */

static int count(struct pt_reader *r, struct pt_tape_whatif *t, struct pt_walk *ret_w,
		 struct pt_diag *diag)
{
	struct pt_whatif_options w = { .nrules = t->opt.nrules,
				       .with_swap = t->with_swap,
				       .by_evictions = t->by_evictions };
	struct pt_refault_observer observer = { .refaulted = pt_whatif_refaulted };
	const struct pt_refault_options o = { .cgroups = t->opt.cgroups,
					      .ncgroups = t->opt.ncgroups,
					      .observer = &observer };
	struct pt_refault *ref;
	int err;

	memcpy(w.rules, t->opt.rules, sizeof(w.rules));
	err = pt_whatif_new(&w, &t->whatif);
	observer.ctx = t->whatif;
	if (!err)
		err = pt_tape_refaults(r, &o, &ref, ret_w, diag);
	if (err < 0)
		return err;
	pt_whatif_total(t->whatif, &t->total);
	t->kernel_activations =
		t->known.activations ? pt_refault_counts(ref)->activations : PT_UNKNOWN;
	pt_refault_free(ref);
	return 0;
}

/* ---- Accesses */

struct logging {
	struct pt_pagelog *log;
	const uint32_t *parents; /* by cgroup */
	uint32_t *cgroups;       /* by task */
	uint32_t ncgroups, ntasks;
	uint32_t within; /* PT_UNKNOWN32: everybody's */
	uint32_t page_size;
	uint64_t pages;
};

static int is_within(const struct logging *l, uint32_t task)
{
	uint32_t cgroup = task < l->ntasks ? l->cgroups[task] : PT_UNKNOWN32;

	if (l->within == PT_UNKNOWN32)
		return 1;
	for (int depth = 0; depth < MAX_DEPTH && cgroup < l->ncgroups; depth++) {
		if (cgroup == l->within)
			return 1;
		cgroup = l->parents[cgroup];
	}
	return 0;
}

static int log_access(void *ctx, const struct pt_record *rec)
{
	struct logging *l = ctx;
	struct pt_pageaccess a;

	if (rec->kind == PT_ATTACH && rec->task < l->ntasks)
		l->cgroups[rec->task] = rec->cgroup;
	if (pt_pageaccess_of(rec, l->page_size, &a) != PT_PAGEACCESS_PAGES ||
	    !is_within(l, rec->task))
		return 0;
	l->pages += a.npages;
	return pt_pagelog_feed(l->log, a.file, a.page, a.npages);
}

/* One rule's miss ratio. */
static int simulate_rule(const struct pt_pagelog *log, uint32_t pages,
			 const struct pt_whatif_rule *rule, double *ret_miss_ratio)
{
	const struct pt_twolists_rule r = {
		.by = rule->by,
		.pages = rule->pages < UINT32_MAX ? (uint32_t)rule->pages : UINT32_MAX,
	};
	void *cache = pt_twolists_new(pages, &r);
	int err = cache ? pt_pagelog_run(log, &pt_policy_twolists, cache, ret_miss_ratio) : -ENOMEM;

	if (cache)
		pt_policy_twolists.free(cache);
	return err;
}

static int simulate_rules(struct pt_tape_whatif *t, const struct pt_pagelog *log)
{
	const struct pt_whatif_rule today = { PT_LISTS_ACTIVE, 0 };
	uint32_t pages = t->memory_pages < UINT32_MAX ? (uint32_t)t->memory_pages : UINT32_MAX;
	int err = simulate_rule(log, pages, &today, &t->today);

	for (size_t i = 0; i < t->opt.nrules && !err; i++)
		err = simulate_rule(log, pages, &t->opt.rules[i], &t->miss_ratio[i]);
	return err;
}

/* The first cgroup of each task. */
static uint32_t *task_cgroups(const struct pt_reader *r)
{
	uint32_t n = pt_reader_task_count(r);
	uint32_t *v = calloc((size_t)n + 1, sizeof(*v));

	for (uint32_t i = 0; v && i < n; i++)
		v[i] = pt_reader_task(r, i)->cgroup;
	return v;
}

static int simulate(struct pt_reader *r, struct pt_tape_whatif *t, struct pt_diag *diag)
{
	auto_free uint32_t *parents = NULL, *cgroups = task_cgroups(r);
	struct logging l = { .cgroups = cgroups,
			     .ntasks = pt_reader_task_count(r),
			     .ncgroups = pt_reader_cgroup_count(r),
			     .within = t->total.evictor,
			     .page_size = pt_head_page_size(pt_reader_head(r)) };
	struct pt_walk walk;
	int err = pt_cgrouptree_new(r, &parents);

	t->memory_pages = t->opt.memory_pages ? t->opt.memory_pages : t->total.file_pages_max;
	if (err < 0 || !cgroups)
		return -ENOMEM;
	if (!t->memory_pages)
		return 0;
	l.parents = parents;
	l.log = pt_pagelog_new(1);
	if (!l.log)
		return -ENOMEM;
	err = pt_reader_rewind(r);
	if (!err)
		err = pt_walk(r, log_access, &l, &walk, diag);
	if (!err && l.pages)
		err = simulate_rules(t, l.log);
	if (!err)
		t->accesses = l.pages;
	pt_pagelog_free(l.log);
	return err == -E2BIG ? 0 : err; /* more accesses than can be simulated */
}

int pt_tape_whatif(struct pt_reader *r, const struct pt_tape_whatif_options *opt,
		   struct pt_tape_whatif **ret_t, struct pt_walk *ret_w, struct pt_diag *diag)
{
	struct pt_tape_whatif *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->opt = *opt;
	t->today = (double)NAN;
	for (size_t i = 0; i < PT_WHATIF_RULES; i++)
		t->miss_ratio[i] = (double)NAN;
	pt_refault_know(pt_reader_head(r), &t->known);
	t->by_evictions = !t->known.age;
	t->with_swap = pt_head_has_swap(pt_reader_head(r));
	err = count(r, t, ret_w, diag);
	if (!err)
		err = simulate(r, t, diag);
	if (err < 0) {
		pt_tape_whatif_free(t);
		return err;
	}
	*ret_t = t;
	return 0;
}

/* ---- Telling */

double pt_tape_whatif_error(const struct pt_tape_whatif *t)
{
	if (t->kernel_activations == PT_UNKNOWN || !t->total.refaults)
		return (double)NAN;
	return ((double)t->total.today - (double)t->kernel_activations) / (double)t->total.refaults;
}

static json_t *model_check(const struct pt_tape_whatif *t)
{
	json_t *o;

	if (!t->known.folios || t->kernel_activations == PT_UNKNOWN)
		return NULL;
	o = json_object();
	pt_json_set_u64(o, "activated_by_kernel", t->kernel_activations);
	pt_json_set_u64(o, "activated_by_model", t->total.today);
	pt_json_set_double(o, "off_by_percent_of_refaults", 100 * pt_tape_whatif_error(t));
	return o;
}

char *pt_tape_whatif_group_name(const struct pt_reader *r, enum pt_whatif_by by,
				const struct pt_whatif_group *g)
{
	auto_free char *file = NULL;
	char *s;

	if (by == PT_WHATIF_BY_CGROUP)
		return pt_refault_key_name(r, PT_BY_CGROUP, g->cgroup);
	file = pt_refault_key_name(r, PT_BY_FILE, g->file);
	if (by == PT_WHATIF_BY_FILE || !file)
		return steal_ptr(file);
	return asprintf(&s, "%s:%" PRIu64, file, g->page) < 0 ? NULL : s;
}

static json_t *counts(const struct pt_whatif_counts *c)
{
	json_t *o = json_object();

	pt_json_set_u64(o, "activated", c->activated);
	pt_json_set_u64(o, "protects", c->protects);
	pt_json_set_u64(o, "again", c->again);
	return o;
}

static json_t *rules(const struct pt_tape_whatif *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->opt.nrules; i++) {
		const struct pt_whatif_rule *rule = &t->opt.rules[i];
		const char *name = pt_lists_rule_name(rule->by);
		json_t *o = t->known.folios ? counts(&t->total.counts[i]) : json_object();

		pt_json_set_string(o, "threshold", name ? name : "pages");
		pt_json_set_double(o, "threshold_pages_mean", t->total.thresholds[i]);
		pt_json_set_double(o, "simulated_miss_ratio", t->miss_ratio[i]);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *groups(const struct pt_reader *r, const struct pt_tape_whatif *t,
		      enum pt_whatif_by by, uint64_t top)
{
	auto_free struct pt_whatif_group *v = NULL;
	json_t *list = json_array();
	size_t n;

	if (pt_whatif_groups(t->whatif, by, &v, &n) < 0) {
		json_decref(list);
		return NULL;
	}
	if (top && top < n)
		n = (size_t)top;
	for (size_t i = 0; i < n; i++) {
		auto_free char *name = pt_tape_whatif_group_name(r, by, &v[i]);
		json_t *o = json_object(), *each = json_array();

		pt_json_set_string(o, "key", name);
		pt_json_set_u64(o, "refaults", v[i].refaults);
		for (size_t k = 0; k < t->opt.nrules; k++)
			json_array_append_new(each, counts(&v[i].counts[k]));
		pt_json_set(o, "rules", each);
		json_array_append_new(list, o);
	}
	return list;
}

json_t *pt_tape_whatif_document(const struct pt_reader *r, const struct pt_tape_whatif *t,
				enum pt_whatif_by by, uint64_t top, int complete)
{
	static const char *const by_names[] = { "page", "file", "cgroup" };
	const struct pt_head *head = pt_reader_head(r);
	json_t *doc = pt_json_document("whatif", pt_head_tape_id(head));
	int any = t->known.folios;
	auto_free char *cgroup = pt_refault_key_name(r, PT_BY_CGROUP, t->total.evictor);

	pt_json_set_u64(doc, "page_size", pt_head_page_size(head));
	pt_json_set_string(doc, "distance", t->by_evictions ? "evicted_pages" : "nonresident_age");
	pt_json_set_u64(doc, "refaults", any ? t->total.refaults : PT_UNKNOWN);
	pt_json_set_u64(doc, "refaults_undated", any ? t->total.undated : PT_UNKNOWN);
	pt_json_set_u64(doc, "refaults_with_modelled_lists", any ? t->total.modelled : PT_UNKNOWN);
	pt_json_set_u64(doc, "refault_activations", any ? t->kernel_activations : PT_UNKNOWN);
	pt_json_set(doc, "model_check", model_check(t));
	pt_json_set_bool(doc, "with_swap", t->with_swap);
	pt_json_set(doc, "rules", rules(t));
	pt_json_set_string(doc, "simulated_cgroup", cgroup);
	pt_json_set_u64(doc, "simulated_pages", t->accesses ? t->memory_pages : PT_UNKNOWN);
	pt_json_set_u64(doc, "simulated_accesses", t->accesses ? t->accesses : PT_UNKNOWN);
	pt_json_set_double(doc, "simulated_miss_ratio_today", t->today);
	pt_json_set_bool(doc, "complete", complete);
	pt_json_set_string(doc, "by", by_names[by]);
	pt_json_set(doc, "groups", groups(r, t, by, top));
	return doc;
}
