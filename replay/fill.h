/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fills files with real data, fast and past the page cache.
 */
#ifndef PT_REPLAY_FILL_H
#define PT_REPLAY_FILL_H

#include <stdint.h>

#define PT_FILL_CHUNK (1u << 20)

/*
 * Write @size bytes to the empty file @fd, no two pages of any file set alike (@salt tells files
 * apart), so that neither compression nor deduplication makes reads cheaper than they were. Goes by
 * O_DIRECT where the file system has it, else its pages are written back and dropped chunk by
 * chunk. @tick, if not NULL, is called after each chunk with the bytes written; what it returns
 * other than 0 ends the work with that. @chunk is PT_FILL_CHUNK bytes, aligned to a page, scratch.
 * Returns 0 or -errno.
 */
int pt_fill(int fd, uint64_t size, uint64_t salt, void *chunk, int (*tick)(void *ctx, uint64_t n),
	    void *ctx);

/* A chunk for pt_fill(): release with free(). NULL when out of memory. */
void *pt_fill_chunk_new(void);

#endif
