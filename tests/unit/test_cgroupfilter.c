// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/cgroupfilter: whose a record is, by task, by owner, by who added the page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/cgroupfilter.h"
#include "formats/writer.h"
#include "tests/unit/tree.h"

/* Two tasks, each in a cgroup of its own, of which the first is chosen. */
struct fixture {
	char *root, *path;
	struct pt_reader *reader;
	struct pt_cgroupfilter *filter;
};

static void define(const struct pt_sink *sink, uint32_t i)
{
	struct pt_cgroup c = { .id = 100 + i,
			       .parent = PT_UNKNOWN,
			       .max_bytes = PT_UNKNOWN,
			       .high_bytes = PT_UNKNOWN,
			       .low_bytes = PT_UNKNOWN,
			       .min_bytes = PT_UNKNOWN,
			       .version = 2,
			       .path = i ? "/other" : "/chosen" };
	struct pt_task t = { .key = { .pid = 10 + i },
			     .tgid = 10 + i,
			     .parent_pid = PT_UNKNOWN32,
			     .stands_for_pid = PT_UNKNOWN32,
			     .stands_for_incarnation = PT_UNKNOWN32 };
	struct pt_record rec = PT_RECORD_INIT(PT_ATTACH);

	assert_int_equal(sink->intern_cgroup(sink->ctx, c.id, &t.cgroup), 0);
	assert_int_equal(sink->define_cgroup(sink->ctx, &c), 0);
	assert_int_equal(sink->intern_task(sink->ctx, &t.key, &rec.task), 0);
	assert_int_equal(sink->define_task(sink->ctx, &t), 0);
	rec.ts_ns = 1000 + i;
	rec.cgroup = t.cgroup;
	assert_int_equal(sink->record(sink->ctx, &rec), 0);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct pt_diag diag = PT_DIAG_INIT;
	uint8_t chosen[2] = { 0 };
	struct pt_writer *w;
	struct pt_head head;

	f->root = tree_new();
	f->path = tree_path(f->root, "t.ptape");
	assert_int_equal(pt_head_init(&head, 4096, "mono"), 0);
	assert_int_equal(pt_writer_new(f->path, &head, NULL, &w, &diag), 0);
	pt_head_done(&head);
	for (uint32_t i = 0; i < 2; i++)
		define(pt_writer_sink(w), i);
	assert_int_equal(pt_writer_finish(w, NULL, 1), 0);
	pt_writer_free(w);
	assert_int_equal(pt_reader_open(f->path, NULL, &f->reader, &diag), 0);
	assert_int_equal(pt_reader_cgroup_count(f->reader), 2);
	for (uint32_t i = 0; i < 2; i++)
		chosen[i] = pt_reader_cgroup(f->reader, i)->id == 100;
	f->filter = pt_cgroupfilter_new(f->reader, chosen);
	assert_non_null(f->filter);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	pt_cgroupfilter_free(f->filter);
	pt_reader_close(f->reader);
	free(f->path);
	tree_remove(f->root);
	free(f);
	return 0;
}

/* The reader's id of task or cgroup @i of the fixture. */
static uint32_t task_of(const struct fixture *f, uint32_t i)
{
	return pt_reader_task(f->reader, 0)->key.pid == 10 + i ? 0 : 1;
}

static uint32_t cgroup_of(const struct fixture *f, uint32_t i)
{
	return pt_reader_cgroup(f->reader, 0)->id == 100 + i ? 0 : 1;
}

static int has(const struct fixture *f, uint8_t kind, uint32_t task, uint32_t owner, uint64_t page,
	       uint8_t order)
{
	struct pt_record rec = PT_RECORD_INIT(kind);

	rec.task = task;
	rec.cgroup = owner;
	rec.file = 0;
	rec.page = page;
	rec.order = order;
	return pt_cgroupfilter_has(f->filter, &rec);
}

static void test_tasks(void **state)
{
	const struct fixture *f = *state;
	uint32_t ours = task_of(f, 0), theirs = task_of(f, 1);

	assert_int_equal(has(f, PT_ACCESS, ours, PT_UNKNOWN32, 0, 0), 1);
	assert_int_equal(has(f, PT_WRITE, theirs, PT_UNKNOWN32, 0, 0), 0);
	assert_int_equal(has(f, PT_ACCESS, PT_UNKNOWN32, PT_UNKNOWN32, 0, 0), 0);
	assert_int_equal(has(f, PT_ACCESS, 2, PT_UNKNOWN32, 0, 0), 0);
	assert_int_equal(has(f, PT_GAP, PT_UNKNOWN32, PT_UNKNOWN32, 0, 0), 1);
	/* They change places. */
	assert_int_equal(has(f, PT_ATTACH, ours, cgroup_of(f, 1), 0, 0), 1);
	assert_int_equal(has(f, PT_ATTACH, theirs, cgroup_of(f, 0), 0, 0), 1);
	assert_int_equal(has(f, PT_ACCESS, ours, PT_UNKNOWN32, 0, 0), 0);
	assert_int_equal(has(f, PT_ACCESS, theirs, PT_UNKNOWN32, 0, 0), 1);
}

static void test_owners(void **state)
{
	const struct fixture *f = *state;
	uint32_t ours = task_of(f, 0), theirs = task_of(f, 1);

	/* A known owner counts, whoever acts. */
	assert_int_equal(has(f, PT_ADD, theirs, cgroup_of(f, 0), 5, 0), 1);
	assert_int_equal(has(f, PT_EVICT, ours, cgroup_of(f, 1), 5, 0), 0);
	/* Else a page is his who added it. */
	assert_int_equal(has(f, PT_ADD, ours, PT_UNKNOWN32, 18, 2), 1); /* pages 16 to 19 */
	assert_int_equal(has(f, PT_ADD, theirs, PT_UNKNOWN32, 20, 0), 0);
	assert_int_equal(has(f, PT_EVICT, theirs, PT_UNKNOWN32, 16, 2), 1);
	assert_int_equal(has(f, PT_REMOVE, theirs, PT_UNKNOWN32, 19, 0), 1); /* it was split */
	assert_int_equal(has(f, PT_EVICT, ours, PT_UNKNOWN32, 20, 0), 0);
	assert_int_equal(has(f, PT_EVICT, ours, PT_UNKNOWN32, 4000, 0), 0); /* never added */
	assert_int_equal(has(f, PT_ADD, theirs, PT_UNKNOWN32, 16, 0), 0);
	assert_int_equal(has(f, PT_EVICT, ours, PT_UNKNOWN32, 16, 0), 0);
	/* What no folio can be belongs to nobody. */
	assert_int_equal(has(f, PT_ADD, ours, PT_UNKNOWN32, UINT64_MAX, 0), 0);
	assert_int_equal(has(f, PT_ADD, ours, PT_UNKNOWN32, 0, 200), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_tasks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_owners, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
