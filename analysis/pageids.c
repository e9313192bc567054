// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers for pages: see pageids.h. */
#include "analysis/pageids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BITS 6
#define CHUNK      (1u << CHUNK_BITS)
#define MAX_IDS    (UINT32_MAX - CHUNK + 1) /* no id is UINT32_MAX */
#define MAX_FILES  (1u << 20)               /* that have an array */
#define MIN_ARRAY  16u
#define SPARSE     8u /* an array is at most so many times as long as it has neighbourhoods */

void pt_pageids_init(struct pt_pageids *p)
{
	*p = (struct pt_pageids){ 0 };
	pt_map_init(&p->chunks);
}

void pt_pageids_done(struct pt_pageids *p)
{
	for (size_t i = 0; i < p->nfiles; i++)
		free(p->files[i].chunks);
	free(p->files);
	pt_map_done(&p->chunks);
}

/* The file's place, NULL where it gets none. */
static struct pt_pageids_file *file_of(struct pt_pageids *p, uint32_t file)
{
	size_t n = p->nfiles ? p->nfiles : MIN_ARRAY;
	struct pt_pageids_file *files;

	if (file < p->nfiles)
		return &p->files[file];
	if (file >= MAX_FILES)
		return NULL;
	while (n <= file)
		n *= 2;
	files = reallocarray(p->files, n, sizeof(*files));
	if (!files)
		return NULL;
	memset(files + p->nfiles, 0, (n - p->nfiles) * sizeof(*files));
	p->files = files;
	p->nfiles = n;
	return &p->files[file];
}

/* Put into the file's array what the map has, where the array reaches so far, or may. */
static void remember(struct pt_pageids *p, struct pt_map_key key, uint32_t chunk, int added)
{
	struct pt_pageids_file *f = file_of(p, (uint32_t)key.hi);
	size_t n;
	uint32_t *chunks;

	if (!f)
		return;
	f->used += (uint64_t)added;
	if (key.lo >= f->n && key.lo < MIN_ARRAY + SPARSE * f->used) {
		n = f->n ? f->n : MIN_ARRAY;
		while (n <= key.lo)
			n *= 2;
		chunks = reallocarray(f->chunks, n, sizeof(*chunks));
		if (!chunks)
			return; /* the map has it */
		memset(chunks + f->n, 0, (n - f->n) * sizeof(*chunks));
		f->chunks = chunks;
		f->n = n;
	}
	if (key.lo < f->n)
		f->chunks[key.lo] = chunk + 1;
}

int pt_pageids_get_hashed(struct pt_pageids *p, uint32_t file, uint64_t page, uint32_t *ret_id)
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
		remember(p, key, p->recent_chunk, added);
	}
	*ret_id = p->recent_chunk << CHUNK_BITS | (uint32_t)(page & (CHUNK - 1));
	return 0;
}
