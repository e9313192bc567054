// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a tape costs: time to write and to read a record, and bytes it takes, for three workloads.
 *
 * Beside each stands what copying the same records in memory costs, and what plain zstd -3 makes
 * of them as packed structs, in the same run: compare the ratios, not the times of two machines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "formats/reader.h"
#include "formats/writer.h"
#include "util/cleanup.h"
#include "util/rng.h"

#define RECORDS 1000000u
#define ROUNDS  5
#define PAGES   131072u /* of the file: 512 MiB */

enum workload { RANDOM_CACHED, SEQUENTIAL, RANDOM_MISSES, WORKLOADS };

static const char *const names[WORKLOADS] = { "random 4K, cached", "sequential 4K, cached",
					      "random 4K, half missing" };

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "bench tape: %s\n", what);
	exit(1);
}

/* A read's time on a machine is a sharp peak and a tail. */
static uint64_t gap_ns(struct pt_rng *g)
{
	uint64_t ns = 380;

	for (int i = 0; i < 8; i++)
		ns += pt_rng_below(g, 40);
	return pt_rng_below(g, 50) ? ns : ns + pt_rng_below(g, 5000);
}

/* A record in short, so that making one costs next to nothing. */
struct seed {
	uint32_t gap_ns, page;
	uint8_t kind, task, missed;
};

static struct seed *draw(enum workload w)
{
	struct seed *seeds = calloc(RECORDS, sizeof(*seeds));
	struct pt_rng g;

	if (!seeds)
		die("no memory");
	pt_rng_init(&g, 1);
	for (uint32_t i = 0; i < RECORDS; i++) {
		struct seed *s = &seeds[i];

		*s = (struct seed){ (uint32_t)gap_ns(&g), (uint32_t)pt_rng_below(&g, PAGES),
				    PT_ACCESS, (uint8_t)pt_rng_below(&g, 2), 0 };
		if (w == SEQUENTIAL) {
			s->page = i % PAGES;
			s->task = 0;
		} else if (w == RANDOM_MISSES && i && seeds[i - 1].kind == PT_ADD) {
			s->page = seeds[i - 1].page;
			s->task = seeds[i - 1].task;
			s->missed = 1;
		} else if (w == RANDOM_MISSES && pt_rng_below(&g, 2)) {
			s->kind = PT_ADD;
		}
	}
	return seeds;
}

static struct pt_record grow(const struct seed *s, uint64_t *ts_ns)
{
	struct pt_record r = PT_RECORD_INIT(s->kind);

	*ts_ns += s->gap_ns;
	r.ts_ns = *ts_ns;
	r.task = s->task;
	r.file = 0;
	r.page = s->page;
	r.how = 0;
	if (s->kind == PT_ACCESS) {
		r.npages = 1;
		r.flags = s->missed ? PT_IO_MISS : 0;
	} else {
		r.order = 0;
	}
	return r;
}

static struct pt_writer *new_tape(const char *path)
{
	const struct pt_file_key file = { 12, 3, 0 };
	struct pt_head head;
	struct pt_writer *w;
	const struct pt_sink *s;
	uint32_t id;

	if (pt_head_init(&head, 4096, "mono") < 0 || pt_writer_new(path, &head, NULL, &w, NULL) < 0)
		die("cannot write");
	pt_head_done(&head);
	s = pt_writer_sink(w);
	if (s->intern_file(s->ctx, &file, &id) < 0)
		die("no memory");
	for (uint32_t i = 0; i < 2; i++) {
		const struct pt_task_key task = { 100 + i, 0 };

		if (s->intern_task(s->ctx, &task, &id) < 0)
			die("no memory");
	}
	return w;
}

static uint64_t write_tape(const char *path, const struct seed *seeds)
{
	struct pt_writer *w = new_tape(path);
	const struct pt_sink *s = pt_writer_sink(w);
	struct pt_writer_stats stats;
	uint64_t ts_ns = 0;

	for (uint32_t i = 0; i < RECORDS; i++) {
		struct pt_record r = grow(&seeds[i], &ts_ns);

		if (s->record(s->ctx, &r) < 0)
			die("cannot write");
	}
	if (pt_writer_finish(w, NULL, 1) < 0)
		die("cannot write");
	pt_writer_stats(w, &stats);
	pt_writer_free(w);
	return stats.bytes;
}

static void read_tape(const char *path, unsigned int flags)
{
	const struct pt_reader_options opt = { .flags = flags };
	struct pt_reader *r;
	struct pt_record rec;
	uint64_t n = 0;
	int got;

	if (pt_reader_open(path, &opt, &r, NULL) < 0)
		die("cannot read");
	while ((got = pt_reader_next(r, &rec)) == 1)
		n += rec.page != PT_UNKNOWN;
	if (got < 0 || n != RECORDS)
		die("read something else than was written");
	pt_reader_close(r);
}

/* The best of some rounds, in ns a record. */
struct figures {
	double write_ns, read_ns, no_time_ns, copy_ns, zstd_ns;
	uint64_t bytes, zstd_bytes;
};

static void keep_best(double *best, double start)
{
	double ns = (cpu_ns() - start) / RECORDS;

	if (*best == 0 || ns < *best)
		*best = ns;
}

/* Copying each record as it is made, and packing them all as they lie in memory. */
static void measure_yardsticks(const struct seed *seeds, struct figures *f)
{
	size_t size = RECORDS * sizeof(struct pt_record), bound = ZSTD_compressBound(size);
	auto_free struct pt_record *all = calloc(RECORDS, sizeof(*all));
	auto_free void *packed = malloc(bound);
	uint64_t ts_ns = 0;
	double start;

	if (!all || !packed)
		die("no memory");
	for (uint32_t i = 0; i < RECORDS; i++)
		all[i] = grow(&seeds[i], &ts_ns);
	ts_ns = 0;
	start = cpu_ns();
	for (uint32_t i = 0; i < RECORDS; i++) {
		const struct pt_record r = grow(&seeds[i], &ts_ns);

		memcpy(&all[i], &r, sizeof(r));
	}
	keep_best(&f->copy_ns, start);
	start = cpu_ns();
	f->zstd_bytes = ZSTD_compress(packed, bound, all, size, 3);
	keep_best(&f->zstd_ns, start);
}

static void measure(const char *path, const struct seed *seeds, struct figures *f)
{
	for (int round = 0; round < ROUNDS; round++) {
		double start = cpu_ns();

		f->bytes = write_tape(path, seeds);
		keep_best(&f->write_ns, start);
		start = cpu_ns();
		read_tape(path, 0);
		keep_best(&f->read_ns, start);
		start = cpu_ns();
		read_tape(path, PT_READER_NO_TIME);
		keep_best(&f->no_time_ns, start);
		measure_yardsticks(seeds, f);
	}
}

static void show(const char *name, const struct figures *f)
{
	printf("%-24s %6.1f %6.1f %6.1f %6.1f %6.1f %7.2f %7.2f %7.1f %7.1f %7.2f\n", name,
	       f->write_ns, f->read_ns, f->no_time_ns, f->copy_ns, f->zstd_ns,
	       (double)f->bytes / RECORDS, (double)f->zstd_bytes / RECORDS,
	       f->write_ns / f->copy_ns, f->read_ns / f->copy_ns,
	       (double)f->bytes / (double)f->zstd_bytes);
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");
	auto_free char *path = NULL;
	int fd;

	if (asprintf(&path, "%s/pagetape-bench-XXXXXX", tmp ? tmp : "/tmp") < 0)
		die("no memory");
	fd = mkstemp(path);
	if (fd < 0)
		die("cannot make a temporary file");
	close(fd);
	printf("%-24s %34s %15s %23s\n", "", "CPU ns a record", "bytes a record", "ratios");
	printf("%-24s %6s %6s %6s %6s %6s %7s %7s %7s %7s %7s\n", "workload", "write", "read",
	       "notime", "memcpy", "zstd", "tape", "zstd", "w/copy", "r/copy", "size");
	for (unsigned int w = 0; w < WORKLOADS; w++) {
		auto_free struct seed *seeds = draw(w);
		struct figures f = { 0 };

		measure(path, seeds, &f);
		show(names[w], &f);
	}
	unlink(path);
	return 0;
}
