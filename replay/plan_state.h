/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of a plan, for the files plan*.c alone.
 */
#ifndef PT_REPLAY_PLAN_STATE_H
#define PT_REPLAY_PLAN_STATE_H

#include "replay/habit.h"
#include "replay/plan.h"
#include "util/map.h"

#define PT_PLAN_NO_THREAD UINT32_MAX

/* Key spaces of the handle map, in the upper bits of pt_map_key.hi. */
#define PT_PLAN_KEY_OPEN (1ull << 62) /* lo: open-file id */
#define PT_PLAN_KEY_TASK (2ull << 62) /* hi: task, lo: file */
#define PT_PLAN_KEY_FILE (3ull << 62) /* lo: file */

struct plan_task {
	uint32_t thread; /* PT_PLAN_NO_THREAD: not met yet */
	uint32_t cgroup; /* where it is now */
	uint8_t chosen;
};

struct plan_file {
	struct pt_plan_file pub;
	uint64_t now_bytes; /* size at this point of the stream */
	uint64_t first_use; /* ordinals of the first and the last record that need it, */
	uint64_t last_use;  /* where pub.used */
	uint64_t missing;   /* pages added, and accesses that missed, in the recording */
	uint32_t unlinker;  /* the handle to remove it through, where unlinked */
	uint8_t playable, truncated, unlinked;
};

struct plan_thread {
	uint32_t task, tasks;
};

struct pt_plan {
	struct pt_reader *reader;
	struct pt_plan_options opt;
	struct pt_plan_stats stats;
	struct plan_task *tasks;
	struct plan_file *files;
	struct plan_thread *threads;
	struct pt_plan_handle *handles;
	uint32_t n_tasks, n_files, n_threads, n_handles, cap_handles;
	struct pt_map handle_of; /* key: see PT_PLAN_KEY_* */
	struct pt_habits habits;
	struct pt_map alias_of; /* open-file id of a dup -> the one it is a reference to */
	uint32_t page_size;
	int surveying;
	int any_adds;     /* the tape knows what was read in */
	uint64_t ordinal; /* of the record at hand */
	uint32_t seq;
	struct pt_op queue[2]; /* what a record asks for beyond its first operation */
	unsigned int queued;
	struct pt_diag diag;
};

/* ---- plan_cast.c: which tasks are played, and by which handles on which files */

void pt_plan_choose_tasks(struct pt_plan *p);

/* The task @id, or NULL where it is not played (now). */
struct plan_task *pt_plan_played_task(struct pt_plan *p, uint32_t id);

/* Give it a thread, where it has none yet. */
void pt_plan_give_thread(struct pt_plan *p, struct plan_task *t);

/* Is it an ELF file, or a shared library by its name? */
int pt_plan_is_code(const struct pt_file *def);

/* The file @id, or NULL where there is none that can be played on. */
struct plan_file *pt_plan_playable_file(struct pt_plan *p, uint32_t id);

/* The open file behind an id, dups undone. */
uint32_t pt_plan_resolve(const struct pt_plan *p, uint32_t open);

/* The handle that @rec uses, made where it is the first. 0, -ENOMEM, or -EBADMSG where the tape
 * gives one open file to two files. */
int pt_plan_find_handle(struct pt_plan *p, const struct pt_record *rec, uint32_t thread,
			enum pt_handle_kind kind, uint32_t *ret_i);

/* ---- plan_ops.c: 1 and the operation that a record asks for, 0 where it asks for none, -errno */

int pt_plan_translate(struct pt_plan *p, const struct pt_record *rec, struct pt_op *ret_op);

#endif
