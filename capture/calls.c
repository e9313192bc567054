// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read calls out of mm_filemap_get_pages.
 *
 * The kernel emits it once a folio batch, each time with the end of the whole remaining request.
 * A call is a chain of one task's events with the same file and end and a rising start. Two calls
 * may look like that too (3000-byte reads end in the same page twice), so a chain goes on only
 * where the batch before had a reason to end early.
 */
#include "capture/state.h"

#define BATCH_FOLIOS 31 /* PAGEVEC_SIZE of every kernel that has the event */

static void release(struct pt_interpreter *in, struct pt_call *call)
{
	struct pt_held *h = pt_pending_get(&in->pending, call->seq);

	/* Begun by a miss or an add, but never confirmed: a read-ahead without a read. */
	if (h && !call->seen)
		h->rec.kind = 0;
	pt_pending_release(&in->pending, call->seq);
	call->seq = PT_NO_SEQ;
}

void pt_calls_close(struct pt_interpreter *in, struct pt_seen_task *task)
{
	struct pt_call *call = &task->call;

	if (call->file == PT_NO_FILE)
		return;
	if (call->seen) {
		task->last_file = call->file;
		task->last_end = call->last + 1;
		task->last_pages = call->last + 1 - call->first;
	}
	release(in, call);
	call->file = PT_NO_FILE;
}

/* The range of the call's record, clipped at the file's end where that is known. */
static void set_range(struct pt_interpreter *in, const struct pt_call *call)
{
	struct pt_held *h = pt_pending_get(&in->pending, call->seq);
	uint64_t end = pt_file_at(in, call->file)->end_pages;
	uint64_t last = call->last;

	if (!h)
		return;
	if (end != PT_UNKNOWN && last >= end && call->first < end)
		last = end - 1;
	h->rec.page = call->first;
	h->rec.npages = last - call->first + 1;
}

static void begin(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		  uint64_t first, uint64_t last)
{
	struct pt_record rec = pt_record_now(in, PT_ACCESS, task, file);

	rec.how = PT_HOW_READ;
	rec.flags = pt_file_at(in, file)->metadata ? PT_IO_METADATA : 0;
	task->call = (struct pt_call){ .file = file,
				       .first = first,
				       .last = last,
				       .at = first,
				       .mark = PT_UNKNOWN,
				       .missed = PT_UNKNOWN };
	task->call.seq = pt_pending_push(&in->pending, &rec, 1);
}

/*
 * Whether an event at @page with the call's file and end belongs to the call. @fresh: its page may
 * still have been under I/O, and then the batch before it made no event.
 */
static int goes_on(const struct pt_interpreter *in, const struct pt_call *call, uint64_t page,
		   int fresh)
{
	uint64_t full;

	if (!call->seen)
		return page >= call->first;
	if (page <= call->at)
		return 0;
	if (call->fresh || call->grew || call->missed == page)
		return 1;
	if (call->mark != PT_UNKNOWN && call->mark >= call->at && page > call->mark)
		return 1;
	if (page - call->at < BATCH_FOLIOS)
		return 0;
	/* A full batch ends where its last folio does, as far as its folios are known. */
	full = pt_folios_skip(&in->folios, call->file, call->at, BATCH_FOLIOS);
	return full == PT_UNKNOWN || full == page || (fresh && page > full);
}

/*
 * A first batch whose last folio was under I/O makes no event. Where a task reads on in steps of
 * one size and this one seems to begin late at such a folio, it began where the last one ended.
 */
static uint64_t true_start(const struct pt_seen_task *task, uint32_t file, uint64_t page,
			   uint64_t last, int fresh)
{
	if (!fresh || task->last_file != file || page <= task->last_end ||
	    page - task->last_end >= BATCH_FOLIOS || last + 1 - task->last_end != task->last_pages)
		return page;
	return task->last_end;
}

static void begin_here(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		       uint64_t page, uint64_t last, int fresh)
{
	uint64_t first = true_start(task, file, page, last, fresh);
	struct pt_held *h;

	begin(in, task, file, first, last);
	h = pt_pending_get(&in->pending, task->call.seq);
	if (h && first != page)
		h->rec.flags |= PT_IO_GUESSED;
}

/* What the next event of the call will be judged by. */
static void note_batch(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		       uint64_t page, int fresh)
{
	struct pt_call *call = &task->call;

	call->seen = 1;
	call->at = page;
	call->fresh = (uint8_t)fresh;
	call->grew = 0;
	call->missed = PT_UNKNOWN;
	call->mark = task->mark_file == file ? task->mark : PT_UNKNOWN;
	task->mark_file = PT_NO_FILE;
	pt_folios_use(&in->folios, file, page, task->key.pid, in->now_ns);
	if (call->last - page < BATCH_FOLIOS)
		pt_folios_use(&in->folios, file, call->last, task->key.pid, in->now_ns);
}

/* Whether read-ahead of this task just before has added pages that the call asks for. */
static int window_overlaps(const struct pt_window *w, const struct pt_call *call)
{
	return w->file == call->file && w->added < w->added_end && w->added <= call->last &&
	       w->added_end > call->first;
}

void pt_calls_note_miss(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
			uint64_t first, uint64_t end)
{
	struct pt_call *call = &task->call;
	struct pt_held *h;

	if (call->file != file)
		return;
	call->grew = 1;
	h = pt_pending_get(&in->pending, call->seq);
	if (h && first <= call->last && end > call->first)
		h->rec.flags |= PT_IO_MISS;
}

void pt_calls_get_pages(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
			const struct pt_kevent *ev)
{
	struct pt_call *call = &task->call;
	uint64_t last = ev->value[0];
	unsigned int missed;
	int fresh;

	if (last < ev->page)
		last = ev->page;
	fresh = pt_folios_is_fresh(&in->folios, file, ev->page, task->key.pid, in->now_ns);
	pt_faults_close(in, task);
	if (call->file == file && call->open_ended) {
		call->open_ended = 0;
		call->first = ev->page;
		call->last = last;
	} else if (call->file != file || call->last != last ||
		   !goes_on(in, call, ev->page, fresh)) {
		pt_calls_close(in, task);
		begin_here(in, task, file, ev->page, last, fresh);
	}
	set_range(in, call);
	missed = pt_adds_settle(in, task, file, call->first, last + 1, PT_CAUSE_DEMAND,
				PT_CAUSE_READAHEAD);
	if (missed || window_overlaps(&task->window, call))
		pt_calls_note_miss(in, task, file, call->first, last + 1);
	task->window.file = PT_NO_FILE;
	note_batch(in, task, file, ev->page, fresh);
	if (ev->page == last)
		pt_calls_close(in, task);
}

void pt_calls_missed(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		     const struct pt_kevent *ev)
{
	struct pt_call *call = &task->call;
	uint64_t last = ev->page + ev->value[0] - 1;

	if (!ev->value[0] || last < ev->page)
		return;
	if (task->fault.file == file && task->fault.page == ev->page && !task->fault.missed)
		return; /* the fault asks for it */
	if (call->file == file && call->last == last && ev->page >= call->at) {
		call->missed = ev->page;
		return;
	}
	pt_calls_close(in, task);
	pt_faults_close(in, task);
	begin(in, task, file, ev->page, last);
}

void pt_calls_begin_unseen(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
			   uint64_t page)
{
	if (task->call.file == file)
		return;
	pt_calls_close(in, task);
	begin(in, task, file, page, page);
	task->call.open_ended = 1;
}
