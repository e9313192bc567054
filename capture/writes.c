// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes as the filesystem tells of them, dirtied pages, syncs, truncation, files that end.
 *
 * A write also tells why a page was added just before, and that a fault was one for writing.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/state.h"
#include "util/cleanup.h"
#include "util/parse.h"

static void record_write(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
			 const struct pt_kevent *ev)
{
	struct pt_record rec = pt_record_now(in, PT_WRITE, task, file);

	rec.off_bytes = ev->value[0];
	rec.len_bytes = ev->value[1];
	rec.flags = pt_file_at(in, file)->metadata ? PT_IO_METADATA : 0;
	pt_pending_push(&in->pending, &rec, 0);
}

/* The pages that a write of @ev touches, and the file's end behind them. */
static void note_extent(struct pt_interpreter *in, uint32_t file, const struct pt_kevent *ev,
			uint64_t *ret_first, uint64_t *ret_end)
{
	uint64_t end_bytes = ev->value[0] + ev->value[1];
	struct pt_seen_file *f = pt_file_at(in, file);

	*ret_first = ev->value[0] >> in->page_shift;
	*ret_end = end_bytes ? ((end_bytes - 1) >> in->page_shift) + 1 : 0;
	if (f->end_pages != PT_UNKNOWN && f->end_pages < *ret_end)
		f->end_pages = *ret_end;
}

void pt_writes_done(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		    const struct pt_kevent *ev)
{
	pt_calls_close(in, task);
	if (!ev->value[1] || ev->value[0] > INT64_MAX || ev->value[1] > INT64_MAX)
		return;
	note_extent(in, file, ev, &task->wrote_first, &task->wrote_end);
	task->wrote_file = file;
	pt_adds_settle(in, task, file, task->wrote_first, task->wrote_end, PT_CAUSE_WRITE,
		       PT_UNKNOWN8);
	record_write(in, task, file, ev);
}

void pt_writes_begin(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		     const struct pt_kevent *ev)
{
	pt_calls_close(in, task);
	pt_faults_close(in, task);
	if (!ev->value[1] || ev->value[0] > INT64_MAX || ev->value[1] > INT64_MAX)
		return;
	note_extent(in, file, ev, &task->write_first, &task->write_end);
	task->write_file = file;
	record_write(in, task, file, ev);
}

/* "MAJOR:MINOR", as a backing device is named; PT_UNKNOWN32 where it is named otherwise. */
static uint32_t device_of(const char *name)
{
	char text[32];
	char *colon;
	uint32_t major, minor;

	if (!name || snprintf(text, sizeof(text), "%s", name) >= (int)sizeof(text))
		return PT_UNKNOWN32;
	colon = strchr(text, ':');
	if (!colon)
		return PT_UNKNOWN32;
	*colon = '\0';
	if (pt_parse_u32(text, &major) < 0 || pt_parse_u32(colon + 1, &minor) < 0)
		return PT_UNKNOWN32;
	return major << 20 | (minor & 0xfffff);
}

/*
 * The event has an inode number but only its device's name. The file that the task is busy with
 * comes first; then the device itself (metadata), then the inode on that device.
 */
static uint32_t dirtied_file(struct pt_interpreter *in, const struct pt_seen_task *task,
			     const struct pt_kevent *ev)
{
	const uint32_t busy[] = { task->wrote_file, task->write_file, task->fault.file };
	uint32_t dev = device_of(ev->text);

	if (dev != PT_UNKNOWN32 && dev == ev->ino) {
		if (pt_files_add_device(&in->files, dev) < 0)
			in->error = -ENOMEM;
		return in->files.bdevfs == PT_UNKNOWN32
			       ? PT_NO_FILE
			       : pt_files_get(&in->files, in->files.bdevfs, dev, &in->error);
	}
	for (size_t i = 0; i < PT_ARRAY_SIZE(busy); i++)
		if (busy[i] != PT_NO_FILE && pt_file_at(in, busy[i])->key.ino == ev->ino)
			return busy[i];
	return dev == PT_UNKNOWN32 ? PT_NO_FILE
				   : pt_files_get(&in->files, dev, ev->ino, &in->error);
}

/* A store through a mapping: the fault's own page, or one that was mapped for reading before. */
static void note_store(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		       uint64_t page)
{
	struct pt_held *h = pt_pending_get(&in->pending, task->fault.seq);
	struct pt_record rec;

	if (task->fault.file != file || task->fault.is_window)
		return;
	if (task->fault.page == page) {
		if (h)
			h->rec.flags |= PT_IO_STORE;
		return;
	}
	rec = pt_record_now(in, PT_WRITE, task, file);
	rec.off_bytes = page << in->page_shift;
	rec.flags = PT_IO_MMAP;
	pt_pending_push(&in->pending, &rec, 0);
}

void pt_writes_dirty(struct pt_interpreter *in, struct pt_seen_task *task,
		     const struct pt_kevent *ev)
{
	uint32_t file = dirtied_file(in, task, ev);
	struct pt_record rec;

	if (file == PT_NO_FILE)
		return;
	rec = pt_record_now(in, PT_DIRTY, task, file);
	rec.page = ev->page;
	pt_pending_push(&in->pending, &rec, 0);
	if (pt_file_at(in, file)->metadata)
		return;
	pt_adds_settle(in, task, file, ev->page, ev->page + 1, PT_CAUSE_WRITE, PT_UNKNOWN8);
	if (task->wrote_file != file && task->write_file != file)
		note_store(in, task, file, ev->page);
}

void pt_writes_other(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		     const struct pt_kevent *ev)
{
	struct pt_record rec;

	switch (ev->type) {
	case PT_KEV_SYNC:
		rec = pt_record_now(in, PT_SYNC, task, file);
		rec.how = ev->value[0] ? PT_SYNC_FDATASYNC : PT_SYNC_FSYNC;
		break;
	case PT_KEV_TRUNCATE:
		rec = pt_record_now(in, PT_TRUNCATE, task, file);
		pt_file_at(in, file)->end_pages = PT_UNKNOWN;
		break;
	case PT_KEV_FREE_INODE:
		rec = pt_record_now(in, PT_UNLINK, task, file);
		pt_files_forget(&in->files, ev->dev, ev->ino);
		break;
	default:
		task->invalidated_file = file;
		task->invalidated_page = ev->page;
		return;
	}
	pt_pending_push(&in->pending, &rec, 0);
}
