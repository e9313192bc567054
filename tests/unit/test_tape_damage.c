// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * formats/: tapes that are cut, damaged, hostile or of later versions. Whatever the bytes, reading
 * ends, and hands out only records that were written.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

#include "formats/definition.h"
#include "formats/frame.h"
#include "formats/layout.h"
#include "formats/reader.h"
#include "seed.h"
#include "tape_samples.h"
#include "tree.h"

#define RECORDS   250u
#define MAX_READS 100000u /* more than any of these tapes can give */

static char *root;
static struct pt_buf good;             /* a whole tape */
static struct pt_record *good_records; /* what it gives; without blobs */

static void put_file(const char *name, const void *data, size_t len)
{
	char *path = tree_path(root, name);
	FILE *f = fopen(path, "w");

	assert_true(f && fwrite(data, 1, len, f) == len && fclose(f) == 0);
	free(path);
}

static void get_file(const char *path, struct pt_buf *b)
{
	FILE *f = fopen(path, "r");
	int c;

	assert_non_null(f);
	while ((c = fgetc(f)) != EOF) {
		uint8_t byte = (uint8_t)c;

		assert_int_equal(pt_buf_put(b, &byte, 1), 0);
	}
	fclose(f);
}

/* Ids depend on what could be read before: what they stand for does not. */
static void name_ids(const struct pt_reader *rd, struct pt_record *r)
{
	if (r->file != PT_UNKNOWN32)
		r->file = (uint32_t)pt_reader_file(rd, r->file)->key.ino;
	if (r->task != PT_UNKNOWN32)
		r->task = pt_reader_task(rd, r->task)->key.pid;
	if (r->cgroup != PT_UNKNOWN32)
		r->cgroup = (uint32_t)pt_reader_cgroup(rd, r->cgroup)->id;
}

static int make_tape(void **state)
{
	struct pt_reader *rd;
	char *path;

	(void)state;
	root = tree_new();
	path = tree_path(root, "good.ptape");
	sample_tape(path, 1, RECORDS, SAMPLE_ORDERLY);
	get_file(path, &good);
	good_records = calloc(RECORDS, sizeof(*good_records));
	assert_int_equal(pt_reader_open(path, NULL, &rd, NULL), 0);
	for (uint32_t i = 0; i < RECORDS; i++) {
		assert_int_equal(pt_reader_next(rd, &good_records[i]), 1);
		name_ids(rd, &good_records[i]);
	}
	pt_reader_close(rd);
	free(path);
	return 0;
}

static int remove_tape(void **state)
{
	(void)state;
	pt_buf_done(&good);
	free(good_records);
	tree_remove(root);
	return 0;
}

/* What reading the file gave. */
struct outcome {
	int opened; /* of pt_reader_open() */
	int ended;  /* the last return: 0 or -ENODATA */
	int first_error;
	uint32_t records, damaged;
	int strange; /* a record that was not written, or not in order */
	struct pt_diag diag;
};

static struct outcome read_all(const char *name, unsigned int flags)
{
	const struct pt_reader_options opt = { .flags = flags };
	struct outcome o = { .diag = PT_DIAG_INIT };
	char *path = tree_path(root, name);
	struct pt_reader *rd;
	struct pt_record r;
	uint32_t at = 0;

	o.opened = pt_reader_open(path, &opt, &rd, &o.diag);
	free(path);
	if (o.opened < 0)
		return o;
	for (uint32_t reads = 0; reads < MAX_READS; reads++) {
		o.ended = pt_reader_next(rd, &r);
		if (o.ended == 0 || o.ended == -ENODATA)
			break;
		if (o.ended < 0) {
			o.first_error = o.first_error ? o.first_error : o.ended;
			o.damaged++;
			o.diag = *pt_reader_diag(rd);
			assert_true(o.diag.text[0]);
			continue;
		}
		name_ids(rd, &r);
		while (at < RECORDS && !sample_equal(&good_records[at], &r))
			at++;
		o.strange |= at == RECORDS;
		o.records++;
	}
	pt_reader_close(rd);
	return o;
}

static void cut_anywhere_it_reads_to_the_last_whole_block(void **state)
{
	uint32_t most = 0;

	(void)state;
	for (size_t len = 0; len < good.len; len++) {
		struct outcome o;

		put_file("cut.ptape", good.data, len);
		o = read_all("cut.ptape", 0);
		if (o.opened < 0) {
			assert_true(o.opened == -EBADMSG || o.opened == -ENODATA);
			assert_true(o.diag.text[0] && most == 0);
			continue;
		}
		assert_int_equal(o.ended, -ENODATA);
		assert_true(!o.strange && !o.damaged && o.records >= most);
		most = o.records;
	}
	assert_int_equal(most, RECORDS);
}

static void a_flipped_bit_is_noticed(void **state)
{
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int i = 0; i < 600; i++) {
		size_t at = pt_rng_below(&g, good.len);
		uint8_t bit = (uint8_t)(1u << pt_rng_below(&g, 8));
		struct outcome o, w;

		good.data[at] ^= bit;
		put_file("flip.ptape", good.data, good.len);
		good.data[at] ^= bit;
		o = read_all("flip.ptape", 0);
		w = read_all("flip.ptape", PT_READER_NO_INDEX);
		if (o.opened == 0 && (o.strange || (!o.damaged && o.records != RECORDS)))
			fail_msg("bit %#x at %zu: read wrongly", bit, at);
		if (w.opened == 0 && w.strange)
			fail_msg("bit %#x at %zu: read wrongly by walking", bit, at);
	}
}

static void behind_a_damaged_header_the_next_block_is_found(void **state)
{
	const uint8_t magic[] = { 0x51, 0x2a, 0x4d, 0x18 };
	uint8_t *second, *first = memmem(good.data, good.len, magic, sizeof(magic));
	struct outcome o;

	(void)state;
	assert_non_null(first);
	second =
		memmem(first + 4, good.len - (size_t)(first + 4 - good.data), magic, sizeof(magic));
	assert_non_null(second);
	second[20] ^= 1;
	/* Without its end, so that there is no index to help. */
	put_file("header.ptape", good.data, good.len - 20);
	second[20] ^= 1;
	o = read_all("header.ptape", 0);
	assert_int_equal(o.opened, 0);
	assert_true(!o.strange && o.damaged == 1 && o.records == RECORDS - 100);
	assert_int_equal(o.ended, -ENODATA);
}

/* Whoever reads relies on the order of time: a block from before is skipped. */
static void blocks_that_go_back_in_time_are_damage(void **state)
{
	const uint8_t magic[] = { 0x51, 0x2a, 0x4d, 0x18 };
	uint8_t *first = memmem(good.data, good.len, magic, sizeof(magic)), *second, *third;
	struct pt_buf swapped = { 0 };
	struct outcome o;

	(void)state;
	assert_non_null(first);
	second =
		memmem(first + 4, good.len - (size_t)(first + 4 - good.data), magic, sizeof(magic));
	assert_non_null(second);
	third = memmem(second + 4, good.len - (size_t)(second + 4 - good.data), magic,
		       sizeof(magic));
	assert_non_null(third);
	assert_int_equal(pt_buf_put(&swapped, good.data, (size_t)(first - good.data)), 0);
	assert_int_equal(pt_buf_put(&swapped, second, (size_t)(third - second)), 0);
	assert_int_equal(pt_buf_put(&swapped, first, (size_t)(second - first)), 0);
	put_file("swapped.ptape", swapped.data, swapped.len);
	pt_buf_done(&swapped);
	o = read_all("swapped.ptape", 0);
	assert_int_equal(o.opened, 0);
	assert_true(!o.strange && o.damaged && o.records > 0 && o.records < RECORDS);
	assert_non_null(strstr(o.diag.text, "times go back"));
}

static void padding_and_unknown_frames_are_skipped(void **state)
{
	uint8_t frame[16] = { 0x5a, 0x2a, 0x4d, 0x18, 8 }; /* 0x184d2a5a: nobody's */
	struct pt_buf b = { 0 };
	size_t head = 8 + le32_get(good.data + 4);
	struct outcome o;

	(void)state;
	assert_int_equal(pt_buf_put(&b, good.data, head), 0);
	assert_int_equal(pt_buf_put(&b, frame, sizeof(frame)), 0);
	assert_int_equal(pt_buf_put(&b, good.data + head, good.len - head), 0);
	put_file("extra.ptape", b.data, b.len - 17 - 8);
	o = read_all("extra.ptape", 0);
	assert_true(o.opened == 0 && !o.damaged && o.records == RECORDS);
	pt_buf_done(&b);
}

/* ---- Heads */

static struct outcome with_head(size_t at, uint8_t value)
{
	uint8_t old = good.data[8 + at];

	good.data[8 + at] = value;
	put_file("head.ptape", good.data, good.len);
	good.data[8 + at] = old;
	return read_all("head.ptape", 0);
}

static void newer_versions_are_refused_by_name(void **state)
{
	struct outcome o = with_head(8, 2);

	(void)state;
	assert_int_equal(o.opened, -EPROTONOSUPPORT);
	assert_non_null(strstr(o.diag.text, "tape format 2.0"));
	o = with_head(17, 0x10);
	assert_int_equal(o.opened, -EPROTONOSUPPORT);
	assert_non_null(strstr(o.diag.text, "feature 12"));
}

static void what_is_no_tape_is_refused(void **state)
{
	struct outcome o;

	(void)state;
	put_file("empty", "", 0);
	o = read_all("empty", 0);
	assert_true(o.opened == -EBADMSG && strstr(o.diag.text, "empty"));
	put_file("text", "this is a text, and a rather long one for what it says", 54);
	assert_int_equal(read_all("text", 0).opened, -EBADMSG);
	assert_int_equal(read_all("", 0).opened, -EISDIR);
	assert_int_equal(read_all("missing", 0).opened, -ENOENT);
	assert_int_equal(with_head(40, '!').opened, -EBADMSG); /* its sum is wrong now */
}

/* ---- Hand-made blocks */

/* A tape of one block with these columns, whose header tells of two accesses and a third record. */
/* A tape of one block, and without an end. Inode 99 has a definition where @announced. */
static void put_block(const struct pt_buf *columns, uint32_t third_kind, int announced)
{
	static const uint8_t times[PT_TIMES_HEAD + 3] = { 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2 };
	struct pt_packed data = { .bytes = *columns };
	struct pt_packed time = { .bytes = { (uint8_t *)(uintptr_t)times, sizeof(times), 0 } };
	ZSTD_CCtx *z = ZSTD_createCCtx();
	uint8_t h[PT_BLOCK_FIXED + 2 * PT_COUNT_SIZE] = { 0 };
	struct pt_buf frames = { 0 }, file = { 0 };
	struct pt_packed names = { 0 };
	struct pt_file def;
	size_t names_size, data_size, start;

	pt_definition_blank(PT_NAMES_FILE, &def);
	def.key = (struct pt_file_key){ .ino = 99 };
	if (announced) {
		assert_int_equal(pt_definition_put(&names.bytes, PT_NAMES_FILE, &def, NULL), 0);
		assert_int_equal(pt_frame_compress(z, 3, &names, &frames), 0);
	}
	names_size = frames.len;
	assert_int_equal(pt_frame_compress(z, 3, &data, &frames), 0);
	data_size = frames.len - names_size;
	assert_int_equal(pt_frame_compress(z, 3, &time, &frames), 0);
	le32_put(h, PT_BLOCK_SIGNATURE);
	le32_put(h + 4, announced ? PT_BLOCK_DEFINITIONS : 0);
	le64_put(h + 24, 3); /* the last time */
	le32_put(h + 56, 3);
	le32_put(h + 60, (uint32_t)names_size);
	le32_put(h + 64, (uint32_t)names.bytes.len);
	le32_put(h + 68, (uint32_t)data_size);
	le32_put(h + 72, (uint32_t)columns->len);
	le32_put(h + 76, (uint32_t)(frames.len - names_size - data_size));
	le32_put(h + 80, sizeof(times));
	le32_put(h + 84, third_kind == PT_ACCESS ? 1 : 2);
	le32_put(h + 96, PT_ACCESS);
	le64_put(h + 100, third_kind == PT_ACCESS ? 3 : 2);
	le32_put(h + 108, third_kind);
	le64_put(h + 112, 1);
	assert_int_equal(pt_buf_put(&file, good.data, 8 + le32_get(good.data + 4)), 0);
	assert_int_equal(pt_frame_begin(&file, PT_MAGIC_BLOCK, &start), 0);
	assert_int_equal(pt_buf_put(&file, h, sizeof(h) - (third_kind == PT_ACCESS ? 12 : 0)), 0);
	assert_int_equal(pt_frame_end(&file, start), 0);
	assert_int_equal(pt_buf_put(&file, frames.data, frames.len), 0);
	put_file("made.ptape", file.data, file.len);
	pt_buf_done(&file);
	pt_buf_done(&frames);
	pt_buf_done(&names.bytes);
	ZSTD_freeCCtx(z);
}

/* Columns of three records with one file: two accesses and one of @third_kind between them. */
static struct pt_buf columns_of(uint8_t third_kind, const uint8_t (*entries)[5], uint32_t n,
				const uint8_t *bytes, size_t len)
{
	const uint8_t kinds[] = { PT_ACCESS, third_kind, PT_ACCESS };
	uint8_t head[PT_COLUMNS_HEAD + 16] = { 0 };
	struct pt_buf b = { 0 };

	le32_put(head, 3);
	le32_put(head + 4, 1);
	le32_put(head + 16, n);
	le64_put(head + 20, 99); /* inode */
	assert_int_equal(pt_buf_put(&b, head, sizeof(head)), 0);
	for (uint32_t i = 0; i < n; i++) {
		uint8_t e[PT_COLUMN_SIZE] = { 0 };

		memcpy(e, entries[i], 5);
		assert_int_equal(pt_buf_put(&b, e, sizeof(e)), 0);
	}
	assert_int_equal(pt_buf_put(&b, kinds, sizeof(kinds)), 0);
	assert_int_equal(pt_buf_put(&b, bytes, len), 0);
	return b;
}

static void unknown_kinds_and_fields_are_skipped(void **state)
{
	const uint8_t entries[][5] = {
		{ 200, PT_F_PAGE, 77, 3, 5 }, /* a kind of later versions, coded anyhow */
		{ PT_ACCESS, 99, 77, 3, 2 },  /* a field of later versions */
		{ PT_ACCESS, PT_F_PAGE, PT_T_RAW, 1, 2 },
		{ PT_ACCESS, PT_F_FILE, PT_T_CONST, 1, 1 },
	};
	const uint8_t bytes[] = { 9, 9, 9, 9, 9, 8, 8, 41, 51, 1 };
	struct pt_buf b = columns_of(200, entries, 4, bytes, sizeof(bytes));
	char *path = tree_path(root, "made.ptape");
	struct pt_reader *rd;
	struct pt_record r;

	(void)state;
	put_block(&b, 200, 1);
	assert_int_equal(pt_reader_open(path, NULL, &rd, NULL), 0);
	assert_int_equal(pt_reader_next(rd, &r), 1);
	assert_true(r.kind == PT_ACCESS && r.page == 40 && r.ts_ns == 0);
	assert_true(r.npages == PT_UNKNOWN && pt_reader_file(rd, r.file)->key.ino == 99);
	assert_int_equal(pt_reader_next(rd, &r), 1);
	assert_true(r.page == 50 && r.ts_ns == 3);
	assert_int_equal(pt_reader_next(rd, &r), -ENODATA);
	pt_reader_close(rd);
	pt_buf_done(&b);
	free(path);
}

static void columns_that_cannot_be_are_refused(void **state)
{
	static const struct {
		uint8_t entry[5], len;
		int err;
	} cases[] = {
		{ { PT_ACCESS, PT_F_PAGE, PT_T_RAW, 1, 3 }, 3, 0 },
		{ { PT_ACCESS, PT_F_PAGE, 77, 1, 3 }, 3, -EOPNOTSUPP },
		{ { PT_ACCESS, PT_F_PAGE, PT_T_RAW, 1, 2 }, 2, -EBADMSG }, /* too short */
		{ { PT_ACCESS, PT_F_PAGE, PT_T_RAW, 0, 0 }, 0, -EBADMSG }, /* no width */
		{ { PT_ACCESS, PT_F_PAGE, PT_T_RAW, 9, 27 }, 27, -EBADMSG },
		{ { PT_ACCESS, PT_F_PAGE, PT_T_RAW, 1, 4 }, 3, -EBADMSG },   /* cut */
		{ { PT_ACCESS, PT_F_PAGE, PT_T_RAW, 1, 3 }, 4, -EBADMSG },   /* bytes behind */
		{ { PT_ACCESS, PT_F_FILE, PT_T_RAW, 1, 3 }, 3, -EBADMSG },   /* file 7 of 1 */
		{ { PT_ACCESS, PT_F_TASK, PT_T_CONST, 1, 1 }, 1, -EBADMSG }, /* task 7 of 0 */
		{ { PT_ACCESS, PT_F_HOW, PT_T_RAW, 2, 6 }, 6, -EBADMSG },    /* over a byte */
		{ { PT_ACCESS, PT_F_TASK, PT_T_TASK, 1, 3 }, 3, -EBADMSG },
		{ { PT_ACCESS, PT_F_LEN, PT_T_PAGE_OFF, 1, 3 }, 3, -EBADMSG },
		{ { PT_ACCESS, PT_F_PAGE, PT_T_BLOB, 0, 3 }, 3, -EBADMSG },
		{ { PT_EVICT, PT_F_PAGE, PT_T_RAW, 1, 0 }, 0, -EBADMSG }, /* no such record */
		{ { PT_ACCESS, PT_F_BLOB, PT_T_BLOB, 0, 3 },
		  3,
		  -EBADMSG }, /* texts longer than it */
	};
	const uint8_t bytes[32] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
				    7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pt_buf b = columns_of(PT_ACCESS, &cases[i].entry, 1, bytes, cases[i].len);
		struct outcome o;

		put_block(&b, PT_ACCESS, 1);
		o = read_all("made.ptape", 0);
		if (o.opened != 0 || o.first_error != cases[i].err ||
		    o.records != (cases[i].err ? 0 : 3))
			fail_msg("case %zu: %d, %d, %u records", i, o.opened, o.first_error,
				 o.records);
		pt_buf_done(&b);
	}
}

/* Users size their lists when the tape is opened: no id may come up later. */
static void keys_without_definition_are_damage(void **state)
{
	const uint8_t entries[][5] = { { PT_ACCESS, PT_F_FILE, PT_T_CONST, 1, 1 } };
	const uint8_t bytes[] = { 1 };
	struct pt_buf b = columns_of(PT_ACCESS, entries, 1, bytes, sizeof(bytes));
	char *path = tree_path(root, "made.ptape");
	struct pt_reader *rd;
	struct pt_record r;

	(void)state;
	put_block(&b, PT_ACCESS, 0);
	assert_int_equal(pt_reader_open(path, NULL, &rd, NULL), 0);
	assert_int_equal(pt_reader_next(rd, &r), -EBADMSG);
	assert_int_equal(pt_reader_next(rd, &r), -ENODATA);
	assert_int_equal(pt_reader_file_count(rd), 0);
	pt_reader_close(rd);
	pt_buf_done(&b);
	free(path);
}

/* Without the first block's definitions all records are still read, their ids in bounds. */
static void lost_definitions_leave_the_keys(void **state)
{
	const uint8_t magic[] = { 0x51, 0x2a, 0x4d, 0x18 };
	uint8_t *block = memmem(good.data, good.len, magic, sizeof(magic));
	char *path = tree_path(root, "names.ptape");
	uint32_t files, tasks, records = 0;
	struct pt_reader *rd;
	struct pt_record r;
	uint8_t *inside;
	int got;

	(void)state;
	assert_non_null(block);
	inside = block + 8 + le32_get(block + 4) + 12;
	*inside ^= 1;
	put_file("names.ptape", good.data, good.len);
	*inside ^= 1;
	assert_int_equal(pt_reader_open(path, NULL, &rd, NULL), 0);
	files = pt_reader_file_count(rd);
	tasks = pt_reader_task_count(rd);
	assert_int_equal(pt_reader_next(rd, &r), -EBADMSG);
	while ((got = pt_reader_next(rd, &r)) == 1) {
		records++;
		assert_true(r.file == PT_UNKNOWN32 || r.file < files);
		assert_true(r.task == PT_UNKNOWN32 || r.task < tasks);
	}
	assert_int_equal(got, 0);
	assert_int_equal(records, RECORDS);
	pt_reader_close(rd);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_anywhere_it_reads_to_the_last_whole_block),
		cmocka_unit_test(a_flipped_bit_is_noticed),
		cmocka_unit_test(behind_a_damaged_header_the_next_block_is_found),
		cmocka_unit_test(blocks_that_go_back_in_time_are_damage),
		cmocka_unit_test(padding_and_unknown_frames_are_skipped),
		cmocka_unit_test(newer_versions_are_refused_by_name),
		cmocka_unit_test(what_is_no_tape_is_refused),
		cmocka_unit_test(unknown_kinds_and_fields_are_skipped),
		cmocka_unit_test(columns_that_cannot_be_are_refused),
		cmocka_unit_test(keys_without_definition_are_damage),
		cmocka_unit_test(lost_definitions_leave_the_keys),
	};

	return cmocka_run_group_tests(tests, make_tape, remove_tape);
}
