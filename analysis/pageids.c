// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers for pages: see pageids.h. */
#include "analysis/pageids.h"

#include <errno.h>

#define CHUNK_BITS 6
#define CHUNK      (1u << CHUNK_BITS)
#define MAX_IDS    (UINT32_MAX - CHUNK + 1) /* no id is UINT32_MAX */

void pt_pageids_init(struct pt_pageids *p)
{
	*p = (struct pt_pageids){ 0 };
	pt_map_init(&p->chunks);
}

void pt_pageids_done(struct pt_pageids *p)
{
	pt_map_done(&p->chunks);
}

int pt_pageids_get(struct pt_pageids *p, uint32_t file, uint64_t page, uint32_t *ret_id)
{
	struct pt_map_key key = { .hi = file, .lo = page >> CHUNK_BITS };
	uint64_t *chunk;
	int added;

	if (!p->n || p->recent.hi != key.hi || p->recent.lo != key.lo) {
		if (p->n >= MAX_IDS && !pt_map_get(&p->chunks, key))
			return -E2BIG;
		chunk = pt_map_put(&p->chunks, key, p->n >> CHUNK_BITS, &added);
		if (!chunk)
			return -ENOMEM;
		if (added)
			p->n += CHUNK;
		p->recent = key;
		p->recent_chunk = (uint32_t)*chunk;
	}
	*ret_id = p->recent_chunk << CHUNK_BITS | (uint32_t)(page & (CHUNK - 1));
	return 0;
}
