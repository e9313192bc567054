// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What analysis costs, from a million records to a hundred million: CPU time and memory of decoding
 * a tape, of hist, and of mrc (exact, sampled by rate and by size), each the best of some rounds in
 * a process of its own.
 *
 * Yardsticks, in the same run: decompressing the same tape with zstd alone, and one dependent
 * random load from a table with a place for each page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/lcs.h"
#include "analysis/tape_mrc.h"
#include "analysis/tape_refaults.h"
#include "bench/bench.h"
#include "util/cleanup.h"
#include "util/rng.h"

#define PAGES   1000000u
#define CACHED  250000u
#define THETA   0.8
#define SYMBOLS 1000000u

static const uint64_t millions[] = { 1, 10, 100 };

/* ---- What is measured, on the tape at @arg */

static struct pt_reader *open_tape(const char *path, const struct pt_reader_options *opt)
{
	struct pt_reader *r = NULL;

	if (pt_reader_open(path, opt, &r, NULL) < 0)
		bench_die("cannot read a tape");
	return r;
}

static void decode(const void *arg)
{
	struct pt_reader *r = open_tape(arg, NULL);
	struct pt_record rec;

	while (pt_reader_next(r, &rec) == 1)
		;
	pt_reader_close(r);
}

static void decode_columns(const void *arg)
{
	struct pt_reader *r = open_tape(arg, NULL);
	struct pt_reader_block b;

	while (pt_reader_next_block(r, &b) == 1)
		;
	pt_reader_close(r);
}

static void hist(const void *arg)
{
	const struct pt_reader_options ropt = { .fields = pt_refault_fields };
	struct pt_reader *r = open_tape(arg, &ropt);
	struct pt_refault_options opt = { 0 };
	struct pt_refault *ref;
	struct pt_walk walk;

	if (pt_tape_refaults(r, &opt, &ref, &walk, NULL) < 0)
		bench_die("hist failed");
	pt_refault_free(ref);
	pt_reader_close(r);
}

static void mrc(const char *path, const struct pt_reuse_options *sample)
{
	const struct pt_reader_options ropt = { .flags = PT_READER_NO_TIME,
						.kinds = PT_MRC_KINDS,
						.fields = pt_mrc_fields };
	struct pt_reader *r = open_tape(path, &ropt);
	struct pt_mrc_options opt = { .sample = *sample };
	struct pt_walk walk;
	struct pt_mrc *m;

	if (pt_tape_mrc(r, &opt, &m, &walk, NULL) < 0)
		bench_die("mrc failed");
	pt_mrc_free(m);
	pt_reader_close(r);
}

static void mrc_exact(const void *arg)
{
	mrc(arg, &(struct pt_reuse_options){ 0 });
}

static void mrc_rate(const void *arg)
{
	mrc(arg, &(struct pt_reuse_options){ .rate = 0.01 });
}

static void mrc_size(const void *arg)
{
	mrc(arg, &(struct pt_reuse_options){ .rate = 1, .max_pages = 8192 });
}

/* ---- Tapes of a size */

struct measured {
	const char *name;
	void (*fn)(const void *arg);
	int of_accesses; /* of the tape of accesses; else of the cache's */
};

static const struct measured all[] = {
	{ "decode, records", decode, 0 },
	{ "decode, columns", decode_columns, 0 },
	{ "hist", hist, 0 },
	{ "mrc, exact", mrc_exact, 1 },
	{ "mrc, sampled at 1/100", mrc_rate, 1 },
	{ "mrc, 8192 pages", mrc_size, 1 },
};

struct size {
	uint64_t records;
	char *tapes[2]; /* of the cache, of accesses */
};

static void make_tapes(const void *arg)
{
	const struct size *s = arg;
	const struct pt_synth synth = { .preset = PT_SYNTH_ZIPF,
					.files = 1,
					.size_bytes = (uint64_t)PAGES * PT_SYNTH_PAGE_SIZE,
					.accesses = s->records,
					.tasks = 2,
					.io_bytes = PT_SYNTH_PAGE_SIZE,
					.interval_ns = 1000,
					.seed = 1,
					.theta = THETA };

	bench_cache_tape(s->tapes[0], s->records, PAGES, CACHED);
	bench_synth_tape(s->tapes[1], &synth);
}

static void measure_size(uint64_t records, double load_ns)
{
	struct size s = { records, { bench_temporary(), bench_temporary() } };
	double zstd_ns[2];

	bench_run(make_tapes, &s);
	for (int i = 0; i < 2; i++)
		zstd_ns[i] = bench_zstd_ns(s.tapes[i]) / (double)records;
	for (size_t i = 0; i < PT_ARRAY_SIZE(all); i++) {
		struct bench_cost c = bench_best(all[i].fn, s.tapes[all[i].of_accesses]);
		double ns = c.cpu_ns / (double)records;

		printf("%-24s %9.0f %9.1f %9.2f %9.2f %9.2f %9.1f\n", all[i].name,
		       (double)records / 1e6, ns, 1e3 / ns, ns / zstd_ns[all[i].of_accesses],
		       ns / load_ns, (double)c.peak_bytes / (1 << 20));
	}
	for (int i = 0; i < 2; i++) {
		unlink(s.tapes[i]);
		free(s.tapes[i]);
	}
}

/* ---- Sequences, for fidelity */

struct sequences {
	uint32_t a[SYMBOLS], b[SYMBOLS];
};

static void align(const void *arg)
{
	const struct sequences *s = arg;
	auto_free size_t *match = calloc(SYMBOLS, sizeof(*match));
	size_t len;
	int exact;

	if (!match ||
	    pt_lcs_align(s->a, SYMBOLS, s->b, SYMBOLS, PAGES + 1, match, &len, &exact) < 0)
		bench_die("out of memory");
}

/* Sequences of which one in @every symbols was replaced. */
static void measure_lcs(uint32_t every, double load_ns)
{
	auto_free struct sequences *s = calloc(1, sizeof(*s));
	struct bench_cost c;
	struct pt_rng g;

	if (!s)
		bench_die("out of memory");
	pt_rng_init(&g, 1);
	for (uint32_t i = 0; i < SYMBOLS; i++) {
		s->a[i] = (uint32_t)pt_rng_below(&g, PAGES);
		s->b[i] = i % every == every - 1 ? PAGES : s->a[i];
	}
	c = bench_best(align, s);
	printf("LCS, one in %-4u differs  %9.0f %9.1f %9.2f %9s %9.2f %9.1f\n", every,
	       SYMBOLS / 1e6, c.cpu_ns / SYMBOLS, 1e3 * SYMBOLS / c.cpu_ns, "",
	       c.cpu_ns / SYMBOLS / load_ns, (double)c.peak_bytes / (1 << 20));
}

int main(int argc, char **argv)
{
	size_t n = argc == 2 && strcmp(argv[1], "--large") == 0 ? 3 : 2;
	double load_ns = bench_random_load_ns(PAGES);

	if (argc > 1 && n < 3)
		bench_die("usage: bench_analysis [--large]");
	printf("zipf %.1f over %u pages; one random load takes %.1f ns\n", THETA, PAGES, load_ns);
	printf("%-24s %9s %9s %9s %9s %9s %9s\n", "", "million", "CPU ns", "M/s", "/ zstd",
	       "/ load", "MiB");
	for (size_t i = 0; i < n; i++)
		measure_size(millions[i] * 1000000, load_ns);
	measure_lcs(1000, load_ns);
	measure_lcs(10, load_ns);
	return 0;
}
