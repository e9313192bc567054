// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/generations: against going through all readings again, and in the refaults' histogram.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/generations.h"
#include "analysis/refault.h"
#include "seed.h"

#define READINGS 200
#define CGROUPS  3
#define NODES    2
#define ASKED    2000

struct made {
	uint64_t ts_ns, seq[NODES]; /* PT_UNKNOWN: not in this reading */
	uint32_t cgroup;
};

static void fill(struct pt_record *rec, char *text, size_t size, const struct made *m)
{
	size_t len = 0;

	*rec = (struct pt_record)PT_RECORD_INIT(PT_COUNTERS);
	for (uint32_t node = 0; node < NODES; node++)
		if (m->seq[node] != PT_UNKNOWN)
			len += (size_t)snprintf(text + len, size - len,
						"node%" PRIu32 "_max_seq 9999\n"
						"node%" PRIu32 "_min_seq_file %" PRIu64 "\n",
						node, node, m->seq[node]);
	rec->how = PT_COUNTERS_LRU_GEN;
	rec->cgroup = m->cgroup;
	rec->ts_ns = m->ts_ns;
	rec->blob = text;
	rec->blob_len = (uint32_t)len;
}

static uint64_t last_seq(const struct made *v, uint32_t cgroup, uint32_t node, uint64_t ts_ns)
{
	uint64_t seq = PT_UNKNOWN;

	for (size_t i = 0; i < READINGS; i++)
		if (v[i].cgroup == cgroup && v[i].seq[node] != PT_UNKNOWN && v[i].ts_ns <= ts_ns)
			seq = v[i].seq[node];
	return seq;
}

static void make(struct made *v, struct pt_rng *rng)
{
	uint64_t seq[CGROUPS][NODES] = { 0 };

	for (size_t i = 0; i < READINGS; i++) {
		v[i].ts_ns = 10 * i + pt_rng_below(rng, 10);
		v[i].cgroup = (uint32_t)pt_rng_below(rng, CGROUPS);
		for (uint32_t node = 0; node < NODES; node++) {
			v[i].seq[node] = seq[v[i].cgroup][node] += pt_rng_below(rng, 4);
			if (!pt_rng_below(rng, 5))
				v[i].seq[node] = PT_UNKNOWN;
		}
	}
}

static void differences_are_those_of_the_readings_before(void **state)
{
	struct made v[READINGS];
	struct pt_generations g;
	struct pt_rng rng;

	(void)state;
	seed_rng(&rng);
	make(v, &rng);
	pt_generations_init(&g);
	for (size_t i = 0; i < READINGS; i++) {
		struct pt_record rec;
		char text[256];

		fill(&rec, text, sizeof(text), &v[i]);
		assert_int_equal(pt_generations_read(&g, &rec), 0);
	}
	for (int i = 0; i < ASKED; i++) {
		uint32_t cgroup = (uint32_t)pt_rng_below(&rng, CGROUPS);
		uint32_t node = (uint32_t)pt_rng_below(&rng, NODES);
		uint64_t from = pt_rng_below(&rng, 10 * READINGS);
		uint64_t to = from + pt_rng_below(&rng, 500);
		uint64_t first = last_seq(v, cgroup, node, from);
		uint64_t want = first == PT_UNKNOWN ? first : last_seq(v, cgroup, node, to) - first;

		assert_true(pt_generations_between(&g, cgroup, node, from, to) == want);
	}
	assert_true(pt_generations_between(&g, CGROUPS, 0, 0, 1) == PT_UNKNOWN);
	assert_true(pt_generations_between(&g, 0, 0, PT_UNKNOWN, 1) == PT_UNKNOWN);
	pt_generations_done(&g);
}

static void numbers_that_fall_are_passed_over(void **state)
{
	static const uint64_t seqs[] = { 5, 900, 3, UINT64_MAX - 1, 901 };
	struct pt_generations g;

	(void)state;
	pt_generations_init(&g);
	for (size_t i = 0; i < sizeof(seqs) / sizeof(*seqs); i++) {
		const struct made m = { .ts_ns = 10 * i, .seq = { seqs[i], PT_UNKNOWN } };
		struct pt_record rec;
		char text[128];

		fill(&rec, text, sizeof(text), &m);
		assert_int_equal(pt_generations_read(&g, &rec), 0);
	}
	assert_int_equal(g.readings, 5);
	assert_true(g.longest_step == UINT64_MAX - 1 - 900);
	assert_int_equal(pt_generations_between(&g, 0, 0, 0, 25), 895);
	assert_int_equal(pt_generations_between(&g, 0, 0, 35, 99), 0);
	pt_generations_done(&g);
}

static void feed(struct pt_refault *r, uint8_t kind, uint64_t ts_ns, uint64_t page, uint8_t how)
{
	struct pt_record rec = PT_RECORD_INIT(kind);

	rec.ts_ns = ts_ns;
	rec.file = rec.cgroup = rec.task = 0;
	rec.node = 0;
	rec.page = page;
	rec.order = 0;
	rec.how = how;
	assert_int_equal(pt_refault_feed(r, &rec), 0);
}

static void refaults_are_counted_by_generations(void **state)
{
	struct pt_refault *r;
	const struct pt_log2hist *h;
	uint64_t readings, step;

	(void)state;
	assert_int_equal(pt_refault_new(&(struct pt_refault_options){ 0 }, &r), 0);
	assert_int_equal(pt_refault_define_cgroup(r, 0, PT_UNKNOWN32), 0);
	for (uint64_t page = 0; page < 4; page++)
		feed(r, PT_ADD, 1, page, PT_CAUSE_DEMAND);
	feed(r, PT_EVICT, 5, 0, PT_RECLAIM_MEMCG); /* before the first reading */
	for (uint64_t i = 1; i <= 3; i++) {
		const struct made m = { .ts_ns = 10 * i, .seq = { 3 * i, PT_UNKNOWN } };
		struct pt_record rec;
		char text[128];

		fill(&rec, text, sizeof(text), &m);
		assert_int_equal(pt_refault_feed(r, &rec), 0);
		feed(r, PT_EVICT, 10 * i + 5, i, PT_RECLAIM_MEMCG);
	}
	for (uint64_t page = 0; page < 4; page++)
		feed(r, PT_ADD, 40, page, PT_CAUSE_DEMAND);
	assert_int_equal(pt_refault_counts(r)->refaults, 4);
	h = pt_refault_distances(r, PT_DISTANCE_GENERATIONS);
	assert_int_equal(h->count, 3);
	assert_int_equal(h->max, 6);
	assert_int_equal((uint64_t)h->sum, 6 + 3 + 0);
	pt_refault_generations(r, &readings, &step);
	assert_int_equal(readings, 3);
	assert_int_equal(step, 3);
	pt_refault_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_are_those_of_the_readings_before),
		cmocka_unit_test(numbers_that_fall_are_passed_over),
		cmocka_unit_test(refaults_are_counted_by_generations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
