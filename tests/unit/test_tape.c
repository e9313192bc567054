// SPDX-License-Identifier: GPL-2.0-or-later
/* formats/: what a writer takes, a reader gives back. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "formats/reader.h"
#include "formats/writer.h"
#include "tape_samples.h"

static char *path_in_folder(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", sample_folder(), name) > 0);
	return path;
}

static uint64_t random_seed(const char *test)
{
	uint64_t seed;

	assert_int_equal(getrandom(&seed, sizeof(seed), 0), sizeof(seed));
	printf("%s: seed %llu\n", test, (unsigned long long)seed);
	return seed;
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
	char *path = path_in_folder("round.ptape");
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
	uint64_t seed = random_seed("round_trips");

	(void)state;
	for (unsigned int s = 0; s < SAMPLE_STYLES; s++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			round_trip(seed, s, sizes[i], NULL);
}

static void bypassing_the_cache_changes_nothing(void **state)
{
	const struct pt_writer_options opt = { .bypass_cache = 1 };

	(void)state;
	round_trip(random_seed("bypassing_the_cache_changes_nothing"), SAMPLE_WILD, 20000, &opt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(bypassing_the_cache_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
