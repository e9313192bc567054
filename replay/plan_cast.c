// SPDX-License-Identifier: GPL-2.0-or-later
/* Who plays: tasks and their threads, open files and their handles. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/plan_state.h"

#define KEY_KIND(k) ((uint64_t)(k) << 56)

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

void pt_plan_choose_tasks(struct pt_plan *p)
{
	int subjects = 0;

	for (uint32_t i = 0; i < p->n_tasks; i++)
		subjects |= has_flag(pt_reader_task(p->reader, i), PT_TASK_SUBJECT);
	for (uint32_t i = 0; i < p->n_tasks; i++) {
		const struct pt_task *t = pt_reader_task(p->reader, i);

		p->tasks[i].chosen = subjects ? has_flag(t, PT_TASK_SUBJECT)
					      : !has_flag(t, PT_TASK_KTHREAD | PT_TASK_KSWAPD);
		p->tasks[i].thread = PT_PLAN_NO_THREAD;
	}
}

struct plan_task *pt_plan_played_task(struct pt_plan *p, uint32_t id)
{
	struct plan_task *t = id < p->n_tasks ? &p->tasks[id] : NULL;

	if (!t || !t->chosen || (p->opt.cgroup && !in_cgroup(p, t->cgroup)))
		return NULL;
	return t;
}

/* Threads are given out in order of appearance, then shared in turn. */
void pt_plan_give_thread(struct pt_plan *p, struct plan_task *t)
{
	struct plan_thread *th;

	if (t->thread != PT_PLAN_NO_THREAD)
		return;
	t->thread = p->stats.tasks++ % p->opt.max_threads;
	th = &p->threads[t->thread];
	if (th->tasks++ == 0)
		th->task = (uint32_t)(t - p->tasks);
	if (t->thread >= p->n_threads)
		p->n_threads = t->thread + 1;
}

/* ---- Handles */

uint32_t pt_plan_resolve(const struct pt_plan *p, uint32_t open)
{
	const uint64_t *alias = pt_map_get(&p->alias_of, (struct pt_map_key){ 0, open });

	return alias ? (uint32_t)*alias : open;
}

static struct pt_map_key handle_key(const struct pt_plan *p, const struct pt_record *rec,
				    enum pt_handle_kind kind)
{
	if (kind == PT_HANDLE_MAP) /* page tables are a task's own */
		return (struct pt_map_key){ PT_PLAN_KEY_TASK | KEY_KIND(kind) | rec->task,
					    rec->file };
	if (p->stats.shared_handles)
		return (struct pt_map_key){ PT_PLAN_KEY_FILE | KEY_KIND(kind), rec->file };
	if (rec->open != PT_UNKNOWN32)
		return (struct pt_map_key){ PT_PLAN_KEY_OPEN | KEY_KIND(kind),
					    pt_plan_resolve(p, rec->open) };
	return (struct pt_map_key){ PT_PLAN_KEY_TASK | KEY_KIND(kind) | rec->task, rec->file };
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
int pt_plan_find_handle(struct pt_plan *p, const struct pt_record *rec, uint32_t thread,
			enum pt_handle_kind kind, uint32_t *ret_i)
{
	struct pt_plan_handle fresh = {
		.file = rec->file, .task = rec->task, .kind = kind, .thread = thread, .refs = 1
	};
	struct pt_map_key key = handle_key(p, rec, kind);
	uint64_t *slot = pt_map_get(&p->handle_of, key);

	if (!slot && !p->surveying)
		return -EBADMSG; /* the players' tables have no more room: the tape has changed */
	if (!slot) {
		slot = pt_map_put(&p->handle_of, key, p->n_handles, NULL);
		if (!slot || new_handle(p, &fresh) < 0)
			return -ENOMEM;
	}
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

/* "libc.so", "libc.so.6" */
static int is_library_name(const char *path)
{
	const char *name = strrchr(path, '/');
	const char *so = strstr(name ? name : path, ".so");

	return so && (so[3] == '\0' || so[3] == '.');
}

int pt_plan_is_code(const struct pt_file *def)
{
	return def->build_id || (def->path && is_library_name(def->path));
}

struct plan_file *pt_plan_playable_file(struct pt_plan *p, uint32_t id)
{
	return id < p->n_files && p->files[id].playable ? &p->files[id] : NULL;
}
