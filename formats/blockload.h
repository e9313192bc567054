/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One block of a tape, read and unpacked, with the memory that this takes.
 *
 * Loads share nothing that changes, so that several can be made at once, each by a thread of its
 * own.
 */
#ifndef PT_FORMATS_BLOCKLOAD_H
#define PT_FORMATS_BLOCKLOAD_H

#include "formats/tapefile.h"
#include "formats/unpack.h"

/* What all blocks of a reader have in common. Borrowed, and read only. */
struct pt_blockload_how {
	const struct pt_tapefile *file;
	struct pt_names *names; /* sealed */
	uint32_t page_size;
	int without_times;
	uint64_t kinds;         /* bit 1 << kind each; 0: all */
	const uint32_t *fields; /* by kind; NULL: all */
};

struct pt_blockload {
	struct ZSTD_DCtx_s *zstd;
	struct pt_tapefile_block block;
	struct pt_buf data, times;
	struct pt_unpacked unpacked;
	uint32_t fields[PT_KIND_COUNT];
	struct pt_diag diag; /* of the last load, where it failed */
	int err;             /* what it returned */
};

/* Returns 0 or -ENOMEM; release with pt_blockload_done() in any case. */
int pt_blockload_init(struct pt_blockload *l);
void pt_blockload_done(struct pt_blockload *l);

/* Load block @i: the records are in l->unpacked. 0, -EBADMSG, -EIO, -ENOMEM, with l->diag. */
int pt_blockload_read(struct pt_blockload *l, const struct pt_blockload_how *how, size_t i);

#endif
