/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reuse distances of pages, and the LRU miss-ratio curve that follows from them.
 *
 * The distance of an access is the number of other pages accessed since the page's last access: 0
 * when nothing came between. An LRU cache of N pages hits exactly the accesses with a distance
 * below N (Mattson, Gecsei, Slutz and Traiger 1970), so all sizes come out of one pass. A page's
 * first access is cold: it misses at every size.
 *
 * Exact, or sampled by place (SHARDS: Waldspurger, Park, Garthwaite and Ahmad, FAST 2015): a page
 * takes part where its hash is below a threshold, the rate; distances and counts are then divided
 * by the rate, and what the sample has of accesses too many or too few goes to distance 0, as in
 * their SHARDS_adj. Beyond that, how many pages there are in all is estimated from every page's
 * hash (distinct.h), and the rate is taken to be the share of them that the sample really has:
 * small samples are off by several percent there. With a fixed size the rate begins at 1, and falls
 * so that no more than that many pages take part. The hash is the same everywhere, so results are
 * too.
 *
 * Memory, exact: 4 bytes a page and up to 44 more while few neighbours are used, see pageids.h and
 * stackdist.h; 8 bytes for each distance up to the largest. Sampled: in proportion to the sample,
 * and 64 KiB. Not thread-safe.
 */
#ifndef PT_ANALYSIS_REUSE_H
#define PT_ANALYSIS_REUSE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/pageaccess.h"

struct pt_reuse_options {
	double rate;        /* in (0, 1): this share of pages; 0 or 1: all of them */
	uint32_t max_pages; /* above 0: at most so many, and rate is where to begin */
};

struct pt_reuse_summary {
	uint64_t accesses; /* fed */
	uint64_t sampled;  /* that took part */
	uint64_t distinct; /* pages; estimated where sampled, as cold is */
	uint64_t cold;     /* first accesses */
	double rate;       /* at the end */
	double share;      /* of the pages that took part, as far as can be told */
};

struct pt_reuse;

/* NULL when out of memory. */
struct pt_reuse *pt_reuse_new(const struct pt_reuse_options *opt);
void pt_reuse_free(struct pt_reuse *r);

/* So many accesses, each of a range of pages, in that order; many at once go faster. 0, -ENOMEM,
 * -E2BIG. */
int pt_reuse_feed_all(struct pt_reuse *r, const struct pt_pageaccess *v, size_t n);

/* Pages @page to @page + @npages - 1 of a file are accessed in that order. 0, -ENOMEM, -E2BIG. */
int pt_reuse_feed(struct pt_reuse *r, uint32_t file, uint64_t page, uint64_t npages);

void pt_reuse_summarise(const struct pt_reuse *r, struct pt_reuse_summary *ret_s);

/*
 * How many accesses an LRU cache of @pages misses, cold ones included: exact, or an estimate to
 * within the width of a bucket, 1/64 of @pages. Linear in the number of distances.
 */
double pt_reuse_misses(const struct pt_reuse *r, uint64_t pages);

/* Accesses by distance: [0] those at 0, [i] those in [2^(i-1), 2^i). Cold ones are in none. */
void pt_reuse_octaves(const struct pt_reuse *r, uint64_t ret_octaves[65]);

/* Whether a page is in every sample taken at @rate: for others that want the same sample. */
int pt_reuse_is_sampled(uint32_t file, uint64_t page, double rate);

#endif
