// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing past the page cache: see spool.h. */
#include "formats/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/layout.h"
#include "util/bytes.h"

#define SECTOR 4096u /* what every block device and file system in use takes for O_DIRECT */

void pt_spool_init(struct pt_spool *s, int fd, int bypass_cache)
{
	*s = (struct pt_spool){ .fd = fd, .mode = PT_SPOOL_CACHED };
	if (!bypass_cache)
		return;
	s->mode = fcntl(fd, F_SETFL, O_DIRECT) == 0 ? PT_SPOOL_DIRECT : PT_SPOOL_DROP;
}

void pt_spool_done(struct pt_spool *s)
{
	free(s->data);
	s->data = NULL;
	s->len = s->cap = 0;
}

static int reserve(struct pt_spool *s, size_t more)
{
	size_t cap = s->cap ? s->cap : 64 * SECTOR;
	void *data;

	while (cap - s->len < more)
		cap *= 2;
	if (cap == s->cap)
		return 0;
	if (posix_memalign(&data, SECTOR, cap) != 0)
		return -ENOMEM;
	if (s->len)
		memcpy(data, s->data, s->len);
	free(s->data);
	s->data = data;
	s->cap = cap;
	return 0;
}

int pt_spool_put(struct pt_spool *s, const void *p, size_t len)
{
	if (reserve(s, len + 2 * SECTOR) < 0) /* padding must always fit behind */
		return -ENOMEM;
	if (len)
		memcpy(s->data + s->len, p, len);
	s->len += len;
	return 0;
}

static int write_at(int fd, const uint8_t *p, size_t len, uint64_t offset)
{
	while (len) {
		ssize_t n = pwrite(fd, p, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		p += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* Fill up to a whole sector with a skippable frame. Returns the padded length. */
static size_t pad(struct pt_spool *s)
{
	size_t padding = (SECTOR - s->len % SECTOR) % SECTOR;

	if (padding > 0 && padding < PT_FRAME_HEADER)
		padding += SECTOR;
	if (!padding)
		return s->len;
	memset(s->data + s->len, 0, padding);
	le32_put(s->data + s->len, PT_MAGIC_PADDING);
	le32_put(s->data + s->len + 4, (uint32_t)(padding - PT_FRAME_HEADER));
	return s->len + padding;
}

static int flush_direct(struct pt_spool *s)
{
	size_t whole = s->len - s->len % SECTOR;
	int r = write_at(s->fd, s->data, pad(s), s->base);

	if (r < 0)
		return r;
	memmove(s->data, s->data + whole, s->len - whole);
	s->base += whole;
	s->len -= whole;
	return 0;
}

static int flush_cached(struct pt_spool *s)
{
	int r = write_at(s->fd, s->data, s->len, s->base);

	if (r < 0)
		return r;
	if (s->mode == PT_SPOOL_DROP) {
		/* Advice: what the file system does not follow costs cache, not correctness. */
		(void)sync_file_range(s->fd, (off_t)s->base, (off_t)s->len,
				      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
					      SYNC_FILE_RANGE_WAIT_AFTER);
		(void)posix_fadvise(s->fd, (off_t)s->base, (off_t)s->len, POSIX_FADV_DONTNEED);
	}
	s->base += s->len;
	s->len = 0;
	return 0;
}

int pt_spool_flush(struct pt_spool *s)
{
	int r;

	if (!s->len)
		return 0;
	if (s->mode != PT_SPOOL_DIRECT)
		return flush_cached(s);
	r = flush_direct(s);
	if (r != -EINVAL)
		return r;
	/* O_DIRECT was taken, but not with these sectors. */
	if (fcntl(s->fd, F_SETFL, 0) < 0)
		return -errno;
	s->mode = PT_SPOOL_DROP;
	return flush_cached(s);
}

int pt_spool_finish(struct pt_spool *s)
{
	int r = pt_spool_flush(s);

	if (r == 0 && ftruncate(s->fd, (off_t)pt_spool_size(s)) < 0)
		return -errno;
	return r;
}

uint64_t pt_spool_size(const struct pt_spool *s)
{
	return s->base + s->len;
}
