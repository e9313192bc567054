// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's own misses: see kernelmiss.h. */
#include "analysis/kernelmiss.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pagetree.h"
#include "analysis/reuse.h"

enum state {
	UNHEARD_OF = 0,
	BEFORE, /* accessed, and not added since the tape began: cached before, unless it is now */
	FRESH,  /* added, not accessed since */
	USED,   /* added and accessed */
	OWED,   /* accessed while gone: the miss is counted, its add is to come */
	GONE,
};

void pt_kernelmiss_init(struct pt_kernelmiss *k, double rate)
{
	*k = (struct pt_kernelmiss){ .rate = rate };
	pt_pageids_init(&k->ids);
}

void pt_kernelmiss_done(struct pt_kernelmiss *k)
{
	pt_pageids_done(&k->ids);
	free(k->states);
}

/* Where a page's state is; NULL with *@ret_err, which is 0 where the page is not in the sample. */
static uint8_t *state_of(struct pt_kernelmiss *k, uint32_t file, uint64_t page, int *ret_err)
{
	uint32_t id;

	*ret_err = 0;
	if (k->rate < 1 && !pt_reuse_is_sampled(file, page, k->rate))
		return NULL;
	*ret_err = pt_pageids_get(&k->ids, file, page, &id);
	if (*ret_err < 0)
		return NULL;
	if (id >= k->nstates) {
		size_t n = 2 * (size_t)k->ids.n;
		uint8_t *states = realloc(k->states, n);

		if (!states) {
			*ret_err = -ENOMEM;
			return NULL;
		}
		memset(states + k->nstates, UNHEARD_OF, n - k->nstates);
		k->states = states;
		k->nstates = n;
	}
	return &k->states[id];
}

static void access_page(struct pt_kernelmiss *k, uint8_t *state)
{
	switch (*state) {
	case UNHEARD_OF:
		*state = BEFORE;
		k->cached_before++;
		break;
	case FRESH:
		*state = USED;
		k->misses++;
		break;
	case GONE:
		*state = OWED;
		k->misses++;
		break;
	default:
		break;
	}
}

static void add_page(struct pt_kernelmiss *k, uint8_t *state)
{
	switch (*state) {
	case BEFORE: /* so it was not */
		*state = USED;
		k->cached_before--;
		k->misses++;
		break;
	case OWED:
		*state = USED;
		break;
	case FRESH:
	case USED: /* its eviction was lost */
		*state = FRESH;
		return;
	default:
		*state = FRESH;
		break;
	}
	k->cached++;
	if (k->cached > k->cached_max)
		k->cached_max = k->cached;
}

static void drop_page(struct pt_kernelmiss *k, uint8_t *state)
{
	k->forgotten += *state == UNHEARD_OF;
	if (*state != GONE && *state != OWED)
		k->cached--;
	*state = GONE;
}

int pt_kernelmiss_access(struct pt_kernelmiss *k, uint32_t file, uint64_t page, uint64_t npages)
{
	int err = 0;

	for (uint64_t i = 0; i < npages && !err; i++) {
		uint8_t *state = state_of(k, file, page + i, &err);

		if (state)
			access_page(k, state);
	}
	return err;
}

int pt_kernelmiss_feed(struct pt_kernelmiss *k, const struct pt_record *rec)
{
	uint64_t npages, page;
	int err = 0;

	if (rec->kind != PT_ADD && rec->kind != PT_EVICT && rec->kind != PT_REMOVE)
		return 0;
	if (rec->file == PT_UNKNOWN32 || rec->page >= PT_TREE_MAX_PAGE ||
	    (rec->order != PT_UNKNOWN8 && rec->order > PT_TREE_MAX_ORDER))
		return 0;
	npages = rec->order == PT_UNKNOWN8 ? 1 : UINT64_C(1) << rec->order;
	page = rec->page & ~(npages - 1);
	for (uint64_t i = 0; i < npages && !err; i++) {
		uint8_t *state = state_of(k, rec->file, page + i, &err);

		if (state && rec->kind == PT_ADD)
			add_page(k, state);
		else if (state)
			drop_page(k, state);
	}
	k->evictions += rec->kind == PT_EVICT ? npages : 0;
	return err;
}

static uint64_t estimate(const struct pt_kernelmiss *k, uint64_t n)
{
	return k->rate < 1 ? (uint64_t)((double)n / k->rate + 0.5) : n;
}

void pt_kernelmiss_count(const struct pt_kernelmiss *k, struct pt_kernelmiss_counts *ret_c)
{
	uint64_t before = k->cached_before + k->forgotten;

	*ret_c = (struct pt_kernelmiss_counts){
		.misses = estimate(k, k->misses),
		.cached_before = estimate(k, k->cached_before),
		.cached_max = estimate(k, (uint64_t)(k->cached_max + (int64_t)before)),
		.evictions = k->evictions,
	};
}
