// SPDX-License-Identifier: GPL-2.0-or-later
/* Playing small tapes for real, without privileges: what is read, written, counted as failed. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "replay/engine.h"
#include "replay/measure.h"
#include "tests/unit/scene.h"
#include "tests/unit/seed.h"
#include "util/rng.h"

#define PAGE SCENE_PAGE

/* A played scene. */
struct stand {
	struct scene *s;
	struct pt_fileset *files;
	struct pt_engine *e;
};

static int setup(void **state)
{
	struct stand *st = calloc(1, sizeof(*st));
	void *scene;

	scene_setup(&scene);
	st->s = scene;
	*state = st;
	return 0;
}

static int teardown(void **state)
{
	struct stand *st = *state;
	void *scene = st->s;

	pt_engine_free(st->e);
	pt_fileset_close(st->files);
	scene_teardown(&scene);
	free(st);
	return 0;
}

static void prepare(struct stand *st)
{
	const struct pt_reader *r = pt_plan_reader(st->s->plan);
	uint32_t n = pt_reader_file_count(r);
	struct pt_fileset_want *want = calloc(n, sizeof(*want));
	char *target = tree_path(st->s->root, "target");
	struct pt_diag diag = PT_DIAG_INIT;

	for (uint32_t i = 0; i < n; i++) {
		const struct pt_plan_file *f = pt_plan_file(st->s->plan, i);

		want[i] = (struct pt_fileset_want){ pt_reader_file(r, i)->key, NULL, f->size,
						    f->reach, f->used };
	}
	assert_int_equal(pt_fileset_open(target, &st->files, &diag), 0);
	assert_int_equal(pt_fileset_plan(st->files, want, n, 0, &diag), 0);
	assert_int_equal(pt_fileset_prepare(st->files, NULL, NULL, &diag), 0);
	free(target);
	free(want);
}

static void make_with(struct stand *st, const struct pt_engine_options *opt)
{
	struct pt_diag diag = PT_DIAG_INIT;

	assert_int_equal(scene_open_plan(st->s, NULL, 16, 64, &diag), 0);
	prepare(st);
	assert_int_equal(pt_plan_rewind(st->s->plan), 0);
	assert_int_equal(pt_engine_new(st->s->plan, st->files, opt, &st->e, &diag), 0);
}

static void make(struct stand *st, uint32_t window, double speed)
{
	make_with(st, &(struct pt_engine_options){ .window = window, .speed = speed });
}

static void play(struct stand *st)
{
	struct pt_diag diag = PT_DIAG_INIT;

	assert_int_equal(pt_engine_run(st->e, &diag), 0);
}

static uint64_t errors_of(const struct stand *st, int err)
{
	const struct pt_stage *stage = pt_engine_stage(st->e);
	uint64_t n = 0;

	for (uint32_t i = 0; i < stage->threads; i++)
		n += stage->workers[i].errors[err];
	return n;
}

static int open_file(const struct stand *st, uint32_t file)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/target/%s", st->s->root, pt_fileset_path(st->files, file)) < 0)
		abort();
	fd = open(path, O_RDONLY);
	free(path);
	return fd;
}

static void every_operation_is_done_once(void **state)
{
	struct stand *st = *state;
	uint64_t seed = seed_new(), bytes = 0, ops = 0, ours[4] = { 0 };
	uint32_t f = scene_file(st->s, 5, 64 * PAGE), tasks[4];
	const struct pt_stage *stage;
	struct pt_rng rng;

	pt_rng_init(&rng, seed);
	for (uint32_t t = 0; t < 4; t++)
		tasks[t] = scene_task(st->s, t + 1, 0, PT_UNKNOWN32);
	for (uint32_t t = 0; t < 4; t++, ours[t - 1]++) /* threads come in order of appearance */
		scene_access_pages(st->s, tasks[t], f, PT_HOW_READ, 0, 1);
	for (int i = 0; i < 5000; i++) {
		uint32_t t = (uint32_t)pt_rng_below(&rng, 4);

		scene_access_pages(st->s, tasks[t], f, PT_HOW_READ, pt_rng_below(&rng, 60), 4);
		ours[t]++;
	}
	make(st, 8, 0);
	play(st);
	stage = pt_engine_stage(st->e);
	assert_int_equal(stage->threads, 4);
	for (uint32_t i = 0; i < 4; i++) {
		ops += stage->workers[i].ops;
		bytes += stage->workers[i].read_bytes;
		assert_int_equal(stage->workers[i].ops, ours[i]);
	}
	assert_int_equal(ops, 5004);
	assert_int_equal(bytes, (4 + 5000 * 4ull) * PAGE);
	assert_int_equal(pt_measure_errors(stage), 0);
	assert_int_equal(atomic_load(&stage->order->low), 5004);
}

static void writes_truncation_and_removal_arrive(void **state)
{
	struct stand *st = *state;
	uint32_t t = scene_task(st->s, 1, 0, PT_UNKNOWN32);
	uint32_t f = scene_file(st->s, 5, 10 * PAGE), g = scene_file(st->s, 6, PAGE);
	uint8_t before[100], after[100];
	struct pt_record r;
	int fd;

	r = scene_record(st->s, PT_WRITE, t, f);
	r.off_bytes = 10 * PAGE - 50;
	r.len_bytes = 200000; /* more than a buffer, and beyond the end */
	scene_put(st->s, &r);
	r = scene_record(st->s, PT_SYNC, t, f);
	r.how = PT_SYNC_FSYNC;
	scene_put(st->s, &r);
	scene_access_pages(st->s, t, g, PT_HOW_READ, 0, 1);
	r = scene_record(st->s, PT_UNLINK, t, g);
	scene_put(st->s, &r);
	make(st, 1, 0);
	fd = open_file(st, f);
	assert_int_equal(pread(fd, before, sizeof(before), 10 * PAGE - 100), 100);
	play(st);
	assert_int_equal(pt_measure_errors(pt_engine_stage(st->e)), 0);
	assert_int_equal(pread(fd, after, sizeof(after), 10 * PAGE - 100), 100);
	assert_memory_equal(before, after, 50);
	assert_memory_not_equal(before + 50, after + 50, 50);
	assert_int_equal(lseek(fd, 0, SEEK_END), 10 * PAGE - 50 + 200000);
	close(fd);
	assert_int_equal(open_file(st, g), -1);
}

static void mapped_pages_are_touched_and_stored_to(void **state)
{
	struct stand *st = *state;
	uint32_t t = scene_task(st->s, 1, 0, PT_UNKNOWN32), f = scene_file(st->s, 5, 40 * PAGE);
	struct pt_record r;
	uint8_t byte = 0;
	int fd;

	scene_access_pages(st->s, t, f, PT_HOW_WINDOW, 3, 16);
	scene_access_pages(st->s, t, f, PT_HOW_FAULT, 39, 1);
	r = scene_record(st->s, PT_WRITE, t, f);
	r.off_bytes = 20 * PAGE;
	r.flags = PT_IO_MMAP;
	scene_put(st->s, &r);
	r = scene_record(st->s, PT_ADVISE, t, f);
	r.how = PT_ADVISE_MADVISE;
	r.value[0] = MADV_RANDOM;
	scene_put(st->s, &r);
	make(st, 1, 0);
	play(st);
	assert_int_equal(pt_measure_errors(pt_engine_stage(st->e)), 0);
	assert_int_equal(pt_engine_stage(st->e)->workers[0].latency_ns[PT_LATENCY_FAULT].count, 3);
	fd = open_file(st, f);
	assert_int_equal(pread(fd, &byte, 1, 20 * PAGE), 1);
	assert_int_equal(byte, 0x5a);
	close(fd);
}

/* The file is cut under the mapping: SIGBUS is an error of one operation, and the rest goes on. */
static void failures_are_counted_and_the_rest_goes_on(void **state)
{
	struct stand *st = *state;
	uint32_t t = scene_task(st->s, 1, 0, PT_UNKNOWN32), f = scene_file(st->s, 5, 40 * PAGE);
	uint32_t gone = scene_file(st->s, 6, PAGE);
	char *path;

	scene_access_pages(st->s, t, f, PT_HOW_FAULT, 0, 1);
	scene_access_pages(st->s, t, f, PT_HOW_FAULT, 30, 1);
	scene_access_pages(st->s, t, gone, PT_HOW_READ, 0, 1);
	scene_access_pages(st->s, t, f, PT_HOW_READ, 0, 1);
	make(st, 1, 0);
	if (asprintf(&path, "%s/target/%s", st->s->root, pt_fileset_path(st->files, f)) < 0)
		abort();
	assert_int_equal(truncate(path, 30 * PAGE + 1), 0);
	free(path);
	if (asprintf(&path, "%s/target/%s", st->s->root, pt_fileset_path(st->files, gone)) < 0)
		abort();
	assert_int_equal(unlink(path), 0);
	free(path);
	play(st);
	assert_int_equal(errors_of(st, ENOENT), 1);
	assert_int_equal(pt_measure_errors(pt_engine_stage(st->e)), 1);
	assert_int_equal(pt_engine_stage(st->e)->workers[0].ops, 4);
	assert_int_equal(pt_engine_stage(st->e)->workers[0].read_bytes, PAGE);
}

static void a_page_cut_off_under_the_mapping_is_sigbus(void **state)
{
	struct stand *st = *state;
	uint32_t t = scene_task(st->s, 1, 0, PT_UNKNOWN32), f = scene_file(st->s, 5, 40 * PAGE);
	struct pt_record r;

	/* The other task knows the file by another name, so the plan cannot see what it does. */
	scene_access_pages(st->s, t, f, PT_HOW_FAULT, 39, 1);
	r = scene_record(st->s, PT_TRUNCATE, t, f);
	r.len_bytes = PAGE;
	scene_put(st->s, &r);
	r = scene_record(st->s, PT_WRITE, t, f); /* the plan thinks that the file grows again */
	r.off_bytes = 60 * PAGE;
	r.len_bytes = 0;
	scene_put(st->s, &r);
	scene_access_pages(st->s, t, f, PT_HOW_FAULT, 38, 1);
	make(st, 1, 0);
	play(st);
	assert_int_equal(errors_of(st, 0), 1);
	assert_int_equal(pt_measure_errors(pt_engine_stage(st->e)), 1);
}

static void nothing_is_issued_before_its_time(void **state)
{
	struct stand *st = *state;
	uint32_t t = scene_task(st->s, 1, 0, PT_UNKNOWN32), f = scene_file(st->s, 5, PAGE);
	const struct pt_stage *stage;

	scene_access_pages(st->s, t, f, PT_HOW_READ, 0, 1);
	st->s->now_ns += 60000000;
	scene_access_pages(st->s, t, f, PT_HOW_READ, 0, 1);
	make(st, 1, 2); /* twice as fast as recorded */
	play(st);
	stage = pt_engine_stage(st->e);
	assert_true(stage->end_ns - atomic_load(&stage->begin_ns) >= 30000000);
	assert_int_equal(stage->workers[0].lateness_ns.count, 2);
}

static void kill_child(struct stand *st, int sig, const char *word)
{
	uint32_t t = scene_task(st->s, 1, 0, PT_UNKNOWN32), f = scene_file(st->s, 5, PAGE);
	struct pt_diag diag = PT_DIAG_INIT;

	for (int i = 0; i < 5000; i++)
		scene_access_pages(st->s, t, f, PT_HOW_READ, 0, 1);
	make(st, 1, 0);
	assert_int_equal(kill(pt_engine_pid(st->e), sig), 0);
	assert_int_equal(pt_engine_run(st->e, &diag), -ECHILD);
	assert_non_null(strstr(diag.text, word));
}

static void a_killed_child_is_told(void **state)
{
	kill_child(*state, SIGKILL, "signal 9");
}

/* cmocka catches this signal and goes on with its next test, which a child must not. */
static void a_crashed_child_is_told(void **state)
{
	kill_child(*state, SIGSEGV, "signal 11");
}

static void a_stop_ends_it(void **state)
{
	struct stand *st = *state;
	uint32_t t = scene_task(st->s, 1, 0, PT_UNKNOWN32), f = scene_file(st->s, 5, PAGE);
	volatile sig_atomic_t stop = 0;
	const struct pt_engine_options opt = { .window = 1, .speed = 1, .stop = &stop };
	struct pt_diag diag = PT_DIAG_INIT;

	scene_access_pages(st->s, t, f, PT_HOW_READ, 0, 1);
	st->s->now_ns += 3600ull * 1000000000;
	scene_access_pages(st->s, t, f, PT_HOW_READ, 0, 1);
	make_with(st, &opt);
	stop = 1;
	assert_int_equal(pt_engine_run(st->e, &diag), -EINTR);
}

/* ---- Warm-up */

/* Seen from the barrier: how often it was reached, and what all threads had done by then. */
struct seen {
	struct stand *st;
	int times, kill;
	uint64_t ops, left, delay_ns;
};

static void see_barrier(void *ctx)
{
	struct seen *seen = ctx;
	const struct pt_stage *stage = pt_engine_stage(seen->st->e);
	const struct timespec delay = { .tv_nsec = (long)seen->delay_ns };

	seen->times++;
	seen->left = atomic_load(&stage->warmup_left);
	for (uint32_t i = 0; i < stage->threads; i++)
		seen->ops += stage->workers[i].ops;
	(void)nanosleep(&delay, NULL);
	if (seen->kill)
		(void)kill(pt_engine_pid(seen->st->e), SIGKILL);
}

static uint64_t measured_ops(const struct pt_stage *stage)
{
	uint64_t ops = 0;

	for (uint32_t i = 0; i < stage->threads; i++)
		ops += stage->workers[i].ops;
	return ops;
}

static void make_warm(struct seen *seen, uint32_t window, double speed, uint64_t ops)
{
	const struct pt_engine_options opt = { .window = window,
					       .speed = speed,
					       .warmup_ops = ops,
					       .warmed = see_barrier,
					       .ctx = seen };

	make_with(seen->st, &opt);
}

/* By four tasks in turn, or by chance. */
static void put_reads(struct stand *st, int n, struct pt_rng *rng)
{
	uint32_t f = scene_file(st->s, 5, 64 * PAGE), tasks[4];

	for (uint32_t t = 0; t < 4; t++)
		tasks[t] = scene_task(st->s, t + 1, 0, PT_UNKNOWN32);
	for (int i = 0; i < n; i++)
		scene_access_pages(st->s, tasks[rng ? pt_rng_below(rng, 4) : (uint64_t)i % 4], f,
				   PT_HOW_READ, (uint64_t)i % 64, 1);
}

static void play_warm(struct stand *st, uint32_t window, uint64_t warm, uint64_t all)
{
	struct seen seen = { .st = st };
	const struct pt_stage *stage;
	uint64_t bytes = 0, latencies = 0;

	make_warm(&seen, window, 0, warm);
	play(st);
	stage = pt_engine_stage(st->e);
	assert_int_equal(seen.times, 1);
	assert_int_equal(seen.left, 0); /* all of it was done */
	assert_int_equal(seen.ops, 0);  /* and nothing else */
	for (uint32_t i = 0; i < stage->threads; i++) {
		const struct pt_worker *w = &stage->workers[i];

		bytes += w->read_bytes;
		latencies += w->latency_ns[PT_LATENCY_READ_HIT].count +
			     w->latency_ns[PT_LATENCY_READ_MISS].count;
	}
	assert_int_equal(measured_ops(stage), all - warm);
	assert_int_equal(latencies, all - warm);
	assert_int_equal(bytes, (all - warm) * PAGE);
	assert_int_equal(pt_measure_errors(stage), 0);
	assert_true(stage->measured_ns >= stage->reached_ns);
	assert_true(stage->end_ns >= stage->measured_ns);
}

static void a_warm_up_is_played_and_not_measured(void **state)
{
	struct pt_rng rng;

	pt_rng_init(&rng, seed_new());
	put_reads(*state, 6000, &rng);
	play_warm(*state, 8, 2500, 6000);
}

static void a_warm_up_needs_no_order(void **state)
{
	put_reads(*state, 6000, NULL);
	play_warm(*state, 0, 3000, 6000);
}

static void all_but_one_may_be_warm_up(void **state)
{
	put_reads(*state, 500, NULL);
	play_warm(*state, 32, 499, 500);
}

/* Of four threads one goes on. */
static void threads_may_end_with_the_warm_up(void **state)
{
	struct stand *st = *state;
	uint32_t t, f;

	put_reads(st, 400, NULL);
	t = scene_task(st->s, 1, 0, PT_UNKNOWN32);
	f = scene_file(st->s, 5, 64 * PAGE);
	for (int i = 0; i < 100; i++)
		scene_access_pages(st->s, t, f, PT_HOW_READ, 0, 1);
	play_warm(st, 4, 400, 500);
}

static void a_warm_up_of_everything_is_refused(void **state)
{
	struct seen seen = { .st = *state };
	struct pt_diag diag = PT_DIAG_INIT;

	put_reads(*state, 40, NULL);
	make_warm(&seen, 1, 0, 40);
	assert_int_equal(pt_engine_run(seen.st->e, &diag), -ENODATA);
}

static void the_barrier_makes_nothing_late(void **state)
{
	struct seen seen = { .st = *state, .delay_ns = 400000000 };
	struct stand *st = *state;
	const struct pt_stage *stage;

	put_reads(st, 4, NULL);
	st->s->now_ns += 20000000;
	put_reads(st, 4, NULL);
	make_warm(&seen, 1, 1, 4);
	play(st);
	stage = pt_engine_stage(st->e);
	/* Due counts from when the barrier opened: no earlier than the recording was from there. */
	assert_true(atomic_load(&stage->begin_ns) + stage->warmup_ns == stage->measured_ns);
	assert_true(stage->measured_ns - stage->reached_ns >= seen.delay_ns);
	assert_int_equal(measured_ops(stage), 4);
	for (uint32_t i = 0; i < stage->threads; i++)
		assert_int_equal(stage->workers[i].lateness_ns.count, 1);
}

static void errors_of_the_warm_up_count(void **state)
{
	struct stand *st = *state;
	struct seen seen = { .st = st };
	uint32_t t = scene_task(st->s, 1, 0, PT_UNKNOWN32), f = scene_file(st->s, 5, PAGE);
	uint32_t gone = scene_file(st->s, 6, PAGE);
	char *path;

	scene_access_pages(st->s, t, gone, PT_HOW_READ, 0, 1);
	scene_access_pages(st->s, t, f, PT_HOW_READ, 0, 1);
	make_warm(&seen, 1, 0, 1);
	if (asprintf(&path, "%s/target/%s", st->s->root, pt_fileset_path(st->files, gone)) < 0)
		abort();
	assert_int_equal(unlink(path), 0);
	free(path);
	play(st);
	assert_int_equal(errors_of(st, ENOENT), 1);
	assert_int_equal(measured_ops(pt_engine_stage(st->e)), 1);
}

static void a_child_killed_at_the_barrier_is_told(void **state)
{
	struct seen seen = { .st = *state, .kill = 1 };
	struct pt_diag diag = PT_DIAG_INIT;

	put_reads(*state, 20000, NULL); /* more than the rings hold */
	make_warm(&seen, 8, 0, 100);
	assert_int_equal(pt_engine_run(seen.st->e, &diag), -ECHILD);
	assert_int_equal(seen.times, 1);
	assert_non_null(strstr(diag.text, "signal 9"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(every_operation_is_done_once),
		T(writes_truncation_and_removal_arrive),
		T(mapped_pages_are_touched_and_stored_to),
		T(failures_are_counted_and_the_rest_goes_on),
		T(a_page_cut_off_under_the_mapping_is_sigbus),
		T(nothing_is_issued_before_its_time),
		T(a_killed_child_is_told),
		T(a_crashed_child_is_told),
		T(a_stop_ends_it),
		T(a_warm_up_is_played_and_not_measured),
		T(a_warm_up_needs_no_order),
		T(all_but_one_may_be_warm_up),
		T(threads_may_end_with_the_warm_up),
		T(a_warm_up_of_everything_is_refused),
		T(the_barrier_makes_nothing_late),
		T(errors_of_the_warm_up_count),
		T(a_child_killed_at_the_barrier_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
