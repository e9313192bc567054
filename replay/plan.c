// SPDX-License-Identifier: GPL-2.0-or-later
/* A tape's operations as a stream, in recorded order; the survey that comes first. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/plan_state.h"

#define KINDS                                                                                 \
	(1ull << PT_ACCESS | 1ull << PT_DUP | 1ull << PT_CLOSE | 1ull << PT_MAP |             \
	 1ull << PT_WRITE | 1ull << PT_SYNC | 1ull << PT_ADVISE | 1ull << PT_TRUNCATE |       \
	 1ull << PT_UNLINK | 1ull << PT_READAHEAD | 1ull << PT_ATTACH | 1ull << PT_RESIDENT | \
	 1ull << PT_ADD)

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
		r = pt_plan_translate(p, &rec, &op);
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
		struct plan_file *f = &p->files[i];
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
	pt_plan_choose_tasks(p);
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
		struct plan_file *f = &p->files[i];

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

		p->files[i].pub.is_code = pt_plan_is_code(def);
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
	if (r == 0) /* its writes alone would be no replay */
		r = pt_head_need_accesses(pt_reader_head(p->reader), &p->diag);
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
