/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the columns of a block into the bytes of its data and time frames (not yet compressed).
 *
 * For each column the cheapest of the transforms that apply is chosen by an estimate of its
 * entropy; docs/format.md specifies them. Pieces say where one kind of bytes ends and another
 * begins: the compressor does better when each is coded by itself.
 */
#ifndef PT_FORMATS_PACK_H
#define PT_FORMATS_PACK_H

#include "formats/columns.h"
#include "util/bytes.h"

/* The keys behind the ids, by id: what the tables of a block are made from. */
struct pt_keys {
	const struct pt_file_key *files;
	const struct pt_task_key *tasks;
	const uint64_t *cgroups;
	uint32_t n_files, n_tasks, n_cgroups;
};

/* Bytes and the ends of the pieces in them. */
struct pt_packed {
	struct pt_buf bytes;
	struct pt_buf ends; /* size_t each, native */
};

void pt_packed_done(struct pt_packed *p);

struct pt_packer;

/* NULL: out of memory. Release with pt_packer_free(). */
struct pt_packer *pt_packer_new(uint32_t page_size);
void pt_packer_free(struct pt_packer *p);

/*
 * Pack @c's records (at least one) into @data. The columns of ids are changed to places in the
 * block's tables. Returns 0, -EINVAL (an id that @keys does not have), -ENOMEM.
 */
int pt_pack_data(struct pt_packer *p, struct pt_columns *c, const struct pt_keys *keys,
		 struct pt_packed *data);

/* Pack the times since @first_ns, in units of @unit_ns. Returns 0 or -ENOMEM. */
int pt_pack_times(struct pt_packer *p, const struct pt_columns *c, uint64_t first_ns,
		  uint32_t unit_ns, struct pt_packed *times);

#endif
