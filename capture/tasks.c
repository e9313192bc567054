// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks by pid: see tasks.h. */
#include "capture/tasks.h"

#include <errno.h>
#include <stdlib.h>

#include "capture/files.h"

static struct pt_map_key key_of(uint32_t pid)
{
	return (struct pt_map_key){ 0, pid };
}

/* pt_map values are 64-bit numbers: the task's address is one. */
static struct pt_seen_task *task_of(uint64_t value)
{
	return (struct pt_seen_task *)(uintptr_t)value;
}

void pt_tasks_init(struct pt_tasks *t, const struct pt_sink *sink)
{
	*t = (struct pt_tasks){ .sink = sink };
	pt_map_init(&t->by_pid);
	pt_map_init(&t->next_lives);
}

void pt_tasks_done(struct pt_tasks *t)
{
	struct pt_map_slot *slot;
	size_t pos = 0;

	while (pt_map_next(&t->by_pid, &pos, &slot))
		free(task_of(slot->value));
	pt_map_done(&t->by_pid);
	pt_map_done(&t->next_lives);
}

void pt_task_reset(struct pt_seen_task *task)
{
	task->reclaim_depth = task->slab_depth = 0;
	task->call = (struct pt_call){ .seq = PT_NO_SEQ, .file = PT_NO_FILE };
	task->window = (struct pt_window){ .file = PT_NO_FILE };
	task->fault = (struct pt_fault){ .seq = PT_NO_SEQ, .file = PT_NO_FILE };
	task->run = (struct pt_run){ .newest = PT_NO_SEQ };
	task->adds = PT_NO_SEQ;
	task->mark_file = task->found_file = task->write_file = task->wrote_file = PT_NO_FILE;
	task->invalidated_file = task->last_file = PT_NO_FILE;
}

static struct pt_seen_task *new_task(struct pt_tasks *t, uint32_t pid, int *ret_error)
{
	const uint64_t *life = pt_map_get(&t->next_lives, key_of(pid));
	struct pt_seen_task *task = calloc(1, sizeof(*task));

	if (!task) {
		*ret_error = -ENOMEM;
		return NULL;
	}
	task->key = (struct pt_task_key){ .pid = pid, .incarnation = life ? (uint32_t)*life : 0 };
	task->tgid = task->parent = task->cgroup = PT_UNKNOWN32;
	pt_task_reset(task);
	*ret_error = t->sink->intern_task(t->sink->ctx, &task->key, &task->id);
	if (*ret_error < 0) {
		free(task);
		return NULL;
	}
	return task;
}

struct pt_seen_task *pt_tasks_get(struct pt_tasks *t, uint32_t pid, int *ret_new, int *ret_error)
{
	struct pt_seen_task *task = pt_tasks_find(t, pid);

	*ret_new = !task;
	if (task)
		return task;
	task = new_task(t, pid, ret_error);
	if (!task)
		return NULL;
	if (!pt_map_put(&t->by_pid, key_of(pid), (uintptr_t)task, NULL)) {
		free(task);
		*ret_error = -ENOMEM;
		return NULL;
	}
	return task;
}

struct pt_seen_task *pt_tasks_find(const struct pt_tasks *t, uint32_t pid)
{
	const uint64_t *value = pt_map_get(&t->by_pid, key_of(pid));

	return value ? task_of(*value) : NULL;
}

void pt_tasks_forget(struct pt_tasks *t, uint32_t pid)
{
	struct pt_seen_task *task = pt_tasks_find(t, pid);
	uint64_t *life;

	if (!task)
		return;
	/* Out of memory here only means that two lives of a pid look like one. */
	life = pt_map_put(&t->next_lives, key_of(pid), 0, NULL);
	if (life)
		*life = task->key.incarnation + 1;
	pt_map_del(&t->by_pid, key_of(pid));
	free(task);
}

int pt_tasks_define(struct pt_tasks *t, const struct pt_seen_task *task)
{
	const struct pt_task def = {
		.key = task->key,
		.tgid = task->tgid,
		.parent_pid = task->parent,
		.cgroup = task->cgroup,
		.flags = task->flags,
		.comm = task->comm[0] ? task->comm : NULL,
		.stands_for_pid = PT_UNKNOWN32,
		.stands_for_incarnation = PT_UNKNOWN32,
	};

	return t->sink->define_task ? t->sink->define_task(t->sink->ctx, &def) : 0;
}
