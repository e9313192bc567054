/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Appends to a file past the page cache, so that a recorder does not see or disturb what it
 * records.
 *
 * With O_DIRECT only whole sectors can be written: the last, partial one is written padded with a
 * skippable frame and kept in memory, and the next flush writes it again with what follows. So
 * after each flush the file is a valid series of frames.
 */
#ifndef PT_FORMATS_SPOOL_H
#define PT_FORMATS_SPOOL_H

#include <stddef.h>
#include <stdint.h>

enum pt_spool_mode {
	PT_SPOOL_CACHED, /* ordinary writes */
	PT_SPOOL_DIRECT, /* O_DIRECT, aligned */
	PT_SPOOL_DROP,   /* ordinary writes, then written back and dropped */
};

struct pt_spool {
	int fd; /* borrowed */
	enum pt_spool_mode mode;
	uint8_t *data; /* aligned; what has not reached the file, or not as whole sectors */
	size_t len, cap;
	uint64_t base; /* offset of data[0] in the file */
};

/* @bypass_cache: DIRECT where the file system takes it, else DROP. */
void pt_spool_init(struct pt_spool *s, int fd, int bypass_cache);
void pt_spool_done(struct pt_spool *s);

/* Append to the memory. 0 or -ENOMEM. */
int pt_spool_put(struct pt_spool *s, const void *p, size_t len);

/* Hand all to the kernel. 0 or -errno. */
int pt_spool_flush(struct pt_spool *s);

/* Flush, and cut the file to what was put. 0 or -errno. */
int pt_spool_finish(struct pt_spool *s);

/* Offset behind the last byte put. */
uint64_t pt_spool_size(const struct pt_spool *s);

#endif
