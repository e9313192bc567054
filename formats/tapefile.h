/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of a tape's file: head, where the blocks are, and one block's frames at a time.
 *
 * Below the reader: nothing here knows records. Everything read is checked against the file's size
 * and the limits in layout.h before memory is asked for.
 */
#ifndef PT_FORMATS_TAPEFILE_H
#define PT_FORMATS_TAPEFILE_H

#include "formats/head.h"
#include "formats/tail.h"
#include "util/bytes.h"

/* Flags of a block in memory, beside those of the file. */
#define PT_BLOCK_AFTER_DAMAGE (1u << 31) /* what stood before it could not be read */
#define PT_BLOCK_BAD_NAMES    (1u << 30) /* its definitions could not be read */

struct pt_tapefile {
	int fd;
	uint64_t size, head_size; /* of the file; of the head's frame */
	uint16_t version_major, version_minor;
	uint64_t features_optional;
	struct pt_head head;
	struct pt_totals totals;
	struct pt_tail_block *blocks; /* owned; in order of the file */
	size_t n_blocks, cap_blocks;
	int finished, complete;
	uint64_t end; /* where reading has to end: the file's size, or where it is cut */
};

/*
 * Open, read the head, and find the blocks: by the index, or where there is none (or
 * @ignore_index) by walking the frames. Errors as pt_reader_open(); release with
 * pt_tapefile_close() in any case.
 */
int pt_tapefile_open(struct pt_tapefile *t, const char *path, int ignore_index,
		     struct pt_diag *diag);
void pt_tapefile_close(struct pt_tapefile *t);

/* The frames of a block that are wanted; a bit each. */
enum pt_tapefile_part {
	PT_PART_DEFINITIONS = 1 << 0,
	PT_PART_DATA = 1 << 1,
	PT_PART_TIMES = 1 << 2,
};

/* A block's header and its packed frames, which stay valid as long as the buffer. */
struct pt_tapefile_block {
	struct pt_blockhead head;
	struct pt_buf bytes;
	const uint8_t *definitions, *data, *times; /* NULL where not wanted or not there */
};

/*
 * Read block number @i with the parts wanted; @b is reused from call to call, released by
 * pt_buf_done(&b->bytes). -EBADMSG with @diag, -ENOMEM, -EIO.
 */
int pt_tapefile_read(const struct pt_tapefile *t, size_t i, unsigned int parts,
		     struct pt_tapefile_block *b, struct pt_diag *diag);

#endif
