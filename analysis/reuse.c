// SPDX-License-Identifier: GPL-2.0-or-later
/* Reuse distances: see reuse.h. */
#include "analysis/reuse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/distinct.h"
#include "analysis/pageids.h"
#include "analysis/stackdist.h"
#include "util/map.h"

#define SUB_BITS 6 /* linear steps in an octave of a sampled distance */
#define BINS     ((64 - SUB_BITS + 1) << SUB_BITS)

#define BATCH 64 /* exact accesses whose memory is fetched ahead */

#define MAX_DISTANCE 0x1p62 /* files have fewer pages */

/* A page in the sample. */
struct place {
	struct pt_map_key key;
	uint64_t hash;
};

struct pt_reuse {
	struct pt_stackdist stack;
	uint64_t accesses, sampled;
	int exact;

	struct pt_pageids ids; /* exact: slots are ids */
	uint64_t *counts;      /* by distance */
	size_t ncounts;
	uint64_t cold;

	uint64_t threshold; /* sampled: pages with a hash below it take part */
	uint32_t max_pages; /* 0: any number */
	double weight;      /* 1 / rate */
	struct pt_map slots;
	struct place *places; /* by slot */
	uint32_t nplaces, cap;
	uint32_t *heap;               /* slots, the largest hash first */
	double *bins;                 /* by distance / rate */
	struct pt_distinct *distinct; /* of all pages */
	uint64_t dither;
};

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014) over both words, without a seed. */
static uint64_t hash_of(uint32_t file, uint64_t page)
{
	uint64_t x = (page + 1) * UINT64_C(0x9e3779b97f4a7c15) +
		     (file + UINT64_C(1)) * UINT64_C(0xd1b54a32d192ed03);

	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static uint64_t threshold_of(double rate)
{
	return rate > 0 && rate < 1 ? (uint64_t)(rate * 0x1p64) : UINT64_MAX;
}

int pt_reuse_is_sampled(uint32_t file, uint64_t page, double rate)
{
	uint64_t threshold = threshold_of(rate);

	return threshold == UINT64_MAX || hash_of(file, page) < threshold;
}

static void set_threshold(struct pt_reuse *r, uint64_t threshold)
{
	r->threshold = threshold ? threshold : 1;
	r->weight = threshold == UINT64_MAX ? 1 : 0x1p64 / (double)r->threshold;
}

struct pt_reuse *pt_reuse_new(const struct pt_reuse_options *opt)
{
	struct pt_reuse *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	pt_pageids_init(&r->ids);
	pt_map_init(&r->slots);
	set_threshold(r, threshold_of(opt->rate));
	r->max_pages = opt->max_pages;
	r->exact = r->threshold == UINT64_MAX && !r->max_pages;
	if (!r->exact) {
		r->bins = calloc(BINS, sizeof(*r->bins));
		r->distinct = calloc(1, sizeof(*r->distinct));
	}
	if (!r->exact && (!r->bins || !r->distinct)) {
		pt_reuse_free(r);
		return NULL;
	}
	return r;
}

void pt_reuse_free(struct pt_reuse *r)
{
	if (!r)
		return;
	pt_stackdist_done(&r->stack);
	pt_pageids_done(&r->ids);
	free(r->counts);
	pt_map_done(&r->slots);
	free(r->places);
	free(r->heap);
	free(r->bins);
	free(r->distinct);
	free(r);
}

/* ---- Exact */

static int count(struct pt_reuse *r, uint32_t distance)
{
	if (distance >= r->ncounts) {
		size_t n = r->ncounts ? r->ncounts : 64;
		uint64_t *counts;

		while (n <= distance)
			n *= 2;
		counts = reallocarray(r->counts, n, sizeof(*counts));
		if (!counts)
			return -ENOMEM;
		memset(counts + r->ncounts, 0, (n - r->ncounts) * sizeof(*counts));
		r->counts = counts;
		r->ncounts = n;
	}
	r->counts[distance]++;
	return 0;
}

/*
 * Touch pages by id. Each needs memory in three places that are far from the last page's: when
 * several are fetched at a time, they are waited for together.
 */
static int touch_batch(struct pt_reuse *r, const uint32_t *ids, unsigned int n)
{
	uint32_t distances[BATCH];
	int err = 0;

	for (unsigned int i = 0; i < n; i++)
		pt_stackdist_expect_moment(&r->stack, ids[i]);
	for (unsigned int i = 0; i < n && !err; i++) {
		err = pt_stackdist_touch(&r->stack, ids[i], &distances[i]);
		if (!err && distances[i] < r->ncounts)
			__builtin_prefetch(&r->counts[distances[i]], 1);
	}
	for (unsigned int i = 0; i < n && !err; i++) {
		if (distances[i] != PT_STACKDIST_COLD)
			err = count(r, distances[i]);
		else
			r->cold++;
	}
	return err;
}

static int feed_exact(struct pt_reuse *r, const struct pt_pageaccess *v, size_t n)
{
	uint32_t ids[BATCH];
	unsigned int waiting = 0;
	int err = 0;

	for (size_t i = 0; i < n; i++) {
		for (uint64_t k = 0; k < v[i].npages && !err; k++) {
			err = pt_pageids_get(&r->ids, v[i].file, v[i].page + k, &ids[waiting]);
			if (err < 0)
				return err;
			pt_stackdist_expect(&r->stack, ids[waiting]);
			if (++waiting < BATCH)
				continue;
			err = touch_batch(r, ids, waiting);
			waiting = 0;
		}
	}
	return err < 0 ? err : touch_batch(r, ids, waiting);
}

/* ---- Sampled */

static unsigned int bin_of(uint64_t v)
{
	unsigned int shift;

	if (v < 1u << SUB_BITS)
		return (unsigned int)v;
	shift = 63u - (unsigned int)__builtin_clzll(v) - SUB_BITS;
	return (unsigned int)(v >> shift) + (shift << SUB_BITS);
}

static uint64_t bin_begin(unsigned int bin)
{
	unsigned int shift = bin >> SUB_BITS ? (bin >> SUB_BITS) - 1 : 0;

	return (uint64_t)(bin - (shift << SUB_BITS)) << shift;
}

static void sift_up(struct pt_reuse *r, uint32_t at)
{
	uint32_t slot = r->heap[at];

	while (at && r->places[r->heap[(at - 1) / 2]].hash < r->places[slot].hash) {
		r->heap[at] = r->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	r->heap[at] = slot;
}

static void sift_down(struct pt_reuse *r, uint32_t n, uint32_t slot)
{
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < n) {
		if (child + 1 < n &&
		    r->places[r->heap[child + 1]].hash > r->places[r->heap[child]].hash)
			child++;
		if (r->places[r->heap[child]].hash <= r->places[slot].hash)
			break;
		r->heap[at] = r->heap[child];
		at = child;
	}
	r->heap[at] = slot;
}

/* The page with the largest hash leaves the sample, and the threshold falls to that hash. Returns
 * its slot, which is free then. */
static uint32_t lower_threshold(struct pt_reuse *r)
{
	uint32_t slot = r->heap[0], n = r->nplaces - 1;

	set_threshold(r, r->places[slot].hash);
	pt_stackdist_forget(&r->stack, slot);
	pt_map_del(&r->slots, r->places[slot].key);
	sift_down(r, n, r->heap[n]);
	return slot;
}

static int grow_places(struct pt_reuse *r)
{
	uint32_t cap = r->cap ? 2 * r->cap : 64;
	struct place *places = reallocarray(r->places, cap, sizeof(*places));
	uint32_t *heap;

	if (!places)
		return -ENOMEM;
	r->places = places;
	heap = reallocarray(r->heap, cap, sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	r->heap = heap;
	r->cap = cap;
	return 0;
}

/* The slot of a page whose hash is below the threshold; *@ret_slot is UINT32_MAX where it turns out
 * to be the one that must leave. */
static int find_slot(struct pt_reuse *r, struct pt_map_key key, uint64_t hash, uint32_t *ret_slot)
{
	uint64_t *known = pt_map_get(&r->slots, key);
	uint32_t slot = r->nplaces;

	*ret_slot = known ? (uint32_t)*known : UINT32_MAX;
	if (known)
		return 0;
	if (r->max_pages && r->nplaces == r->max_pages) {
		if (hash >= r->places[r->heap[0]].hash) {
			set_threshold(r, hash);
			return 0;
		}
		slot = lower_threshold(r);
		r->nplaces--;
	}
	if (slot == PT_STACKDIST_MAX)
		return -E2BIG;
	if (slot == r->cap && grow_places(r) < 0)
		return -ENOMEM;
	if (!pt_map_put(&r->slots, key, slot, NULL))
		return -ENOMEM;
	r->places[slot] = (struct place){ .key = key, .hash = hash };
	r->heap[r->nplaces++] = slot;
	if (r->max_pages)
		sift_up(r, r->nplaces - 1);
	*ret_slot = slot;
	return 0;
}

/*
 * That @distance pages of the sample came between says that between distance / rate and
 * (distance + 1) / rate did. Where in there is drawn (evenly, as a golden-ratio sequence), else
 * sizes below 1 / rate would all look alike.
 */
static uint64_t scaled(struct pt_reuse *r, uint32_t distance)
{
	r->dither += UINT64_C(0x9e3779b97f4a7c15);
	return (uint64_t)fmin((distance + (double)(r->dither >> 11) * 0x1p-53) * r->weight,
			      MAX_DISTANCE);
}

/* One of few: kept out of the loop over the many, which then stays in registers. */
static __attribute__((noinline)) int feed_sample(struct pt_reuse *r, uint32_t file, uint64_t page,
						 uint64_t hash)
{
	uint32_t slot, distance;
	int err = find_slot(r, (struct pt_map_key){ .hi = file, .lo = page }, hash, &slot);

	if (err < 0 || slot == UINT32_MAX)
		return err;
	err = pt_stackdist_touch(&r->stack, slot, &distance);
	if (err < 0)
		return err;
	r->sampled++;
	if (distance != PT_STACKDIST_COLD)
		r->bins[bin_of(scaled(r, distance))] += r->weight;
	return 0;
}

static int feed_sampled(struct pt_reuse *r, const struct pt_pageaccess *v, size_t n)
{
	struct pt_distinct *distinct = r->distinct;
	uint64_t threshold = r->threshold;
	int err;

	for (size_t i = 0; i < n; i++) {
		uint64_t end = v[i].page + v[i].npages;

		for (uint64_t page = v[i].page; page < end; page++) {
			uint64_t hash = hash_of(v[i].file, page);

			pt_distinct_add(distinct, hash);
			if (hash >= threshold)
				continue;
			err = feed_sample(r, v[i].file, page, hash);
			if (err < 0)
				return err;
			threshold = r->threshold;
		}
	}
	return 0;
}

int pt_reuse_feed_all(struct pt_reuse *r, const struct pt_pageaccess *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		r->accesses += v[i].npages;
	return r->exact ? feed_exact(r, v, n) : feed_sampled(r, v, n);
}

int pt_reuse_feed(struct pt_reuse *r, uint32_t file, uint64_t page, uint64_t npages)
{
	const struct pt_pageaccess a = { .page = page, .npages = npages, .file = file };

	return pt_reuse_feed_all(r, &a, 1);
}

/* ---- What came out */

/* Different pages, each of which has one cold access. */
static double distinct(const struct pt_reuse *r)
{
	if (r->exact)
		return (double)r->cold;
	return r->weight > 1 ? pt_distinct_estimate(r->distinct) : r->nplaces;
}

/* By how much the sample has too many pages; distances and counts are too large by that. */
static double excess(const struct pt_reuse *r)
{
	double pages = distinct(r);

	return r->weight > 1 && r->nplaces && pages > 0 ? r->nplaces * r->weight / pages : 1;
}

void pt_reuse_summarise(const struct pt_reuse *r, struct pt_reuse_summary *ret_s)
{
	uint64_t pages = (uint64_t)(distinct(r) + 0.5);

	*ret_s = (struct pt_reuse_summary){
		.accesses = r->accesses,
		.sampled = r->exact ? r->accesses : r->sampled,
		.distinct = pages < r->accesses ? pages : r->accesses,
		.rate = 1 / r->weight,
		.share = excess(r) / r->weight,
	};
	ret_s->cold = ret_s->distinct;
}

double pt_reuse_misses(const struct pt_reuse *r, uint64_t pages)
{
	double misses = distinct(r), e = excess(r);
	uint64_t n = r->cold;

	if (r->exact) {
		for (size_t d = pages; d < r->ncounts; d++)
			n += r->counts[d];
		return (double)n;
	}
	for (unsigned int b = 0; b < BINS; b++)
		if ((double)bin_begin(b) >= (double)pages * e)
			misses += r->bins[b] / e;
	return pages && misses < (double)r->accesses ? misses : (double)r->accesses;
}

void pt_reuse_octaves(const struct pt_reuse *r, uint64_t ret_octaves[65])
{
	double weights[65] = { 0 }, e = excess(r), rest = (double)r->accesses - distinct(r);

	memset(ret_octaves, 0, 65 * sizeof(*ret_octaves));
	for (size_t d = 0; d < r->ncounts; d++)
		ret_octaves[d ? 64 - __builtin_clzll(d) : 0] += r->counts[d];
	if (r->exact)
		return;
	for (unsigned int b = 1; b < BINS; b++) {
		uint64_t begin = (uint64_t)((double)bin_begin(b) / e + 0.5);

		weights[begin ? 64 - __builtin_clzll(begin) : 0] += r->bins[b] / e;
		rest -= begin ? r->bins[b] / e : 0;
	}
	weights[0] = rest > 0 ? rest : 0;
	for (unsigned int i = 0; i < 65; i++)
		ret_octaves[i] = (uint64_t)(weights[i] + 0.5);
}
