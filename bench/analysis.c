// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What analysis costs: records a second through the refault model, and symbols a second through the
 * longest common subsequence.
 *
 * The yardstick is one dependent random load from a table of the working set's size for each record
 * or symbol, in the same run: compare the ratios, not the times of two machines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/lcs.h"
#include "analysis/refault.h"
#include "util/cleanup.h"
#include "util/rng.h"

#define RECORDS 2000000u
#define PAGES   131072u /* of the file: 512 MiB */
#define CACHED  32768u  /* 128 MiB of memory */
#define ROUNDS  3

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "bench analysis: %s\n", what);
	exit(1);
}

/* A first-in first-out cache under skewed reads: hits are accesses; misses evict, add and access.
 */
static struct pt_record *make_records(void)
{
	struct pt_record *v = calloc(RECORDS + 3, sizeof(*v));
	uint32_t *fifo = calloc(CACHED, sizeof(*fifo));
	uint8_t *cached = calloc(PAGES, 1);
	uint32_t n = 0, at = 0;
	struct pt_zipf z;
	struct pt_rng g;

	if (!v || !fifo || !cached)
		die("out of memory");
	pt_rng_init(&g, 1);
	pt_zipf_init(&z, PAGES, 0.8);
	while (n < RECORDS) {
		uint32_t page = (uint32_t)(pt_zipf_draw(&z, &g) * 7919 % PAGES);
		uint8_t kinds[3] = { PT_EVICT, PT_ADD, PT_ACCESS };

		for (int k = cached[page] ? 2 : 0; k < 3; k++) {
			struct pt_record *r = &v[n++];

			*r = (struct pt_record)PT_RECORD_INIT(kinds[k]);
			r->ts_ns = n;
			r->task = 0;
			r->file = 0;
			r->page = k ? page : fifo[at];
			r->npages = 1;
			r->order = 0;
			r->node = 0;
			r->how = k == 0 ? PT_RECLAIM_MEMCG : 0;
		}
		if (cached[page])
			continue;
		cached[fifo[at]] = 0;
		cached[page] = 1;
		fifo[at] = page;
		at = (at + 1) % CACHED;
	}
	free(fifo);
	free(cached);
	return v;
}

static double yardstick(uint32_t steps, uint32_t size)
{
	uint32_t *table = calloc(size, sizeof(*table)), p = 0;
	struct pt_rng g;
	double begin;

	if (!table)
		die("out of memory");
	pt_rng_init(&g, 2);
	/* A single cycle through all places (Sattolo 1986). */
	for (uint32_t i = 0; i < size; i++)
		table[i] = i;
	for (uint32_t i = size - 1; i > 0; i--) {
		uint32_t k = (uint32_t)pt_rng_below(&g, i), x = table[i];

		table[i] = table[k];
		table[k] = x;
	}
	begin = cpu_ns();
	for (uint32_t i = 0; i < steps; i++)
		p = table[p];
	begin = cpu_ns() - begin;
	if (p == UINT32_MAX)
		puts("never"); /* keeps the loop */
	free(table);
	return begin / steps;
}

static double refault_ns(const struct pt_record *v)
{
	struct pt_refault *r;
	double begin;

	if (pt_refault_new(&(struct pt_refault_options){ 0 }, &r) < 0)
		die("out of memory");
	begin = cpu_ns();
	for (uint32_t i = 0; i < RECORDS; i++)
		if (pt_refault_feed(r, &v[i]) < 0)
			die("out of memory");
	begin = cpu_ns() - begin;
	pt_refault_free(r);
	return begin / RECORDS;
}

/* Sequences of which one in @every symbols was replaced. */
static double lcs_ns(const struct pt_record *v, uint32_t n, uint32_t every)
{
	auto_free uint32_t *a = calloc(n, sizeof(*a));
	auto_free uint32_t *b = calloc(n, sizeof(*b));
	auto_free size_t *match = calloc(n, sizeof(*match));
	size_t len;
	double begin;
	int exact;

	if (!a || !b || !match)
		die("out of memory");
	for (uint32_t i = 0; i < n; i++) {
		a[i] = (uint32_t)v[i].page;
		b[i] = i % every == every - 1 ? PAGES : a[i];
	}
	begin = cpu_ns();
	if (pt_lcs_align(a, n, b, n, PAGES + 1, match, &len, &exact) < 0)
		die("out of memory");
	return (cpu_ns() - begin) / n;
}

static void show(const char *what, double ns, double yard)
{
	printf("%-42s %8.1f ns %8.2f M/s %8.2f yardsticks\n", what, ns, 1e3 / ns, ns / yard);
}

int main(void)
{
	struct pt_record *v = make_records();
	double yard = 1e9, refault = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double y = yardstick(RECORDS, PAGES), r = refault_ns(v);

		yard = y < yard ? y : yard;
		refault = r < refault ? r : refault;
	}
	show("one random load (the yardstick)", yard, yard);
	show("a record through the refault model", refault, yard);
	show("a symbol of an LCS, one in 1000 differs", lcs_ns(v, 1000000, 1000), yard);
	show("a symbol of an LCS, one in 10 differs", lcs_ns(v, 1000000, 10), yard);
	free(v);
	return 0;
}
