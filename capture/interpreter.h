/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns kernel events into a tape's records: the one interpreter for every source.
 *
 * Pure: events in, records out through a sink, in the order of their times; no IO. What an event
 * means often shows only in what the same task does next (which read call it belongs to, why a
 * page was added, whether reclaim took it), so records are held back a little: pending.h.
 * Memory is bounded but for one entry a file and a living task. Not thread-safe.
 */
#ifndef PT_CAPTURE_INTERPRETER_H
#define PT_CAPTURE_INTERPRETER_H

#include "capture/kevent.h"
#include "formats/sink.h"

struct pt_interpreter;

/* Numbers of enum node_stat_item, which depend on the kernel's configuration; -1: not known. */
struct pt_memcg_items {
	int file_pages, refault_file, activate_file, restore_file;
};

struct pt_interpreter_options {
	uint32_t page_size;
	int announces_readahead; /* the source has readahead events: adds without one are others */
	struct pt_memcg_items memcg;
	uint32_t subject_pid; /* root of the tree that is PT_TASK_SUBJECT; 0: none */
	/* Fill in what else is known of a new task (comm of 16 bytes, tgid, parent, cgroup id), or
	 * NULL. */
	void (*describe_task)(void *ctx, uint32_t pid, struct pt_task *def, char *comm);
	void *ctx;
};

/* 0 or -ENOMEM. @sink must outlive it. Release with pt_interpreter_free(). */
int pt_interpreter_new(const struct pt_interpreter_options *opt, const struct pt_sink *sink,
		       struct pt_interpreter **ret_in);
void pt_interpreter_free(struct pt_interpreter *in);

/*
 * Take one event. Times should not go back; one that does is taken as happening at the latest time
 * seen. 0, or 1 where the event makes no sense (an order above PT_KEVENT_ORDER_MAX) and became an
 * undecoded gap, or the sink's failure, which every later call repeats.
 */
int pt_interpreter_feed(struct pt_interpreter *in, const struct pt_kevent *ev);

/* No event older than @now_ns will come: hand on what waited too long. */
int pt_interpreter_advance(struct pt_interpreter *in, uint64_t now_ns);

/* Add a record of the caller's own, at the time reached. Its blob is copied. */
int pt_interpreter_add(struct pt_interpreter *in, const struct pt_record *rec);

/* The end: hand on everything with what is known. */
int pt_interpreter_finish(struct pt_interpreter *in);

/* The file's size as the system says it; reads beyond are clipped from then on. */
void pt_interpreter_set_size(struct pt_interpreter *in, uint32_t dev, uint64_t ino, uint64_t bytes);

/* @dev is a block device. */
int pt_interpreter_add_device(struct pt_interpreter *in, uint32_t dev);

#endif
