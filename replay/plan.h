/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a tape to operations: which tasks, which files, what each record means as I/O.
 *
 * Opening a plan surveys the whole tape once: it finds the tasks to play (those the recording is
 * about, PT_TASK_SUBJECT, or, where none is marked, all but kernel threads), gives each a thread,
 * every open file a handle, and learns how far into each file the tape gets. After that the
 * operations are streamed, as often as wanted, in recorded order. Memory grows with files, tasks
 * and open files, not with the tape. Not thread-safe.
 *
 * Reads go out as recorded, also beyond the end of a file: there the kernel stops, as it did.
 * A fault-around window whose page is not known is a load of its first page, and counted as
 * guessed. What the kernel did by itself (adds, evictions, ...) is no operation.
 */
#ifndef PT_REPLAY_PLAN_H
#define PT_REPLAY_PLAN_H

#include "formats/reader.h"
#include "replay/op.h"
#include "util/diag.h"

struct pt_plan_options {
	const char *cgroup;   /* only tasks in this cgroup or below it; NULL: all */
	uint32_t max_threads; /* tasks beyond share threads */
	uint32_t max_handles; /* open files beyond make all tasks share one a file */
};

/* Why records of tasks that are played, or their parts, are not. */
enum pt_skip {
	PT_SKIP_METADATA = 0, /* a block device's pages: file system metadata */
	PT_SKIP_NO_FILE,      /* no file known, or not a regular one */
	PT_SKIP_NO_RANGE,     /* where in the file is not known */
	PT_SKIP_BEYOND_EOF,   /* a mapped page behind the end of the file */
	PT_SKIP_ADVICE,       /* advice that a replay does not give */
	PT_SKIP_COUNT
};
const char *pt_skip_name(unsigned int skip);

struct pt_plan_stats {
	uint64_t ops[PT_OP_COUNT];
	uint64_t skipped[PT_SKIP_COUNT];
	uint64_t guessed_pages;   /* loads of a window's first page */
	uint64_t guessed_lengths; /* writes of unknown length, played as one page */
	uint64_t guessed_random;  /* handles told that access is random, by their habits */
	uint64_t other_tasks;     /* records of tasks that are not played */
	uint64_t damaged_blocks;
	uint64_t resident_pages;    /* cached when the recording began */
	uint64_t first_ns, last_ns; /* of the operations, in the tape's clock */
	uint32_t tasks, threads, handles, files, resident_files;
	int guessed_opens;  /* some open files are guesses: one a task and file */
	int shared_handles; /* more open files than max_handles: one a file instead */
	int cut;            /* the tape ends without its index */
};

/* What a handle is for. */
enum pt_handle_kind { PT_HANDLE_IO = 0, PT_HANDLE_DIRECT = 1, PT_HANDLE_MAP = 2 };

struct pt_plan_handle {
	uint32_t file;  /* the tape's file id */
	uint32_t task;  /* the first that used it */
	uint8_t kind;   /* enum pt_handle_kind */
	uint8_t writes; /* needs a writable descriptor */
	uint8_t shared; /* several threads use it */
	uint8_t random; /* to be told that access is random: guessed, replay/habit.h */
	uint32_t thread;
	uint32_t refs; /* references that the tape told of */
	/* PT_HANDLE_MAP: a whole fault-around window began at this page, so that its address was a
	 * multiple of window_pages; 0 pages: none seen. */
	uint32_t window_page, window_pages;
};

struct pt_plan_file {
	uint64_t size;  /* bytes when the replay begins */
	uint64_t reach; /* bytes up to which operations get */
	int used;
	int is_code;  /* an ELF file or a shared library: programs map it to execute it */
	int resident; /* it was used and nothing of it had to be read in: cached all along, as
		       * shared libraries are, and owned by somebody else */
};

struct pt_plan;

/* Open and survey. Returns 0, -ENODATA (nothing in it can be played), what the reader says, or
 * -EMFILE (more files than handles), with @diag. */
int pt_plan_open(const char *tape, const struct pt_plan_options *opt, struct pt_plan **ret_plan,
		 struct pt_diag *diag);
void pt_plan_close(struct pt_plan *plan);

/* The next operation: 1, 0 at the end, -errno with pt_plan_diag(). */
int pt_plan_next(struct pt_plan *plan, struct pt_op *ret_op);

/* Start over; the counts in the stats, too. */
int pt_plan_rewind(struct pt_plan *plan);

const struct pt_diag *pt_plan_diag(const struct pt_plan *plan);

/* After opening: of the survey; then of the operations given out since the last rewind. */
const struct pt_plan_stats *pt_plan_stats(const struct pt_plan *plan);
const struct pt_reader *pt_plan_reader(const struct pt_plan *plan);
const struct pt_plan_handle *pt_plan_handle(const struct pt_plan *plan, uint32_t i);

/* By the tape's file id, up to pt_reader_file_count(). */
const struct pt_plan_file *pt_plan_file(const struct pt_plan *plan, uint32_t file);

/* The recorded task that thread @i plays, the first where it plays several (*@ret_n of them). */
uint32_t pt_plan_task_of(const struct pt_plan *plan, uint32_t thread, uint32_t *ret_n);

#endif
