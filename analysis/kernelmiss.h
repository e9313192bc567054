/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own misses, counted as a cache without read-ahead would count them, so that they can
 * stand beside those of simulated policies.
 *
 * An access to a page misses if the page was not cached, or was cached only because it had been
 * added and not accessed since: read-ahead then fetched for it what a demand would have. So each
 * stay of a page in the cache that was of any use costs one miss, however it was brought in, and
 * pages that were read ahead in vain cost none. The tape's adds and evictions say what is cached;
 * the add that belongs to a missed access may stand before or behind it. A page of which the tape
 * has not spoken before its first access, and that is not added then, was cached before the tape
 * began; such accesses are hits, and counted apart, since policies that start empty miss them.
 *
 * Memory: a byte a page, see pageids.h. Not thread-safe.
 */
#ifndef PT_ANALYSIS_KERNELMISS_H
#define PT_ANALYSIS_KERNELMISS_H

#include "analysis/pageids.h"
#include "formats/record.h"

struct pt_kernelmiss_counts {
	uint64_t misses;
	uint64_t cached_before; /* pages that were cached before the tape began, and accessed */
	uint64_t cached_max;    /* the most pages that were cached at once */
	uint64_t evictions;     /* pages */
};

/* Initialise with pt_kernelmiss_init(); release with pt_kernelmiss_done(). */
struct pt_kernelmiss {
	double rate;
	struct pt_pageids ids;
	uint8_t *states; /* by id */
	size_t nstates;
	uint64_t misses, evictions;
	uint64_t cached_before, forgotten; /* of the latter: evicted without an access */
	int64_t cached, cached_max;        /* beyond those that were cached before */
};

/* With a @rate in (0, 1) only pages of the sample that reuse.h takes are looked at, and counts are
 * divided by it. 1: all pages. */
void pt_kernelmiss_init(struct pt_kernelmiss *k, double rate);
void pt_kernelmiss_done(struct pt_kernelmiss *k);

/* Accesses as pageaccess.h has them. 0, -ENOMEM, -E2BIG. */
int pt_kernelmiss_access(struct pt_kernelmiss *k, uint32_t file, uint64_t page, uint64_t npages);

/* PT_ADD, PT_EVICT and PT_REMOVE; others are passed over. The same errors. */
int pt_kernelmiss_feed(struct pt_kernelmiss *k, const struct pt_record *rec);

void pt_kernelmiss_count(const struct pt_kernelmiss *k, struct pt_kernelmiss_counts *ret_c);

#endif
