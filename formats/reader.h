/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a tape as a stream of records, whole, cut or still being written.
 *
 * Opening reads the head, the index (or, where there is none, walks the frames), and the
 * definitions; records are then decoded a block at a time. Memory is bounded by one block and the
 * definitions. Every length in the file is checked; a cut tape gives all whole blocks, then ends
 * with -ENODATA. With threads, blocks are decoded ahead of their use, and what is read is the same;
 * memory is then a few blocks more. Not thread-safe per reader.
 */
#ifndef PT_FORMATS_READER_H
#define PT_FORMATS_READER_H

#include "formats/head.h"
#include "formats/record.h"
#include "formats/unpack.h"

struct pt_reader;

struct pt_reader_summary {
	uint64_t version_major, version_minor;
	uint64_t bytes;  /* of the file */
	uint64_t events; /* kernel events */
	uint64_t records;
	uint64_t counts[PT_KIND_COUNT]; /* records by kind */
	uint64_t lost_events, gaps, unknown_gaps;
	uint64_t first_ns, last_ns; /* PT_UNKNOWN in an empty tape */
	uint64_t blocks;
	int finished; /* has its closing index: was not cut */
	int complete; /* finished, and its recorder vouches that nothing was lost */
};

enum pt_reader_flags {
	PT_READER_NO_TIME = 1 << 0,  /* leave the time frames packed: ts_ns is the block's first */
	PT_READER_NO_INDEX = 1 << 1, /* walk the frames even where there is an index: then the tape
				      * counts as cut, and so ends with -ENODATA */
};

/* A selection to read only parts; all zero reads everything. Blocks outside are not decoded. */
struct pt_reader_options {
	unsigned int flags;
	uint64_t from_ns, to_ns; /* half-open; to_ns 0: to the end. Record times, not since start */
	uint64_t kinds; /* bit 1 << kind each; 0: all. Blocks with none of them are skipped */
	/* The fields wanted, PT_KIND_COUNT masks of 1 << PT_F_x by kind; NULL: all. Others read as
	 * unknown, and are not unpacked. Borrowed until close. */
	const uint32_t *fields;
	unsigned int threads; /* the caller's included: above 1, the others decode blocks */
};

/* A block's records as columns: see pt_reader_next_block(). Borrowed until the next call. */
struct pt_reader_block {
	uint32_t n;
	const uint8_t *kinds;  /* of each record, in order: of any value, and not wanted ones too */
	const uint64_t *ts_ns; /* of each record; NULL where times stay packed */
	const struct pt_unpacked_kind *by_kind; /* columns of those below PT_KIND_COUNT, n rows */
};

/*
 * Open @path. Returns 0, -EBADMSG (not a tape, or malformed: @diag has the offset),
 * -EPROTONOSUPPORT (a newer version, or required features unknown: named in @diag), -errno from the
 * system.
 */
int pt_reader_open(const char *path, const struct pt_reader_options *opt, struct pt_reader **ret_r,
		   struct pt_diag *diag);
void pt_reader_close(struct pt_reader *r);

/*
 * The next record, none earlier than the one before it; strings and blobs in it are borrowed until
 * the next call. 1, 0 at the end of a finished tape, -ENODATA at the end of a cut one, -EBADMSG
 * where a block is damaged or its times go back (the caller may go on: the next call continues
 * behind that block), -EIO, -ENOMEM.
 */
int pt_reader_next(struct pt_reader *r, struct pt_record *ret_rec);

/*
 * The next records, up to @max and at least one, all of one block: what they point to is borrowed
 * until the next call. Returns how many, or as pt_reader_next() 0 or a failure.
 */
int pt_reader_next_some(struct pt_reader *r, struct pt_record *ret_recs, int max);

/*
 * The next block as columns, for analyses that look at a few fields of very many records: with the
 * fields chosen in the options, all records of a block cost little more than their bytes. Row k of
 * a kind is its k-th record in the block. The choice of kinds says which columns are filled, that
 * of times which blocks are read; records are not left out. Returns as pt_reader_next(), with which
 * it may be mixed only after a rewind.
 */
int pt_reader_next_block(struct pt_reader *r, struct pt_reader_block *ret_b);

/* Start over from the first selected record. */
int pt_reader_rewind(struct pt_reader *r);

/* The failure behind a negative return, in words, with offset. */
const struct pt_diag *pt_reader_diag(const struct pt_reader *r);

const struct pt_head *pt_reader_head(const struct pt_reader *r);
void pt_reader_summary(const struct pt_reader *r, struct pt_reader_summary *ret_s);

/*
 * What ids stand for: never NULL for an id out of a record, and with all but the key unknown where
 * the tape has no definition. Valid until the reader is closed. Counts give the ids' upper bounds
 * and do not change after opening, whatever is read: a block with a key that was not announced is
 * damaged (see docs/format.md; where definitions are lost, opening looks into every block).
 */
const struct pt_file *pt_reader_file(const struct pt_reader *r, uint32_t id);
const struct pt_task *pt_reader_task(const struct pt_reader *r, uint32_t id);
const struct pt_cgroup *pt_reader_cgroup(const struct pt_reader *r, uint32_t id);
uint32_t pt_reader_file_count(const struct pt_reader *r);
uint32_t pt_reader_task_count(const struct pt_reader *r);
uint32_t pt_reader_cgroup_count(const struct pt_reader *r);

/* The limit of the cgroup that the recorded command began in; PT_UNKNOWN: none, or not known. */
uint64_t pt_reader_limit_bytes(const struct pt_reader *r);

/* Mounts, devices and open files by position, 0 <= i < count; NULL beyond. */
const struct pt_mount *pt_reader_mount(const struct pt_reader *r, uint32_t i);
const struct pt_device *pt_reader_device(const struct pt_reader *r, uint32_t i);
const struct pt_openfile *pt_reader_openfile(const struct pt_reader *r, uint32_t i);

#endif
