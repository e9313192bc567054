// SPDX-License-Identifier: GPL-2.0-or-later
/* The interpreter's frame: hands each event to the part that knows it. See interpreter.h. */
#include "capture/interpreter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/state.h"

#define CPUS_MAX 32768

struct pt_record pt_record_now(struct pt_interpreter *in, uint8_t kind,
			       const struct pt_seen_task *task, uint32_t file)
{
	struct pt_record rec = PT_RECORD_INIT(kind);

	rec.ts_ns = in->now_ns;
	if (task)
		rec.task = task->id;
	if (file != PT_NO_FILE)
		rec.file = pt_file_at(in, file)->id;
	return rec;
}

int pt_interpreter_new(const struct pt_interpreter_options *opt, const struct pt_sink *sink,
		       struct pt_interpreter **ret_in)
{
	struct pt_interpreter *in;

	if (!opt->page_size || opt->page_size & (opt->page_size - 1))
		return -EINVAL;
	in = calloc(1, sizeof(*in));
	if (!in)
		return -ENOMEM;
	in->opt = *opt;
	in->sink = sink;
	in->page_shift = (unsigned int)__builtin_ctz(opt->page_size);
	pt_files_init(&in->files, sink);
	pt_tasks_init(&in->tasks, sink);
	if (pt_pending_init(&in->pending, sink) < 0 || pt_folios_init(&in->folios) < 0) {
		pt_interpreter_free(in);
		return -ENOMEM;
	}
	*ret_in = in;
	return 0;
}

void pt_interpreter_free(struct pt_interpreter *in)
{
	if (!in)
		return;
	pt_pending_done(&in->pending);
	pt_files_done(&in->files);
	pt_tasks_done(&in->tasks);
	pt_folios_done(&in->folios);
	free(in->cpus);
	free(in);
}

static const struct pt_cpu_state fresh_cpu = { .owner_id = PT_UNKNOWN,
					       .add_file = PT_UNKNOWN32,
					       .last_delete = PT_NO_SEQ,
					       .refault = PT_NO_SEQ };

static int know_cpu(struct pt_interpreter *in, uint32_t cpu)
{
	struct pt_cpu_state *cpus;

	if (cpu < in->cpu_count)
		return 0;
	if (cpu >= CPUS_MAX)
		return -EBADMSG;
	cpus = reallocarray(in->cpus, cpu + 1, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	in->cpus = cpus;
	for (; in->cpu_count <= cpu; in->cpu_count++)
		cpus[in->cpu_count] = fresh_cpu;
	return 0;
}

static void reset_cpu(struct pt_interpreter *in, struct pt_cpu_state *cpu)
{
	pt_pending_release(&in->pending, cpu->last_delete);
	pt_pending_release(&in->pending, cpu->refault);
	*cpu = fresh_cpu;
}

/*
 * Nothing is guessed across a gap: what that CPU and its tasks were in the middle of is dropped. On
 * an unknown CPU, that is everything.
 */
static void gap(struct pt_interpreter *in, const struct pt_kevent *ev, uint8_t how, uint64_t lost)
{
	struct pt_record rec = pt_record_now(in, PT_GAP, NULL, PT_NO_FILE);
	int everywhere = ev->cpu == PT_UNKNOWN16;
	struct pt_map_slot *slot;
	size_t pos = 0;

	rec.cpu = ev->cpu;
	rec.how = how;
	rec.value[0] = lost;
	pt_pending_push(&in->pending, &rec, 0);
	for (uint32_t i = 0; i < in->cpu_count; i++)
		if (everywhere || i == ev->cpu)
			reset_cpu(in, &in->cpus[i]);
	while (pt_map_next(&in->tasks.by_pid, &pos, &slot)) {
		struct pt_seen_task *task = (struct pt_seen_task *)(uintptr_t)slot->value;

		if (!everywhere && task->cpu != ev->cpu)
			continue;
		pt_calls_close(in, task);
		pt_faults_close(in, task);
		pt_reclaim_end_run(in, task);
		pt_task_reset(task);
	}
}

/* Events that name a file of the task's. */
static void on_file(struct pt_interpreter *in, struct pt_seen_task *task,
		    const struct pt_kevent *ev)
{
	uint32_t file = pt_files_get(&in->files, ev->dev, ev->ino, &in->error);

	if (file == PT_NO_FILE)
		return;
	switch (ev->type) {
	case PT_KEV_ADD:
		pt_adds_add(in, task, file, ev);
		break;
	case PT_KEV_DELETE:
		pt_reclaim_delete(in, task, file, ev);
		break;
	case PT_KEV_GET_PAGES:
		pt_calls_get_pages(in, task, file, ev);
		break;
	case PT_KEV_MAP_PAGES:
		pt_faults_window(in, task, file, ev);
		break;
	case PT_KEV_FAULT:
		pt_faults_fault(in, task, file, ev);
		break;
	case PT_KEV_RA_SYNC:
	case PT_KEV_RA_ASYNC:
		pt_adds_readahead(in, task, file, ev);
		break;
	case PT_KEV_RA_WINDOW:
		pt_adds_window(in, task, file, ev);
		break;
	case PT_KEV_WRITE_DONE:
		pt_writes_done(in, task, file, ev);
		break;
	case PT_KEV_WRITE_BEGIN:
		pt_writes_begin(in, task, file, ev);
		break;
	default:
		pt_writes_other(in, task, file, ev);
		break;
	}
}

static void dispatch(struct pt_interpreter *in, struct pt_seen_task *task,
		     const struct pt_kevent *ev)
{
	switch (ev->type) {
	case PT_KEV_MEMCG_STATE:
		pt_owners_state(in, task, ev);
		break;
	case PT_KEV_MEMCG_FLUSH:
		pt_owners_flushed(in, ev);
		break;
	case PT_KEV_LRU_INSERT:
	case PT_KEV_LRU_ACTIVATE:
		pt_reclaim_lru(in, ev);
		break;
	case PT_KEV_SHRINK_INACTIVE:
	case PT_KEV_SHRINK_ACTIVE:
	case PT_KEV_RECLAIM_PAGES:
		pt_reclaim_scan(in, task, ev);
		break;
	case PT_KEV_RECLAIM_BEGIN:
	case PT_KEV_RECLAIM_END:
		pt_reclaim_bracket(in, task, ev);
		break;
	case PT_KEV_SLAB_START:
	case PT_KEV_SLAB_END:
		pt_reclaim_slab(in, task, ev);
		break;
	case PT_KEV_DIRTY:
		pt_writes_dirty(in, task, ev);
		break;
	case PT_KEV_FORK:
	case PT_KEV_EXIT:
	case PT_KEV_RENAME:
	case PT_KEV_ATTACH:
		pt_who_lives(in, task, ev);
		break;
	case PT_KEV_KSWAPD:
		break;
	default:
		on_file(in, task, ev);
		break;
	}
}

/* Whether the task cannot be in a run of deletions any more once it does this. */
static int ends_run(uint8_t type)
{
	switch (type) {
	case PT_KEV_DELETE:
	case PT_KEV_INVALIDATE:
	case PT_KEV_MEMCG_STATE:
	case PT_KEV_MEMCG_FLUSH:
	case PT_KEV_LRU_INSERT:
	case PT_KEV_LRU_ACTIVATE:
	case PT_KEV_SHRINK_INACTIVE:
	case PT_KEV_RECLAIM_PAGES:
		return 0;
	default:
		return 1;
	}
}

/*
 * When a task began what it does next: it looks a batch up after its event before that, but a
 * read-ahead mark in the batch makes more events before the batch's own.
 */
static void note_doing(struct pt_seen_task *task, const struct pt_kevent *ev)
{
	switch (ev->type) {
	case PT_KEV_LRU_INSERT:
	case PT_KEV_LRU_ACTIVATE:
	case PT_KEV_MEMCG_STATE: /* these happen in interrupts too */
	case PT_KEV_MEMCG_FLUSH: /* and this inside a refault */
		return;
	case PT_KEV_RA_ASYNC:
		task->has_looked = 1;
		return;
	case PT_KEV_RA_SYNC:
	case PT_KEV_GET_PAGES:
	case PT_KEV_MAP_PAGES:
	case PT_KEV_FAULT:
	case PT_KEV_WRITE_BEGIN:
	case PT_KEV_WRITE_DONE:
		task->has_looked = 0;
		break;
	default:
		break;
	}
	if (!task->has_looked)
		task->looked_ns = ev->ts_ns;
}

int pt_interpreter_feed(struct pt_interpreter *in, const struct pt_kevent *ev)
{
	struct pt_seen_task *task;

	if (!in->error && !(ev->type == PT_KEV_GAP && ev->cpu == PT_UNKNOWN16))
		in->error = know_cpu(in, ev->cpu);
	if (in->error)
		return in->error;
	if (ev->ts_ns > in->now_ns)
		in->now_ns = ev->ts_ns;
	if (ev->type == PT_KEV_GAP) {
		gap(in, ev, ev->how, ev->value[0]);
		return 0;
	}
	if (ev->order > PT_KEVENT_ORDER_MAX && ev->order != PT_UNKNOWN8) {
		gap(in, ev, PT_GAP_UNDECODED, 1);
		return 1;
	}
	task = pt_who_did(in, ev);
	if (!task)
		return in->error;
	if (ends_run(ev->type))
		pt_reclaim_end_run(in, task);
	dispatch(in, task, ev);
	if (ev->type != PT_KEV_EXIT) /* that frees the task */
		note_doing(task, ev);
	if (ev->type != PT_KEV_MEMCG_STATE && ev->type != PT_KEV_MEMCG_FLUSH)
		pt_owners_other(in, ev);
	return pt_interpreter_advance(in, in->now_ns);
}

int pt_interpreter_advance(struct pt_interpreter *in, uint64_t now_ns)
{
	if (now_ns > in->now_ns)
		in->now_ns = now_ns;
	pt_pending_drain(&in->pending, in->now_ns);
	if (!in->error)
		in->error = in->pending.error;
	return in->error;
}

int pt_interpreter_add(struct pt_interpreter *in, const struct pt_record *rec)
{
	struct pt_record now = *rec;
	void *blob = NULL;
	uint64_t seq;

	if (rec->blob_len) {
		blob = malloc(rec->blob_len);
		if (!blob)
			return -ENOMEM;
		memcpy(blob, rec->blob, rec->blob_len);
	}
	now.ts_ns = in->now_ns;
	now.blob = blob;
	seq = pt_pending_push(&in->pending, &now, 0);
	pt_pending_get(&in->pending, seq)->blob = blob;
	return pt_interpreter_advance(in, in->now_ns);
}

int pt_interpreter_finish(struct pt_interpreter *in)
{
	pt_pending_flush(&in->pending);
	if (!in->error)
		in->error = in->pending.error;
	return in->error;
}

void pt_interpreter_set_size(struct pt_interpreter *in, uint32_t dev, uint64_t ino, uint64_t bytes)
{
	uint32_t file = pt_files_find(&in->files, dev, ino);
	uint64_t pages = (bytes >> in->page_shift) + !!(bytes & (in->opt.page_size - 1));

	if (file == PT_NO_FILE)
		return;
	if (pt_file_at(in, file)->end_pages == PT_UNKNOWN ||
	    pt_file_at(in, file)->end_pages < pages)
		pt_file_at(in, file)->end_pages = pages;
}

int pt_interpreter_add_device(struct pt_interpreter *in, uint32_t dev)
{
	return pt_files_add_device(&in->files, dev);
}
