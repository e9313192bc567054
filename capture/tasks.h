/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each task is in the middle of: its read call, its fault, its read-ahead, its reclaim.
 *
 * Kernel events of one task come in the order of its doing, so all joining is by task. A pid that
 * comes back after an exit is a new incarnation.
 */
#ifndef PT_CAPTURE_TASKS_H
#define PT_CAPTURE_TASKS_H

#include "capture/batch.h"
#include "capture/pending.h"
#include "util/map.h"

/* A read call whose events are being joined. */
struct pt_call {
	uint64_t seq;       /* its record, held back */
	uint32_t file;      /* place in pt_files, PT_NO_FILE: none open */
	uint8_t seen;       /* a get_pages confirmed it */
	uint8_t open_ended; /* begun by an add alone: where it ends is not known yet */
	uint8_t grew;       /* read-ahead added pages behind its latest batch, or since */
	uint64_t first, last;
	struct pt_batch batch; /* its latest */
};

/* Read-ahead that was announced; adds inside its window are its. */
struct pt_window {
	uint32_t file;                 /* PT_NO_FILE: none */
	uint8_t how;                   /* enum pt_readahead_how: what began it */
	uint64_t request, request_end; /* pages somebody waits for */
	uint64_t first, end;           /* pages announced so far */
	uint64_t added, added_end;     /* pages really added */
};

struct pt_fault {
	uint64_t seq;      /* its record */
	uint32_t file;     /* PT_NO_FILE: none */
	uint8_t is_window; /* only map_pages so far */
	uint8_t had_window;
	uint8_t missed;                    /* its page had to be added */
	uint8_t retry_window, retry_fault; /* these events of it may come once more */
	uint64_t page;
	uint64_t first, last; /* of the window */
};

/* Deletes outside of reclaim that may yet turn out to be reclaim. */
struct pt_run {
	uint64_t newest; /* linked through pt_held.link */
	uint64_t pages;
};

struct pt_seen_task {
	struct pt_task_key key;
	uint32_t id;    /* the sink's */
	uint32_t flags; /* PT_TASK_* */
	uint32_t tgid, parent;
	uint32_t cgroup;
	uint16_t cpu; /* last seen on */
	uint8_t reclaim_depth, reclaim_how, slab_depth;
	uint64_t slab_scan; /* total_scan at the start of the shrinker */
	struct pt_call call;
	struct pt_window window;
	struct pt_fault fault;
	struct pt_run run;
	uint64_t adds;      /* newest add of unknown cause, linked */
	uint64_t looked_ns; /* what it looks up for its next batch, it looks up after this */
	uint8_t has_looked; /* and that has begun */
	uint64_t mark;      /* page of an async read-ahead since the last get_pages */
	uint32_t mark_file;
	uint32_t found_file; /* first add that nothing announced since the last look-up, PT_NO_FILE
			      */
	uint64_t found_first, found_end;
	uint32_t write_file; /* the write call under way, PT_NO_FILE */
	uint64_t write_first, write_end;
	uint32_t wrote_file; /* the page that a write has just been copied to */
	uint64_t wrote_first, wrote_end;
	uint32_t invalidated_file; /* about to be truncated */
	uint64_t invalidated_page;
	uint32_t last_file; /* the latest access: for a silent first batch */
	uint64_t last_end, last_pages;
	char comm[16];
};

struct pt_tasks {
	struct pt_map by_pid;     /* pid to a struct pt_seen_task */
	struct pt_map next_lives; /* pid to its next incarnation, for those that ended */
	const struct pt_sink *sink;
};

void pt_tasks_init(struct pt_tasks *t, const struct pt_sink *sink);
void pt_tasks_done(struct pt_tasks *t);

/* The task of @pid, entered where it is new (*ret_new). NULL on failure (*ret_error). */
struct pt_seen_task *pt_tasks_get(struct pt_tasks *t, uint32_t pid, int *ret_new, int *ret_error);

/* The same, or NULL where it has not been seen. */
struct pt_seen_task *pt_tasks_find(const struct pt_tasks *t, uint32_t pid);

/* It ended: the pid will mean another task. Its memory goes with that. */
void pt_tasks_forget(struct pt_tasks *t, uint32_t pid);

/* Tell the sink what is known of it. */
int pt_tasks_define(struct pt_tasks *t, const struct pt_seen_task *task);

/* Forget what a task is in the middle of, but not who it is. */
void pt_task_reset(struct pt_seen_task *task);

#endif
