// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes to columns: see unpack.h; unpacked.c hands out the records. The reverse is pack.c. */
#include "formats/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/coded.h"
#include "formats/predict.h"
#include "util/cleanup.h"

/* The next @n items of @size bytes each, or NULL where they are not there. */
static const uint8_t *take(struct pt_coded_frame *f, uint32_t n, uint32_t size)
{
	const uint8_t *at = f->data + f->pos;

	if ((uint64_t)n * size > f->len - f->pos)
		return NULL;
	f->pos += (size_t)n * size;
	return at;
}

/* ---- Tables */

static int parse_head(struct pt_coded_frame *f, uint32_t n_records)
{
	const uint8_t *p = take(f, 1, PT_COLUMNS_HEAD);

	if (!p)
		return pt_coded_bad(f, "no room for the head");
	f->u->n = le32_get(p);
	f->n_tables[PT_REFERS_FILE] = le32_get(p + 4);
	f->n_tables[PT_REFERS_TASK] = le32_get(p + 8);
	f->n_tables[PT_REFERS_CGROUP] = le32_get(p + 12);
	f->n_columns = le32_get(p + 16);
	if (f->u->n != n_records)
		return pt_coded_bad(f, "another number of records than in the block's header");
	if (f->n_tables[PT_REFERS_FILE] > n_records || f->n_tables[PT_REFERS_TASK] > n_records ||
	    f->n_tables[PT_REFERS_CGROUP] > 2 * n_records)
		return pt_coded_bad(f, "tables larger than the records can use");
	return 0;
}

static int parse_files(struct pt_coded_frame *f, struct pt_names *names)
{
	uint32_t n = f->n_tables[PT_REFERS_FILE];
	const uint8_t *p = take(f, n, 16);
	int r = 0;

	if (!p)
		return pt_coded_bad(f, "table of files is cut");
	f->ids[PT_REFERS_FILE] = calloc((size_t)n + 1, sizeof(uint32_t));
	if (!f->ids[PT_REFERS_FILE])
		return -ENOMEM;
	for (uint32_t i = 1; i <= n && r == 0; i++, p += 16) {
		struct pt_file_key key = { le64_get(p), le32_get(p + 8), le32_get(p + 12) };

		r = pt_names_file(names, &key, &f->ids[PT_REFERS_FILE][i]);
	}
	return r;
}

static int parse_tasks(struct pt_coded_frame *f, struct pt_names *names)
{
	uint32_t n = f->n_tables[PT_REFERS_TASK];
	const uint8_t *p = take(f, n, 8);
	int r = 0;

	if (!p)
		return pt_coded_bad(f, "table of tasks is cut");
	f->ids[PT_REFERS_TASK] = calloc((size_t)n + 1, sizeof(uint32_t));
	if (!f->ids[PT_REFERS_TASK])
		return -ENOMEM;
	for (uint32_t i = 1; i <= n && r == 0; i++, p += 8) {
		struct pt_task_key key = { le32_get(p), le32_get(p + 4) };

		r = pt_names_task(names, &key, &f->ids[PT_REFERS_TASK][i]);
	}
	return r;
}

static int parse_cgroups(struct pt_coded_frame *f, struct pt_names *names)
{
	uint32_t n = f->n_tables[PT_REFERS_CGROUP];
	const uint8_t *p = take(f, n, 8);
	int r = 0;

	if (!p)
		return pt_coded_bad(f, "table of cgroups is cut");
	f->ids[PT_REFERS_CGROUP] = calloc((size_t)n + 1, sizeof(uint32_t));
	if (!f->ids[PT_REFERS_CGROUP])
		return -ENOMEM;
	for (uint32_t i = 1; i <= n && r == 0; i++, p += 8)
		r = pt_names_cgroup(names, le64_get(p), &f->ids[PT_REFERS_CGROUP][i]);
	return r;
}

/* ---- Directory */

static uint64_t constant_of(const uint8_t *p, unsigned int width)
{
	uint64_t v = 0;

	for (unsigned int b = 0; b < width; b++)
		v |= (uint64_t)p[b] << (b * 8);
	return v;
}

/* Whether the transform makes sense for the field, whose kind has others or not. */
static int applies(unsigned int transform, unsigned int kind, unsigned int field)
{
	switch (transform) {
	case PT_T_BLOB:
		return field == PT_F_BLOB;
	case PT_T_TASK:
		return pt_predict_walks(kind) &&
		       (field == PT_F_FILE || field == PT_F_OPEN || field == PT_F_PAGE);
	case PT_T_TASK_END:
		return pt_predict_walks(kind) && field == PT_F_PAGE;
	case PT_T_FILE_END:
		return field == PT_F_PAGE || field == PT_F_OFF;
	case PT_T_PAGE_OFF:
		return field == PT_F_OFF;
	default:
		return field != PT_F_BLOB;
	}
}

static int parse_entry(struct pt_coded_frame *f, const uint8_t *e)
{
	unsigned int kind = e[0], field = e[1], transform = e[2], width = e[3];
	uint32_t size = le32_get(e + 4), n = f->counts[kind];
	const uint8_t *bytes = take(f, 1, size);
	struct pt_coded *c;

	if (!bytes)
		return pt_coded_bad(f, "column is cut");
	if (!pt_kind_info(kind) || field == 0 || field >= PT_F_COUNT)
		return 0; /* of a later version */
	if (transform >= PT_T_COUNT)
		return pt_diag_set(f->diag, -EOPNOTSUPP, PT_NO_OFFSET,
				   "column coded in a way (%u) that this version does not know",
				   transform);
	c = &f->columns[kind][field];
	if (c->present || !n || !applies(transform, kind, field))
		return pt_coded_bad(f, "column that cannot be");
	if (transform != PT_T_BLOB &&
	    (width < 1 || width > 8 || size != (uint64_t)width * (transform == PT_T_CONST ? 1 : n)))
		return pt_coded_bad(f, "column of a wrong size");
	*c = (struct pt_coded){ .bytes = bytes,
				.size = size,
				.transform = (uint8_t)transform,
				.width = (uint8_t)width,
				.present = 1 };
	if (transform == PT_T_CONST)
		c->constant = constant_of(bytes, width);
	return 0;
}

/* In runs, since counting one place up again and again waits for its own memory. */
static void count_kinds(struct pt_coded_frame *f, const uint8_t *kinds)
{
	for (uint32_t i = 0, start; i < f->u->n; f->counts[kinds[start]] += i - start)
		for (start = i; i < f->u->n && kinds[i] == kinds[start];)
			i++;
}

static int parse_columns(struct pt_coded_frame *f)
{
	const uint8_t *directory = take(f, f->n_columns, PT_COLUMN_SIZE);
	const uint8_t *kinds = directory ? take(f, f->u->n, 1) : NULL;
	int r = 0;

	if (!kinds)
		return pt_coded_bad(f, "directory or kinds are cut");
	f->u->kinds = kinds;
	count_kinds(f, kinds);
	for (uint32_t i = 0; i < f->n_columns && r == 0; i++)
		r = parse_entry(f, directory + (size_t)i * PT_COLUMN_SIZE);
	if (r == 0 && f->pos != f->len)
		return pt_coded_bad(f, "bytes behind the last column");
	return r;
}

/* ---- Records */

/* Stored numbers to values. 0, or -EBADMSG where one does not fit the field. */
static int to_values(const struct pt_coded_frame *f, unsigned int field, uint64_t *v, uint32_t n)
{
	const struct pt_field_place *p = &pt_field_places[field];
	uint64_t mask = pt_width_mask(p->width), all = 0;

	if (p->refers) {
		const uint32_t *ids = f->ids[p->refers];
		uint32_t n_ids = f->n_tables[p->refers];

		for (uint32_t i = 0; i < n; i++) {
			if (v[i] > n_ids)
				return -EBADMSG;
			v[i] = v[i] ? ids[v[i]] : PT_UNKNOWN;
		}
		return 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		all |= v[i];
		v[i]--;
	}
	return all & ~mask ? -EBADMSG : 0;
}

static void copy_value(struct pt_record *r, const struct pt_field_place *p, uint64_t v)
{
	char *at = (char *)r + p->offset;
	uint32_t v32 = (uint32_t)v;
	uint16_t v16 = (uint16_t)v;
	uint8_t v8 = (uint8_t)v;

	switch (p->width) {
	case 8:
		memcpy(at, &v, sizeof(v));
		break;
	case 4:
		memcpy(at, &v32, sizeof(v32));
		break;
	case 2:
		memcpy(at, &v16, sizeof(v16));
		break;
	case 1:
		memcpy(at, &v8, sizeof(v8));
		break;
	}
}

static void all_unknown(struct pt_unpacked_kind *u)
{
	for (unsigned int i = 1; i < PT_F_COUNT; i++) {
		u->constants[i] = PT_UNKNOWN;
		u->columns[i] = (struct pt_unpack_column){ &u->constants[i], 0 };
	}
}

/* What the kind's records share, and the copies that fill in the rest. */
static int plan_kind(struct pt_coded_frame *f, unsigned int kind)
{
	static const uint8_t widths[4] = { 8, 4, 2, 1 };
	struct pt_unpacked_kind *u = &f->u->by_kind[kind];
	unsigned int n = 0;

	u->common = (struct pt_record)PT_RECORD_INIT((uint8_t)kind);
	u->n = f->counts[kind];
	u->next = 0;
	u->blob_ends = NULL;
	all_unknown(u);
	for (unsigned int g = 0; g < PT_ARRAY_SIZE(widths); g++) {
		for (unsigned int i = 1; i < PT_F_COUNT; i++) {
			const struct pt_field_place *p = &pt_field_places[i];
			struct pt_coded *c = &f->columns[kind][i];

			if (!c->present || p->width != widths[g] || !pt_coded_is_wanted(f, kind, i))
				continue;
			if (to_values(f, i, c->v ? c->v : &c->constant, c->v ? u->n : 1) < 0)
				return pt_coded_bad(f, "number outside its field or table");
			if (c->v) {
				u->copies[n++] = (struct pt_unpack_copy){ c->v, p->offset };
				u->columns[i] = (struct pt_unpack_column){ c->v, 1 };
			} else {
				copy_value(&u->common, p, c->constant);
				u->constants[i] = c->constant;
			}
		}
		u->ends[g] = (uint8_t)n;
	}
	return 0;
}

static int plan_blobs(struct pt_coded_frame *f, unsigned int kind, uint32_t *ends)
{
	struct pt_unpacked_kind *u = &f->u->by_kind[kind];
	const struct pt_coded *c = &f->columns[kind][PT_F_BLOB];
	uint64_t sum = 0;
	size_t pos = 0;

	for (uint32_t i = 0; i < u->n; i++) {
		uint64_t len;

		if (pt_varint_get(c->bytes, c->size, &pos, &len) < 0 || len > PT_STRING_MAX + 1)
			return pt_coded_bad(f, "bad length of a text");
		sum += len ? len - 1 : 0;
		if (sum > c->size)
			return pt_coded_bad(f, "texts are cut");
		ends[i] = (uint32_t)sum | (len ? 0 : PT_NO_BLOB);
	}
	if (sum != c->size - pos)
		return pt_coded_bad(f, "texts of a wrong size");
	u->blobs = c->bytes + pos;
	u->blob_ends = ends;
	return 0;
}

static int plan_all_blobs(struct pt_coded_frame *f)
{
	struct pt_unpacked *u = f->u;
	size_t need = 0, at = 0;
	int r = 0;

	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		need += f->columns[k][PT_F_BLOB].needed ? f->counts[k] : 0;
	if (need > u->blob_numbers_cap) {
		uint32_t *numbers = reallocarray(u->blob_numbers, need, sizeof(*numbers));

		if (!numbers)
			return -ENOMEM;
		u->blob_numbers = numbers;
		u->blob_numbers_cap = need;
	}
	for (unsigned int k = 1; k < PT_KIND_COUNT && r == 0; k++) {
		if (!f->columns[k][PT_F_BLOB].needed)
			continue;
		r = plan_blobs(f, k, u->blob_numbers + at);
		at += f->counts[k];
	}
	return r;
}

static int plan_all(struct pt_coded_frame *f)
{
	int r = 0;

	for (unsigned int k = 1; k < PT_KIND_COUNT && r == 0; k++) {
		f->u->by_kind[k].n = 0; /* the last block's */
		if (f->counts[k] && pt_kind_info(k))
			r = plan_kind(f, k);
	}
	return r < 0 ? r : plan_all_blobs(f);
}

static int parse_tables(struct pt_coded_frame *f, uint32_t n_records, struct pt_names *names)
{
	int r = parse_head(f, n_records);

	if (r == 0)
		r = parse_files(f, names);
	if (r == 0)
		r = parse_tasks(f, names);
	if (r == 0)
		r = parse_cgroups(f, names);
	return r == -ENOENT ? pt_coded_bad(f, "names what no definition announces") : r;
}

static int unpack_frame(struct pt_coded_frame *f, uint32_t n_records, struct pt_names *names)
{
	int r = parse_tables(f, n_records, names);

	if (r == 0)
		r = parse_columns(f);
	if (r == 0)
		r = pt_coded_resolve(f);
	return r < 0 ? r : plan_all(f);
}

static void release(struct pt_coded_frame *f)
{
	for (unsigned int i = 0; i < PT_REFERS_COUNT; i++)
		free(f->ids[i]);
	free(f);
}

int pt_unpack_data(struct pt_unpacked *u, const uint8_t *data, size_t len, uint32_t n_records,
		   uint32_t page_size, struct pt_names *names, const uint32_t *fields,
		   struct pt_diag *diag)
{
	struct pt_coded_frame *f = calloc(1, sizeof(*f));
	int r;

	u->n = u->at = 0;
	u->has_times = 0;
	if (!f)
		return -ENOMEM;
	f->data = data;
	f->len = len;
	f->u = u;
	f->diag = diag;
	f->page_size = page_size;
	f->fields = fields;
	r = unpack_frame(f, n_records, names);
	release(f);
	if (r < 0)
		u->n = 0;
	return r;
}

int pt_unpack_keys(const uint8_t *data, size_t len, uint32_t n_records, struct pt_names *names)
{
	struct pt_unpacked none = { 0 };
	struct pt_coded_frame *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return -ENOMEM;
	f->data = data;
	f->len = len;
	f->u = &none;
	r = parse_tables(f, n_records, names);
	release(f);
	return r;
}

/* ---- Times */

int pt_unpack_times(struct pt_unpacked *u, const uint8_t *data, size_t len, uint64_t first_ns,
		    struct pt_diag *diag)
{
	uint64_t ts = first_ns;
	uint32_t unit;

	if (len < PT_TIMES_HEAD || data[4] < 1 || data[4] > 8 ||
	    len - PT_TIMES_HEAD != (uint64_t)u->n * data[4])
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "times of a wrong size");
	unit = le32_get(data);
	if (!u->ts_ns)
		u->ts_ns = calloc(PT_BLOCK_RECORDS, sizeof(*u->ts_ns));
	if (!u->ts_ns)
		return -ENOMEM;
	pt_coded_join(data + PT_TIMES_HEAD, u->n, data[4], u->ts_ns);
	for (uint32_t i = 0; i < u->n; i++) {
		uint64_t delta;

		if (__builtin_mul_overflow(u->ts_ns[i], (uint64_t)unit, &delta) ||
		    __builtin_add_overflow(ts, delta, &ts))
			return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "times run over");
		u->ts_ns[i] = ts;
	}
	u->has_times = 1;
	return 0;
}
