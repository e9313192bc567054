// SPDX-License-Identifier: GPL-2.0-or-later
/* From a tape's records to operations, in recorded order; the survey that comes first. */
#include "replay/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "replay/habit.h"
#include "util/cleanup.h"
#include "util/map.h"

#define NONE UINT32_MAX
#define KINDS                                                                                 \
	(1ull << PT_ACCESS | 1ull << PT_DUP | 1ull << PT_CLOSE | 1ull << PT_MAP |             \
	 1ull << PT_WRITE | 1ull << PT_SYNC | 1ull << PT_ADVISE | 1ull << PT_TRUNCATE |       \
	 1ull << PT_UNLINK | 1ull << PT_READAHEAD | 1ull << PT_ATTACH | 1ull << PT_RESIDENT | \
	 1ull << PT_ADD)
#define MIN_WINDOW 8 /* smaller fault-around windows are clipped ones: they tell no alignment */

/* Key spaces of the handle map, in the upper bits of pt_map_key.hi. */
#define KEY_OPEN    (1ull << 62) /* lo: open-file id */
#define KEY_TASK    (2ull << 62) /* hi: task, lo: file */
#define KEY_FILE    (3ull << 62) /* lo: file */
#define KEY_KIND(k) ((uint64_t)(k) << 56)

struct task {
	uint32_t thread; /* NONE: not met yet */
	uint32_t cgroup; /* where it is now */
	uint8_t chosen;
};

struct file {
	struct pt_plan_file pub;
	uint64_t now_bytes; /* size at this point of the stream */
	uint64_t last_use;  /* ordinal of the last record that needs it */
	uint64_t missing;   /* pages added, and accesses that missed, in the recording */
	uint8_t playable, truncated, unlinked;
};

struct thread {
	uint32_t task, tasks;
};

struct pt_plan {
	struct pt_reader *reader;
	struct pt_plan_options opt;
	struct pt_plan_stats stats;
	struct task *tasks;
	struct file *files;
	struct thread *threads;
	struct pt_plan_handle *handles;
	uint32_t n_tasks, n_files, n_threads, n_handles, cap_handles;
	struct pt_map handle_of; /* key: see KEY_* */
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

static const char *const op_names[PT_OP_COUNT] = {
	"read",    "load",    "store",    "write",  "fsync", "fdatasync", "sync_range",
	"fadvise", "madvise", "truncate", "unlink", "close", "end",
};

static const char *const skip_names[PT_SKIP_COUNT] = { "metadata", "no_file", "no_range",
						       "beyond_eof", "advice" };

const char *pt_op_name(unsigned int kind)
{
	return kind < PT_OP_COUNT ? op_names[kind] : NULL;
}

const char *pt_skip_name(unsigned int skip)
{
	return skip < PT_SKIP_COUNT ? skip_names[skip] : NULL;
}

/* ---- Tasks */

/* Is the cgroup @id the one asked for, or below it? */
static int in_cgroup(const struct pt_plan *p, uint32_t id)
{
	size_t len = strlen(p->opt.cgroup);
	const char *path;

	if (id >= pt_reader_cgroup_count(p->reader))
		return 0;
	path = pt_reader_cgroup(p->reader, id)->path;
	while (len > 0 && p->opt.cgroup[len - 1] == '/')
		len--;
	return path && strncmp(path, p->opt.cgroup, len) == 0 &&
	       (path[len] == '/' || path[len] == '\0');
}

static int has_flag(const struct pt_task *t, uint32_t flag)
{
	return t->flags != PT_UNKNOWN32 && (t->flags & flag);
}

static void choose_tasks(struct pt_plan *p)
{
	int subjects = 0;

	for (uint32_t i = 0; i < p->n_tasks; i++)
		subjects |= has_flag(pt_reader_task(p->reader, i), PT_TASK_SUBJECT);
	for (uint32_t i = 0; i < p->n_tasks; i++) {
		const struct pt_task *t = pt_reader_task(p->reader, i);

		p->tasks[i].chosen = subjects ? has_flag(t, PT_TASK_SUBJECT)
					      : !has_flag(t, PT_TASK_KTHREAD | PT_TASK_KSWAPD);
		p->tasks[i].thread = NONE;
	}
}

static struct task *played_task(struct pt_plan *p, uint32_t id)
{
	struct task *t = id < p->n_tasks ? &p->tasks[id] : NULL;

	if (!t || !t->chosen || (p->opt.cgroup && !in_cgroup(p, t->cgroup)))
		return NULL;
	return t;
}

/* Threads are given out in order of appearance, then shared in turn. */
static void give_thread(struct pt_plan *p, struct task *t)
{
	struct thread *th;

	if (t->thread != NONE)
		return;
	t->thread = p->stats.tasks++ % p->opt.max_threads;
	th = &p->threads[t->thread];
	if (th->tasks++ == 0)
		th->task = (uint32_t)(t - p->tasks);
	if (t->thread >= p->n_threads)
		p->n_threads = t->thread + 1;
}

/* ---- Handles */

static uint32_t resolve(const struct pt_plan *p, uint32_t open)
{
	const uint64_t *alias = pt_map_get(&p->alias_of, (struct pt_map_key){ 0, open });

	return alias ? (uint32_t)*alias : open;
}

static struct pt_map_key handle_key(const struct pt_plan *p, const struct pt_record *rec,
				    enum pt_handle_kind kind)
{
	if (kind == PT_HANDLE_MAP) /* page tables are a task's own */
		return (struct pt_map_key){ KEY_TASK | KEY_KIND(kind) | rec->task, rec->file };
	if (p->stats.shared_handles)
		return (struct pt_map_key){ KEY_FILE | KEY_KIND(kind), rec->file };
	if (rec->open != PT_UNKNOWN32)
		return (struct pt_map_key){ KEY_OPEN | KEY_KIND(kind), resolve(p, rec->open) };
	return (struct pt_map_key){ KEY_TASK | KEY_KIND(kind) | rec->task, rec->file };
}

static int new_handle(struct pt_plan *p, const struct pt_plan_handle *h)
{
	if (p->n_handles == p->cap_handles) {
		uint32_t cap = p->cap_handles ? p->cap_handles * 2 : 64;
		struct pt_plan_handle *v = reallocarray(p->handles, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		p->handles = v;
		p->cap_handles = cap;
	}
	p->handles[p->n_handles++] = *h;
	return 0;
}

/* The handle that @rec uses, made in the survey. */
static int find_handle(struct pt_plan *p, const struct pt_record *rec, uint32_t thread,
		       enum pt_handle_kind kind, uint32_t *ret_i)
{
	struct pt_plan_handle fresh = {
		.file = rec->file, .task = rec->task, .kind = kind, .thread = thread, .refs = 1
	};
	int added = 0;
	uint64_t *slot = pt_map_put(&p->handle_of, handle_key(p, rec, kind), p->n_handles, &added);

	if (!slot || (added && new_handle(p, &fresh) < 0))
		return -ENOMEM;
	*ret_i = (uint32_t)*slot;
	if (p->handles[*ret_i].thread != thread)
		p->handles[*ret_i].shared = 1;
	/* An id that the tape gives to two files is not an id: keep to the file. */
	if (p->handles[*ret_i].file != rec->file)
		return -EBADMSG;
	if (kind != PT_HANDLE_MAP && rec->open == PT_UNKNOWN32)
		p->stats.guessed_opens = 1;
	return 0;
}

/* ---- Files */

static struct file *playable_file(struct pt_plan *p, uint32_t id)
{
	return id < p->n_files && p->files[id].playable ? &p->files[id] : NULL;
}

/* Note in the survey, or keep up with in the stream, how far operations get. */
static void note_reach(struct pt_plan *p, struct file *f, uint64_t end, int grows)
{
	if (grows && end > f->now_bytes)
		f->now_bytes = end;
	if (!p->surveying)
		return;
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

static int plan_read(struct pt_plan *p, const struct pt_record *rec, struct file *f,
		     struct pt_op *op)
{
	if (!byte_range(p, rec, &op->off, &op->len))
		return skip(p, PT_SKIP_NO_RANGE);
	note_reach(p, f, op->off + op->len, 0);
	op->kind = PT_OP_READ;
	op->flags = has_io_flag(rec, PT_IO_DONTCACHE) ? PT_OP_DONTCACHE : 0;
	return find_handle(p, rec, op->thread, io_kind(rec), &op->handle) ?: 1;
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
static int plan_touch(struct pt_plan *p, const struct pt_record *rec, struct file *f,
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
	r = find_handle(p, rec, op->thread, PT_HANDLE_MAP, &op->handle);
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

static int plan_access(struct pt_plan *p, const struct pt_record *rec, struct file *f,
		       struct pt_op *op)
{
	if (rec->how == PT_HOW_READ)
		return plan_read(p, rec, f, op);
	if (rec->page == PT_UNKNOWN || __builtin_mul_overflow(rec->page, p->page_size, &op->off))
		return skip(p, PT_SKIP_NO_RANGE);
	return plan_touch(p, rec, f, op, has_io_flag(rec, PT_IO_STORE));
}

static int plan_write(struct pt_plan *p, const struct pt_record *rec, struct file *f,
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
	r = find_handle(p, rec, op->thread, io_kind(rec), &op->handle);
	if (r == 0)
		p->handles[op->handle].writes = 1;
	return r ?: 1;
}

static int plan_sync(struct pt_plan *p, const struct pt_record *rec, struct file *f,
		     struct pt_op *op)
{
	op->kind = rec->how == PT_SYNC_FDATASYNC ? PT_OP_FDATASYNC
		   : rec->how == PT_SYNC_RANGE   ? PT_OP_SYNC_RANGE
						 : PT_OP_FSYNC;
	if (op->kind == PT_OP_SYNC_RANGE && !byte_range(p, rec, &op->off, &op->len))
		op->off = op->len = 0; /* all of the file */
	note_reach(p, f, 0, 0);
	return find_handle(p, rec, op->thread, PT_HANDLE_IO, &op->handle) ?: 1;
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

static int plan_advice(struct pt_plan *p, const struct pt_record *rec, struct file *f,
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
	return find_handle(p, rec, op->thread, mapped ? PT_HANDLE_MAP : PT_HANDLE_IO, &op->handle)
		       ?: 1;
}

static int plan_truncate(struct pt_plan *p, const struct pt_record *rec, struct file *f,
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
	r = find_handle(p, rec, op->thread, PT_HANDLE_IO, &op->handle);
	if (r == 0)
		p->handles[op->handle].writes = 1;
	return r ?: 1;
}

/* The name goes when nobody needs the file any more: handles are opened by name, when first used.
 */
static int plan_unlink(struct pt_plan *p, const struct pt_record *rec, struct file *f,
		       struct pt_op *op)
{
	int r;

	if (p->surveying && !f->pub.used)
		return skip(p, PT_SKIP_NO_FILE); /* never touched: there is nothing to remove */
	op->kind = PT_OP_UNLINK;
	r = find_handle(p, rec, op->thread, PT_HANDLE_IO, &op->handle);
	if (r < 0)
		return r;
	p->handles[op->handle].writes = 1;
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
	from = resolve(p, rec->open_from);
	if (rec->open != rec->open_from &&
	    !pt_map_put(&p->alias_of, (struct pt_map_key){ 0, rec->open }, from, NULL))
		return -ENOMEM;
	slot = pt_map_get(&p->handle_of, (struct pt_map_key){ KEY_OPEN, from });
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
	slot = pt_map_get(&p->handle_of, (struct pt_map_key){ KEY_OPEN, resolve(p, rec->open) });
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
	struct file *f = playable_file(p, rec->file);

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
	struct file *f = playable_file(p, rec->file);
	struct pt_op *late = &p->queue[p->queued];

	if (p->surveying || !f || !f->unlinked || f->last_use != p->ordinal ||
	    rec->kind == PT_UNLINK)
		return;
	*late = *op;
	late->kind = PT_OP_UNLINK;
	late->off = late->len = 0;
	if (find_handle(p, rec, op->thread, PT_HANDLE_IO, &late->handle) == 0)
		p->queued++;
}

static int translate(struct pt_plan *p, const struct pt_record *rec, struct pt_op *ret_op)
{
	struct pt_op op = { 0 };
	struct task *t;
	int r = p->surveying ? pt_habits_learn(&p->habits, rec) : 0;

	if (p->surveying && (rec->kind == PT_ADD || rec->kind == PT_ACCESS))
		note_missing(p, rec);
	if (r == 0)
		r = follow(p, rec);
	if (r < 0 || !is_wanted(rec))
		return r;
	t = played_task(p, rec->task);
	if (!t) {
		p->stats.other_tasks++;
		return 0;
	}
	give_thread(p, t);
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

static int give_out(struct pt_plan *p, const struct pt_op *op, struct pt_op *ret_op)
{
	*ret_op = *op;
	ret_op->seq = p->seq++;
	p->stats.ops[op->kind]++;
	return 1;
}

int pt_plan_next(struct pt_plan *p, struct pt_op *ret_op)
{
	struct pt_record rec;
	struct pt_op op;
	int r;

	if (p->queued)
		return give_out(p, &p->queue[--p->queued], ret_op);
	for (;;) {
		r = pt_reader_next(p->reader, &rec);
		if (r == 0)
			return 0;
		if (r == -ENODATA) {
			p->stats.cut = 1;
			return 0;
		}
		if (r == -EBADMSG || r == -EOPNOTSUPP) {
			p->stats.damaged_blocks++;
			continue;
		}
		if (r < 0) {
			p->diag = *pt_reader_diag(p->reader);
			return r;
		}
		p->ordinal++;
		r = translate(p, &rec, &op);
		if (r != 0)
			return r < 0 ? r : give_out(p, &op, ret_op);
	}
}

/* ---- Survey */

static void begin_pass(struct pt_plan *p)
{
	memset(p->stats.ops, 0, sizeof(p->stats.ops));
	memset(p->stats.skipped, 0, sizeof(p->stats.skipped));
	p->stats.guessed_pages = p->stats.guessed_lengths = p->stats.other_tasks = 0;
	p->stats.damaged_blocks = p->stats.resident_pages = 0;
	p->ordinal = 0;
	p->seq = 0;
	p->queued = 0;
	for (uint32_t i = 0; i < p->n_tasks; i++)
		p->tasks[i].cgroup = pt_reader_task(p->reader, i)->cgroup;
	for (uint32_t i = 0; i < p->n_files; i++) {
		p->files[i].now_bytes = p->files[i].pub.size;
		p->files[i].unlinked = p->files[i].truncated = 0;
	}
	for (uint32_t i = 0; i < p->n_handles; i++)
		p->handles[i].refs = 1;
	pt_map_clear(&p->alias_of);
}

int pt_plan_rewind(struct pt_plan *p)
{
	int r = pt_reader_rewind(p->reader);

	if (r < 0) {
		p->diag = *pt_reader_diag(p->reader);
		return r;
	}
	begin_pass(p);
	return 0;
}

/*
 * The size to begin with: the recorded one where the tape never truncates the file (it was taken at
 * the end), else as far as the tape reads before it does.
 */
static void settle_sizes(struct pt_plan *p)
{
	for (uint32_t i = 0; i < p->n_files; i++) {
		struct file *f = &p->files[i];
		uint64_t known = pt_reader_file(p->reader, i)->size;

		f->pub.size = known == PT_UNKNOWN || f->truncated ? f->pub.reach : known;
		if (f->pub.used && f->pub.reach < f->pub.size && known == PT_UNKNOWN)
			f->pub.reach = f->pub.size;
	}
}

/* Advice that the tape cannot know of, where it knows no system calls. */
static void infer_advice(struct pt_plan *p)
{
	if (pt_head_known(pt_reader_head(p->reader), "open_files") == PT_KNOWN_KNOWN)
		return;
	for (uint32_t i = 0; i < p->n_handles; i++) {
		struct pt_plan_handle *h = &p->handles[i];

		h->random = pt_habits_random(&p->habits, h->task, h->file,
					     h->kind == PT_HANDLE_MAP) != 0;
		p->stats.guessed_random += h->random;
	}
}

static int survey(struct pt_plan *p)
{
	struct pt_op op;
	int r;

	p->surveying = 1;
	p->stats.first_ns = p->stats.last_ns = PT_UNKNOWN;
	p->stats.tasks = p->n_threads = 0;
	choose_tasks(p);
	begin_pass(p);
	while ((r = pt_plan_next(p, &op)) > 0)
		continue;
	p->surveying = 0;
	if (r < 0)
		return r;
	settle_sizes(p);
	p->stats.guessed_random = 0;
	infer_advice(p);
	p->stats.threads = p->n_threads;
	p->stats.handles = p->n_handles;
	p->stats.files = p->stats.resident_files = 0;
	for (uint32_t i = 0; i < p->n_files; i++) {
		struct file *f = &p->files[i];

		f->pub.resident = f->pub.used && p->any_adds && f->missing == 0;
		p->stats.files += f->pub.used != 0;
		p->stats.resident_files += f->pub.resident != 0;
	}
	return 0;
}

/* Descriptors that are open at once, at most: mappings need none to last. */
static uint32_t descriptors(const struct pt_plan *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_handles; i++)
		n += p->handles[i].kind != PT_HANDLE_MAP;
	return n;
}

/* A second survey with one handle a file, where there are too many open files. */
static int share_handles(struct pt_plan *p)
{
	int r;

	if (descriptors(p) <= p->opt.max_handles)
		return 0;
	p->stats.shared_handles = 1;
	p->n_handles = 0;
	pt_map_clear(&p->handle_of);
	memset(p->threads, 0, sizeof(*p->threads) * p->opt.max_threads);
	r = pt_plan_rewind(p);
	if (r == 0)
		r = survey(p);
	if (r == 0 && descriptors(p) > p->opt.max_handles)
		return pt_diag_set(&p->diag, -EMFILE, PT_NO_OFFSET,
				   "it needs %u open files and %u are allowed (ulimit -n)",
				   descriptors(p), p->opt.max_handles);
	return r;
}

static int allocate(struct pt_plan *p)
{
	p->n_tasks = pt_reader_task_count(p->reader);
	p->n_files = pt_reader_file_count(p->reader);
	p->page_size = pt_head_page_size(pt_reader_head(p->reader));
	p->tasks = calloc(p->n_tasks + 1, sizeof(*p->tasks));
	p->files = calloc(p->n_files + 1, sizeof(*p->files));
	p->threads = calloc(p->opt.max_threads, sizeof(*p->threads));
	if (!p->tasks || !p->files || !p->threads)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->n_files; i++) {
		const struct pt_file *def = pt_reader_file(p->reader, i);

		p->files[i].playable = def->type == PT_FILE_REGULAR || def->type == PT_UNKNOWN32;
	}
	if (p->page_size == 0)
		return pt_diag_set(&p->diag, -EBADMSG, PT_NO_OFFSET, "its page size is 0");
	return 0;
}

int pt_plan_open(const char *tape, const struct pt_plan_options *opt, struct pt_plan **ret_plan,
		 struct pt_diag *diag)
{
	const struct pt_reader_options selection = { .kinds = KINDS };
	struct pt_plan *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return -ENOMEM;
	p->opt = *opt;
	pt_map_init(&p->handle_of);
	pt_map_init(&p->alias_of);
	pt_habits_init(&p->habits);
	r = pt_reader_open(tape, &selection, &p->reader, &p->diag);
	if (r == 0)
		r = allocate(p);
	if (r == 0)
		r = survey(p);
	if (r == 0)
		r = share_handles(p);
	if (r == 0 && p->stats.first_ns == PT_UNKNOWN)
		r = pt_diag_set(&p->diag, -ENODATA, PT_NO_OFFSET,
				"there is nothing in it that can be replayed");
	if (r == 0) {
		*ret_plan = p;
		return 0;
	}
	if (diag)
		*diag = p->diag;
	pt_plan_close(p);
	return pt_diag_file(diag, r, tape);
}

void pt_plan_close(struct pt_plan *p)
{
	if (!p)
		return;
	pt_reader_close(p->reader);
	pt_map_done(&p->handle_of);
	pt_map_done(&p->alias_of);
	pt_habits_done(&p->habits);
	free(p->tasks);
	free(p->files);
	free(p->threads);
	free(p->handles);
	free(p);
}

const struct pt_diag *pt_plan_diag(const struct pt_plan *p)
{
	return &p->diag;
}

const struct pt_plan_stats *pt_plan_stats(const struct pt_plan *p)
{
	return &p->stats;
}

const struct pt_reader *pt_plan_reader(const struct pt_plan *p)
{
	return p->reader;
}

const struct pt_plan_handle *pt_plan_handle(const struct pt_plan *p, uint32_t i)
{
	return &p->handles[i];
}

const struct pt_plan_file *pt_plan_file(const struct pt_plan *p, uint32_t file)
{
	return &p->files[file].pub;
}

uint32_t pt_plan_task_of(const struct pt_plan *p, uint32_t thread, uint32_t *ret_n)
{
	*ret_n = p->threads[thread].tasks;
	return p->threads[thread].task;
}
