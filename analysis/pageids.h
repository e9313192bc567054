/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers for pages: (file, page) to a 32-bit id.
 *
 * Ids are given out for 64 neighbouring pages at a time, so a lookup hashes the neighbourhood, not
 * the page, and what is kept by id lies together where the pages do. Ids therefore have gaps: with
 * one page used in each 64, arrays by id are 64 times as long as there are pages. Where a file's
 * neighbourhoods are dense, an array has what would be hashed. Not thread-safe.
 */
#ifndef PT_ANALYSIS_PAGEIDS_H
#define PT_ANALYSIS_PAGEIDS_H

#include <stdint.h>

#include "util/map.h"

/* What of the map a file has as an array, by neighbourhood: number + 1, 0 where not known. */
struct pt_pageids_file {
	uint32_t *chunks;
	size_t n;      /* length */
	uint64_t used; /* neighbourhoods of the file */
};

/* Initialise with pt_pageids_init(); release with pt_pageids_done(). */
struct pt_pageids {
	struct pt_map chunks;
	struct pt_pageids_file *files;
	size_t nfiles;
	struct pt_map_key recent; /* the chunk looked up last, valid where n is not 0 */
	uint32_t recent_chunk;
	uint32_t n; /* ids given out, a multiple of 64; all are below it */
};

void pt_pageids_init(struct pt_pageids *p);
void pt_pageids_done(struct pt_pageids *p);

/* For pt_pageids_get(): what no array has. */
int pt_pageids_get_hashed(struct pt_pageids *p, uint32_t file, uint64_t page, uint32_t *ret_id);

/* The id of a page, made where it is new. 0, -ENOMEM, -E2BIG (more than 2^26 neighbourhoods). */
static inline int pt_pageids_get(struct pt_pageids *p, uint32_t file, uint64_t page,
				 uint32_t *ret_id)
{
	if (file < p->nfiles && page >> 6 < p->files[file].n) {
		uint32_t chunk = p->files[file].chunks[page >> 6];

		if (chunk) {
			*ret_id = (chunk - 1) << 6 | (uint32_t)(page & 63);
			return 0;
		}
	}
	return pt_pageids_get_hashed(p, file, page, ret_id);
}

#endif
