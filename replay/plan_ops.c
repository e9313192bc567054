// SPDX-License-Identifier: GPL-2.0-or-later
/* What a record of the tape means as an operation. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "replay/plan_state.h"

#define MIN_WINDOW 8 /* smaller fault-around windows are clipped ones: they tell no alignment */

/* Note in the survey, or keep up with in the stream, how far operations get. */
static void note_reach(struct pt_plan *p, struct plan_file *f, uint64_t end, int grows)
{
	if (grows && end > f->now_bytes)
		f->now_bytes = end;
	if (!p->surveying)
		return;
	if (!f->pub.used)
		f->first_use = p->ordinal;
	f->pub.used = 1;
	f->last_use = p->ordinal;
	if (end > f->pub.reach && (grows || !f->truncated))
		f->pub.reach = end;
}

/* ---- One record to one operation: 1, 0 where it is none, -errno */

static int skip(struct pt_plan *p, enum pt_skip why)
{
	p->stats.skipped[why]++;
	return 0;
}

/* The byte range of a record: its own, else its pages; 0 where it has neither or it is absurd. */
static int byte_range(const struct pt_plan *p, const struct pt_record *rec, uint64_t *ret_off,
		      uint64_t *ret_len)
{
	uint64_t off = rec->off_bytes, len = rec->len_bytes, end;

	if (off == PT_UNKNOWN || len == PT_UNKNOWN) {
		if (rec->page == PT_UNKNOWN || rec->npages == PT_UNKNOWN ||
		    __builtin_mul_overflow(rec->page, p->page_size, &off) ||
		    __builtin_mul_overflow(rec->npages, p->page_size, &len))
			return 0;
	}
	if (__builtin_add_overflow(off, len, &end) || end > INT64_MAX)
		return 0;
	*ret_off = off;
	*ret_len = len;
	return 1;
}

static enum pt_handle_kind io_kind(const struct pt_record *rec)
{
	return rec->flags != PT_UNKNOWN32 && (rec->flags & PT_IO_DIRECT) ? PT_HANDLE_DIRECT
									 : PT_HANDLE_IO;
}

static int has_io_flag(const struct pt_record *rec, uint32_t flag)
{
	return rec->flags != PT_UNKNOWN32 && (rec->flags & flag);
}

/* In the survey: did anything of a file have to be read in? */
static void note_missing(struct pt_plan *p, const struct pt_record *rec)
{
	if (rec->file >= p->n_files)
		return;
	p->any_adds |= rec->kind == PT_ADD;
	p->files[rec->file].missing += rec->kind == PT_ADD || has_io_flag(rec, PT_IO_MISS);
}

static int plan_read(struct pt_plan *p, const struct pt_record *rec, struct plan_file *f,
		     struct pt_op *op)
{
	if (!byte_range(p, rec, &op->off, &op->len))
		return skip(p, PT_SKIP_NO_RANGE);
	note_reach(p, f, op->off + op->len, 0);
	op->kind = PT_OP_READ;
	op->flags = has_io_flag(rec, PT_IO_DONTCACHE) ? PT_OP_DONTCACHE : 0;
	return pt_plan_find_handle(p, rec, op->thread, io_kind(rec), &op->handle) ?: 1;
}

static void note_window(struct pt_plan_handle *h, const struct pt_record *rec)
{
	uint64_t n = rec->npages;

	if (h->window_pages || n < MIN_WINDOW || n > UINT16_MAX || (n & (n - 1)))
		return;
	h->window_pages = (uint32_t)n;
	h->window_page = (uint32_t)(rec->page % n);
}

/* A mapped page, touched. @writes: a store. */
static int plan_touch(struct pt_plan *p, const struct pt_record *rec, struct plan_file *f,
		      struct pt_op *op, int writes)
{
	struct pt_plan_handle *h;
	int r;

	if (op->off > (uint64_t)INT64_MAX - p->page_size)
		return skip(p, PT_SKIP_NO_RANGE);
	if (!p->surveying && op->off >= f->now_bytes)
		return skip(p, PT_SKIP_BEYOND_EOF);
	note_reach(p, f, op->off + p->page_size, 0);
	op->kind = writes ? PT_OP_STORE : PT_OP_LOAD;
	r = pt_plan_find_handle(p, rec, op->thread, PT_HANDLE_MAP, &op->handle);
	if (r < 0)
		return r;
	h = &p->handles[op->handle];
	h->writes |= writes;
	if (rec->kind == PT_ACCESS && rec->how == PT_HOW_WINDOW) {
		note_window(h, rec);
		p->stats.guessed_pages++;
	}
	return 1;
}

static int plan_access(struct pt_plan *p, const struct pt_record *rec, struct plan_file *f,
		       struct pt_op *op)
{
	if (rec->how == PT_HOW_READ)
		return plan_read(p, rec, f, op);
	if (rec->page == PT_UNKNOWN || __builtin_mul_overflow(rec->page, p->page_size, &op->off))
		return skip(p, PT_SKIP_NO_RANGE);
	return plan_touch(p, rec, f, op, has_io_flag(rec, PT_IO_STORE));
}

static int plan_write(struct pt_plan *p, const struct pt_record *rec, struct plan_file *f,
		      struct pt_op *op)
{
	int r;

	op->off = rec->off_bytes;
	op->len = rec->len_bytes;
	if (op->off == PT_UNKNOWN)
		return skip(p, PT_SKIP_NO_RANGE);
	if (has_io_flag(rec, PT_IO_MMAP))
		return plan_touch(p, rec, f, op, 1);
	if (op->len == PT_UNKNOWN) {
		op->len = p->page_size;
		p->stats.guessed_lengths++;
	}
	if (op->off > INT64_MAX || op->len > INT64_MAX - op->off)
		return skip(p, PT_SKIP_NO_RANGE);
	note_reach(p, f, op->off + op->len, 1);
	op->kind = PT_OP_WRITE;
	op->flags = has_io_flag(rec, PT_IO_DONTCACHE) ? PT_OP_DONTCACHE : 0;
	r = pt_plan_find_handle(p, rec, op->thread, io_kind(rec), &op->handle);
	if (r == 0)
		p->handles[op->handle].writes = 1;
	return r ?: 1;
}

static int plan_sync(struct pt_plan *p, const struct pt_record *rec, struct plan_file *f,
		     struct pt_op *op)
{
	op->kind = rec->how == PT_SYNC_FDATASYNC ? PT_OP_FDATASYNC
		   : rec->how == PT_SYNC_RANGE   ? PT_OP_SYNC_RANGE
						 : PT_OP_FSYNC;
	if (op->kind == PT_OP_SYNC_RANGE && !byte_range(p, rec, &op->off, &op->len))
		op->off = op->len = 0; /* all of the file */
	note_reach(p, f, 0, 0);
	return pt_plan_find_handle(p, rec, op->thread, PT_HANDLE_IO, &op->handle) ?: 1;
}

/* Only advice that concerns nothing but caching: others punch holes or poison memory. */
static int gives_advice(uint8_t how, uint64_t advice)
{
	if (how == PT_ADVISE_FADVISE)
		return advice <= POSIX_FADV_NOREUSE;
	return advice == MADV_NORMAL || advice == MADV_RANDOM || advice == MADV_SEQUENTIAL ||
	       advice == MADV_WILLNEED || advice == MADV_DONTNEED || advice == MADV_COLD ||
	       advice == MADV_PAGEOUT;
}

static int plan_advice(struct pt_plan *p, const struct pt_record *rec, struct plan_file *f,
		       struct pt_op *op, uint8_t how, uint64_t advice)
{
	int mapped = how == PT_ADVISE_MADVISE;

	if (!gives_advice(how, advice))
		return skip(p, PT_SKIP_ADVICE);
	if (!byte_range(p, rec, &op->off, &op->len))
		op->off = op->len = 0; /* all of the file */
	note_reach(p, f, 0, 0);
	op->kind = mapped ? PT_OP_MADVISE : PT_OP_FADVISE;
	op->advice = (uint16_t)advice;
	return pt_plan_find_handle(p, rec, op->thread, mapped ? PT_HANDLE_MAP : PT_HANDLE_IO,
				   &op->handle)
		       ?: 1;
}

static int plan_truncate(struct pt_plan *p, const struct pt_record *rec, struct plan_file *f,
			 struct pt_op *op)
{
	int r;

	if (rec->len_bytes > INT64_MAX)
		return skip(p, PT_SKIP_NO_RANGE);
	note_reach(p, f, 0, 0);
	f->truncated = 1;
	f->now_bytes = rec->len_bytes;
	op->len = rec->len_bytes;
	op->kind = PT_OP_TRUNCATE;
	r = pt_plan_find_handle(p, rec, op->thread, PT_HANDLE_IO, &op->handle);
	if (r == 0)
		p->handles[op->handle].writes = 1;
	return r ?: 1;
}

/* The name goes when nobody needs the file any more: handles are opened by name, when first used.
 */
static int plan_unlink(struct pt_plan *p, const struct pt_record *rec, struct plan_file *f,
		       struct pt_op *op)
{
	int r;

	if (!f->pub.used || f->first_use > p->ordinal)
		return skip(p, PT_SKIP_NO_FILE); /* not touched yet: there is nothing to remove */
	op->kind = PT_OP_UNLINK;
	r = pt_plan_find_handle(p, rec, op->thread, PT_HANDLE_IO, &op->handle);
	if (r < 0)
		return r;
	p->handles[op->handle].writes = 1;
	p->handles[op->handle].shared = 1; /* the last user removes it, who may be another thread */
	f->unlinker = op->handle;
	f->unlinked = 1;
	return f->last_use < p->ordinal;
}

/* ---- References to open files */

static int note_dup(struct pt_plan *p, const struct pt_record *rec)
{
	uint32_t from;
	uint64_t *slot;

	if (rec->open == PT_UNKNOWN32 || rec->open_from == PT_UNKNOWN32)
		return 0;
	from = pt_plan_resolve(p, rec->open_from);
	if (rec->open != rec->open_from &&
	    !pt_map_put(&p->alias_of, (struct pt_map_key){ 0, rec->open }, from, NULL))
		return -ENOMEM;
	slot = pt_map_get(&p->handle_of, (struct pt_map_key){ PT_PLAN_KEY_OPEN, from });
	if (slot)
		p->handles[*slot].refs++;
	return 0;
}

/* The last reference goes: close, in the thread that uses it. Handles that several threads use
 * stay open, since another may still be at work on it. */
static int plan_close(struct pt_plan *p, const struct pt_record *rec, struct pt_op *op)
{
	uint64_t *slot;
	struct pt_plan_handle *h;

	if (rec->open == PT_UNKNOWN32 || p->stats.shared_handles)
		return 0;
	slot = pt_map_get(&p->handle_of,
			  (struct pt_map_key){ PT_PLAN_KEY_OPEN, pt_plan_resolve(p, rec->open) });
	if (!slot)
		return 0;
	h = &p->handles[*slot];
	if (h->refs > 0 && --h->refs > 0)
		return 0;
	if (h->shared)
		return 0;
	op->handle = (uint32_t)*slot;
	op->thread = h->thread;
	op->kind = PT_OP_CLOSE;
	return 1;
}

static int plan_file_record(struct pt_plan *p, const struct pt_record *rec, struct pt_op *op)
{
	struct plan_file *f = pt_plan_playable_file(p, rec->file);

	if (has_io_flag(rec, PT_IO_METADATA) && rec->kind == PT_ACCESS)
		return skip(p, PT_SKIP_METADATA);
	if (!f) {
		int device = rec->file < p->n_files &&
			     pt_reader_file(p->reader, rec->file)->type == PT_FILE_BLOCKDEV;

		return skip(p, device ? PT_SKIP_METADATA : PT_SKIP_NO_FILE);
	}
	switch (rec->kind) {
	case PT_ACCESS:
		return plan_access(p, rec, f, op);
	case PT_WRITE:
		return plan_write(p, rec, f, op);
	case PT_SYNC:
		return plan_sync(p, rec, f, op);
	case PT_ADVISE:
		return plan_advice(p, rec, f, op, rec->how, rec->value[0]);
	case PT_MAP:
		return plan_advice(p, rec, f, op, PT_ADVISE_MADVISE, rec->value[0]);
	case PT_READAHEAD:
		return plan_advice(p, rec, f, op, PT_ADVISE_FADVISE, POSIX_FADV_WILLNEED);
	case PT_TRUNCATE:
		return plan_truncate(p, rec, f, op);
	default:
		return plan_unlink(p, rec, f, op);
	}
}

/* Is it a record that some operation may come of? */
static int is_wanted(const struct pt_record *rec)
{
	switch (rec->kind) {
	case PT_ACCESS:
	case PT_WRITE:
	case PT_SYNC:
	case PT_ADVISE:
	case PT_TRUNCATE:
	case PT_UNLINK:
	case PT_CLOSE:
		return 1;
	case PT_MAP:
		return rec->value[0] != PT_UNKNOWN && rec->value[0] != MADV_NORMAL;
	case PT_READAHEAD:
		return rec->how == PT_RA_CALL;
	default:
		return 0;
	}
}

/* What changes who does what, without being an operation. */
static int follow(struct pt_plan *p, const struct pt_record *rec)
{
	switch (rec->kind) {
	case PT_ATTACH:
		if (rec->task < p->n_tasks)
			p->tasks[rec->task].cgroup = rec->cgroup;
		return 0;
	case PT_DUP:
		return note_dup(p, rec);
	case PT_RESIDENT:
		if (rec->how == PT_RESIDENT_START && rec->npages != PT_UNKNOWN &&
		    !has_io_flag(rec, PT_RESIDENT_SHADOW))
			p->stats.resident_pages += rec->npages;
		return 0;
	default:
		return 0;
	}
}

/* Behind the last use of a file whose name was removed earlier: remove it now. */
static void queue_late_unlink(struct pt_plan *p, const struct pt_record *rec,
			      const struct pt_op *op)
{
	struct plan_file *f = pt_plan_playable_file(p, rec->file);
	struct pt_op *late = &p->queue[p->queued];

	if (p->surveying || !f || !f->unlinked || f->last_use != p->ordinal ||
	    rec->kind == PT_UNLINK)
		return;
	*late = *op;
	late->kind = PT_OP_UNLINK;
	late->off = late->len = 0;
	late->handle = f->unlinker;
	p->queued++;
}

int pt_plan_translate(struct pt_plan *p, const struct pt_record *rec, struct pt_op *ret_op)
{
	struct pt_op op = { 0 };
	struct plan_task *t;
	int r = p->surveying ? pt_habits_learn(&p->habits, rec) : 0;

	if (p->surveying && (rec->kind == PT_ADD || rec->kind == PT_ACCESS))
		note_missing(p, rec);
	if (r == 0)
		r = follow(p, rec);
	if (r < 0 || !is_wanted(rec))
		return r;
	t = pt_plan_played_task(p, rec->task);
	if (!t) {
		p->stats.other_tasks++;
		return 0;
	}
	pt_plan_give_thread(p, t);
	op.thread = t->thread;
	r = rec->kind == PT_CLOSE ? plan_close(p, rec, &op) : plan_file_record(p, rec, &op);
	if (r == -EBADMSG)
		return skip(p, PT_SKIP_NO_FILE);
	if (r <= 0)
		return r;
	if (p->surveying && p->stats.first_ns == PT_UNKNOWN)
		p->stats.first_ns = rec->ts_ns;
	if (p->surveying)
		p->stats.last_ns = rec->ts_ns;
	op.due_ns = rec->ts_ns - p->stats.first_ns;
	queue_late_unlink(p, rec, &op);
	*ret_op = op;
	return 1;
}
