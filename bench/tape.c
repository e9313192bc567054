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

static void die(const char *what)
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

static struct pt_record next(struct pt_rng *g, enum workload w, uint32_t i, const uint32_t *tasks,
			     uint32_t file, uint64_t *ts_ns)
{
	struct pt_record r = PT_RECORD_INIT(PT_ACCESS);
	static uint64_t missing;
	uint32_t task = (uint32_t)pt_rng_below(g, 2);

	*ts_ns += gap_ns(g);
	r.ts_ns = *ts_ns;
	r.task = tasks[task];
	r.file = file;
	r.npages = 1;
	r.how = PT_HOW_READ;
	r.flags = 0;
	if (w == SEQUENTIAL) {
		r.task = tasks[0];
		r.page = i % PAGES;
		return r;
	}
	r.page = pt_rng_below(g, PAGES);
	if (w == RANDOM_CACHED)
		return r;
	if (missing) { /* the access behind its add */
		r.task = tasks[0];
		r.page = missing - 1;
		r.flags = PT_IO_MISS;
		missing = 0;
		return r;
	}
	if (pt_rng_below(g, 2)) {
		r = (struct pt_record)PT_RECORD_INIT(PT_ADD);
		r.ts_ns = *ts_ns;
		r.task = tasks[0];
		r.file = file;
		r.page = pt_rng_below(g, PAGES);
		r.order = 0;
		r.how = PT_CAUSE_DEMAND;
		missing = r.page + 1;
	}
	return r;
}

static void write_tape(const char *path, const struct pt_record *records, uint64_t *ret_bytes)
{
	const struct pt_file_key file = { 12, 3, 0 };
	struct pt_writer_stats stats;
	struct pt_head head;
	struct pt_writer *w = NULL;
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
	for (uint32_t i = 0; i < RECORDS; i++)
		if (s->record(s->ctx, &records[i]) < 0)
			die("cannot write");
	if (pt_writer_finish(w, NULL, 1) < 0)
		die("cannot write");
	pt_writer_stats(w, &stats);
	*ret_bytes = stats.bytes;
	pt_writer_free(w);
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

static void measure_yardsticks(const struct pt_record *records, struct figures *f)
{
	size_t size = RECORDS * sizeof(*records), bound = ZSTD_compressBound(size);
	auto_free struct pt_record *copy = malloc(size);
	auto_free void *packed = malloc(bound);
	double start = cpu_ns();

	if (!copy || !packed)
		die("no memory");
	memcpy(copy, records, size);
	keep_best(&f->copy_ns, start);
	start = cpu_ns();
	f->zstd_bytes = ZSTD_compress(packed, bound, copy, size, 3);
	keep_best(&f->zstd_ns, start);
}

static void measure(const char *path, const struct pt_record *records, struct figures *f)
{
	for (int round = 0; round < ROUNDS; round++) {
		double start = cpu_ns();

		write_tape(path, records, &f->bytes);
		keep_best(&f->write_ns, start);
		start = cpu_ns();
		read_tape(path, 0);
		keep_best(&f->read_ns, start);
		start = cpu_ns();
		read_tape(path, PT_READER_NO_TIME);
		keep_best(&f->no_time_ns, start);
		measure_yardsticks(records, f);
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
	const uint32_t tasks[2] = { 0, 1 };
	const char *tmp = getenv("TMPDIR");
	auto_free char *path = NULL;
	auto_free struct pt_record *records = calloc(RECORDS, sizeof(*records));
	int fd;

	if (!records || asprintf(&path, "%s/pagetape-bench-XXXXXX", tmp ? tmp : "/tmp") < 0)
		die("no memory");
	fd = mkstemp(path);
	if (fd < 0)
		die("cannot make a temporary file");
	close(fd);
	printf("%-24s %34s %15s %23s\n", "", "CPU ns a record", "bytes a record", "ratios");
	printf("%-24s %6s %6s %6s %6s %6s %7s %7s %7s %7s %7s\n", "workload", "write", "read",
	       "notime", "memcpy", "zstd", "tape", "zstd", "w/copy", "r/copy", "size");
	for (unsigned int w = 0; w < WORKLOADS; w++) {
		struct figures f = { 0 };
		struct pt_rng g;
		uint64_t ts_ns = 0;

		pt_rng_init(&g, 1);
		for (uint32_t i = 0; i < RECORDS; i++)
			records[i] = next(&g, w, i, tasks, 0, &ts_ns);
		measure(path, records, &f);
		show(names[w], &f);
	}
	unlink(path);
	return 0;
}
