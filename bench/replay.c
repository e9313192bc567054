// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a replay adds to its reads: cached 4 KiB reads a second through the engine, against a bare
 * loop of pread() over the same offsets, in turn in one run: compare the ratios.
 *
 * Cached reads are the worst case: a read that waits for a disk hides everything here.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/synth.h"
#include "formats/writer.h"
#include "replay/engine.h"
#include "replay/measure.h"
#include "util/cleanup.h"

#define READS  500000u
#define ROUNDS 3
#define SIZE   (UINT64_C(32) << 20)
#define IO     4096u

struct bench {
	char tape[96], target[96];
	uint32_t threads;
	struct pt_plan *plan;
	struct pt_fileset *files;
	uint64_t *off[2]; /* of each thread */
	size_t n[2];
};

struct reader {
	const struct bench *b;
	uint32_t thread;
	pthread_t id;
};

static _Noreturn void die(const char *what, const struct pt_diag *diag)
{
	fprintf(stderr, "bench replay: %s: %s\n", what, diag ? diag->text : strerror(errno));
	exit(1);
}

static void make_tape(struct bench *b)
{
	const struct pt_synth s = { .preset = PT_SYNTH_UNIFORM,
				    .files = 1,
				    .size_bytes = SIZE,
				    .accesses = READS,
				    .tasks = b->threads,
				    .io_bytes = IO,
				    .interval_ns = 1000,
				    .seed = 1 };
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_writer *w = NULL;
	struct pt_head head;

	if (pt_synth_head(&s, &head) < 0 || pt_writer_new(b->tape, &head, NULL, &w, &diag) < 0 ||
	    pt_synth_generate(&s, pt_writer_sink(w)) < 0 || pt_writer_finish(w, NULL, 1) < 0)
		die("cannot make the tape", &diag);
	pt_head_done(&head);
	pt_writer_free(w);
}

static void make_files(struct bench *b)
{
	const struct pt_plan_file *f = pt_plan_file(b->plan, 0);
	const struct pt_fileset_want want = {
		.path = "/data", .size = f->size, .reach = f->reach, .used = 1
	};
	struct pt_diag diag = PT_DIAG_INIT;

	if (pt_fileset_open(b->target, &b->files, &diag) < 0 ||
	    pt_fileset_plan(b->files, &want, 1, 0, &diag) < 0 ||
	    pt_fileset_prepare(b->files, NULL, NULL, &diag) < 0 ||
	    pt_fileset_warm(b->files, 0, f->size) < 0)
		die("cannot make the file", &diag);
}

static void gather_offsets(struct bench *b)
{
	struct pt_op op;

	for (uint32_t t = 0; t < b->threads; t++) {
		b->n[t] = 0;
		b->off[t] = calloc(READS, sizeof(uint64_t));
		if (!b->off[t])
			die("no memory", NULL);
	}
	if (pt_plan_rewind(b->plan) < 0)
		die("cannot rewind", pt_plan_diag(b->plan));
	while (pt_plan_next(b->plan, &op) > 0)
		b->off[op.thread][b->n[op.thread]++] = op.off;
}

static void *read_all(void *arg)
{
	const struct reader *r = arg;
	char path[128], buf[IO];
	auto_close int fd = -1;

	snprintf(path, sizeof(path), "%s/%s", r->b->target, pt_fileset_path(r->b->files, 0));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(path, NULL);
	for (size_t i = 0; i < r->b->n[r->thread]; i++)
		if (pread(fd, buf, IO, (off_t)r->b->off[r->thread][i]) != IO)
			die("pread", NULL);
	return NULL;
}

static double bare(const struct bench *b)
{
	struct reader readers[2];
	uint64_t from = pt_now_ns();

	for (uint32_t t = 0; t < b->threads; t++) {
		readers[t] = (struct reader){ .b = b, .thread = t };
		if (pthread_create(&readers[t].id, NULL, read_all, &readers[t]) != 0)
			die("pthread_create", NULL);
	}
	for (uint32_t t = 0; t < b->threads; t++)
		pthread_join(readers[t].id, NULL);
	return READS / ((double)(pt_now_ns() - from) / 1e9);
}

static double engine(const struct bench *b, uint32_t window)
{
	const struct pt_engine_options opt = { .window = window };
	struct pt_diag diag = PT_DIAG_INIT;
	const struct pt_stage *stage;
	struct pt_engine *e;
	double rate;

	if (pt_plan_rewind(b->plan) < 0 || pt_engine_new(b->plan, b->files, &opt, &e, &diag) < 0 ||
	    pt_engine_run(e, &diag) < 0)
		die("cannot replay", &diag);
	stage = pt_engine_stage(e);
	if (pt_measure_errors(stage))
		die("reads failed", NULL);
	rate = READS / ((double)(stage->end_ns - atomic_load(&stage->begin_ns)) / 1e9);
	pt_engine_free(e);
	return rate;
}

/* The best of each: what is between them is this machine's other work. */
static void compare(const struct bench *b, uint32_t window)
{
	double best_bare = 0, best_engine = 0, v;

	for (int i = 0; i < ROUNDS; i++) {
		v = bare(b);
		best_bare = v > best_bare ? v : best_bare;
		v = engine(b, window);
		best_engine = v > best_engine ? v : best_engine;
	}
	printf("%u task%s, window %2u: bare %9.0f reads/s, replay %9.0f reads/s, ratio %.2f\n",
	       b->threads, b->threads == 1 ? " " : "s", window, best_bare, best_engine,
	       best_engine / best_bare);
}

static void bench(const char *dir, uint32_t threads)
{
	const struct pt_plan_options opt = { .max_threads = 2, .max_handles = 16 };
	struct bench b = { .threads = threads };
	struct pt_diag diag = PT_DIAG_INIT;

	snprintf(b.tape, sizeof(b.tape), "%s/tape", dir);
	snprintf(b.target, sizeof(b.target), "%s/files", dir);
	make_tape(&b);
	if (pt_plan_open(b.tape, &opt, &b.plan, &diag) < 0)
		die("cannot plan", &diag);
	make_files(&b);
	gather_offsets(&b);
	compare(&b, 0);
	if (threads > 1)
		compare(&b, 32);
	if (pt_fileset_remove(b.files, &diag) < 0)
		die("cannot clean up", &diag);
	pt_fileset_close(b.files);
	pt_plan_close(b.plan);
	for (uint32_t t = 0; t < threads; t++)
		free(b.off[t]);
	(void)unlink(b.tape);
	(void)rmdir(b.target);
}

int main(void)
{
	char dir[] = "/var/tmp/pagetape-bench-XXXXXX"; /* not on tmpfs, as /tmp may be */

	if (!mkdtemp(dir))
		die(dir, NULL);
	bench(dir, 1);
	bench(dir, 2);
	(void)rmdir(dir);
	return 0;
}
