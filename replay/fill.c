// SPDX-License-Identifier: GPL-2.0-or-later
/* Fills files with data that neither compresses nor repeats. */
#include "replay/fill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/bytes.h"
#include "util/rng.h"

#define ALIGN 4096 /* O_DIRECT's, of every device in use; also how often a stamp stands */
#define SEED  0x70616765u

void *pt_fill_chunk_new(void)
{
	uint8_t *chunk = aligned_alloc(ALIGN, PT_FILL_CHUNK);
	struct pt_rng rng;

	if (!chunk)
		return NULL;
	pt_rng_init(&rng, SEED);
	for (size_t i = 0; i < PT_FILL_CHUNK; i += 8)
		le64_put(chunk + i, pt_rng_u64(&rng));
	return chunk;
}

/* The random bytes are the same in every chunk; where they are is not. */
static void stamp(uint8_t *chunk, uint64_t salt, uint64_t off)
{
	for (size_t i = 0; i < PT_FILL_CHUNK; i += ALIGN) {
		le64_put(chunk + i, salt);
		le64_put(chunk + i + 8, off + i);
	}
}

static int write_at(int fd, const uint8_t *p, size_t len, uint64_t off)
{
	while (len) {
		ssize_t n = pwrite(fd, p, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		p += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* Keep buffered writing from filling the cache: this chunk goes out, the one before leaves. */
static void push_out(int fd, uint64_t off)
{
	(void)sync_file_range(fd, (off_t)off, PT_FILL_CHUNK, SYNC_FILE_RANGE_WRITE);
	if (off >= PT_FILL_CHUNK) {
		off -= PT_FILL_CHUNK;
		(void)sync_file_range(fd, (off_t)off, PT_FILL_CHUNK,
				      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
					      SYNC_FILE_RANGE_WAIT_AFTER);
		(void)posix_fadvise(fd, (off_t)off, PT_FILL_CHUNK, POSIX_FADV_DONTNEED);
	}
}

int pt_fill(int fd, uint64_t size, uint64_t salt, void *chunk, int (*tick)(void *ctx, uint64_t n),
	    void *ctx)
{
	int flags = fcntl(fd, F_GETFL), direct, r = 0;

	direct = flags >= 0 && fcntl(fd, F_SETFL, flags | O_DIRECT) == 0;
	for (uint64_t off = 0; r == 0 && off < size; off += PT_FILL_CHUNK) {
		size_t len = size - off < PT_FILL_CHUNK ? (size_t)(size - off) : PT_FILL_CHUNK;
		size_t whole = (len + ALIGN - 1) & ~(size_t)(ALIGN - 1);

		stamp(chunk, salt, off);
		r = write_at(fd, chunk, direct ? whole : len, off);
		if (r == -EINVAL && direct && off == 0) { /* it takes the flag, not the writes */
			direct = 0;
			(void)fcntl(fd, F_SETFL, flags);
			r = write_at(fd, chunk, len, off);
		}
		if (r == 0 && !direct)
			push_out(fd, off);
		if (r == 0 && tick)
			r = tick(ctx, len);
	}
	if (r == 0 && direct && ftruncate(fd, (off_t)size) < 0)
		r = -errno;
	if (r == 0 && !direct) {
		if (fdatasync(fd) < 0)
			r = -errno;
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	return r;
}
