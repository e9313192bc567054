// SPDX-License-Identifier: GPL-2.0-or-later
/* Which operations come of which records: tasks, ranges, handles, what is left out and counted. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "tests/unit/scene.h"

#define PAGE SCENE_PAGE

static void plan(struct scene *s)
{
	struct pt_diag diag = PT_DIAG_INIT;

	assert_int_equal(scene_open_plan(s, NULL, 16, 64, &diag), 0);
	assert_int_equal(pt_plan_rewind(s->plan), 0);
}

static struct pt_op next(struct scene *s, uint8_t kind)
{
	struct pt_op op = { 0 };

	assert_int_equal(pt_plan_next(s->plan, &op), 1);
	assert_string_equal(pt_op_name(op.kind), pt_op_name(kind));
	return op;
}

static void end(struct scene *s)
{
	struct pt_op op;

	assert_int_equal(pt_plan_next(s->plan, &op), 0);
}

static void reads_are_bytes_where_known_else_pages(void **state)
{
	struct scene *s = *state;
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32), f = scene_file(s, 5, 1 << 20);
	struct pt_record r = scene_record(s, PT_ACCESS, t, f);
	struct pt_op op;

	r.how = PT_HOW_READ;
	r.page = 1;
	r.npages = 2;
	r.off_bytes = 5000;
	r.len_bytes = 6000;
	scene_put(s, &r);
	scene_access_pages(s, t, f, PT_HOW_READ, 3, 4);
	plan(s);
	op = next(s, PT_OP_READ);
	assert_int_equal(op.off, 5000);
	assert_int_equal(op.len, 6000);
	assert_int_equal(op.seq, 0);
	assert_int_equal(op.due_ns, 0);
	op = next(s, PT_OP_READ);
	assert_int_equal(op.off, 3 * PAGE);
	assert_int_equal(op.len, 4 * PAGE);
	assert_int_equal(op.seq, 1);
	assert_int_equal(op.due_ns, 10);
	end(s);
}

static void a_handle_is_an_open_file_or_a_task_and_file(void **state)
{
	struct scene *s = *state;
	uint32_t a = scene_task(s, 1, 0, PT_UNKNOWN32), b = scene_task(s, 2, 0, PT_UNKNOWN32);
	uint32_t f = scene_file(s, 5, 1 << 20);
	struct pt_record r;
	uint32_t guessed, other, known;

	scene_access_pages(s, a, f, PT_HOW_READ, 0, 1);
	scene_access_pages(s, b, f, PT_HOW_READ, 0, 1);
	scene_access_pages(s, a, f, PT_HOW_READ, 1, 1);
	for (int i = 0; i < 2; i++) {
		r = scene_record(s, PT_ACCESS, i ? b : a, f);
		r.how = PT_HOW_READ;
		r.page = 2;
		r.npages = 1;
		r.open = 77;
		scene_put(s, &r);
	}
	plan(s);
	guessed = next(s, PT_OP_READ).handle;
	other = next(s, PT_OP_READ).handle;
	assert_int_not_equal(guessed, other);
	assert_int_equal(next(s, PT_OP_READ).handle, guessed);
	known = next(s, PT_OP_READ).handle;
	assert_int_not_equal(known, guessed);
	assert_int_equal(next(s, PT_OP_READ).handle, known);
	assert_true(pt_plan_handle(s->plan, known)->shared);
	assert_false(pt_plan_handle(s->plan, guessed)->shared);
	assert_true(pt_plan_stats(s->plan)->guessed_opens);
}

static void subjects_alone_are_played_where_marked(void **state)
{
	struct scene *s = *state;
	uint32_t f = scene_file(s, 5, 1 << 20);
	uint32_t other = scene_task(s, 1, 0, PT_UNKNOWN32);
	uint32_t subject = scene_task(s, 2, PT_TASK_SUBJECT, PT_UNKNOWN32);

	scene_access_pages(s, other, f, PT_HOW_READ, 0, 1);
	scene_access_pages(s, subject, f, PT_HOW_READ, 1, 1);
	scene_access_pages(s, PT_UNKNOWN32, f, PT_HOW_READ, 2, 1);
	plan(s);
	assert_int_equal(next(s, PT_OP_READ).off, PAGE);
	end(s);
	assert_int_equal(pt_plan_stats(s->plan)->other_tasks, 2);
	assert_int_equal(pt_plan_stats(s->plan)->tasks, 1);
}

static void kernel_threads_are_not_played(void **state)
{
	struct scene *s = *state;
	uint32_t f = scene_file(s, 5, 1 << 20);

	scene_access_pages(s, scene_task(s, 1, PT_TASK_KTHREAD, PT_UNKNOWN32), f, PT_HOW_READ, 0,
			   1);
	scene_access_pages(s, scene_task(s, 2, PT_UNKNOWN32, PT_UNKNOWN32), f, PT_HOW_READ, 1, 1);
	plan(s);
	assert_int_equal(next(s, PT_OP_READ).off, PAGE);
	end(s);
}

static void a_cgroup_selects_tasks_while_they_are_in_it(void **state)
{
	struct scene *s = *state;
	uint32_t f = scene_file(s, 5, 1 << 20);
	uint32_t in = scene_cgroup(s, 100, "/jobs/a/sub"), out = scene_cgroup(s, 101, "/jobs/ab");
	uint32_t t = scene_task(s, 1, 0, out);
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_record r;

	scene_access_pages(s, t, f, PT_HOW_READ, 0, 1);
	r = scene_record(s, PT_ATTACH, t, PT_UNKNOWN32);
	r.cgroup = in;
	scene_put(s, &r);
	scene_access_pages(s, t, f, PT_HOW_READ, 1, 1);
	assert_int_equal(scene_open_plan(s, "/jobs/a", 4, 4, &diag), 0);
	assert_int_equal(pt_plan_rewind(s->plan), 0);
	assert_int_equal(next(s, PT_OP_READ).off, PAGE);
	end(s);
}

static void what_cannot_be_played_is_counted(void **state)
{
	struct scene *s = *state;
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32), f = scene_file(s, 5, 10 * PAGE);
	struct pt_record r = scene_record(s, PT_ACCESS, t, f);
	const struct pt_plan_stats *st;

	r.how = PT_HOW_READ;
	r.page = r.npages = 1;
	r.flags = PT_IO_METADATA;
	scene_put(s, &r);
	r.flags = 0;
	r.page = UINT64_MAX / 2;
	scene_put(s, &r);
	scene_access_pages(s, t, PT_UNKNOWN32, PT_HOW_READ, 0, 1);
	scene_access_pages(s, t, f, PT_HOW_FAULT, 10, 1);
	r = scene_record(s, PT_ADVISE, t, f);
	r.how = PT_ADVISE_MADVISE;
	r.value[0] = MADV_HWPOISON;
	scene_put(s, &r);
	r.value[0] = MADV_REMOVE;
	scene_put(s, &r);
	r = scene_record(s, PT_ADD, t, f);
	r.page = 3;
	scene_put(s, &r);
	scene_access_pages(s, t, f, PT_HOW_READ, 0, 1);
	plan(s);
	(void)next(s, PT_OP_READ);
	end(s);
	st = pt_plan_stats(s->plan);
	assert_int_equal(st->skipped[PT_SKIP_METADATA], 1);
	assert_int_equal(st->skipped[PT_SKIP_NO_RANGE], 1);
	assert_int_equal(st->skipped[PT_SKIP_NO_FILE], 1);
	assert_int_equal(st->skipped[PT_SKIP_BEYOND_EOF], 1);
	assert_int_equal(st->skipped[PT_SKIP_ADVICE], 2);
}

/* As recorded before 6.12: the writes are known, but without the reads they are no replay. */
static void a_tape_that_does_not_know_accesses_is_refused(void **state)
{
	struct scene *s = *state;
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_head head;
	struct pt_record r;
	uint32_t t, f;

	assert_int_equal(pt_head_init(&head, PAGE, "mono"), 0);
	assert_int_equal(pt_head_set_known(&head, "accesses", PT_KNOWN_UNAVAILABLE), 0);
	pt_writer_free(s->w);
	assert_int_equal(pt_writer_new(s->path, &head, NULL, &s->w, &diag), 0);
	pt_head_done(&head);
	s->sink = pt_writer_sink(s->w);
	t = scene_task(s, 1, 0, PT_UNKNOWN32);
	f = scene_file(s, 5, PAGE);
	r = scene_record(s, PT_WRITE, t, f);
	r.off_bytes = 0;
	r.len_bytes = 100;
	scene_put(s, &r);
	assert_int_equal(scene_open_plan(s, NULL, 4, 4, &diag), -EOPNOTSUPP);
	assert_non_null(strstr(diag.text, "6.12"));
}

static void nothing_to_play_is_said(void **state)
{
	struct scene *s = *state;
	struct pt_diag diag = PT_DIAG_INIT;
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32), f = scene_file(s, 5, PAGE);
	struct pt_record r = scene_record(s, PT_ADD, t, f);

	r.page = 0;
	scene_put(s, &r);
	assert_int_equal(scene_open_plan(s, NULL, 4, 4, &diag), -ENODATA);
	assert_non_null(strstr(diag.text, "nothing"));
}

static void faults_and_windows_are_touches(void **state)
{
	struct scene *s = *state;
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32), f = scene_file(s, 5, 1 << 20);
	struct pt_record r;
	const struct pt_plan_handle *h;
	struct pt_op op;

	scene_access_pages(s, t, f, PT_HOW_WINDOW, 19, 16);
	r = scene_record(s, PT_ACCESS, t, f);
	r.how = PT_HOW_FAULT;
	r.page = 40;
	r.npages = 1;
	r.flags = PT_IO_STORE;
	scene_put(s, &r);
	r = scene_record(s, PT_WRITE, t, f);
	r.off_bytes = 41 * PAGE;
	r.flags = PT_IO_MMAP;
	scene_put(s, &r);
	plan(s);
	op = next(s, PT_OP_LOAD);
	assert_int_equal(op.off, 19 * PAGE);
	h = pt_plan_handle(s->plan, op.handle);
	assert_int_equal(h->kind, PT_HANDLE_MAP);
	assert_int_equal(h->window_pages, 16);
	assert_int_equal(h->window_page, 3);
	assert_true(h->writes);
	assert_int_equal(next(s, PT_OP_STORE).off, 40 * PAGE);
	assert_int_equal(next(s, PT_OP_STORE).off, 41 * PAGE);
	end(s);
	assert_int_equal(pt_plan_stats(s->plan)->guessed_pages, 1);
}

static void writes_syncs_and_advice_are_repeated(void **state)
{
	struct scene *s = *state;
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32), f = scene_file(s, 5, 1 << 20);
	struct pt_record r = scene_record(s, PT_WRITE, t, f);
	struct pt_op op;

	r.off_bytes = 123;
	r.len_bytes = 456;
	scene_put(s, &r);
	r.len_bytes = PT_UNKNOWN;
	scene_put(s, &r);
	r = scene_record(s, PT_SYNC, t, f);
	r.how = PT_SYNC_FDATASYNC;
	scene_put(s, &r);
	r = scene_record(s, PT_ADVISE, t, f);
	r.how = PT_ADVISE_FADVISE;
	r.off_bytes = r.len_bytes = 0;
	r.value[0] = POSIX_FADV_RANDOM;
	scene_put(s, &r);
	r = scene_record(s, PT_MAP, t, f);
	r.page = 0;
	r.npages = 4;
	r.value[0] = MADV_RANDOM;
	scene_put(s, &r);
	plan(s);
	op = next(s, PT_OP_WRITE);
	assert_int_equal(op.off, 123);
	assert_int_equal(op.len, 456);
	assert_true(pt_plan_handle(s->plan, op.handle)->writes);
	assert_int_equal(next(s, PT_OP_WRITE).len, PAGE);
	(void)next(s, PT_OP_FDATASYNC);
	assert_int_equal(next(s, PT_OP_FADVISE).advice, POSIX_FADV_RANDOM);
	op = next(s, PT_OP_MADVISE);
	assert_int_equal(op.advice, MADV_RANDOM);
	assert_int_equal(op.len, 4 * PAGE);
	end(s);
	assert_int_equal(pt_plan_stats(s->plan)->guessed_lengths, 1);
}

static void a_name_goes_after_the_last_use(void **state)
{
	struct scene *s = *state;
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32), f = scene_file(s, 5, PAGE),
		 g = scene_file(s, 6, PAGE);
	struct pt_record r;

	scene_access_pages(s, t, f, PT_HOW_READ, 0, 1);
	scene_access_pages(s, t, g, PT_HOW_READ, 0, 1);
	r = scene_record(s, PT_UNLINK, t, f);
	scene_put(s, &r);
	r.file = g;
	scene_put(s, &r);
	scene_access_pages(s, t, f, PT_HOW_READ, 0, 1);
	plan(s);
	(void)next(s, PT_OP_READ);
	(void)next(s, PT_OP_READ);
	assert_int_equal(pt_plan_handle(s->plan, next(s, PT_OP_UNLINK).handle)->file, g);
	(void)next(s, PT_OP_READ);
	assert_int_equal(pt_plan_handle(s->plan, next(s, PT_OP_UNLINK).handle)->file, f);
}

static void files_that_nobody_touched_yet_have_no_name_to_remove(void **state)
{
	struct scene *s = *state;
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32), f = scene_file(s, 5, PAGE);
	struct pt_record r;

	for (uint64_t ino = 100; ino < 300; ino++) {
		r = scene_record(s, PT_UNLINK, t, scene_file(s, ino, PAGE));
		scene_put(s, &r);
	}
	r = scene_record(s, PT_UNLINK, t, f); /* used later: not yet there to be removed */
	scene_put(s, &r);
	scene_access_pages(s, t, f, PT_HOW_READ, 0, 1);
	plan(s);
	assert_int_equal(pt_plan_stats(s->plan)->handles, 1);
	assert_int_equal(next(s, PT_OP_READ).handle, 0);
	end(s);
	assert_int_equal(pt_plan_stats(s->plan)->handles, 1);
	assert_int_equal(pt_plan_stats(s->plan)->skipped[PT_SKIP_NO_FILE], 201);
}

static void a_name_goes_through_a_handle_that_can_write(void **state)
{
	struct scene *s = *state;
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32), other = scene_task(s, 2, 0, PT_UNKNOWN32),
		 f = scene_file(s, 5, PAGE);
	struct pt_record r;
	uint32_t handle;

	scene_access_pages(s, t, f, PT_HOW_READ, 0, 1);
	r = scene_record(s, PT_UNLINK, t, f);
	scene_put(s, &r);
	scene_access_pages(s, other, f, PT_HOW_FAULT, 0, 1); /* a mapping cannot remove it */
	plan(s);
	(void)next(s, PT_OP_READ);
	(void)next(s, PT_OP_LOAD);
	handle = next(s, PT_OP_UNLINK).handle;
	assert_true(handle < pt_plan_stats(s->plan)->handles);
	assert_int_equal(pt_plan_handle(s->plan, handle)->kind, PT_HANDLE_IO);
	assert_true(pt_plan_handle(s->plan, handle)->writes);
	end(s);
}

static void sizes_are_known_or_as_far_as_the_tape_gets(void **state)
{
	struct scene *s = *state;
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32);
	uint32_t known = scene_file(s, 5, 5000), unknown = scene_file(s, 6, PT_UNKNOWN);
	uint32_t cut = scene_file(s, 7, 100), idle = scene_file(s, 8, 1 << 20);
	struct pt_record r;

	scene_access_pages(s, t, known, PT_HOW_READ, 0, 32);
	scene_access_pages(s, t, unknown, PT_HOW_READ, 9, 1);
	scene_access_pages(s, t, cut, PT_HOW_READ, 7, 1);
	r = scene_record(s, PT_TRUNCATE, t, cut);
	r.len_bytes = 100;
	scene_put(s, &r);
	plan(s);
	assert_int_equal(pt_plan_file(s->plan, known)->size, 5000);
	assert_int_equal(pt_plan_file(s->plan, unknown)->size, 10 * PAGE);
	assert_int_equal(pt_plan_file(s->plan, cut)->size, 8 * PAGE);
	assert_false(pt_plan_file(s->plan, idle)->used);
}

static void files_of_which_nothing_was_read_in_were_cached(void **state)
{
	struct scene *s = *state;
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32);
	uint32_t library = scene_file(s, 5, 5000), data = scene_file(s, 6, 5000);
	struct pt_record r = scene_record(s, PT_ADD, t, data);

	r.page = 0;
	scene_put(s, &r);
	scene_access_pages(s, t, data, PT_HOW_READ, 0, 1);
	scene_access_pages(s, t, library, PT_HOW_WINDOW, 0, 1);
	plan(s);
	assert_true(pt_plan_file(s->plan, library)->resident);
	assert_false(pt_plan_file(s->plan, data)->resident);
}

/* A tape that knows no additions (synth) says nothing about what was cached. */
static void without_additions_nothing_is_taken_for_cached(void **state)
{
	struct scene *s = *state;
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32), f = scene_file(s, 5, 5000);

	scene_access_pages(s, t, f, PT_HOW_READ, 0, 1);
	plan(s);
	assert_false(pt_plan_file(s->plan, f)->resident);
}

static int file_named(struct scene *s, uint64_t ino, const char *path, const char *build_id)
{
	const struct pt_file def = { .key = { .ino = ino, .dev = SCENE_DEV },
				     .size = 5000,
				     .blocks_512 = PT_UNKNOWN,
				     .type = PT_FILE_REGULAR,
				     .mount = PT_UNKNOWN32,
				     .path = path,
				     .build_id = build_id,
				     .stands_for = { .ino = PT_UNKNOWN } };
	uint32_t id = scene_file(s, ino, 5000);

	assert_int_equal(s->sink->define_file(s->sink->ctx, &def), 0);
	return (int)id;
}

static void libraries_and_elf_files_are_code(void **state)
{
	struct scene *s = *state;
	const struct {
		int file, code;
	} cases[] = {
		{ file_named(s, 1, "/lib/libc.so.6", NULL), 1 },
		{ file_named(s, 2, "/lib/libc.so", NULL), 1 },
		{ file_named(s, 3, "/usr/bin/fio", "abcd"), 1 },
		{ file_named(s, 4, "/usr/bin/fio", NULL), 0 },
		{ file_named(s, 5, "/data/a.so.d/table", NULL), 0 },
		{ file_named(s, 6, "/data/song.sound", NULL), 0 },
		{ file_named(s, 7, NULL, NULL), 0 },
	};

	scene_access_pages(s, scene_task(s, 1, 0, PT_UNKNOWN32), 0, PT_HOW_READ, 0, 1);
	plan(s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(pt_plan_file(s->plan, (uint32_t)cases[i].file)->is_code,
				 cases[i].code);
}

static void the_last_reference_closes(void **state)
{
	struct scene *s = *state;
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32), f = scene_file(s, 5, PAGE);
	struct pt_record r = scene_record(s, PT_ACCESS, t, f);
	uint32_t handle;

	r.how = PT_HOW_READ;
	r.page = 0;
	r.npages = 1;
	r.open = 1;
	scene_put(s, &r);
	r = scene_record(s, PT_DUP, t, PT_UNKNOWN32);
	r.open = 2;
	r.open_from = 1;
	scene_put(s, &r);
	r = scene_record(s, PT_CLOSE, t, PT_UNKNOWN32);
	r.open = 1;
	scene_put(s, &r);
	scene_access_pages(s, t, f, PT_HOW_READ, 0, 1);
	r = scene_record(s, PT_CLOSE, t, PT_UNKNOWN32);
	r.open = 2;
	scene_put(s, &r);
	plan(s);
	handle = next(s, PT_OP_READ).handle;
	(void)next(s, PT_OP_READ);
	assert_int_equal(next(s, PT_OP_CLOSE).handle, handle);
	end(s);
}

static void many_tasks_share_threads_and_many_opens_share_files(void **state)
{
	struct scene *s = *state;
	struct pt_diag diag = PT_DIAG_INIT;
	uint32_t f = scene_file(s, 5, PAGE), n;
	struct pt_op op;

	for (uint32_t pid = 1; pid <= 10; pid++)
		scene_access_pages(s, scene_task(s, pid, 0, PT_UNKNOWN32), f, PT_HOW_READ, 0, 1);
	assert_int_equal(scene_open_plan(s, NULL, 4, 5, &diag), 0);
	assert_int_equal(pt_plan_rewind(s->plan), 0);
	assert_int_equal(pt_plan_stats(s->plan)->threads, 4);
	assert_int_equal(pt_plan_stats(s->plan)->tasks, 10);
	assert_true(pt_plan_stats(s->plan)->shared_handles);
	assert_int_equal(pt_plan_stats(s->plan)->handles, 1);
	for (uint32_t i = 0; i < 10; i++) {
		op = next(s, PT_OP_READ);
		assert_int_equal(op.thread, i % 4);
		assert_int_equal(op.handle, 0);
	}
	(void)pt_plan_task_of(s->plan, 0, &n);
	assert_int_equal(n, 3);
}

static void a_plan_is_the_same_each_time(void **state)
{
	struct scene *s = *state;
	uint32_t t = scene_task(s, 1, 0, PT_UNKNOWN32), f = scene_file(s, 5, 100 * PAGE);

	for (uint64_t i = 0; i < 100; i++)
		scene_access_pages(s, t, f, PT_HOW_READ, i, 1);
	plan(s);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < 100; i++) {
			struct pt_op op = next(s, PT_OP_READ);

			assert_int_equal(op.off, (uint64_t)i * PAGE);
			assert_int_equal(op.seq, i);
		}
		end(s);
		assert_int_equal(pt_plan_stats(s->plan)->ops[PT_OP_READ], 100);
		assert_int_equal(pt_plan_rewind(s->plan), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, scene_setup, scene_teardown)
		T(reads_are_bytes_where_known_else_pages),
		T(a_handle_is_an_open_file_or_a_task_and_file),
		T(subjects_alone_are_played_where_marked),
		T(kernel_threads_are_not_played),
		T(a_cgroup_selects_tasks_while_they_are_in_it),
		T(what_cannot_be_played_is_counted),
		T(a_tape_that_does_not_know_accesses_is_refused),
		T(nothing_to_play_is_said),
		T(faults_and_windows_are_touches),
		T(writes_syncs_and_advice_are_repeated),
		T(a_name_goes_after_the_last_use),
		T(files_that_nobody_touched_yet_have_no_name_to_remove),
		T(a_name_goes_through_a_handle_that_can_write),
		T(sizes_are_known_or_as_far_as_the_tape_gets),
		T(files_of_which_nothing_was_read_in_were_cached),
		T(without_additions_nothing_is_taken_for_cached),
		T(libraries_and_elf_files_are_code),
		T(the_last_reference_closes),
		T(many_tasks_share_threads_and_many_opens_share_files),
		T(a_plan_is_the_same_each_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
