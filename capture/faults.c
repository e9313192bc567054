// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accesses through mappings.
 *
 * mm_filemap_map_pages names a window that fault-around may map, not the page touched; a fault of
 * the same task inside it right after is the same access, at a known page. After I/O the kernel
 * tries again, so the same window and fault may come once more.
 */
#include "capture/state.h"

void pt_faults_close(struct pt_interpreter *in, struct pt_seen_task *task)
{
	const struct pt_fault *f = &task->fault;

	pt_pending_release(&in->pending, f->seq);
	if (f->file != PT_NO_FILE && !f->is_window)
		pt_folios_use(&in->folios, f->file, f->page, f->page + 1, in->now_ns);
	task->fault = (struct pt_fault){ .seq = PT_NO_SEQ, .file = PT_NO_FILE };
}

static struct pt_record access_at(struct pt_interpreter *in, const struct pt_seen_task *task,
				  uint32_t file, uint64_t page, uint64_t npages, uint8_t how)
{
	struct pt_record rec = pt_record_now(in, PT_ACCESS, task, file);

	rec.page = page;
	rec.npages = npages;
	rec.how = how;
	rec.flags = 0;
	return rec;
}

/* The window of a second try: the fault's page was locked, or read in, when it was first tried. */
static int is_retried_window(const struct pt_fault *f, uint32_t file, uint64_t first, uint64_t last)
{
	return f->file == file && !f->is_window && f->retry_window && first <= f->page &&
	       f->page <= last;
}

void pt_faults_window(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		      const struct pt_kevent *ev)
{
	uint64_t last = ev->value[0] < ev->page ? ev->page : ev->value[0];
	struct pt_fault *f = &task->fault;
	struct pt_record rec;

	if (is_retried_window(f, file, ev->page, last)) {
		f->retry_window = 0;
		return;
	}
	pt_calls_close(in, task);
	pt_faults_close(in, task);
	rec = access_at(in, task, file, ev->page, last - ev->page + 1, PT_HOW_WINDOW);
	*f = (struct pt_fault){ .file = file, .is_window = 1, .first = ev->page, .last = last };
	f->seq = pt_pending_push(&in->pending, &rec, 1);
}

static int is_same_fault(const struct pt_fault *f, uint32_t file, uint64_t page)
{
	return f->file == file && !f->is_window && f->page == page && f->retry_fault;
}

/* The window's own record becomes the fault's. */
static int name_page(struct pt_interpreter *in, struct pt_fault *f, uint32_t file, uint64_t page)
{
	struct pt_held *h;

	if (f->file != file || !f->is_window || page < f->first || page > f->last)
		return 0;
	h = pt_pending_get(&in->pending, f->seq);
	if (h) {
		h->rec.page = page;
		h->rec.npages = 1;
		h->rec.how = PT_HOW_FAULT;
	}
	f->is_window = 0;
	f->had_window = 1;
	return 1;
}

void pt_faults_fault(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		     const struct pt_kevent *ev)
{
	struct pt_fault *f = &task->fault;
	struct pt_record rec;

	if (is_same_fault(f, file, ev->page)) {
		f->retry_window = f->retry_fault = 0;
		return;
	}
	pt_calls_close(in, task);
	if (!name_page(in, f, file, ev->page)) {
		pt_faults_close(in, task);
		rec = access_at(in, task, file, ev->page, 1, PT_HOW_FAULT);
		*f = (struct pt_fault){ .file = file };
		f->seq = pt_pending_push(&in->pending, &rec, 1);
	}
	f->page = ev->page;
	/*
	 * Fault-around had just passed over this page: it was absent, or locked under I/O. A mark
	 * of read-ahead is the other reason; its event clears this.
	 */
	f->retry_window = f->retry_fault = f->had_window;
	task->window.file = PT_NO_FILE;
}
