// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why pages entered the page cache.
 *
 * Read-ahead announces its window (6.18 and later), a fault names its page; what is neither is
 * told by what the task does next: copies written bytes there, dirties it, or reads it. A page that
 * read-ahead or a fault brought in and that is written later was not added by that write.
 */
#include <errno.h>

#include "capture/state.h"

static uint64_t pages_of(const struct pt_kevent *ev)
{
	return ev->order != PT_UNKNOWN8 ? UINT64_C(1) << ev->order : 1;
}

void pt_adds_readahead(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		       const struct pt_kevent *ev)
{
	struct pt_fault *fault = &task->fault;

	if (ev->type == PT_KEV_RA_SYNC) {
		pt_calls_missed(in, task, file, ev);
	} else {
		task->mark = ev->page;
		task->mark_file = file;
		/* Fault-around passed over the page for its mark: nothing to retry. */
		if (fault->file == file && fault->page == ev->page)
			fault->retry_window = fault->retry_fault = 0;
	}
	task->window = (struct pt_window){ .file = file,
					   .how = ev->how,
					   .request = ev->page,
					   .request_end = ev->page + ev->value[0] };
}

static void record_window(struct pt_interpreter *in, const struct pt_seen_task *task,
			  const struct pt_window *w, const struct pt_kevent *ev)
{
	struct pt_record rec;

	/* What the request alone explains is in the accesses and adds already. */
	if (ev->page >= w->request && ev->page + ev->value[0] <= w->request_end)
		return;
	rec = pt_record_now(in, PT_READAHEAD, task, w->file);
	rec.page = ev->page;
	rec.npages = ev->value[0];
	rec.order = ev->order;
	rec.how = w->how;
	rec.value[0] = ev->value[1];
	pt_pending_push(&in->pending, &rec, 0);
}

void pt_adds_window(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		    const struct pt_kevent *ev)
{
	struct pt_window *w = &task->window;
	int first = w->file != file || w->first == w->end;

	if (w->file != file)
		*w = (struct pt_window){ .file = file, .how = ev->how };
	if (task->fault.file == file && !task->fault.is_window && w->request == w->request_end) {
		w->request = task->fault.page;
		w->request_end = task->fault.page + 1;
	}
	/* page_cache_ra_order() may fall back to single pages: the same window again. */
	if (first || ev->page < w->first || ev->page + ev->value[0] > w->end)
		record_window(in, task, w, ev);
	w->first = ev->page;
	w->end = ev->page + ev->value[0];
}

static int in_window(const struct pt_window *w, uint32_t file, uint64_t page, uint64_t end)
{
	return w->file == file && page < w->end && end > w->first;
}

static void note_added(struct pt_window *w, uint64_t page, uint64_t end)
{
	if (w->added == w->added_end)
		w->added = page;
	w->added_end = end;
}

/* The cause that is known at once, or PT_UNKNOWN8. */
static uint8_t cause_now(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
			 uint64_t page, uint64_t end)
{
	const struct pt_fault *fault = &task->fault;
	struct pt_window *w = &task->window;
	int faulted = fault->file == file && !fault->is_window && fault->page >= page &&
		      fault->page < end;

	if (pt_file_at(in, file)->metadata)
		return PT_CAUSE_METADATA;
	if (in_window(w, file, page, end)) {
		note_added(w, page, end);
		if (faulted)
			return PT_CAUSE_FAULT;
		return page < w->request_end && end > w->request && fault->file != file
			       ? PT_CAUSE_DEMAND
			       : PT_CAUSE_READAHEAD;
	}
	if (task->write_file == file && page < task->write_end && end > task->write_first)
		return PT_CAUSE_WRITE;
	return faulted ? PT_CAUSE_FAULT : PT_UNKNOWN8;
}

/* Without announcements, pages right behind or before a fault's come by its read-ahead. */
static uint8_t cause_by_neighbours(const struct pt_interpreter *in, struct pt_seen_task *task,
				   uint32_t file, uint64_t page)
{
	const struct pt_window *w = &task->window;

	if (in->opt.announces_readahead || task->fault.file != file || task->fault.is_window)
		return PT_UNKNOWN8;
	if (w->file == file && w->added != w->added_end && page != w->added_end)
		return PT_UNKNOWN8;
	return PT_CAUSE_READAHEAD;
}

/* The first add that nothing announced tells what a look-up of the task's missed. */
static void note_found(struct pt_seen_task *task, uint32_t file, uint64_t page, uint64_t end)
{
	if (task->found_file == file)
		return;
	task->found_file = file;
	task->found_first = page;
	task->found_end = end;
}

static void keep_waiting(struct pt_interpreter *in, struct pt_seen_task *task, uint64_t seq)
{
	struct pt_held *h = pt_pending_get(&in->pending, seq);

	h->waits++;
	h->link = task->adds;
	task->adds = seq;
}

/* The access that this add serves did not find its page. */
static void note_miss(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		      uint64_t page, uint64_t end, uint8_t cause)
{
	struct pt_held *h;

	if (cause == PT_CAUSE_DEMAND || cause == PT_CAUSE_READAHEAD)
		pt_calls_note_miss(in, task, file, page, end);
	if (cause != PT_CAUSE_FAULT)
		return;
	task->fault.missed = 1;
	task->fault.retry_window = task->fault.retry_fault = 1;
	h = pt_pending_get(&in->pending, task->fault.seq);
	if (h)
		h->rec.flags |= PT_IO_MISS;
}

void pt_adds_add(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		 const struct pt_kevent *ev)
{
	struct pt_seen_file *seen = pt_file_at(in, file);
	uint64_t end = ev->page + pages_of(ev), seq;
	struct pt_record rec;
	uint8_t cause;

	cause = cause_now(in, task, file, ev->page, end);
	if (cause == PT_UNKNOWN8)
		cause = cause_by_neighbours(in, task, file, ev->page);
	if (cause == PT_UNKNOWN8 && !in->opt.announces_readahead) {
		pt_calls_begin_unseen(in, task, file, ev->page);
		note_found(task, file, ev->page, end);
	}
	rec = pt_record_now(in, PT_ADD, task, file);
	rec.page = ev->page;
	rec.order = ev->order == PT_UNKNOWN8 ? 0 : ev->order;
	rec.how = cause;
	pt_owners_added(in, ev, &rec);
	seq = pt_pending_push(&in->pending, &rec, 0);
	if (cause == PT_UNKNOWN8)
		keep_waiting(in, task, seq);
	else
		note_miss(in, task, file, ev->page, end, cause);
	if (seen->end_pages != PT_UNKNOWN && seen->end_pages < end)
		seen->end_pages = end;
	pt_folios_read_in(&in->folios, file, ev->page, rec.order, in->now_ns);
	if (pt_folios_add(&in->folios, ev->value[0], file, ev->page, rec.order) < 0)
		in->error = -ENOMEM;
}

unsigned int pt_adds_settle(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
			    uint64_t first, uint64_t end, uint8_t inside, uint8_t outside)
{
	uint64_t *from = &task->adds;
	unsigned int n = 0;
	struct pt_held *h;
	uint32_t id = pt_file_at(in, file)->id;

	if (task->found_file == file)
		task->found_file = PT_NO_FILE;
	while ((h = pt_pending_get(&in->pending, *from))) {
		uint64_t page_end = h->rec.page + (UINT64_C(1) << h->rec.order);
		int is_inside = h->rec.file == id && h->rec.page < end && page_end > first;
		uint8_t cause = is_inside ? inside : h->rec.file == id ? outside : PT_UNKNOWN8;

		if (cause == PT_UNKNOWN8) {
			from = &h->link;
			continue;
		}
		n += (unsigned int)is_inside;
		h->rec.how = cause;
		h->waits--;
		*from = h->link;
	}
	*from = PT_NO_SEQ;
	return n;
}
