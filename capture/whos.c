// SPDX-License-Identifier: GPL-2.0-or-later
/* Who acts: tasks as they appear, fork, rename themselves, move between cgroups and end. */
#include <stdio.h>
#include <string.h>

#include "capture/state.h"

static void set_comm(struct pt_seen_task *task, const char *comm)
{
	snprintf(task->comm, sizeof(task->comm), "%s", comm);
	if (strncmp(task->comm, "kswapd", 6) == 0)
		task->flags |= PT_TASK_KSWAPD;
}

static void keep(struct pt_interpreter *in, int r)
{
	if (r < 0 && !in->error)
		in->error = r;
}

/* Ask the source what else it knows. */
static void describe(struct pt_interpreter *in, struct pt_seen_task *task)
{
	struct pt_task def = { .key = task->key,
			       .tgid = task->tgid,
			       .parent_pid = task->parent,
			       .cgroup = PT_UNKNOWN32,
			       .flags = task->flags };
	char comm[sizeof(task->comm)] = "";

	if (in->opt.describe_task)
		in->opt.describe_task(in->opt.ctx, task->key.pid, &def, comm);
	task->tgid = def.tgid;
	task->parent = def.parent_pid;
	task->cgroup = def.cgroup;
	task->flags |= def.flags;
	if (comm[0])
		set_comm(task, comm);
	if (in->opt.subject_pid && task->key.pid == in->opt.subject_pid)
		task->flags |= PT_TASK_SUBJECT;
}

static struct pt_seen_task *meet(struct pt_interpreter *in, uint32_t pid)
{
	struct pt_seen_task *task;
	int is_new;

	task = pt_tasks_get(&in->tasks, pid, &is_new, &in->error);
	if (!task || !is_new)
		return task;
	describe(in, task);
	keep(in, pt_tasks_define(&in->tasks, task));
	return task;
}

struct pt_seen_task *pt_who_did(struct pt_interpreter *in, const struct pt_kevent *ev)
{
	struct pt_seen_task *task = meet(in, ev->pid);

	if (!task)
		return NULL;
	task->cpu = ev->cpu;
	if (ev->type == PT_KEV_KSWAPD && !(task->flags & PT_TASK_KSWAPD)) {
		task->flags |= PT_TASK_KSWAPD;
		keep(in, pt_tasks_define(&in->tasks, task));
	}
	return task;
}

static void end(struct pt_interpreter *in, struct pt_seen_task *task)
{
	struct pt_record rec = pt_record_now(in, PT_EXIT, task, PT_NO_FILE);

	pt_calls_close(in, task);
	pt_faults_close(in, task);
	pt_reclaim_end_run(in, task);
	pt_pending_push(&in->pending, &rec, 0);
	pt_tasks_forget(&in->tasks, task->key.pid);
}

static void fork_child(struct pt_interpreter *in, const struct pt_seen_task *parent,
		       const struct pt_kevent *ev)
{
	struct pt_seen_task *child;
	uint32_t inherited = parent->flags & PT_TASK_SUBJECT;

	if ((uint32_t)ev->value[0] == parent->key.pid)
		return; /* nobody is his own child: a damaged recording */
	pt_tasks_forget(&in->tasks, (uint32_t)ev->value[0]);
	/* Most children never touch a file's page: only a subject's are entered here. */
	if (!inherited)
		return;
	child = meet(in, (uint32_t)ev->value[0]);
	if (!child)
		return;
	child->parent = parent->key.pid;
	child->cgroup = parent->cgroup;
	child->flags |= inherited;
	if (ev->text)
		set_comm(child, ev->text);
	keep(in, pt_tasks_define(&in->tasks, child));
}

static void attach(struct pt_interpreter *in, struct pt_seen_task *task, const struct pt_kevent *ev)
{
	struct pt_record rec = pt_record_now(in, PT_ATTACH, task, PT_NO_FILE);

	keep(in, in->sink->intern_cgroup(in->sink->ctx, ev->value[1], &rec.cgroup));
	pt_pending_push(&in->pending, &rec, 0);
}

void pt_who_lives(struct pt_interpreter *in, struct pt_seen_task *task, const struct pt_kevent *ev)
{
	struct pt_seen_task *about;

	if (ev->type == PT_KEV_FORK) {
		fork_child(in, task, ev);
		return;
	}
	about = pt_tasks_find(&in->tasks, (uint32_t)ev->value[0]);
	if (!about)
		return;
	if (ev->type == PT_KEV_EXIT) {
		end(in, about);
	} else if (ev->type == PT_KEV_ATTACH) {
		attach(in, about, ev);
	} else if (ev->text) {
		set_comm(about, ev->text);
		keep(in, pt_tasks_define(&in->tasks, about));
	}
}
