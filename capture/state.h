/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreter's inside, shared by its parts: calls, faults, adds, reclaim, writes, owners.
 *
 * Each part handles a few event types; `task` is the event's, `file` a place in pt_files. A part
 * that meets a failure leaves it in in->error.
 */
#ifndef PT_CAPTURE_STATE_H
#define PT_CAPTURE_STATE_H

#include "capture/files.h"
#include "capture/folios.h"
#include "capture/interpreter.h"
#include "capture/pending.h"
#include "capture/tasks.h"

/* What the events of one CPU are in the middle of. */
struct pt_cpu_state {
	uint64_t owner_id;    /* cgroup charged for the add that comes next; PT_UNKNOWN: none */
	uint64_t last_delete; /* sequence numbers of records that the next memcg events are about */
	uint64_t refault;
	uint64_t add_page;
	uint32_t add_file; /* the sink's id, PT_UNKNOWN32: none */
	uint32_t pid;      /* who is being charged */
};

struct pt_interpreter {
	struct pt_interpreter_options opt;
	const struct pt_sink *sink;
	struct pt_pending pending;
	struct pt_files files;
	struct pt_tasks tasks;
	struct pt_folios folios;
	struct pt_cpu_state *cpus;
	uint32_t cpu_count;
	unsigned int page_shift;
	uint64_t now_ns;
	int error;
};

static inline struct pt_seen_file *pt_file_at(struct pt_interpreter *in, uint32_t file)
{
	return &in->files.all[file];
}

/* A record of @kind now, by @task (NULL: nobody) on @file (PT_NO_FILE: none). */
struct pt_record pt_record_now(struct pt_interpreter *in, uint8_t kind,
			       const struct pt_seen_task *task, uint32_t file);

/* reads: calls.c */
void pt_calls_get_pages(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
			const struct pt_kevent *ev);
void pt_calls_missed(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		     const struct pt_kevent *ev);
/* The task had to add pages [first, end) itself. */
void pt_calls_note_miss(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
			uint64_t first, uint64_t end);
void pt_calls_begin_unseen(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
			   uint64_t page);
void pt_calls_close(struct pt_interpreter *in, struct pt_seen_task *task);

/* mapped pages: faults.c */
void pt_faults_window(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		      const struct pt_kevent *ev);
void pt_faults_fault(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		     const struct pt_kevent *ev);
void pt_faults_close(struct pt_interpreter *in, struct pt_seen_task *task);

/* pages that come: adds.c */
void pt_adds_add(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		 const struct pt_kevent *ev);
void pt_adds_readahead(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		       const struct pt_kevent *ev);
void pt_adds_window(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		    const struct pt_kevent *ev);
/* Those of unknown cause so far on @file: inside [first, end) it was @inside, else @outside
 * (PT_UNKNOWN8: they go on waiting). Returns how many were inside. */
unsigned int pt_adds_settle(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
			    uint64_t first, uint64_t end, uint8_t inside, uint8_t outside);

/* pages that go, and the lists: reclaim.c */
void pt_reclaim_delete(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		       const struct pt_kevent *ev);
void pt_reclaim_scan(struct pt_interpreter *in, struct pt_seen_task *task,
		     const struct pt_kevent *ev);
void pt_reclaim_bracket(struct pt_interpreter *in, struct pt_seen_task *task,
			const struct pt_kevent *ev);
void pt_reclaim_slab(struct pt_interpreter *in, struct pt_seen_task *task,
		     const struct pt_kevent *ev);
void pt_reclaim_lru(struct pt_interpreter *in, const struct pt_kevent *ev);
/* The task went on to something else: its deletes so far were no reclaim. */
void pt_reclaim_end_run(struct pt_interpreter *in, struct pt_seen_task *task);

/* writes, dirtying, truncation: writes.c */
void pt_writes_done(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		    const struct pt_kevent *ev);
void pt_writes_begin(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		     const struct pt_kevent *ev);
void pt_writes_dirty(struct pt_interpreter *in, struct pt_seen_task *task,
		     const struct pt_kevent *ev);
void pt_writes_other(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		     const struct pt_kevent *ev);

/* the kernel's word on cgroups and refaults: owners.c */
void pt_owners_added(struct pt_interpreter *in, const struct pt_kevent *ev, struct pt_record *rec);
void pt_owners_deleted(struct pt_interpreter *in, const struct pt_kevent *ev, uint64_t seq);
void pt_owners_state(struct pt_interpreter *in, struct pt_seen_task *task,
		     const struct pt_kevent *ev);
void pt_owners_flushed(struct pt_interpreter *in, const struct pt_kevent *ev);
void pt_owners_other(struct pt_interpreter *in, const struct pt_kevent *ev);

/* who: whos.c */
struct pt_seen_task *pt_who_did(struct pt_interpreter *in, const struct pt_kevent *ev);
void pt_who_lives(struct pt_interpreter *in, struct pt_seen_task *task, const struct pt_kevent *ev);

#endif
