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

/* A record of the call, held back: nothing until a batch confirms that it was a read. */
static uint64_t hold(struct pt_interpreter *in, const struct pt_seen_task *task, uint32_t file)
{
	struct pt_record rec = pt_record_now(in, 0, task, file);

	rec.how = PT_HOW_READ;
	rec.flags = pt_file_at(in, file)->metadata ? PT_IO_METADATA : 0;
	return pt_pending_push(&in->pending, &rec, 1);
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
		/* The kernel tells of a batch once all of it is uptodate. */
		pt_folios_use(&in->folios, call->file, call->batch.page, call->last + 1,
			      call->batch.at_ns);
	}
	pt_pending_release(&in->pending, call->seq);
	call->seq = PT_NO_SEQ;
	call->file = PT_NO_FILE;
}

/*
 * A batch confirms the call: its record and range, clipped at the file's end where that is known.
 * The first one may have waited for its folios longer than records are held back.
 */
static void confirm(struct pt_interpreter *in, struct pt_seen_task *task)
{
	struct pt_call *call = &task->call;
	uint64_t end = pt_file_at(in, call->file)->end_pages;
	uint64_t last = call->last;
	struct pt_held *h;

	if (!call->seen && !pt_pending_get(&in->pending, call->seq))
		call->seq = hold(in, task, call->file);
	h = pt_pending_get(&in->pending, call->seq);
	if (!h)
		return;
	if (end != PT_UNKNOWN && last >= end && call->first < end)
		last = end - 1;
	h->rec.kind = PT_ACCESS;
	h->rec.page = call->first;
	h->rec.npages = last - call->first + 1;
}

static void begin(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		  uint64_t first, uint64_t last)
{
	task->call = (struct pt_call){ .file = file, .first = first, .last = last };
	pt_batch_init(&task->call.batch, file, first);
	task->call.seq = hold(in, task, file);
}

/* Whether an event at @page with the call's file and end belongs to the call. */
static int goes_on(const struct pt_interpreter *in, const struct pt_call *call, uint64_t page)
{
	if (!call->seen)
		return page >= call->first;
	/*
	 * Nobody announced that the batch met a mark: only the adds tell, and not where. Two calls
	 * of less than a page may look the same.
	 */
	if (!in->opt.announces_readahead && call->grew && page > call->batch.page &&
	    (page < call->last || call->last - call->first >= 2))
		return 1;
	return pt_batch_leads_to(&call->batch, &in->folios, page);
}

/*
 * A first batch whose last folio was under I/O makes no event. Where a task reads on in steps of
 * one size and this one seems to begin late at such a folio, it began where the last one ended.
 */
static uint64_t true_start(const struct pt_seen_task *task, uint32_t file, uint64_t page,
			   uint64_t last, int fresh)
{
	if (!fresh || task->last_file != file || page <= task->last_end ||
	    page - task->last_end >= PT_BATCH_FOLIOS ||
	    last + 1 - task->last_end != task->last_pages)
		return page;
	return task->last_end;
}

/* Where nobody announced its miss, it began with the first page that the task had to add. */
static uint64_t first_missed(const struct pt_seen_task *task, uint32_t file, uint64_t page)
{
	return task->found_file == file && task->found_end <= page &&
			       page - task->found_first < PT_BATCH_FOLIOS
		       ? task->found_first
		       : page;
}

static void begin_here(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		       uint64_t page, uint64_t last)
{
	int fresh = pt_folios_is_fresh(&in->folios, file, page, task->looked_ns);
	uint64_t first = true_start(task, file, page, last, fresh);
	struct pt_held *h;

	begin(in, task, file, first, last);
	h = pt_pending_get(&in->pending, task->call.seq);
	if (h && first != page)
		h->rec.flags |= PT_IO_GUESSED;
}

/* What the next event of the call will be judged by. */
static void note_batch(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		       uint64_t page, int grew)
{
	struct pt_call *call = &task->call;

	call->seen = 1;
	call->grew = (uint8_t)grew;
	pt_batch_init(&call->batch, file, page);
	call->batch.looked_ns = task->looked_ns;
	call->batch.at_ns = in->now_ns;
	call->batch.was_fresh =
		(uint8_t)pt_folios_is_fresh(&in->folios, file, page, task->looked_ns);
	if (task->mark_file == file)
		call->batch.mark = task->mark;
	task->mark_file = PT_NO_FILE;
	pt_folios_use(&in->folios, file, page, page + 1, in->now_ns);
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

/* The call that the event belongs to: the open one, or a new one. */
static void find_call(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		      uint64_t page, uint64_t last)
{
	struct pt_call *call = &task->call;

	if (call->file == file && call->open_ended) {
		call->open_ended = 0;
		call->first = first_missed(task, file, page);
		call->last = last;
	} else if (call->file == file && call->last == last && goes_on(in, call, page)) {
		if (call->seen)
			pt_folios_use(&in->folios, file, call->batch.page, page, in->now_ns);
	} else {
		pt_calls_close(in, task);
		begin_here(in, task, file, first_missed(task, file, page), last);
	}
}

void pt_calls_get_pages(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
			const struct pt_kevent *ev)
{
	struct pt_call *call = &task->call;
	uint64_t last = ev->value[0];
	unsigned int missed;
	int grew = task->found_file == file && task->found_first > ev->page;

	if (last < ev->page)
		last = ev->page;
	pt_faults_close(in, task);
	find_call(in, task, file, ev->page, last);
	confirm(in, task);
	missed = pt_adds_settle(in, task, file, call->first, last + 1, PT_CAUSE_DEMAND,
				PT_CAUSE_READAHEAD);
	if (missed || window_overlaps(&task->window, call))
		pt_calls_note_miss(in, task, file, call->first, last + 1);
	task->window.file = PT_NO_FILE;
	note_batch(in, task, file, ev->page, grew);
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
	if (call->file == file && call->last == last && ev->page >= call->batch.page + call->seen) {
		call->batch.missed = ev->page;
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
