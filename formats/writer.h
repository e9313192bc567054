/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a tape, block by block, to a file that gets its name when it is whole.
 *
 * Memory is bounded by one block and by the number of distinct files, tasks and cgroups. Records
 * come through the sink; blocks end by themselves at 65,536 records or one second, and at
 * pt_writer_flush(). The output descriptor may be opened with O_DIRECT by asking for it: then the
 * writer keeps its buffers aligned, and its own pages never enter the page cache.
 * Not thread-safe.
 */
#ifndef PT_FORMATS_WRITER_H
#define PT_FORMATS_WRITER_H

#include "formats/head.h"
#include "formats/sink.h"

struct pt_writer;

struct pt_writer_options {
	int zstd_level;   /* 0: the default, 1 */
	int bypass_cache; /* O_DIRECT where the file system has it; else written, synced, dropped */
	uint32_t time_resolution_ns; /* times are rounded down to multiples; 0: 1, exact */
	int keep_part_on_failure;    /* pt_writer_free() of an unfinished tape leaves F.part */
};

struct pt_writer_stats {
	uint64_t records;
	uint64_t events;      /* kernel events, as told by pt_writer_count_events() */
	uint64_t lost_events; /* sum of known gaps */
	uint64_t gaps;
	uint64_t unknown_gaps; /* gaps whose number is unknown */
	uint64_t bytes;        /* size of the file so far */
	uint64_t blocks;
};

/*
 * Create PATH.part and write the head (copied) there. Returns 0 and *ret_w, to be released with
 * pt_writer_free(), or -errno with @diag filled.
 */
int pt_writer_new(const char *path, const struct pt_head *head, const struct pt_writer_options *opt,
		  struct pt_writer **ret_w, struct pt_diag *diag);

/* The sink that feeds it; valid as long as the writer. A failed write makes every later call fail.
 */
const struct pt_sink *pt_writer_sink(struct pt_writer *w);

/* Add to the count of kernel events behind the records (for bytes_per_event). */
void pt_writer_count_events(struct pt_writer *w, uint64_t n);

/* End the block now and hand it to the kernel. Nothing happens where it is empty. */
int pt_writer_flush(struct pt_writer *w);

/*
 * Write the last block and the closing index, sync, rename. @head replaces what only the end can
 * know (NULL: as it was): it is stored as the tail's head, and a reader prefers it.
 * @complete: the kernel's own counters say that nothing was lost.
 */
int pt_writer_finish(struct pt_writer *w, const struct pt_head *head, int complete);

void pt_writer_stats(const struct pt_writer *w, struct pt_writer_stats *ret_stats);

/* The failure behind a negative return, in words. */
const struct pt_diag *pt_writer_diag(const struct pt_writer *w);

void pt_writer_free(struct pt_writer *w);

#endif
