/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers for pages: (file, page) to a 32-bit id.
 *
 * Ids are given out for 64 neighbouring pages at a time, so a lookup hashes the neighbourhood, not
 * the page, and what is kept by id lies together where the pages do. Ids therefore have gaps: with
 * one page used in each 64, arrays by id are 64 times as long as there are pages. Not thread-safe.
 */
#ifndef PT_ANALYSIS_PAGEIDS_H
#define PT_ANALYSIS_PAGEIDS_H

#include <stdint.h>

#include "util/map.h"

/* Initialise with pt_pageids_init(); release with pt_pageids_done(). */
struct pt_pageids {
	struct pt_map chunks;
	struct pt_map_key recent; /* the chunk looked up last, valid where n is not 0 */
	uint32_t recent_chunk;
	uint32_t n; /* ids given out, a multiple of 64; all are below it */
};

void pt_pageids_init(struct pt_pageids *p);
void pt_pageids_done(struct pt_pageids *p);

/* The id of a page, made where it is new. 0, -ENOMEM, -E2BIG (more than 2^26 neighbourhoods). */
int pt_pageids_get(struct pt_pageids *p, uint32_t file, uint64_t page, uint32_t *ret_id);

#endif
