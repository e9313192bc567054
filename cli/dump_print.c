// SPDX-License-Identifier: GPL-2.0-or-later
/* Records as lines: see dump_print.h. The fields follow the table in formats/record.c. */
#include "cli/dump_print.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/json.h"
#include "util/printable.h"

#define NAME_MAX_BYTES 4200 /* a path and some more */

/* Names of flags, by bit. */
static const char *const io_flags[] = { "miss", "direct", "dontcache", "nowait", "store",
					"mmap", "uring",  "metadata",  "guessed" };
static const char *const refault_flags[] = { "activated", "restored" };
static const char *const resident_flags[] = { "active", "dirty", "shadow" };

static int written(FILE *f)
{
	return ferror(f) ? -EIO : 0;
}

const char *pt_dump_file_name(const struct pt_file *f, char *buf, size_t size)
{
	char generation[16] = ""; /* of an inode number that was used again */

	if (f->key.gen)
		snprintf(generation, sizeof(generation), "#%u", f->key.gen);
	if (f->path)
		snprintf(buf, size, "%s%s", f->path, generation);
	else
		snprintf(buf, size, "%u:%u/%" PRIu64 "%s", f->key.dev >> 20, f->key.dev & 0xfffff,
			 f->key.ino, generation);
	return pt_make_printable(buf);
}

static const char *task_name(const struct pt_task *t, char *buf, size_t size)
{
	snprintf(buf, size, "%s-%u", t->comm ? t->comm : "?", t->key.pid);
	return pt_make_printable(buf);
}

static const char *cgroup_name(const struct pt_cgroup *c, char *buf, size_t size)
{
	if (c->path)
		snprintf(buf, size, "%s", c->path);
	else
		snprintf(buf, size, "cgroup:%" PRIu64, c->id);
	return pt_make_printable(buf);
}

/* The names of a kind's flags; *ret_n is 0 where they are only a number. */
static const char *const *flag_names(unsigned int kind, unsigned int *ret_n)
{
	*ret_n = 0;
	switch (kind) {
	case PT_ACCESS:
	case PT_WRITE:
		*ret_n = PT_ARRAY_SIZE(io_flags);
		return io_flags;
	case PT_REFAULT:
		*ret_n = PT_ARRAY_SIZE(refault_flags);
		return refault_flags;
	case PT_RESIDENT:
		*ret_n = PT_ARRAY_SIZE(resident_flags);
		return resident_flags;
	default:
		return NULL;
	}
}

/* "miss|direct"; bits without a name, and kinds without names, as a number. */
static const char *flags_text(const struct pt_record *r, char *buf, size_t size)
{
	unsigned int n, at = 0;
	const char *const *names = flag_names(r->kind, &n);
	uint32_t rest = r->flags;

	buf[0] = '\0';
	for (unsigned int i = 0; i < n && at < size; i++) {
		if (!(rest & 1u << i))
			continue;
		rest &= ~(1u << i);
		at += (unsigned int)snprintf(buf + at, size - at, "%s%s", at ? "|" : "", names[i]);
	}
	if ((rest || !n) && at < size)
		at += (unsigned int)snprintf(buf + at, size - at, "%s%#x", at ? "|" : "", rest);
	if (!at)
		snprintf(buf, size, "0");
	return buf;
}

/* A field as text, NULL where it is unknown. Blobs are not shown here. */
static const char *field_text(const struct pt_dump *d, const struct pt_record *r, unsigned int f,
			      char *buf, size_t size)
{
	uint64_t v = pt_record_get(r, f);
	const char *how;

	if (v == PT_UNKNOWN)
		return NULL;
	switch (f) {
	case PT_F_TASK:
		return task_name(pt_reader_task(d->reader, r->task), buf, size);
	case PT_F_FILE:
		return pt_dump_file_name(pt_reader_file(d->reader, r->file), buf, size);
	case PT_F_CGROUP:
	case PT_F_TARGET:
		return cgroup_name(pt_reader_cgroup(d->reader, (uint32_t)v), buf, size);
	case PT_F_FLAGS:
		return flags_text(r, buf, size);
	case PT_F_HOW:
		how = pt_how_name(r->kind, (unsigned int)v);
		if (how)
			return how;
		break;
	}
	snprintf(buf, size, "%" PRIu64, v);
	return buf;
}

static int has(const struct pt_record *r, unsigned int f)
{
	return !!(pt_kind_info(r->kind)->fields & 1u << f);
}

/* ---- Text */

/* "file:page+npages", as far as known. */
static void text_place(const struct pt_dump *d, const struct pt_record *r)
{
	char name[NAME_MAX_BYTES];
	const char *file =
		has(r, PT_F_FILE) ? field_text(d, r, PT_F_FILE, name, sizeof(name)) : NULL;

	if (file)
		fprintf(d->out, " %s", file);
	if (has(r, PT_F_PAGE) && r->page != PT_UNKNOWN) {
		fprintf(d->out, " page %" PRIu64, r->page);
		if (has(r, PT_F_NPAGES) && r->npages != PT_UNKNOWN && r->npages != 1)
			fprintf(d->out, "+%" PRIu64, r->npages);
		else if (has(r, PT_F_ORDER) && r->order != PT_UNKNOWN8 && r->order < 64)
			fprintf(d->out, "+%" PRIu64, UINT64_C(1) << r->order);
	} else if (has(r, PT_F_NPAGES) && r->npages != PT_UNKNOWN) {
		fprintf(d->out, " pages %" PRIu64, r->npages);
	}
}

/* "scanned=32": what a value means depends on the kind. */
static void text_value(const struct pt_dump *d, const struct pt_record *r, unsigned int f)
{
	const char *name = pt_value_name(r->kind, r->how, f - PT_F_VALUE0);
	uint64_t v = pt_record_get(r, f);

	if (v == PT_UNKNOWN)
		return;
	if (r->kind == PT_RECLAIM_BEGIN)
		fprintf(d->out, " %s=%#" PRIx64, name, v);
	else if (r->kind == PT_LIMIT && v == PT_NO_LIMIT)
		fprintf(d->out, " %s=none", name);
	else
		fprintf(d->out, " %s=%" PRIu64, name, v);
}

static void text_rest(const struct pt_dump *d, const struct pt_record *r)
{
	static const uint8_t shown[PT_F_COUNT] = {
		[PT_F_TASK] = 1, [PT_F_FILE] = 1,  [PT_F_PAGE] = 1, [PT_F_NPAGES] = 1,
		[PT_F_HOW] = 1,  [PT_F_ORDER] = 1, [PT_F_BLOB] = 1,
	};

	for (unsigned int f = 1; f < PT_F_COUNT; f++) {
		char buf[NAME_MAX_BYTES];
		const char *text;

		if (shown[f] || !has(r, f))
			continue;
		if (f >= PT_F_VALUE0 && f <= PT_F_VALUE3) {
			text_value(d, r, f);
			continue;
		}
		text = field_text(d, r, f, buf, sizeof(buf));
		if (text && !(f == PT_F_FLAGS && r->flags == 0))
			fprintf(d->out, " %s=%s", pt_field_name(f), text);
	}
}

static void text_blob(const struct pt_dump *d, const struct pt_record *r)
{
	const char *s = r->blob;
	unsigned int lines = 0;

	if (!has(r, PT_F_BLOB) || !s)
		return;
	if (r->kind == PT_COUNTERS) { /* a line each, too many to read in a row */
		for (uint32_t i = 0; i < r->blob_len; i++)
			lines += s[i] == '\n';
		fprintf(d->out, " %u values", lines);
		return;
	}
	fputc(' ', d->out);
	for (uint32_t i = 0; i < r->blob_len; i++)
		fputc((unsigned char)s[i] < 0x20 || s[i] == 0x7f ? ' ' : s[i], d->out);
}

int pt_dump_text(const struct pt_dump *d, const struct pt_record *r)
{
	char task[64] = "-", how_buf[32];
	const char *how =
		has(r, PT_F_HOW) ? field_text(d, r, PT_F_HOW, how_buf, sizeof(how_buf)) : NULL;
	uint64_t since = r->ts_ns - d->start_ns;

	if (has(r, PT_F_TASK) && r->task != PT_UNKNOWN32)
		task_name(pt_reader_task(d->reader, r->task), task, sizeof(task));
	fprintf(d->out, "%6" PRIu64 ".%09" PRIu64 "  %-20s %s%s%s", since / 1000000000,
		since % 1000000000, task, pt_kind_info(r->kind)->name, how ? ":" : "",
		how ? how : "");
	text_place(d, r);
	text_rest(d, r);
	text_blob(d, r);
	fputc('\n', d->out);
	return written(d->out);
}

/* ---- CSV */

static void csv_cell(FILE *f, const char *s, size_t len)
{
	int quoted = 0;

	for (size_t i = 0; i < len; i++)
		quoted |= s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r';
	if (!quoted) {
		fwrite(s, 1, len, f);
		return;
	}
	fputc('"', f);
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"')
			fputc('"', f);
		fputc(s[i], f);
	}
	fputc('"', f);
}

int pt_dump_csv_header(const struct pt_dump *d)
{
	fputs("ts_ns,kind", d->out);
	for (unsigned int f = 1; f < PT_F_COUNT; f++)
		fprintf(d->out, ",%s", pt_field_name(f));
	fputc('\n', d->out);
	return written(d->out);
}

int pt_dump_csv(const struct pt_dump *d, const struct pt_record *r)
{
	fprintf(d->out, "%" PRIu64 ",%s", r->ts_ns, pt_kind_info(r->kind)->name);
	for (unsigned int f = 1; f < PT_F_COUNT; f++) {
		char buf[NAME_MAX_BYTES];
		const char *text;

		fputc(',', d->out);
		if (!has(r, f))
			continue;
		if (f == PT_F_BLOB) {
			if (r->blob)
				csv_cell(d->out, r->blob, r->blob_len);
			continue;
		}
		text = field_text(d, r, f, buf, sizeof(buf));
		if (text)
			csv_cell(d->out, text, strlen(text));
	}
	fputc('\n', d->out);
	return written(d->out);
}

/* ---- JSON */

static void json_task(json_t *o, const struct pt_task *t)
{
	pt_json_set_u64(o, "pid", t ? t->key.pid : PT_UNKNOWN);
	pt_json_set_string(o, "comm", t ? t->comm : NULL);
}

static void json_file(json_t *o, const struct pt_file *f)
{
	char device[32];

	pt_json_set_string(o, "path", f ? f->path : NULL);
	pt_json_set_u64(o, "dev", f ? f->key.dev : PT_UNKNOWN);
	if (f)
		snprintf(device, sizeof(device), "%u:%u", f->key.dev >> 20, f->key.dev & 0xfffff);
	pt_json_set_string(o, "device", f ? device : NULL);
	pt_json_set_u64(o, "ino", f ? f->key.ino : PT_UNKNOWN);
}

static void json_flags(json_t *o, const struct pt_record *r)
{
	unsigned int n;
	const char *const *names = flag_names(r->kind, &n);
	json_t *list;

	if (r->flags == PT_UNKNOWN32 || !n) {
		pt_json_set_u64(o, "flags", pt_record_get(r, PT_F_FLAGS));
		return;
	}
	list = json_array();
	for (unsigned int i = 0; i < n; i++)
		if (r->flags & 1u << i)
			json_array_append_new(list, json_string(names[i]));
	pt_json_set(o, "flags", list);
}

static void json_blob(json_t *o, const struct pt_record *r)
{
	auto_free char *text = r->blob ? strndup(r->blob, r->blob_len) : NULL;

	pt_json_set_string(o, pt_field_name(PT_F_BLOB), text);
}

static void json_cgroup(const struct pt_dump *d, json_t *o, const char *name, uint32_t id)
{
	char buf[NAME_MAX_BYTES];
	const struct pt_cgroup *c = id == PT_UNKNOWN32 ? NULL : pt_reader_cgroup(d->reader, id);

	pt_json_set_string(o, name, c ? cgroup_name(c, buf, sizeof(buf)) : NULL);
}

static void json_field(const struct pt_dump *d, json_t *o, const struct pt_record *r,
		       unsigned int f)
{
	uint64_t v = pt_record_get(r, f);
	const char *how;

	switch (f) {
	case PT_F_TASK:
		json_task(o, v == PT_UNKNOWN ? NULL : pt_reader_task(d->reader, r->task));
		return;
	case PT_F_FILE:
		json_file(o, v == PT_UNKNOWN ? NULL : pt_reader_file(d->reader, r->file));
		return;
	case PT_F_CGROUP:
		json_cgroup(d, o, "cgroup", r->cgroup);
		return;
	case PT_F_TARGET:
		json_cgroup(d, o, "target", r->target);
		return;
	case PT_F_FLAGS:
		json_flags(o, r);
		return;
	case PT_F_BLOB:
		json_blob(o, r);
		return;
	case PT_F_HOW:
		how = v == PT_UNKNOWN ? NULL : pt_how_name(r->kind, (unsigned int)v);
		if (how) {
			pt_json_set_string(o, "how", how);
			return;
		}
		break;
	}
	pt_json_set_u64(o, pt_field_name(f), v);
}

int pt_dump_json(const struct pt_dump *d, const struct pt_record *r)
{
	json_t *o = json_object();
	int err;

	pt_json_set_u64(o, "ts_ns", r->ts_ns);
	pt_json_set_string(o, "kind", pt_kind_info(r->kind)->name);
	for (unsigned int f = 1; f < PT_F_COUNT; f++)
		if (has(r, f))
			json_field(d, o, r, f);
	err = o ? json_dumpf(o, d->out, JSON_COMPACT) : -1;
	json_decref(o);
	if (err < 0 && !ferror(d->out))
		return -ENOMEM;
	fputc('\n', d->out);
	return written(d->out);
}
