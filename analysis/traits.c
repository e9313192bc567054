// SPDX-License-Identifier: GPL-2.0-or-later
/* What fidelity compares of a tape: see traits.h. */
#include "analysis/traits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pagetree.h"
#include "analysis/tape_refaults.h"

/* ---- What stands for what */

static struct pt_map_key file_key(const struct pt_file_key *k)
{
	return (struct pt_map_key){ .hi = (uint64_t)k->dev << 32 | k->gen, .lo = k->ino };
}

/* FNV-1a (Fowler, Noll, Vo 1991); two names that share it are told apart by comparing. */
static uint64_t hash_of(const char *s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return h;
}

static struct pt_map_key name_key(const char *s, uint32_t nth)
{
	return (struct pt_map_key){ .hi = nth, .lo = hash_of(s) };
}

static int number_files(struct pt_traits *t, const struct pt_reader *r, const struct pt_reader *of)
{
	struct pt_map keys, paths;
	int err = 0;

	pt_map_init(&keys);
	pt_map_init(&paths);
	for (uint32_t i = 0; i < pt_reader_file_count(of) && !err; i++) {
		const struct pt_file *f = pt_reader_file(of, i);

		if (!pt_map_put(&keys, file_key(&f->key), i, NULL) ||
		    (f->path && !pt_map_put(&paths, name_key(f->path, 0), i, NULL)))
			err = -ENOMEM;
	}
	for (uint32_t i = 0; i < t->nfiles; i++) {
		const struct pt_file *f = pt_reader_file(r, i);
		const uint64_t *n = NULL;

		if (f->stands_for.ino != PT_UNKNOWN)
			n = pt_map_get(&keys, file_key(&f->stands_for));
		else if (f->path)
			n = pt_map_get(&paths, name_key(f->path, 0));
		else
			n = pt_map_get(&keys, file_key(&f->key));
		if (n && f->stands_for.ino == PT_UNKNOWN && f->path &&
		    strcmp(pt_reader_file(of, (uint32_t)*n)->path, f->path) != 0)
			n = NULL;
		t->files[i] = n ? (uint32_t)*n : PT_UNKNOWN32;
	}
	pt_map_done(&keys);
	pt_map_done(&paths);
	return err;
}

/* How many tasks of that name came before, itself counted in. */
static int count_name(struct pt_map *seen, const char *comm, uint32_t *ret_nth)
{
	uint64_t *n = pt_map_put(seen, name_key(comm, 0), 0, NULL);

	if (!n)
		return -ENOMEM;
	*n += 1;
	*ret_nth = (uint32_t)*n;
	return 0;
}

static int number_tasks(struct pt_traits *t, const struct pt_reader *r, const struct pt_reader *of)
{
	struct pt_map keys, names, seen_of, seen;
	int err = 0;

	pt_map_init(&keys);
	pt_map_init(&names);
	pt_map_init(&seen_of);
	pt_map_init(&seen);
	for (uint32_t i = 0; i < pt_reader_task_count(of) && !err; i++) {
		const struct pt_task *k = pt_reader_task(of, i);
		struct pt_map_key key = { .hi = k->key.incarnation, .lo = k->key.pid };
		uint32_t nth = 0;

		if (!pt_map_put(&keys, key, i, NULL) ||
		    (k->comm && (count_name(&seen_of, k->comm, &nth) < 0 ||
				 !pt_map_put(&names, name_key(k->comm, nth), i, NULL))))
			err = -ENOMEM;
	}
	for (uint32_t i = 0; i < t->ntasks && !err; i++) {
		const struct pt_task *k = pt_reader_task(r, i);
		struct pt_map_key key = { .hi = k->stands_for_incarnation,
					  .lo = k->stands_for_pid };
		const uint64_t *n = NULL;
		uint32_t nth = 0;

		if (k->stands_for_pid != PT_UNKNOWN32)
			n = pt_map_get(&keys, key);
		else if (k->comm && !(err = count_name(&seen, k->comm, &nth)))
			n = pt_map_get(&names, name_key(k->comm, nth));
		t->tasks[i] = n ? (uint32_t)*n : PT_UNKNOWN32;
	}
	pt_map_done(&keys);
	pt_map_done(&names);
	pt_map_done(&seen_of);
	pt_map_done(&seen);
	return err;
}

static int number(struct pt_traits *t, const struct pt_reader *r, const struct pt_reader *of)
{
	int err;

	t->nfiles = pt_reader_file_count(r);
	t->ntasks = pt_reader_task_count(r);
	t->files = calloc((size_t)t->nfiles + 1, sizeof(*t->files));
	t->tasks = calloc((size_t)t->ntasks + 1, sizeof(*t->tasks));
	if (!t->files || !t->tasks)
		return -ENOMEM;
	for (uint32_t i = 0; !of && i < t->nfiles; i++)
		t->files[i] = i;
	for (uint32_t i = 0; !of && i < t->ntasks; i++)
		t->tasks[i] = i;
	if (!of)
		return 0;
	err = number_files(t, r, of);
	return err ? err : number_tasks(t, r, of);
}

/* Tasks that do not count lose their number: A's that are no subjects, B's that stand for those. */
static void choose_subjects(struct pt_traits *t, const struct pt_reader *a)
{
	uint32_t n = pt_reader_task_count(a);

	for (uint32_t i = 0; i < n && !t->subjects; i++) {
		uint32_t flags = pt_reader_task(a, i)->flags;

		t->subjects = flags != PT_UNKNOWN32 && (flags & PT_TASK_SUBJECT);
	}
	for (uint32_t i = 0; t->subjects && i < t->ntasks; i++) {
		uint32_t flags;

		if (t->tasks[i] == PT_UNKNOWN32)
			continue;
		flags = pt_reader_task(a, t->tasks[i])->flags;
		if (flags == PT_UNKNOWN32 || !(flags & PT_TASK_SUBJECT))
			t->tasks[i] = PT_UNKNOWN32;
	}
}

/* ---- Records */

static uint32_t number_of(const uint32_t *numbers, uint32_t n, uint32_t id)
{
	return id < n ? numbers[id] : PT_UNKNOWN32;
}

static int keep_access(struct pt_traits *t, const struct pt_record *rec)
{
	struct pt_trait_access *x;
	uint32_t task = number_of(t->tasks, t->ntasks, rec->task);

	if (task == PT_UNKNOWN32)
		return 0;
	if (t->n == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 1024;

		x = reallocarray(t->accesses, cap, sizeof(*x));
		if (!x)
			return -ENOMEM;
		t->accesses = x;
		t->cap = cap;
	}
	x = &t->accesses[t->n++];
	*x = (struct pt_trait_access){
		.page = rec->page,
		.npages = rec->npages < UINT32_MAX ? (uint32_t)rec->npages : UINT32_MAX,
		.file = number_of(t->files, t->nfiles, rec->file),
		.task = task,
		.how = rec->how,
		.miss = rec->flags == PT_UNKNOWN32 ? PT_UNKNOWN8 : !!(rec->flags & PT_IO_MISS),
	};
	if (x->how == PT_HOW_WINDOW) {
		x->page &= ~UINT64_C(15);
		x->npages = 0;
	}
	return 0;
}

/* Each page of a folio, in both sets. */
static int keep_folio(struct pt_traits *t, const struct pt_record *rec, int cached, int evicted)
{
	uint32_t file = number_of(t->files, t->nfiles, rec->file);
	unsigned int order = rec->order == PT_UNKNOWN8 ? 0 : rec->order;

	if (file == PT_UNKNOWN32 || order > PT_TREE_MAX_ORDER)
		return 0;
	for (uint64_t i = 0; i < UINT64_C(1) << order; i++) {
		struct pt_map_key key = { .hi = file, .lo = rec->page + i };
		uint64_t *v = pt_map_put(&t->cached, key, 0, NULL);

		if (!v)
			return -ENOMEM;
		*v = (uint64_t)cached;
		v = evicted ? pt_map_put(&t->evicted, key, 0, NULL) : v;
		if (!v)
			return -ENOMEM;
		*v += (uint64_t)evicted;
	}
	return 0;
}

static int take(void *ctx, const struct pt_record *rec)
{
	struct pt_traits *t = ctx;
	int err = 0;

	if (rec->kind == PT_ACCESS)
		err = keep_access(t, rec);
	else if (rec->kind == PT_ADD)
		err = keep_folio(t, rec, 1, 0);
	else if (rec->kind == PT_EVICT)
		err = keep_folio(t, rec, 0, 1);
	else if (rec->kind == PT_REMOVE)
		err = keep_folio(t, rec, 0, 0);
	return err < 0 ? err : pt_refault_feed(t->refaults, rec);
}

int pt_traits_read(struct pt_traits *t, struct pt_reader *r, const struct pt_reader *of,
		   struct pt_diag *diag)
{
	int err;

	pt_map_init(&t->evicted);
	pt_map_init(&t->cached);
	err = number(t, r, of);
	if (!err)
		choose_subjects(t, of ? of : r);
	if (!err)
		err = pt_tape_refaults_new(r, &(struct pt_refault_options){ .by = PT_BY_FILE },
					   &t->refaults);
	return err < 0 ? err : pt_walk(r, take, t, &t->walk, diag);
}

void pt_traits_done(struct pt_traits *t)
{
	free(t->accesses);
	free(t->files);
	free(t->tasks);
	pt_map_done(&t->evicted);
	pt_map_done(&t->cached);
	pt_refault_free(t->refaults);
	*t = (struct pt_traits){ 0 };
}
