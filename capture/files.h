/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that events speak of: (dev, ino) to the sink's id, with reused inode numbers told
 * apart, block devices recognised, and what is known of their ends.
 */
#ifndef PT_CAPTURE_FILES_H
#define PT_CAPTURE_FILES_H

#include "formats/sink.h"
#include "util/map.h"

struct pt_seen_file {
	struct pt_file_key key;
	uint32_t id;        /* the sink's */
	uint32_t metadata;  /* the page cache of a block device */
	uint64_t end_pages; /* pages up to its end, PT_UNKNOWN where nobody said */
};

struct pt_files {
	struct pt_map by_key; /* (dev, ino) to a place in all[] */
	struct pt_map devs;   /* numbers of block devices heard of */
	struct pt_seen_file *all;
	uint32_t count, room;
	uint32_t bdevfs; /* the device number of block devices' own inodes; PT_UNKNOWN32 */
	const struct pt_sink *sink;
};

#define PT_NO_FILE PT_UNKNOWN32

void pt_files_init(struct pt_files *f, const struct pt_sink *sink);
void pt_files_done(struct pt_files *f);

/* The place in all[] of a file, entered where it is new; PT_NO_FILE on failure (*ret_error). */
uint32_t pt_files_get(struct pt_files *f, uint32_t dev, uint64_t ino, int *ret_error);

/* The same, or PT_NO_FILE where it has not been seen. */
uint32_t pt_files_find(const struct pt_files *f, uint32_t dev, uint64_t ino);

/* The inode is free: its number will mean another file. */
void pt_files_forget(struct pt_files *f, uint32_t dev, uint64_t ino);

/* @dev is a block device: inodes of this number on an anonymous device are its page cache. */
int pt_files_add_device(struct pt_files *f, uint32_t dev);

#endif
