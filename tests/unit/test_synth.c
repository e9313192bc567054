// SPDX-License-Identifier: GPL-2.0-or-later
/* formats/synth: settings, distributions, and that the same seed gives the same tape. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/synth.h"

#define BLOCKS 256u

/* Takes records and counts which blocks they read. */
struct tally {
	uint64_t hits[BLOCKS], records, files, tasks, opens, last_ns, sum;
};

static int tally_file(void *ctx, const struct pt_file_key *key, uint32_t *ret_id)
{
	struct tally *t = ctx;

	assert_true(key->ino == t->files + 1);
	*ret_id = (uint32_t)t->files++;
	return 0;
}

static int tally_task(void *ctx, const struct pt_task_key *key, uint32_t *ret_id)
{
	struct tally *t = ctx;

	(void)key;
	*ret_id = (uint32_t)t->tasks++;
	return 0;
}

static int tally_open(void *ctx, const struct pt_openfile *def)
{
	struct tally *t = ctx;

	assert_true(def->id == t->opens++);
	return 0;
}

static int tally_record(void *ctx, const struct pt_record *r)
{
	struct tally *t = ctx;

	assert_true(r->kind == PT_ACCESS && r->ts_ns >= t->last_ns);
	assert_true(r->npages == 1 && r->len_bytes == 4096 && r->off_bytes == r->page * 4096);
	t->last_ns = r->ts_ns;
	t->records++;
	t->sum = t->sum * 31 + r->page * 7 + r->file;
	t->hits[r->file * (BLOCKS / 2) + r->page]++;
	return 0;
}

static struct tally run(const struct pt_synth *s)
{
	struct tally t = { .sum = 1 };
	const struct pt_sink sink = {
		.ctx = &t,
		.intern_file = tally_file,
		.intern_task = tally_task,
		.define_open = tally_open,
		.record = tally_record,
	};

	assert_int_equal(pt_synth_check(s, NULL), 0);
	assert_int_equal(pt_synth_generate(s, &sink), 0);
	assert_true(t.records == s->accesses && t.files == s->files && t.tasks == s->tasks);
	assert_true(t.opens == s->files * s->tasks);
	return t;
}

static const struct pt_synth base = {
	.files = 2,
	.size_bytes = BLOCKS / 2 * 4096,
	.accesses = 100000,
	.tasks = 3,
	.io_bytes = 4096,
	.interval_ns = 10,
	.seed = 1,
	.theta = 0.9,
};

static void scattering_is_a_permutation(void **state)
{
	static const uint64_t sizes[] = { 1, 2, 3, 4, 5, 100, 256, 1000, 4097 };

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		uint8_t *seen = calloc(1, sizes[s]);

		assert_non_null(seen);
		for (uint64_t i = 0; i < sizes[s]; i++) {
			uint64_t at = pt_synth_scatter(i, sizes[s], 42);

			assert_true(at < sizes[s] && !seen[at]);
			seen[at] = 1;
		}
		free(seen);
	}
}

static int descending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

static void zipf_falls_as_its_theta_says_and_is_scattered(void **state)
{
	struct tally t = run(&base);
	int neighbours = 0;
	uint64_t fall;

	(void)state;
	for (uint32_t i = 1; i < BLOCKS; i++)
		neighbours += t.hits[i] > 1000 && t.hits[i - 1] > 1000;
	assert_true(neighbours < 8);
	qsort(t.hits, BLOCKS, sizeof(t.hits[0]), descending);
	/* Ranks 1 and 8: 8^0.9 = 6.50; ranks 8 and 64 the same. */
	assert_in_range(t.hits[0] * 100 / t.hits[7], 580, 720);
	fall = t.hits[7] * 100 / t.hits[63];
	assert_in_range(fall, 580, 720);
}

static void uniform_is_even(void **state)
{
	struct pt_synth s = base;
	struct tally t;

	(void)state;
	s.preset = PT_SYNTH_UNIFORM;
	t = run(&s);
	for (uint32_t i = 0; i < BLOCKS; i++)
		assert_in_range(t.hits[i], 280, 510); /* 391 +- 6 sigma */
}

static void seq_reads_every_block_in_turn(void **state)
{
	struct pt_synth s = base;
	struct tally t;

	(void)state;
	s.preset = PT_SYNTH_SEQ;
	s.tasks = 2;
	s.accesses = 3 * BLOCKS;
	t = run(&s);
	for (uint32_t i = 0; i < BLOCKS; i++)
		assert_int_equal(t.hits[i], 3);
}

static void the_seed_decides(void **state)
{
	struct pt_synth other = base;
	struct pt_head a, b, c;

	(void)state;
	assert_true(run(&base).sum == run(&base).sum);
	other.seed = 2;
	assert_true(run(&base).sum != run(&other).sum);
	assert_int_equal(pt_synth_head(&base, &a), 0);
	assert_int_equal(pt_synth_head(&base, &b), 0);
	assert_int_equal(pt_synth_head(&other, &c), 0);
	assert_string_equal(pt_head_tape_id(&a), pt_head_tape_id(&b));
	assert_string_not_equal(pt_head_tape_id(&a), pt_head_tape_id(&c));
	pt_head_done(&a);
	pt_head_done(&b);
	pt_head_done(&c);
}

static void impossible_settings_are_refused(void **state)
{
	struct pt_synth s = base;

	(void)state;
	s.files = 0;
	assert_int_equal(pt_synth_check(&s, NULL), -EINVAL);
	s = base;
	s.io_bytes = s.size_bytes + 1;
	assert_int_equal(pt_synth_check(&s, NULL), -EINVAL);
	s = base;
	s.files = s.tasks = UINT32_MAX;
	assert_int_equal(pt_synth_check(&s, NULL), -EINVAL);
	s = base;
	s.interval_ns = s.accesses = UINT64_C(1) << 40;
	assert_int_equal(pt_synth_check(&s, NULL), -EINVAL);
	s = base;
	s.theta = -1;
	assert_int_equal(pt_synth_check(&s, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scattering_is_a_permutation),
		cmocka_unit_test(zipf_falls_as_its_theta_says_and_is_scattered),
		cmocka_unit_test(uniform_is_even),
		cmocka_unit_test(seq_reads_every_block_in_turn),
		cmocka_unit_test(the_seed_decides),
		cmocka_unit_test(impossible_settings_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
