// SPDX-License-Identifier: GPL-2.0-or-later
/* From a reader to a sink: see copy.h. */
#include "formats/copy.h"

#include <errno.h>
#include <stdlib.h>

void pt_copy_done(struct pt_copy *c)
{
	free(c->files.ids);
	free(c->tasks.ids);
	free(c->cgroups.ids);
	c->files = c->tasks = c->cgroups = (struct pt_copy_ids){ 0 };
}

/* The place of the reader's id @id. NULL: no memory. */
static uint32_t *slot(struct pt_copy_ids *m, uint32_t id)
{
	if (id >= m->n) {
		uint32_t n = id + id / 2 + 64;
		uint32_t *ids = reallocarray(m->ids, n, sizeof(*ids));

		if (!ids)
			return NULL;
		for (uint32_t i = m->n; i < n; i++)
			ids[i] = 0;
		m->ids = ids;
		m->n = n;
	}
	return &m->ids[id];
}

enum sort { SORT_FILE, SORT_TASK, SORT_CGROUP };

static int intern(const struct pt_copy *c, enum sort sort, uint32_t id, uint32_t *ret_id)
{
	const struct pt_sink *s = c->sink;

	switch (sort) {
	case SORT_FILE:
		return s->intern_file(s->ctx, &pt_reader_file(c->reader, id)->key, ret_id);
	case SORT_TASK:
		return s->intern_task(s->ctx, &pt_reader_task(c->reader, id)->key, ret_id);
	default:
		return s->intern_cgroup(s->ctx, pt_reader_cgroup(c->reader, id)->id, ret_id);
	}
}

/* Change *@id from the reader's to the sink's. */
static int translate(const struct pt_copy *c, enum sort sort, struct pt_copy_ids *m, uint32_t *id)
{
	uint32_t *at, theirs;
	int r;

	if (*id == PT_UNKNOWN32)
		return 0;
	at = slot(m, *id);
	if (!at)
		return -ENOMEM;
	if (!*at) {
		r = intern(c, sort, *id, &theirs);
		if (r < 0)
			return r;
		*at = theirs + 1;
	}
	*id = *at - 1;
	return 0;
}

static int copy_files(const struct pt_copy *c)
{
	int r = 0;

	for (uint32_t i = 0; i < pt_reader_file_count(c->reader) && r == 0; i++)
		r = c->sink->define_file(c->sink->ctx, pt_reader_file(c->reader, i));
	return r;
}

static int copy_cgroups(const struct pt_copy *c)
{
	int r = 0;

	for (uint32_t i = 0; i < pt_reader_cgroup_count(c->reader) && r == 0; i++)
		r = c->sink->define_cgroup(c->sink->ctx, pt_reader_cgroup(c->reader, i));
	return r;
}

static int copy_tasks(struct pt_copy *c)
{
	int r = 0;

	for (uint32_t i = 0; i < pt_reader_task_count(c->reader) && r == 0; i++) {
		struct pt_task def = *pt_reader_task(c->reader, i);

		r = translate(c, SORT_CGROUP, &c->cgroups, &def.cgroup);
		if (r == 0)
			r = c->sink->define_task(c->sink->ctx, &def);
	}
	return r;
}

static int copy_opens(struct pt_copy *c)
{
	const struct pt_openfile *open;
	int r = 0;

	for (uint32_t i = 0; (open = pt_reader_openfile(c->reader, i)) && r == 0; i++) {
		struct pt_openfile def = *open;

		r = translate(c, SORT_FILE, &c->files, &def.file);
		if (r == 0)
			r = c->sink->define_open(c->sink->ctx, &def);
	}
	return r;
}

static int copy_places(const struct pt_copy *c)
{
	const struct pt_device *device;
	const struct pt_mount *mount;
	int r = 0;

	for (uint32_t i = 0; (mount = pt_reader_mount(c->reader, i)) && r == 0; i++)
		r = c->sink->define_mount(c->sink->ctx, mount);
	for (uint32_t i = 0; (device = pt_reader_device(c->reader, i)) && r == 0; i++)
		r = c->sink->define_device(c->sink->ctx, device);
	return r;
}

int pt_copy_definitions(struct pt_copy *c)
{
	const struct pt_sink *s = c->sink;
	int r = s->define_file ? copy_files(c) : 0;

	if (r == 0 && s->define_cgroup)
		r = copy_cgroups(c);
	if (r == 0 && s->define_task)
		r = copy_tasks(c);
	if (r == 0 && s->define_open)
		r = copy_opens(c);
	if (r == 0 && s->define_mount && s->define_device)
		r = copy_places(c);
	return r;
}

int pt_copy_record(struct pt_copy *c, const struct pt_record *rec)
{
	struct pt_record copy = *rec;
	int r = translate(c, SORT_FILE, &c->files, &copy.file);

	if (r == 0)
		r = translate(c, SORT_TASK, &c->tasks, &copy.task);
	if (r == 0)
		r = translate(c, SORT_CGROUP, &c->cgroups, &copy.cgroup);
	if (r == 0)
		r = translate(c, SORT_CGROUP, &c->cgroups, &copy.target);
	return r < 0 ? r : c->sink->record(c->sink->ctx, &copy);
}
