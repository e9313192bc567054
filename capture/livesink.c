// SPDX-License-Identifier: GPL-2.0-or-later
/* What is new goes to those who find out more about it: see livesink.h. */
#include "capture/livesink.h"

#include <errno.h>

static int intern_file(void *ctx, const struct pt_file_key *key, uint32_t *ret_id)
{
	struct pt_livesink *s = ctx;
	int r = pt_finder_note(s->finder, key, s->pid);

	return r < 0 ? r : s->to->intern_file(s->to->ctx, key, ret_id);
}

static int intern_task(void *ctx, const struct pt_task_key *key, uint32_t *ret_id)
{
	struct pt_livesink *s = ctx;

	return s->to->intern_task(s->to->ctx, key, ret_id);
}

static int intern_cgroup(void *ctx, uint64_t id, uint32_t *ret_id)
{
	struct pt_livesink *s = ctx;
	const struct pt_map_key key = { 0, id };

	if (!pt_map_put(&s->cgroups, key, 0, NULL))
		return -ENOMEM;
	return s->to->intern_cgroup(s->to->ctx, id, ret_id);
}

static int wants_cgroup(void *ctx, uint64_t id)
{
	const struct pt_livesink *s = ctx;

	return pt_map_get(&s->cgroups, (struct pt_map_key){ 0, id }) != NULL;
}

static int put_record(void *ctx, const struct pt_record *r)
{
	struct pt_livesink *s = ctx;

	return s->to->record(s->to->ctx, r);
}

static int put_file(void *ctx, const struct pt_file *def)
{
	struct pt_livesink *s = ctx;

	return s->to->define_file(s->to->ctx, def);
}

static int put_task(void *ctx, const struct pt_task *def)
{
	struct pt_livesink *s = ctx;

	return s->to->define_task(s->to->ctx, def);
}

void pt_livesink_describe_task(void *ctx, uint32_t pid, struct pt_task *def, char *comm)
{
	struct pt_livesink *s = ctx;
	uint64_t cgroup;

	pt_whoswho_task(&s->whos, pid, def, comm);
	if (s->subject && def->tgid == (uint32_t)s->subject)
		def->flags |= PT_TASK_SUBJECT;
	cgroup = pt_whoswho_cgroup(&s->whos, pid);
	if (cgroup != PT_UNKNOWN)
		(void)intern_cgroup(s, cgroup, &def->cgroup);
}

int pt_livesink_init(struct pt_livesink *s, const struct pt_sink *to, pid_t subject)
{
	s->to = to;
	s->subject = subject;
	s->sink = (struct pt_sink){ .ctx = s,
				    .intern_file = intern_file,
				    .intern_task = intern_task,
				    .intern_cgroup = intern_cgroup,
				    .record = put_record,
				    .define_file = put_file,
				    .define_task = put_task };
	pt_map_init(&s->cgroups);
	pt_whoswho_init(&s->whos, "");
	s->finder = pt_finder_new();
	return s->finder ? 0 : -ENOMEM;
}

int pt_livesink_finish(struct pt_livesink *s)
{
	int r = pt_finder_finish(s->finder, s->to);

	return r < 0 ? r : pt_whoswho_define(&s->whos, s->to, wants_cgroup, s);
}

void pt_livesink_done(struct pt_livesink *s)
{
	pt_finder_free(s->finder);
	pt_whoswho_done(&s->whos);
	pt_map_done(&s->cgroups);
}
