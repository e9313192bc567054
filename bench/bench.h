/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the benchmarks share: clocks, yardsticks, tapes.
 *
 * A benchmark prints what something costs as a ratio to a yardstick that was measured in the same
 * run, since times of two machines, or of one on two days, cannot be compared. All here end the
 * program where something fails.
 */
#ifndef PT_BENCH_BENCH_H
#define PT_BENCH_BENCH_H

#include <stdint.h>

#include "formats/synth.h"

#define BENCH_ROUNDS 5 /* the best counts */

_Noreturn void bench_die(const char *what);

/* CPU time of the process. */
double bench_cpu_ns(void);

/* A fresh file name in TMPDIR or /var/tmp; free() it, and unlink() what was made of it. */
char *bench_temporary(void);

/* What something cost that ran in a process of its own. */
struct bench_cost {
	double cpu_ns;
	uint64_t peak_bytes; /* of memory */
};

/* Run @fn in a child process: once, or BENCH_ROUNDS times for the best round. */
struct bench_cost bench_run(void (*fn)(const void *arg), const void *arg);
struct bench_cost bench_best(void (*fn)(const void *arg), const void *arg);

/* Yardsticks, in ns: one dependent random load from a table of @places numbers; decompressing a
 * tape (all of it) with zstd alone. */
double bench_random_load_ns(uint32_t places);
double bench_zstd_ns(const char *path);

/* A tape as `synth` makes them. */
void bench_synth_tape(const char *path, const struct pt_synth *s);

/*
 * A tape of @records records like those of a memory-limited cgroup: zipf reads of a file of @pages,
 * of which @cached fit; what is not cached is added, and reclaim evicts in batches, first in, first
 * out.
 */
void bench_cache_tape(const char *path, uint64_t records, uint32_t pages, uint32_t cached);

#endif
