// SPDX-License-Identifier: GPL-2.0-or-later
/* formats/: what a writer takes, a reader gives back. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/reader.h"
#include "formats/writer.h"
#include "seed.h"
#include "tape_samples.h"
#include "tree.h"

static char *root; /* the tests' folder */

static int make_root(void **state)
{
	(void)state;
	root = tree_new();
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	tree_remove(root);
	return 0;
}

static struct pt_writer *new_writer(const char *path, const struct pt_writer_options *opt)
{
	struct pt_head head;
	struct pt_writer *w;

	assert_int_equal(pt_head_init(&head, 4096, "mono"), 0);
	assert_int_equal(pt_writer_new(path, &head, opt, &w, NULL), 0);
	pt_head_done(&head);
	return w;
}

/* Ids of a reader may differ from the writer's: compare what they stand for. */
static void check_ids(const struct pt_reader *rd, const struct sample_keys *k,
		      struct pt_record *got)
{
	for (int i = 0; i < SAMPLE_FILES && got->file != PT_UNKNOWN32; i++) {
		const struct pt_file *f = pt_reader_file(rd, got->file);

		if (f->key.ino == k->files[i].ino && f->key.dev == k->files[i].dev &&
		    f->key.gen == k->files[i].gen) {
			got->file = k->file_ids[i];
			break;
		}
	}
	for (int i = 0; i < SAMPLE_TASKS && got->task != PT_UNKNOWN32; i++) {
		const struct pt_task *t = pt_reader_task(rd, got->task);

		if (t->key.pid == k->tasks[i].pid) {
			assert_int_equal(t->key.incarnation, k->tasks[i].incarnation);
			got->task = k->task_ids[i];
			break;
		}
	}
	for (int i = 0; i < SAMPLE_CGROUPS && got->cgroup != PT_UNKNOWN32; i++) {
		if (pt_reader_cgroup(rd, got->cgroup)->id == k->cgroups[i]) {
			got->cgroup = k->cgroup_ids[i];
			break;
		}
	}
	for (int i = 0; i < SAMPLE_CGROUPS && got->target != PT_UNKNOWN32; i++) {
		if (pt_reader_cgroup(rd, got->target)->id == k->cgroups[i]) {
			got->target = k->cgroup_ids[i];
			break;
		}
	}
}

static void round_trip(uint64_t seed, enum sample_style style, uint32_t n,
		       const struct pt_writer_options *opt)
{
	char *path = tree_path(root, "round.ptape");
	struct pt_writer *w = new_writer(path, opt);
	const struct pt_sink *sink = pt_writer_sink(w);
	struct pt_reader_summary sum;
	struct pt_reader *rd;
	struct sample_keys keys;
	struct pt_record want, got;
	struct pt_rng g, before;
	uint64_t ts_ns = 5;

	pt_rng_init(&g, seed);
	sample_keys_init(&keys, &g, sink);
	before = g;
	for (uint32_t i = 0; i < n; i++) {
		want = sample_record(&keys, &g, style, &ts_ns);
		assert_int_equal(sink->record(sink->ctx, &want), 0);
	}
	assert_int_equal(pt_writer_finish(w, NULL, 1), 0);
	pt_writer_free(w);

	assert_int_equal(pt_reader_open(path, NULL, &rd, NULL), 0);
	assert_int_equal(pt_reader_file_count(rd), SAMPLE_FILES);
	pt_reader_summary(rd, &sum);
	assert_true(sum.finished && sum.records == n);
	for (int pass = 0; pass < 2; pass++) {
		g = before;
		ts_ns = 5;
		for (uint32_t i = 0; i < n; i++) {
			want = sample_record(&keys, &g, style, &ts_ns);
			assert_int_equal(pt_reader_next(rd, &got), 1);
			check_ids(rd, &keys, &got);
			if (!sample_equal(&want, &got))
				fail_msg("record %u of kind %u differs", i, want.kind);
		}
		assert_int_equal(pt_reader_next(rd, &got), 0);
		assert_int_equal(pt_reader_rewind(rd), 0);
	}
	pt_reader_close(rd);
	free(path);
}

static void round_trips(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 2, 100, 3000, 70000 };
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (unsigned int s = 0; s < SAMPLE_STYLES; s++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			round_trip(pt_rng_u64(&g), s, sizes[i], NULL);
}

static void bypassing_the_cache_changes_nothing(void **state)
{
	const struct pt_writer_options opt = { .bypass_cache = 1 };
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	round_trip(pt_rng_u64(&g), SAMPLE_WILD, 20000, &opt);
}

/* Everything unknown but the key, as a definition that says one thing does it. */
static struct pt_file file_def(uint64_t ino, const char *path)
{
	return (struct pt_file){
		.key = { .ino = ino, .dev = 5, .gen = 0 },
		.size = PT_UNKNOWN,
		.blocks_512 = PT_UNKNOWN,
		.type = PT_UNKNOWN32,
		.flags = PT_UNKNOWN32,
		.mount = PT_UNKNOWN32,
		.path = path,
		.stands_for = { PT_UNKNOWN, PT_UNKNOWN32, PT_UNKNOWN32 },
	};
}

static void the_last_definition_wins(void **state)
{
	char *path = tree_path(root, "names.ptape");
	struct pt_writer *w = new_writer(path, NULL);
	const struct pt_sink *s = pt_writer_sink(w);
	struct pt_file early = file_def(7, "/old"), late = file_def(7, "/new\n\xff");
	struct pt_task task = { .key = { 4, 1 }, .tgid = PT_UNKNOWN32, .comm = "worker" };
	struct pt_openfile open = { .id = 9, .flags = 2, .guessed = 1 };
	struct pt_record r = PT_RECORD_INIT(PT_ACCESS);
	struct pt_reader *rd;
	const struct pt_file *f;
	const struct pt_openfile *of;

	(void)state;
	assert_int_equal(s->intern_cgroup(s->ctx, 77, &task.cgroup), 0);
	assert_int_equal(s->intern_file(s->ctx, &early.key, &open.file), 0);
	assert_int_equal(s->define_file(s->ctx, &early), 0);
	assert_int_equal(s->define_task(s->ctx, &task), 0);
	r.file = open.file;
	assert_int_equal(s->record(s->ctx, &r), 0);
	assert_int_equal(pt_writer_flush(w), 0);
	assert_int_equal(s->define_file(s->ctx, &late), 0);
	assert_int_equal(s->define_open(s->ctx, &open), 0);
	assert_int_equal(pt_writer_finish(w, NULL, 0), 0);
	pt_writer_free(w);

	assert_int_equal(pt_reader_open(path, NULL, &rd, NULL), 0);
	assert_int_equal(pt_reader_next(rd, &r), 1);
	f = pt_reader_file(rd, r.file);
	assert_string_equal(f->path, "/new\n\xff");
	assert_true(f->key.ino == 7 && f->size == PT_UNKNOWN && f->mount == PT_UNKNOWN32);
	assert_int_equal(pt_reader_task_count(rd), 1);
	assert_string_equal(pt_reader_task(rd, 0)->comm, "worker");
	assert_int_equal(pt_reader_task(rd, 0)->tgid, PT_UNKNOWN32);
	assert_true(pt_reader_cgroup(rd, pt_reader_task(rd, 0)->cgroup)->id == 77);
	of = pt_reader_openfile(rd, 0);
	assert_true(of && of->id == 9 && of->file == r.file && of->guessed == 1);
	assert_null(pt_reader_openfile(rd, 1));
	pt_reader_close(rd);
	free(path);
}

static void selections_skip_what_is_outside(void **state)
{
	const struct pt_reader_options opt = { .from_ns = 3000,
					       .to_ns = 5000,
					       .kinds = 1u << PT_EVICT };
	char *path = tree_path(root, "select.ptape");
	struct pt_writer *w = new_writer(path, NULL);
	const struct pt_sink *s = pt_writer_sink(w);
	struct pt_reader *rd;
	struct pt_record r;
	uint32_t n = 0;
	int got;

	(void)state;
	for (uint32_t i = 0; i < 8000; i++) {
		r = (struct pt_record)PT_RECORD_INIT(i % 2 ? PT_EVICT : PT_ADD);
		r.ts_ns = i;
		r.page = i;
		assert_int_equal(s->record(s->ctx, &r), 0);
		if (i % 1000 == 999)
			assert_int_equal(pt_writer_flush(w), 0);
	}
	assert_int_equal(pt_writer_finish(w, NULL, 1), 0);
	pt_writer_free(w);
	assert_int_equal(pt_reader_open(path, &opt, &rd, NULL), 0);
	while ((got = pt_reader_next(rd, &r)) == 1) {
		assert_true(r.kind == PT_EVICT && r.page == r.ts_ns && r.page == 3001 + 2 * n);
		n++;
	}
	assert_int_equal(got, 0);
	assert_int_equal(n, 1000);
	pt_reader_close(rd);
	free(path);
}

static void gaps_are_counted(void **state)
{
	char *path = tree_path(root, "gaps.ptape");
	struct pt_writer *w = new_writer(path, NULL);
	const struct pt_sink *s = pt_writer_sink(w);
	struct pt_record gap = PT_RECORD_INIT(PT_GAP);
	struct pt_reader_summary sum;
	struct pt_reader *rd;

	(void)state;
	assert_int_equal(s->record(s->ctx, &gap), 0);
	gap.value[0] = 12;
	assert_int_equal(s->record(s->ctx, &gap), 0);
	pt_writer_count_events(w, 100);
	assert_int_equal(pt_writer_finish(w, NULL, 1), 0);
	pt_writer_free(w);
	assert_int_equal(pt_reader_open(path, NULL, &rd, NULL), 0);
	pt_reader_summary(rd, &sum);
	assert_true(sum.gaps == 2 && sum.unknown_gaps == 1 && sum.lost_events == 12);
	assert_true(sum.finished && !sum.complete && sum.events == 100);
	pt_reader_close(rd);
	free(path);
}

static void coarser_times_round_down(void **state)
{
	const struct pt_writer_options opt = { .time_resolution_ns = 100 };
	char *path = tree_path(root, "coarse.ptape");
	struct pt_writer *w = new_writer(path, &opt);
	const struct pt_sink *s = pt_writer_sink(w);
	struct pt_record r = PT_RECORD_INIT(PT_MARK);
	struct pt_reader *rd;
	struct pt_rng g, again;

	(void)state;
	seed_rng(&g);
	again = g;
	for (int i = 0; i < 1000; i++) {
		r.ts_ns += pt_rng_below(&g, 5000);
		assert_int_equal(s->record(s->ctx, &r), 0);
	}
	assert_int_equal(pt_writer_finish(w, NULL, 1), 0);
	pt_writer_free(w);
	assert_int_equal(pt_reader_open(path, NULL, &rd, NULL), 0);
	for (uint64_t i = 0, ts_ns = 0; i < 1000; i++) {
		ts_ns += pt_rng_below(&again, 5000);
		assert_int_equal(pt_reader_next(rd, &r), 1);
		assert_true(r.ts_ns == ts_ns / 100 * 100);
	}
	assert_int_equal(pt_reader_next(rd, &r), 0);
	pt_reader_close(rd);
	free(path);
}

static void what_a_sink_refuses(void **state)
{
	char *path = tree_path(root, "refused.ptape");
	struct pt_writer *w = new_writer(path, NULL);
	const struct pt_sink *s = pt_writer_sink(w);
	struct pt_record r = PT_RECORD_INIT(PT_ACCESS);

	(void)state;
	r.ts_ns = 10;
	assert_int_equal(s->record(s->ctx, &r), 0);
	r.ts_ns = 9;
	assert_int_equal(s->record(s->ctx, &r), -EINVAL);
	r.ts_ns = 11;
	r.kind = PT_KIND_COUNT;
	assert_int_equal(s->record(s->ctx, &r), -EINVAL);
	r.kind = PT_MARK;
	r.blob = path;
	r.blob_len = UINT32_MAX;
	assert_int_equal(s->record(s->ctx, &r), -E2BIG);
	r = (struct pt_record)PT_RECORD_INIT(PT_ACCESS);
	r.ts_ns = 12;
	r.file = 3; /* nobody gave that out */
	assert_int_equal(s->record(s->ctx, &r), 0);
	assert_int_equal(pt_writer_flush(w), -EINVAL);
	assert_int_equal(pt_writer_finish(w, NULL, 1), -EINVAL);
	pt_writer_free(w);
	assert_false(tree_has(root, "refused.ptape"));
	free(path);
}

/* Writes until killed; after each flush it says so with a byte. */
static void write_for_ever(const char *path, int acks)
{
	const struct pt_writer_options opt = { .bypass_cache = 1, .keep_part_on_failure = 1 };
	struct pt_writer *w = new_writer(path, &opt);
	const struct pt_sink *s = pt_writer_sink(w);
	struct pt_record r = PT_RECORD_INIT(PT_ADD);

	for (r.ts_ns = 0;; r.ts_ns++) {
		r.page = r.ts_ns * 7;
		if (s->record(s->ctx, &r) < 0)
			_exit(1);
		if (r.ts_ns % 100 == 99 && (pt_writer_flush(w) < 0 || write(acks, "", 1) != 1))
			_exit(1);
	}
}

static void a_killed_writer_loses_the_open_block_only(void **state)
{
	char *path = tree_path(root, "killed.ptape"), *part = tree_path(root, "killed.ptape.part");
	struct pt_reader *rd;
	struct pt_record r;
	uint64_t n = 0;
	int acks[2], got;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(acks), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		write_for_ever(path, acks[1]);
	for (int i = 0; i < 50; i++)
		assert_int_equal(read(acks[0], &byte, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_false(tree_has(root, "killed.ptape"));
	assert_int_equal(pt_reader_open(part, NULL, &rd, NULL), 0);
	while ((got = pt_reader_next(rd, &r)) == 1) {
		assert_true(r.ts_ns == n && r.page == n * 7);
		n++;
	}
	assert_int_equal(got, -ENODATA);
	assert_true(n >= 5000 && n % 100 == 0);
	pt_reader_close(rd);
	close(acks[0]);
	close(acks[1]);
	free(path);
	free(part);
}

/* In a process of its own: the limit and the signal's handling stay there. Exits 0 if all is well.
 */
static void write_beyond_the_limit(const char *path)
{
	const struct rlimit limit = { 65536, 65536 };
	struct pt_writer *w = new_writer(path, NULL);
	const struct pt_sink *s = pt_writer_sink(w);
	struct pt_record r = PT_RECORD_INIT(PT_ADD);
	struct pt_rng g;
	int err = 0;

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
		_exit(1);
	pt_rng_init(&g, 1);
	for (int i = 0; i < 200000 && err == 0; i++) {
		r.page = pt_rng_u64(&g);
		err = s->record(s->ctx, &r);
	}
	if (err != -EFBIG || s->record(s->ctx, &r) != -EFBIG || pt_writer_flush(w) != -EFBIG ||
	    pt_writer_finish(w, NULL, 1) != -EFBIG || !pt_writer_diag(w)->text[0])
		_exit(2);
	pt_writer_free(w);
	_exit(0);
}

static void a_full_disk_fails_every_later_call(void **state)
{
	char *path = tree_path(root, "full.ptape");
	int status;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0)
		write_beyond_the_limit(path);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_false(tree_has(root, "full.ptape") || tree_has(root, "full.ptape.part"));
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(bypassing_the_cache_changes_nothing),
		cmocka_unit_test(the_last_definition_wins),
		cmocka_unit_test(selections_skip_what_is_outside),
		cmocka_unit_test(gaps_are_counted),
		cmocka_unit_test(coarser_times_round_down),
		cmocka_unit_test(what_a_sink_refuses),
		cmocka_unit_test(a_killed_writer_loses_the_open_block_only),
		cmocka_unit_test(a_full_disk_fails_every_later_call),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
