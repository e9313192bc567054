// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * formats/: tapes kept from released versions read as they did, for ever; malformed ones fail with
 * the errno they are listed with.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/reader.h"
#include "tree.h"
#include "util/bytes.h"
#include "util/cleanup.h"

/* Values that depend on the order in which a reader gives out ids are shown as what they mean. */
static void show_field(FILE *f, const struct pt_reader *rd, const struct pt_record *r,
		       unsigned int field)
{
	uint64_t v = pt_record_get(r, field);
	const struct pt_file *file;
	const struct pt_task *task;

	if (v == PT_UNKNOWN)
		return;
	switch (field) {
	case PT_F_FILE:
		file = pt_reader_file(rd, r->file);
		fprintf(f, " file=%" PRIu64 "/%u/%u", file->key.ino, file->key.dev, file->key.gen);
		break;
	case PT_F_TASK:
		task = pt_reader_task(rd, r->task);
		fprintf(f, " task=%u/%u", task->key.pid, task->key.incarnation);
		break;
	case PT_F_CGROUP:
	case PT_F_TARGET:
		fprintf(f, " %s=%" PRIu64, pt_field_name(field),
			pt_reader_cgroup(rd, (uint32_t)v)->id);
		break;
	case PT_F_BLOB:
		if (r->blob)
			fprintf(f, " text=%u/%08x", r->blob_len, pt_crc32(r->blob, r->blob_len));
		break;
	default:
		fprintf(f, " %s=%" PRIu64, pt_field_name(field), v);
	}
}

static void show_record(FILE *f, const struct pt_reader *rd, const struct pt_record *r)
{
	const struct pt_kind_info *info = pt_kind_info(r->kind);

	fprintf(f, "%" PRIu64 " %s", r->ts_ns, info->name);
	for (unsigned int field = 1; field < PT_F_COUNT; field++)
		if (info->fields & 1u << field)
			show_field(f, rd, r, field);
	fputc('\n', f);
}

/* A string on a line of its own making: "-" where it is unknown, other bytes than letters in hex.
 */
static void show_string(FILE *f, const char *s)
{
	fputc(' ', f);
	if (!s)
		fputc('-', f);
	for (; s && *s; s++)
		fprintf(f, *s > ' ' && *s < 0x7f ? "%c" : "\\%02x", (unsigned char)*s);
}

static void show_names(FILE *f, const struct pt_reader *rd)
{
	const struct pt_openfile *o;
	const struct pt_mount *m;
	const struct pt_device *d;

	for (uint32_t i = 0; i < pt_reader_file_count(rd); i++) {
		const struct pt_file *x = pt_reader_file(rd, i);

		fprintf(f, "file %" PRIu64 " %" PRIu64 " %" PRIu64 " %x %x %x", x->key.ino, x->size,
			x->blocks_512, x->type, x->flags, x->mount);
		show_string(f, x->path);
		show_string(f, x->build_id);
		show_string(f, x->holes);
		fputc('\n', f);
	}
	for (uint32_t i = 0; i < pt_reader_task_count(rd); i++) {
		const struct pt_task *x = pt_reader_task(rd, i);

		fprintf(f, "task %u %x %x %x %s\n", x->key.pid, x->tgid, x->parent_pid, x->flags,
			x->comm ? x->comm : "-");
	}
	for (uint32_t i = 0; i < pt_reader_cgroup_count(rd); i++) {
		const struct pt_cgroup *x = pt_reader_cgroup(rd, i);

		fprintf(f, "cgroup %" PRIu64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %x %s\n", x->id,
			x->max_bytes, x->high_bytes, x->low_bytes, x->version,
			x->path ? x->path : "-");
	}
	for (uint32_t i = 0; (o = pt_reader_openfile(rd, i)); i++)
		fprintf(f, "open %u %" PRIu64 " %x %u\n", o->id,
			pt_reader_file(rd, o->file)->key.ino, o->flags, o->guessed);
	for (uint32_t i = 0; (m = pt_reader_mount(rd, i)); i++)
		fprintf(f, "mount %u %u %u %s %s %s\n", m->id, m->dev, m->block_size, m->point,
			m->type, m->options);
	for (uint32_t i = 0; (d = pt_reader_device(rd, i)); i++)
		fprintf(f, "device %u %u %u %" PRIu64 " %s %s\n", d->dev, d->read_ahead_kb,
			d->rotational, d->size, d->name, d->scheduler);
}

static char *shown(const char *path)
{
	struct pt_reader_summary s;
	struct pt_reader *rd;
	struct pt_record r;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int got;

	assert_non_null(f);
	assert_int_equal(pt_reader_open(path, NULL, &rd, NULL), 0);
	pt_reader_summary(rd, &s);
	fprintf(f, "%s %" PRIu64 " events %" PRIu64 " records %" PRIu64 " lost complete %d\n",
		pt_head_tape_id(pt_reader_head(rd)), s.events, s.records, s.lost_events,
		!!s.complete);
	while ((got = pt_reader_next(rd, &r)) == 1)
		show_record(f, rd, &r);
	assert_int_equal(got, 0);
	show_names(f, rd);
	pt_reader_close(rd);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* PT_UPDATE=1 in the environment writes the text of a golden that has none yet. */
static void version_1_reads_as_ever(void **state)
{
	auto_free char *path = tree_path(PT_GOLDEN_DIR, "tape-v1.ptape");
	auto_free char *text_path = tree_path(PT_GOLDEN_DIR, "tape-v1.txt");
	auto_free char *text = shown(path);
	auto_free char *want = calloc(1, strlen(text) + 2);
	FILE *f;

	(void)state;
	assert_non_null(want);
	if (getenv("PT_UPDATE") && !tree_has(PT_GOLDEN_DIR, "tape-v1.txt"))
		tree_put(PT_GOLDEN_DIR, "tape-v1.txt", text);
	f = fopen(text_path, "r");
	assert_non_null(f);
	(void)!fread(want, 1, strlen(text) + 1, f);
	fclose(f);
	assert_string_equal(text, want);
}

/* The first failure in reading @path from begin to end: 0 where there is none. */
static int first_failure(const char *path)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_reader *rd;
	struct pt_record r;
	int got = pt_reader_open(path, NULL, &rd, &diag);

	if (got < 0) {
		assert_true(diag.text[0] && diag.file[0]);
		return got;
	}
	while ((got = pt_reader_next(rd, &r)) == 1)
		continue;
	if (got < 0)
		assert_true(pt_reader_diag(rd)->has_offset && pt_reader_diag(rd)->file[0]);
	pt_reader_close(rd);
	return got;
}

static void malformed_ones_fail_as_listed(void **state)
{
	static const struct {
		const char *name;
		int err;
	} list[] = {
		{ "empty", -EBADMSG },
		{ "text", -EBADMSG },
		{ "other-magic", -EBADMSG },
		{ "newer-version", -EPROTONOSUPPORT },
		{ "unknown-feature", -EPROTONOSUPPORT },
		{ "head-damaged", -EBADMSG },
		{ "head-too-long", -EBADMSG },
		{ "head-cut", -ENODATA },
		{ "block-header-damaged", -EBADMSG },
		{ "definitions-damaged", -EBADMSG },
		{ "columns-damaged", -EBADMSG },
		{ "times-damaged", -EBADMSG },
		{ "cut-in-block", -ENODATA },
		{ "cut-in-tail", -ENODATA },
		{ "index-damaged", -ENODATA },
	};

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(list); i++) {
		auto_free char *path = tree_path(PT_GOLDEN_DIR "/malformed", list[i].name);
		int err = first_failure(path);

		if (err != list[i].err)
			fail_msg("%s: %s, not %s", list[i].name, strerror(-err),
				 strerror(-list[i].err));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_1_reads_as_ever),
		cmocka_unit_test(malformed_ones_fail_as_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
