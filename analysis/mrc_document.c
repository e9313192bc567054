// SPDX-License-Identifier: GPL-2.0-or-later
/* Miss-ratio curves as JSON: see tape_mrc.h. */
#include "analysis/tape_mrc.h"

#include <math.h>

#include "analysis/tape_refaults.h"
#include "util/cleanup.h"
#include "util/json.h"

static const char *const memory_names[] = {
	[PT_MRC_MEMORY_NONE] = NULL,
	[PT_MRC_MEMORY_OPTION] = "option",
	[PT_MRC_MEMORY_CACHED] = "cached",
	[PT_MRC_MEMORY_LIMIT] = "limit",
};

const char *pt_mrc_memory_name(enum pt_mrc_memory memory)
{
	return memory_names[memory];
}

double pt_mrc_kernel_over(const struct pt_mrc_kernel *k, uint64_t misses)
{
	if (k->misses == PT_UNKNOWN || misses == PT_UNKNOWN || !misses)
		return NAN;
	return (double)k->misses / (double)misses;
}

static json_t *sampling(const struct pt_mrc *m)
{
	struct pt_reuse_summary s;
	json_t *o = json_object();

	pt_reuse_summarise(m->reuse, &s);
	pt_json_set_string(o, "mode", m->max_pages ? "size" : s.rate < 1 ? "rate" : "exact");
	pt_json_set_double(o, "rate", s.rate);
	pt_json_set_u64(o, "max_pages", m->max_pages ? m->max_pages : PT_UNKNOWN);
	pt_json_set_u64(o, "accesses", s.sampled);
	return o;
}

static json_t *reuse(const struct pt_reuse *r)
{
	json_t *o = json_object(), *list = json_array();
	uint64_t octaves[65];
	unsigned int n = 65;

	pt_reuse_octaves(r, octaves);
	while (n && !octaves[n - 1])
		n--;
	for (unsigned int i = 0; i < n; i++) {
		json_t *b = json_object();

		pt_json_set_u64(b, "lo", i ? UINT64_C(1) << (i - 1) : 0);
		pt_json_set_u64(b, "hi", i < 63 ? UINT64_C(1) << i : PT_UNKNOWN);
		pt_json_set_u64(b, "count", octaves[i]);
		json_array_append_new(list, b);
	}
	pt_json_set(o, "buckets", list);
	return o;
}

static json_t *curve(const uint64_t *sizes, const double *ratios, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();

		pt_json_set_u64(o, "pages", sizes[i]);
		pt_json_set_double(o, "miss_ratio", ratios[i]);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *policies(const struct pt_mrc *m)
{
	json_t *o = json_object();

	for (size_t i = 0; i < m->npolicies; i++)
		pt_json_set(o, m->names[i], curve(m->sizes, m->policies[i], m->nsizes));
	return o;
}

static json_t *kernel(const struct pt_mrc_kernel *k)
{
	json_t *o = json_object();

	pt_json_set_u64(o, "pages", k->pages);
	pt_json_set_string(o, "pages_from", pt_mrc_memory_name(k->memory));
	pt_json_set_u64(o, "limit_pages", k->limit_pages);
	pt_json_set_u64(o, "cached_max_pages", k->cached_max);
	pt_json_set_u64(o, "cached_before", k->cached_before);
	pt_json_set_u64(o, "misses", k->misses);
	pt_json_set_double(o, "miss_ratio", k->miss_ratio);
	pt_json_set_u64(o, "lru", k->lru);
	pt_json_set_u64(o, "opt", k->opt);
	pt_json_set_double(o, "kernel_over_lru", pt_mrc_kernel_over(k, k->lru));
	pt_json_set_double(o, "kernel_over_opt", pt_mrc_kernel_over(k, k->opt));
	return o;
}

static void set_summary(json_t *o, const struct pt_reuse *r)
{
	struct pt_reuse_summary s;

	pt_reuse_summarise(r, &s);
	pt_json_set_u64(o, "accesses", s.accesses);
	pt_json_set_u64(o, "distinct", s.distinct);
	pt_json_set_u64(o, "cold", s.cold);
}

static json_t *groups(const struct pt_reader *r, const struct pt_mrc *m, enum pt_group_by by)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->ngroups; i++) {
		auto_free char *name = pt_refault_key_name(r, by, m->groups[i].key);
		auto_free double *ratios = calloc(m->nsizes + 1, sizeof(*ratios));
		json_t *o = json_object();

		for (size_t k = 0; ratios && k < m->nsizes; k++)
			ratios[k] = pt_mrc_ratio(m->groups[i].reuse, m->sizes[k]);
		pt_json_set_string(o, "key", name);
		set_summary(o, m->groups[i].reuse);
		pt_json_set(o, "curve", ratios ? curve(m->sizes, ratios, m->nsizes) : NULL);
		json_array_append_new(list, o);
	}
	return list;
}

json_t *pt_mrc_document(const struct pt_reader *r, const struct pt_mrc *m, enum pt_group_by by,
			int complete)
{
	const struct pt_head *head = pt_reader_head(r);
	json_t *doc = pt_json_document("mrc", pt_head_tape_id(head));

	pt_json_set_u64(doc, "page_size", pt_head_page_size(head));
	set_summary(doc, m->reuse);
	pt_json_set_u64(doc, "windows", m->records[PT_PAGEACCESS_WINDOW]);
	pt_json_set_u64(doc, "direct", m->records[PT_PAGEACCESS_DIRECT]);
	pt_json_set_u64(doc, "range_unknown", m->records[PT_PAGEACCESS_UNKNOWN]);
	pt_json_set(doc, "sampling", sampling(m));
	pt_json_set_bool(doc, "complete", complete);
	pt_json_set(doc, "reuse", reuse(m->reuse));
	pt_json_set(doc, "curve", curve(m->sizes, m->curve, m->nsizes));
	pt_json_set(doc, "policies", policies(m));
	pt_json_set(doc, "kernel", kernel(&m->kernel));
	pt_json_set(doc, "groups", groups(r, m, by));
	return doc;
}
