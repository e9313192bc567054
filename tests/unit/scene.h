/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small tape written record by record, and then its plan: for the tests of replay/. */
#ifndef PT_TESTS_UNIT_SCENE_H
#define PT_TESTS_UNIT_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/writer.h"
#include "replay/plan.h"
#include "tests/unit/tree.h"

#define SCENE_PAGE 4096
#define SCENE_DEV  ((8u << 20) | 1)

/* A tape being written, and then its plan. */
struct scene {
	char *root, *path;
	struct pt_writer *w;
	const struct pt_sink *sink;
	uint64_t now_ns;
	struct pt_plan *plan;
};

static inline int scene_setup(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_head head;

	s->root = tree_new();
	s->path = tree_path(s->root, "t.ptape");
	assert_int_equal(pt_head_init(&head, SCENE_PAGE, "mono"), 0);
	assert_int_equal(pt_writer_new(s->path, &head, NULL, &s->w, &diag), 0);
	pt_head_done(&head);
	s->sink = pt_writer_sink(s->w);
	s->now_ns = 1000;
	*state = s;
	return 0;
}

static inline int scene_teardown(void **state)
{
	struct scene *s = *state;

	pt_plan_close(s->plan);
	pt_writer_free(s->w);
	free(s->path);
	tree_remove(s->root);
	free(s);
	return 0;
}

static inline uint32_t scene_file(struct scene *s, uint64_t ino, uint64_t size)
{
	struct pt_file def = { .key = { .ino = ino, .dev = SCENE_DEV },
			       .size = size,
			       .blocks_512 = PT_UNKNOWN,
			       .type = PT_FILE_REGULAR,
			       .mount = PT_UNKNOWN32,
			       .stands_for = { .ino = PT_UNKNOWN } };
	uint32_t id;

	assert_int_equal(s->sink->intern_file(s->sink->ctx, &def.key, &id), 0);
	assert_int_equal(s->sink->define_file(s->sink->ctx, &def), 0);
	return id;
}

static inline uint32_t scene_task(struct scene *s, uint32_t pid, uint32_t flags, uint32_t cgroup)
{
	struct pt_task def = { .key = { .pid = pid },
			       .tgid = pid,
			       .parent_pid = PT_UNKNOWN32,
			       .cgroup = cgroup,
			       .flags = flags,
			       .stands_for_pid = PT_UNKNOWN32,
			       .stands_for_incarnation = PT_UNKNOWN32 };
	uint32_t id;

	assert_int_equal(s->sink->intern_task(s->sink->ctx, &def.key, &id), 0);
	assert_int_equal(s->sink->define_task(s->sink->ctx, &def), 0);
	return id;
}

static inline uint32_t scene_cgroup(struct scene *s, uint64_t id, const char *path)
{
	struct pt_cgroup def = { .id = id,
				 .parent = PT_UNKNOWN,
				 .max_bytes = PT_UNKNOWN,
				 .high_bytes = PT_UNKNOWN,
				 .low_bytes = PT_UNKNOWN,
				 .min_bytes = PT_UNKNOWN,
				 .version = 1,
				 .path = path };
	uint32_t i;

	assert_int_equal(s->sink->intern_cgroup(s->sink->ctx, id, &i), 0);
	assert_int_equal(s->sink->define_cgroup(s->sink->ctx, &def), 0);
	return i;
}

static inline struct pt_record scene_record(struct scene *s, uint8_t kind, uint32_t t, uint32_t f)
{
	struct pt_record r = PT_RECORD_INIT(kind);

	r.ts_ns = s->now_ns += 10;
	r.task = t;
	r.file = f;
	return r;
}

static inline void scene_put(struct scene *s, const struct pt_record *r)
{
	assert_int_equal(s->sink->record(s->sink->ctx, r), 0);
}

static inline void scene_access_pages(struct scene *s, uint32_t t, uint32_t f, uint8_t how,
				      uint64_t page, uint64_t npages)
{
	struct pt_record r = scene_record(s, PT_ACCESS, t, f);

	r.how = how;
	r.page = page;
	r.npages = npages;
	scene_put(s, &r);
}

static inline int scene_open_plan(struct scene *s, const char *in_cgroup, uint32_t threads,
				  uint32_t handles, struct pt_diag *diag)
{
	const struct pt_plan_options opt = { in_cgroup, threads, handles };

	if (s->w) {
		assert_int_equal(pt_writer_finish(s->w, NULL, 1), 0);
		pt_writer_free(s->w);
		s->w = NULL;
	}
	return pt_plan_open(s->path, &opt, &s->plan, diag);
}

#endif
