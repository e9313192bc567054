// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What miss-ratio curves cost: accesses a second through exact and sampled reuse distances.
 *
 * The yardstick is one dependent random load from a table of one entry a page, for each access, in
 * the same run: compare the ratios, not the times of two machines. CPU time, the best of ROUNDS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/reuse.h"
#include "util/cleanup.h"
#include "util/rng.h"

#define ACCESSES 10000000u
#define PAGES    1000000u
#define THETA    0.8
#define ROUNDS   5

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "bench mrc: %s\n", what);
	exit(1);
}

static uint32_t *make_accesses(void)
{
	uint32_t *v = calloc(ACCESSES, sizeof(*v));
	struct pt_zipf z;
	struct pt_rng g;

	if (!v)
		die("out of memory");
	pt_rng_init(&g, 1);
	pt_zipf_init(&z, PAGES, THETA);
	/* 7919 has no factor in common with PAGES, so ranks are scattered one to one. */
	for (uint32_t i = 0; i < ACCESSES; i++)
		v[i] = (uint32_t)(pt_zipf_draw(&z, &g) * 7919 % PAGES);
	return v;
}

static double yardstick_ns(void)
{
	uint32_t *table = calloc(PAGES, sizeof(*table)), p = 0;
	struct pt_rng g;
	double begin;

	if (!table)
		die("out of memory");
	pt_rng_init(&g, 2);
	for (uint32_t i = 0; i < PAGES; i++)
		table[i] = i;
	/* A single cycle through all places (Sattolo 1986). */
	for (uint32_t i = PAGES - 1; i > 0; i--) {
		uint32_t k = (uint32_t)pt_rng_below(&g, i), x = table[i];

		table[i] = table[k];
		table[k] = x;
	}
	begin = cpu_ns();
	for (uint32_t i = 0; i < ACCESSES; i++)
		p = table[p];
	begin = cpu_ns() - begin;
	if (p == UINT32_MAX)
		puts("never"); /* keeps the loop */
	free(table);
	return begin / ACCESSES;
}

static double reuse_ns(const uint32_t *v, const struct pt_reuse_options *opt)
{
	struct pt_reuse *r = pt_reuse_new(opt);
	double begin = cpu_ns();

	if (!r)
		die("out of memory");
	for (uint32_t i = 0; i < ACCESSES; i++)
		if (pt_reuse_feed(r, 0, v[i], 1) < 0)
			die("out of memory");
	begin = cpu_ns() - begin;
	pt_reuse_free(r);
	return begin / ACCESSES;
}

static void show(const char *what, double ns, double yard)
{
	printf("%-42s %8.1f ns %8.2f M/s %8.2f yardsticks\n", what, ns, 1e3 / ns, ns / yard);
}

int main(void)
{
	static const struct pt_reuse_options options[] = {
		{ 0 },
		{ .rate = 0.01 },
		{ .max_pages = 8192 },
	};
	static const char *const names[] = {
		"an access, exact distances",
		"an access, sampled at 1/100",
		"an access, a sample of 8192 pages",
	};
	double best[PT_ARRAY_SIZE(options)], yard = 1e9;
	uint32_t *v = make_accesses();

	for (size_t k = 0; k < PT_ARRAY_SIZE(options); k++)
		best[k] = 1e9;
	for (int i = 0; i < ROUNDS; i++) {
		double y = yardstick_ns();

		yard = y < yard ? y : yard;
		for (size_t k = 0; k < PT_ARRAY_SIZE(options); k++) {
			double ns = reuse_ns(v, &options[k]);

			best[k] = ns < best[k] ? ns : best[k];
		}
	}
	printf("%u accesses, zipf %.1f over %u pages\n", ACCESSES, THETA, PAGES);
	show("one random load (the yardstick)", yard, yard);
	for (size_t k = 0; k < PT_ARRAY_SIZE(options); k++)
		show(names[k], best[k], yard);
	free(v);
	return 0;
}
