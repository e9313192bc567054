// SPDX-License-Identifier: GPL-2.0-or-later
/* formats/reader's short cuts: chosen fields, blocks as columns, threads. All must show the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/reader.h"
#include "seed.h"
#include "tape_samples.h"
#include "util/cleanup.h"

#define RECORDS 3000u
#define BLOBS   ((size_t)1 << 20)

static char tape[] = "/tmp/pt_reader_XXXXXX";

/* What a reader hands out: records, their blobs copied, and the failures in between. */
struct seen {
	struct pt_record *v;
	int *returned;
	size_t n;
	char *blobs;
	size_t blobs_used;
};

static void keep(struct seen *s, const struct pt_record *rec, int n)
{
	assert_true(s->n < 2 * RECORDS);
	s->returned[s->n] = n;
	if (n == 1) {
		s->v[s->n] = *rec;
		if (rec->blob) {
			assert_true(s->blobs_used + rec->blob_len <= BLOBS);
			s->v[s->n].blob =
				memcpy(s->blobs + s->blobs_used, rec->blob, rec->blob_len);
			s->blobs_used += rec->blob_len;
		}
	}
	s->n++;
}

static struct pt_reader *open_tape(const struct pt_reader_options *opt)
{
	struct pt_reader *r = NULL;

	assert_int_equal(pt_reader_open(tape, opt, &r, NULL), 0);
	return r;
}

static void see(const struct pt_reader_options *opt, struct seen *s)
{
	struct pt_reader *r = open_tape(opt);
	struct pt_record rec;
	int n;

	s->v = calloc(2 * RECORDS, sizeof(*s->v));
	s->returned = calloc(2 * RECORDS, sizeof(*s->returned));
	s->blobs = malloc(BLOBS);
	assert_true(s->v && s->returned && s->blobs);
	do {
		n = pt_reader_next(r, &rec);
		keep(s, &rec, n);
	} while (n == 1 || n == -EBADMSG);
	pt_reader_close(r);
}

static void forget(struct seen *s)
{
	free(s->v);
	free(s->returned);
	free(s->blobs);
	*s = (struct seen){ 0 };
}

static void assert_same(const struct seen *a, const struct seen *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		assert_int_equal(a->returned[i], b->returned[i]);
		if (a->returned[i] == 1)
			assert_true(sample_equal(&a->v[i], &b->v[i]));
	}
}

static void threads_show_the_same(void **state)
{
	(void)state;
	for (unsigned int style = 0; style < SAMPLE_STYLES; style++) {
		struct seen one = { 0 }, many = { 0 };

		sample_tape(tape, style, RECORDS, style);
		see(&(struct pt_reader_options){ 0 }, &one);
		assert_int_equal(one.n, RECORDS + 1);
		for (unsigned int threads = 2; threads < 6; threads++) {
			see(&(struct pt_reader_options){ .threads = threads }, &many);
			assert_same(&one, &many);
			forget(&many);
		}
		forget(&one);
	}
}

static void threads_stop_where_they_are(void **state)
{
	struct pt_record rec, first;
	struct pt_reader *r;

	(void)state;
	sample_tape(tape, 1, RECORDS, SAMPLE_ORDERLY);
	r = open_tape(&(struct pt_reader_options){ .threads = 3 });
	assert_int_equal(pt_reader_next(r, &first), 1);
	for (int i = 0; i < 10; i++) {
		for (int k = 0; k < 50 * i; k++)
			assert_int_equal(pt_reader_next(r, &rec), 1);
		assert_int_equal(pt_reader_rewind(r), 0);
		assert_int_equal(pt_reader_next(r, &rec), 1);
		assert_true(sample_equal(&rec, &first));
	}
	pt_reader_close(r);
	pt_reader_close(open_tape(&(struct pt_reader_options){ .threads = 3 }));
}

/* Turn over a bit somewhere behind the head. */
static void damage(struct pt_rng *g)
{
	auto_close int fd = open(tape, O_RDWR | O_CLOEXEC);
	struct stat st;
	uint8_t byte;
	off_t at;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	at = st.st_size / 10 + (off_t)pt_rng_below(g, (uint64_t)st.st_size / 2);
	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= (uint8_t)(1u << pt_rng_below(g, 8));
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
}

static void threads_complain_the_same(void **state)
{
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int round = 0; round < 12; round++) {
		const unsigned int flags = pt_rng_below(&g, 2) ? PT_READER_NO_INDEX : 0;
		struct seen one = { 0 }, many = { 0 };

		sample_tape(tape, (uint64_t)round, RECORDS, SAMPLE_ORDERLY);
		for (int i = 0; i < 3; i++)
			damage(&g);
		see(&(struct pt_reader_options){ .flags = flags }, &one);
		see(&(struct pt_reader_options){ .flags = flags, .threads = 4 }, &many);
		assert_same(&one, &many);
		forget(&one);
		forget(&many);
	}
}

static void draw_fields(struct pt_rng *g, uint32_t fields[PT_KIND_COUNT])
{
	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		fields[k] = (uint32_t)pt_rng_u64(g) & (uint32_t)pt_rng_u64(g);
}

/* Fields that were chosen are as they are, the others unknown. */
static void check_fields(const struct seen *all, const struct seen *some, const uint32_t *fields,
			 uint64_t kinds)
{
	size_t k = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct pt_record *a = &all->v[i], *b = &some->v[k];

		if (all->returned[i] == 1 && kinds && !(kinds >> a->kind & 1))
			continue;
		assert_int_equal(all->returned[i], some->returned[k++]);
		if (all->returned[i] != 1)
			continue;
		assert_int_equal(a->kind, b->kind);
		assert_true(a->ts_ns == b->ts_ns);
		for (unsigned int f = 1; f < PT_F_BLOB; f++)
			assert_true(pt_record_get(b, f) ==
				    (fields[a->kind] >> f & 1 ? pt_record_get(a, f) : PT_UNKNOWN));
		assert_int_equal(!b->blob, !a->blob || !(fields[a->kind] >> PT_F_BLOB & 1));
	}
	assert_int_equal(k, some->n);
}

static void only_chosen_fields(void **state)
{
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int round = 0; round < 24; round++) {
		uint64_t kinds = pt_rng_below(&g, 2) ? pt_rng_u64(&g) | 2 : 0;
		struct seen all = { 0 }, some = { 0 };
		uint32_t fields[PT_KIND_COUNT];

		sample_tape(tape, (uint64_t)round, 600, (enum sample_style)(round % SAMPLE_STYLES));
		draw_fields(&g, fields);
		see(&(struct pt_reader_options){ 0 }, &all);
		see(&(struct pt_reader_options){ .fields = fields, .kinds = kinds }, &some);
		check_fields(&all, &some, fields, kinds);
		forget(&all);
		forget(&some);
	}
}

static void check_row(const struct pt_record *rec, const struct pt_unpacked_kind *k, uint32_t row,
		      uint32_t fields)
{
	assert_true(row < k->n);
	for (unsigned int f = 1; f < PT_F_BLOB; f++)
		assert_true(pt_unpack_value(&k->columns[f], row) ==
			    (fields >> f & 1 ? pt_record_get(rec, f) : PT_UNKNOWN));
}

static void blocks_are_the_records(void **state)
{
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int round = 0; round < 12; round++) {
		uint32_t fields[PT_KIND_COUNT];
		struct pt_reader_options opt = { .fields = fields, .threads = round % 2 ? 3 : 0 };
		struct seen all = { 0 };
		struct pt_reader_block b;
		struct pt_reader *r;
		size_t i = 0;
		int n;

		sample_tape(tape, (uint64_t)round, 600, (enum sample_style)(round % SAMPLE_STYLES));
		draw_fields(&g, fields);
		see(&(struct pt_reader_options){ 0 }, &all);
		r = open_tape(&opt);
		while ((n = pt_reader_next_block(r, &b)) == 1) {
			uint32_t rows[PT_KIND_COUNT] = { 0 };

			for (uint32_t k = 0; k < b.n; k++, i++) {
				unsigned int kind = b.kinds[k];

				assert_int_equal(kind, all.v[i].kind);
				assert_true(b.ts_ns[k] == all.v[i].ts_ns);
				check_row(&all.v[i], &b.by_kind[kind], rows[kind]++, fields[kind]);
			}
			for (unsigned int kind = 1; kind < PT_KIND_COUNT; kind++)
				assert_int_equal(b.by_kind[kind].n, rows[kind]);
		}
		assert_int_equal(n, 0);
		assert_int_equal(i, 600);
		pt_reader_close(r);
		forget(&all);
	}
}

static int remove_tape(void **state)
{
	(void)state;
	return unlink(tape);
}

static int make_tape(void **state)
{
	auto_close int fd = mkstemp(tape);

	(void)state;
	return fd < 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_show_the_same),
		cmocka_unit_test(threads_stop_where_they_are),
		cmocka_unit_test(threads_complain_the_same),
		cmocka_unit_test(only_chosen_fields),
		cmocka_unit_test(blocks_are_the_records),
	};

	return cmocka_run_group_tests(tests, make_tape, remove_tape);
}
