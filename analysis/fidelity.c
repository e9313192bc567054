// SPDX-License-Identifier: GPL-2.0-or-later
/* How faithful one tape is to another: see fidelity.h. */
#include "analysis/fidelity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/lcs.h"
#include "analysis/traits.h"
#include "util/json.h"

#define NPAGES_BITS 28 /* of an access in a symbol's key; longer ones are taken as this long */

/* The accesses of one task: their symbols and their places in the whole. */
struct series {
	uint32_t *symbols;
	size_t *places;
	size_t n;
};

/* ---- Accesses */

static int symbol_of(struct pt_map *symbols, const struct pt_trait_access *x, uint32_t *ret)
{
	uint64_t npages = x->npages < (1u << NPAGES_BITS) ? x->npages : (1u << NPAGES_BITS) - 1;
	struct pt_map_key key = {
		.hi = (uint64_t)x->file << 32 | npages << 4 | (x->how & 15u),
		.lo = x->page,
	};
	uint64_t *id = pt_map_put(symbols, key, symbols->used, NULL);

	if (!id)
		return -ENOMEM;
	*ret = (uint32_t)*id;
	return 0;
}

static void series_free(struct series *v, uint32_t n)
{
	for (uint32_t i = 0; v && i < n; i++) {
		free(v[i].symbols);
		free(v[i].places);
	}
	free(v);
}

/* The accesses of @t by task, for tasks 0 to @ntasks - 1. NULL when out of memory. */
static struct series *split_by_task(const struct pt_traits *t, uint32_t ntasks,
				    struct pt_map *symbols)
{
	struct series *v = calloc((size_t)ntasks + 1, sizeof(*v));
	int bad = !v;

	for (size_t i = 0; !bad && i < t->n; i++)
		v[t->accesses[i].task].n++;
	for (uint32_t i = 0; !bad && i < ntasks; i++) {
		v[i].symbols = calloc(v[i].n + 1, sizeof(*v[i].symbols));
		v[i].places = calloc(v[i].n + 1, sizeof(*v[i].places));
		bad = !v[i].symbols || !v[i].places;
		v[i].n = 0;
	}
	for (size_t i = 0; !bad && i < t->n; i++) {
		struct series *s = &v[t->accesses[i].task];

		bad = symbol_of(symbols, &t->accesses[i], &s->symbols[s->n]) < 0;
		s->places[s->n++] = i;
	}
	if (!bad)
		return v;
	series_free(v, ntasks);
	return NULL;
}

/* match[i]: the access of B that A's i-th is matched with, or PT_LCS_NONE. */
static int match_accesses(const struct pt_traits *a, const struct pt_traits *b, size_t *match,
			  struct pt_fidelity *f)
{
	struct series *sa, *sb;
	struct pt_map symbols;
	int err = 0;

	pt_map_init(&symbols);
	sa = split_by_task(a, a->ntasks, &symbols);
	sb = split_by_task(b, a->ntasks, &symbols);
	f->access_match_exact = 1;
	err = sa && sb ? 0 : -ENOMEM;
	for (uint32_t i = 0; !err && i < a->ntasks; i++) {
		size_t *m = calloc(sa[i].n + 1, sizeof(*m)), len = 0;
		int exact = 1;

		err = m ? pt_lcs_align(sa[i].symbols, sa[i].n, sb[i].symbols, sb[i].n,
				       (uint32_t)symbols.used, m, &len, &exact)
			: -ENOMEM;
		for (size_t k = 0; !err && k < sa[i].n; k++)
			match[sa[i].places[k]] =
				m[k] == PT_LCS_NONE ? PT_LCS_NONE : sb[i].places[m[k]];
		f->matched += len;
		f->access_match_exact &= exact;
		free(m);
	}
	series_free(sa, a->ntasks);
	series_free(sb, a->ntasks);
	pt_map_done(&symbols);
	return err;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : NAN;
}

static void judge_accesses(const struct pt_traits *a, const struct pt_traits *b,
			   const size_t *match, struct pt_fidelity *f)
{
	uint64_t neighbours = 0, in_order = 0, known = 0, alike = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (i + 1 < a->n && a->accesses[i].task != a->accesses[i + 1].task) {
			neighbours++;
			in_order += match[i] != PT_LCS_NONE && match[i + 1] != PT_LCS_NONE &&
				    match[i] < match[i + 1];
		}
		if (match[i] == PT_LCS_NONE || a->accesses[i].miss == PT_UNKNOWN8 ||
		    b->accesses[match[i]].miss == PT_UNKNOWN8)
			continue;
		known++;
		alike += a->accesses[i].miss == b->accesses[match[i]].miss;
	}
	f->access_match = share(f->matched, a->n);
	f->order_match = share(in_order, neighbours);
	f->miss_match = share(alike, known);
}

/* ---- Pages */

static uint64_t count_of(const struct pt_map *m, struct pt_map_key key)
{
	const uint64_t *v = pt_map_get(m, key);

	return v ? *v : 0;
}

/* Sum over the files that count, and what both have in common. */
static void intersect(struct pt_map *a, struct pt_map *b, const uint8_t *counts, uint64_t *ret_a,
		      uint64_t *ret_b, uint64_t *ret_common)
{
	struct pt_map_slot *slot;
	size_t pos = 0;

	*ret_a = *ret_b = *ret_common = 0;
	while (pt_map_next(a, &pos, &slot)) {
		uint64_t other;

		if (!counts[slot->key.hi])
			continue;
		other = count_of(b, slot->key);
		*ret_a += slot->value;
		*ret_common += slot->value < other ? slot->value : other;
	}
	for (pos = 0; pt_map_next(b, &pos, &slot);)
		if (counts[slot->key.hi])
			*ret_b += slot->value;
}

static void judge_pages(struct pt_traits *a, struct pt_traits *b, const uint8_t *counts,
			struct pt_fidelity *f)
{
	uint64_t na, nb, common;

	intersect(&a->evicted, &b->evicted, counts, &na, &nb, &common);
	f->evictions[0] = na;
	f->evictions[1] = nb;
	f->evict_overlap = share(common, na > nb ? na : nb);
	intersect(&a->cached, &b->cached, counts, &na, &nb, &common);
	f->residency_jaccard = share(common, na + nb - common);
}

/* ---- Refaults */

/* Refaults and distances of the files that count. */
static void sum_refaults(const struct pt_traits *t, const uint8_t *counts, uint64_t *ret_refaults,
			 struct pt_log2hist *into)
{
	*ret_refaults = 0;
	for (size_t i = 0; i < pt_refault_group_count(t->refaults); i++) {
		const struct pt_refault_group *g = pt_refault_group(t->refaults, i);
		uint32_t file = g->key < t->nfiles ? t->files[g->key] : PT_UNKNOWN32;

		if (file == PT_UNKNOWN32 || !counts[file])
			continue;
		*ret_refaults += g->counts.refaults;
		if (g->evicted_pages)
			pt_log2hist_merge(into, g->evicted_pages);
	}
}

static double ks_distance(const struct pt_log2hist *a, const struct pt_log2hist *b)
{
	double sum_a = 0, sum_b = 0, most = 0;

	if (!a->count || !b->count)
		return NAN;
	for (unsigned int i = 0; i < PT_LOG2HIST_SLOTS; i++) {
		sum_a += (double)a->slots[i] / (double)a->count;
		sum_b += (double)b->slots[i] / (double)b->count;
		most = fmax(most, fabs(sum_a - sum_b));
	}
	return most;
}

static int judge_refaults(const struct pt_traits *a, const struct pt_traits *b,
			  const uint8_t *counts, struct pt_fidelity *f)
{
	struct pt_log2hist *ha = pt_log2hist_new(), *hb = pt_log2hist_new();
	int err = ha && hb ? 0 : -ENOMEM;

	if (!err) {
		sum_refaults(a, counts, &f->refaults[0], ha);
		sum_refaults(b, counts, &f->refaults[1], hb);
		f->refault_ratio = share(f->refaults[1], f->refaults[0]);
		f->hist_ks = ks_distance(ha, hb);
	}
	free(ha);
	free(hb);
	return err;
}

/* ---- All of it */

/* A tape without folios' comings and goings says nothing of what was evicted or refaulted. */
static int knows_folios(const struct pt_traits *t, const struct pt_reader *r)
{
	return t->cached.used ||
	       pt_head_known(pt_reader_head(r), "refaults") != PT_KNOWN_UNAVAILABLE;
}

static void forget_folios(struct pt_fidelity *f, int which)
{
	f->evict_overlap = f->residency_jaccard = f->refault_ratio = f->hist_ks = NAN;
	f->evictions[which] = f->refaults[which] = PT_UNKNOWN;
}

/* Nor one from a kernel without events for accesses what was accessed. */
static int knows_accesses(const struct pt_traits *t, const struct pt_reader *r)
{
	return t->n || pt_head_known(pt_reader_head(r), "accesses") != PT_KNOWN_UNAVAILABLE;
}

static void forget_accesses(struct pt_fidelity *f, int which)
{
	f->access_match = f->order_match = f->miss_match = NAN;
	f->accesses[which] = f->matched = PT_UNKNOWN;
}

static int judge(struct pt_traits *a, struct pt_traits *b, struct pt_fidelity *f)
{
	size_t *match = calloc(a->n + 1, sizeof(*match));
	uint8_t *counts = calloc((size_t)a->nfiles + 1, 1);
	int err = match && counts ? match_accesses(a, b, match, f) : -ENOMEM;

	f->accesses[0] = a->n;
	f->accesses[1] = b->n;
	f->file_budget_error = NAN;
	for (size_t i = 0; !err && i < a->n; i++)
		if (a->accesses[i].file != PT_UNKNOWN32)
			counts[a->accesses[i].file] = 1;
	if (!err) {
		judge_accesses(a, b, match, f);
		judge_pages(a, b, counts, f);
		err = judge_refaults(a, b, counts, f);
	}
	free(match);
	free(counts);
	return err;
}

int pt_fidelity_measure(struct pt_reader *a, struct pt_reader *b, struct pt_fidelity *ret_f,
			int *ret_complete, struct pt_diag *diag)
{
	struct pt_traits ta = { 0 }, tb = { 0 };
	struct pt_fidelity f = { 0 };
	int err = pt_traits_read(&ta, a, NULL, diag);

	if (!err)
		err = pt_traits_read(&tb, b, a, diag);
	if (!err)
		err = judge(&ta, &tb, &f);
	if (!err && !knows_folios(&ta, a))
		forget_folios(&f, 0);
	if (!err && !knows_folios(&tb, b))
		forget_folios(&f, 1);
	if (!err && !knows_accesses(&ta, a))
		forget_accesses(&f, 0);
	if (!err && !knows_accesses(&tb, b))
		forget_accesses(&f, 1);
	if (!err) {
		*ret_f = f;
		*ret_complete = pt_walk_complete(&ta.walk, a) && pt_walk_complete(&tb.walk, b);
	}
	pt_traits_done(&ta);
	pt_traits_done(&tb);
	return err;
}

static json_t *pair_json(const uint64_t pair[2])
{
	json_t *list = json_array();

	for (int i = 0; i < 2; i++)
		json_array_append_new(list, pair[i] == PT_UNKNOWN
						    ? json_null()
						    : json_integer((json_int_t)pair[i]));
	return list;
}

json_t *pt_fidelity_json(const struct pt_fidelity *f)
{
	json_t *o = json_object();

	pt_json_set_double(o, "access_match", f->access_match);
	pt_json_set_bool(o, "access_match_exact", f->access_match_exact);
	pt_json_set_double(o, "order_match", f->order_match);
	pt_json_set_double(o, "miss_match", f->miss_match);
	pt_json_set_double(o, "evict_overlap", f->evict_overlap);
	pt_json_set_double(o, "residency_jaccard", f->residency_jaccard);
	pt_json_set_double(o, "refault_ratio", f->refault_ratio);
	pt_json_set_double(o, "hist_ks", f->hist_ks);
	pt_json_set_double(o, "file_budget_error", f->file_budget_error);
	pt_json_set(o, "accesses", pair_json(f->accesses));
	pt_json_set_u64(o, "accesses_matched", f->matched);
	pt_json_set(o, "evictions", pair_json(f->evictions));
	pt_json_set(o, "refaults", pair_json(f->refaults));
	return o;
}
