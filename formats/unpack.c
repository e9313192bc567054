// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes to columns: see unpack.h; unpacked.c hands out the records. The reverse is pack.c. */
#include "formats/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/field.h"
#include "formats/predict.h"
#include "util/cleanup.h"

/* One column of the frame. */
struct coded {
	const uint8_t *bytes;
	uint32_t size;
	uint8_t transform, width, present;
	uint64_t constant; /* PT_T_CONST: the stored number */
	uint64_t *v;       /* others: the numbers, coded at first, stored ones in the end */
};

/* A data frame being unpacked. */
struct frame {
	const uint8_t *data;
	size_t len, pos;
	struct pt_unpacked *u;
	struct pt_diag *diag;
	uint32_t n_tables[PT_REFERS_COUNT];
	uint32_t *ids[PT_REFERS_COUNT]; /* by place, from 1: the reader's id */
	uint32_t n_columns, page_size;
	uint32_t counts[256]; /* records by kind */
	struct coded columns[PT_KIND_COUNT][PT_F_COUNT];
};

static int bad(const struct frame *f, const char *what)
{
	return pt_diag_set(f->diag, -EBADMSG, PT_NO_OFFSET, "%s (byte %zu of the columns)", what,
			   f->pos);
}

/* The next @n items of @size bytes each, or NULL where they are not there. */
static const uint8_t *take(struct frame *f, uint32_t n, uint32_t size)
{
	const uint8_t *at = f->data + f->pos;

	if ((uint64_t)n * size > f->len - f->pos)
		return NULL;
	f->pos += (size_t)n * size;
	return at;
}

/* ---- Tables */

static int parse_head(struct frame *f, uint32_t n_records)
{
	const uint8_t *p = take(f, 1, PT_COLUMNS_HEAD);

	if (!p)
		return bad(f, "no room for the head");
	f->u->n = le32_get(p);
	f->n_tables[PT_REFERS_FILE] = le32_get(p + 4);
	f->n_tables[PT_REFERS_TASK] = le32_get(p + 8);
	f->n_tables[PT_REFERS_CGROUP] = le32_get(p + 12);
	f->n_columns = le32_get(p + 16);
	if (f->u->n != n_records)
		return bad(f, "another number of records than in the block's header");
	if (f->n_tables[PT_REFERS_FILE] > n_records || f->n_tables[PT_REFERS_TASK] > n_records ||
	    f->n_tables[PT_REFERS_CGROUP] > 2 * n_records)
		return bad(f, "tables larger than the records can use");
	return 0;
}

static int parse_files(struct frame *f, struct pt_names *names)
{
	uint32_t n = f->n_tables[PT_REFERS_FILE];
	const uint8_t *p = take(f, n, 16);
	int r = 0;

	if (!p)
		return bad(f, "table of files is cut");
	f->ids[PT_REFERS_FILE] = calloc((size_t)n + 1, sizeof(uint32_t));
	if (!f->ids[PT_REFERS_FILE])
		return -ENOMEM;
	for (uint32_t i = 1; i <= n && r == 0; i++, p += 16) {
		struct pt_file_key key = { le64_get(p), le32_get(p + 8), le32_get(p + 12) };

		r = pt_names_file(names, &key, &f->ids[PT_REFERS_FILE][i]);
	}
	return r;
}

static int parse_tasks(struct frame *f, struct pt_names *names)
{
	uint32_t n = f->n_tables[PT_REFERS_TASK];
	const uint8_t *p = take(f, n, 8);
	int r = 0;

	if (!p)
		return bad(f, "table of tasks is cut");
	f->ids[PT_REFERS_TASK] = calloc((size_t)n + 1, sizeof(uint32_t));
	if (!f->ids[PT_REFERS_TASK])
		return -ENOMEM;
	for (uint32_t i = 1; i <= n && r == 0; i++, p += 8) {
		struct pt_task_key key = { le32_get(p), le32_get(p + 4) };

		r = pt_names_task(names, &key, &f->ids[PT_REFERS_TASK][i]);
	}
	return r;
}

static int parse_cgroups(struct frame *f, struct pt_names *names)
{
	uint32_t n = f->n_tables[PT_REFERS_CGROUP];
	const uint8_t *p = take(f, n, 8);
	int r = 0;

	if (!p)
		return bad(f, "table of cgroups is cut");
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

static int parse_entry(struct frame *f, const uint8_t *e)
{
	unsigned int kind = e[0], field = e[1], transform = e[2], width = e[3];
	uint32_t size = le32_get(e + 4), n = f->counts[kind];
	const uint8_t *bytes = take(f, 1, size);
	struct coded *c;

	if (!bytes)
		return bad(f, "column is cut");
	if (!pt_kind_info(kind) || field == 0 || field >= PT_F_COUNT)
		return 0; /* of a later version */
	if (transform >= PT_T_COUNT)
		return pt_diag_set(f->diag, -EOPNOTSUPP, PT_NO_OFFSET,
				   "column coded in a way (%u) that this version does not know",
				   transform);
	c = &f->columns[kind][field];
	if (c->present || !n || !applies(transform, kind, field))
		return bad(f, "column that cannot be");
	if (transform != PT_T_BLOB &&
	    (width < 1 || width > 8 || size != (uint64_t)width * (transform == PT_T_CONST ? 1 : n)))
		return bad(f, "column of a wrong size");
	*c = (struct coded){ bytes, size, (uint8_t)transform, (uint8_t)width, 1, 0, NULL };
	if (transform == PT_T_CONST)
		c->constant = constant_of(bytes, width);
	return 0;
}

static int parse_columns(struct frame *f)
{
	const uint8_t *directory = take(f, f->n_columns, PT_COLUMN_SIZE);
	const uint8_t *kinds = directory ? take(f, f->u->n, 1) : NULL;
	int r = 0;

	if (!kinds)
		return bad(f, "directory or kinds are cut");
	f->u->kinds = kinds;
	for (uint32_t i = 0; i < f->u->n; i++)
		f->counts[kinds[i]]++;
	for (uint32_t i = 0; i < f->n_columns && r == 0; i++)
		r = parse_entry(f, directory + (size_t)i * PT_COLUMN_SIZE);
	if (r == 0 && f->pos != f->len)
		return bad(f, "bytes behind the last column");
	return r;
}

/* ---- Numbers */

static void join_planes(const uint8_t *p, uint32_t n, unsigned int width, uint64_t *v)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] = p[i];
	for (unsigned int b = 1; b < width; b++) {
		p += n;
		for (uint32_t i = 0; i < n; i++)
			v[i] |= (uint64_t)p[i] << (b * 8);
	}
}

static int make_room(struct pt_unpacked *u, size_t need)
{
	uint64_t *numbers;

	if (need <= u->numbers_cap)
		return 0;
	numbers = reallocarray(u->numbers, need, sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	u->numbers = numbers;
	u->numbers_cap = need;
	return 0;
}

static int is_numbers(const struct coded *c)
{
	return c->present && c->transform != PT_T_CONST && c->transform != PT_T_BLOB;
}

static int join_all(struct frame *f)
{
	size_t need = 0;

	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		for (unsigned int i = 1; i < PT_F_COUNT; i++)
			need += is_numbers(&f->columns[k][i]) ? f->counts[k] : 0;
	if (make_room(f->u, need) < 0)
		return -ENOMEM;
	need = 0;
	for (unsigned int k = 1; k < PT_KIND_COUNT; k++) {
		for (unsigned int i = 1; i < PT_F_COUNT; i++) {
			struct coded *c = &f->columns[k][i];

			if (!is_numbers(c))
				continue;
			c->v = f->u->numbers + need;
			need += f->counts[k];
			join_planes(c->bytes, f->counts[k], c->width, c->v);
		}
	}
	return 0;
}

static void undo_delta(uint64_t *v, uint32_t n)
{
	uint64_t prev = 0;

	for (uint32_t i = 0; i < n; i++) {
		prev += (uint64_t)zigzag_unfold(v[i]);
		v[i] = prev;
	}
}

static void undo_deltas(struct frame *f)
{
	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		for (unsigned int i = 1; i < PT_F_COUNT; i++)
			if (f->columns[k][i].present && f->columns[k][i].transform == PT_T_DELTA)
				undo_delta(f->columns[k][i].v, f->counts[k]);
}

/* A column as numbers to read: a missing one is unknown throughout. */
struct numbers {
	uint64_t *v;
	size_t step;
};

static struct numbers numbers_of(struct coded *c)
{
	return c->v ? (struct numbers){ c->v, 1 } : (struct numbers){ &c->constant, 0 };
}

/* ---- Prediction */

/* What prediction needs of one kind. */
struct walk {
	struct numbers task, file, open, page, npages, order;
	uint32_t fields, row;
	uint8_t walks, file_by, open_by, page_by; /* transforms */
	uint64_t *file_ends;
};

static int walk_init(struct frame *f, struct walk *w, struct pt_predict *predict, unsigned int kind)
{
	struct coded *c = f->columns[kind];

	*w = (struct walk){ numbers_of(&c[PT_F_TASK]),   numbers_of(&c[PT_F_FILE]),
			    numbers_of(&c[PT_F_OPEN]),   numbers_of(&c[PT_F_PAGE]),
			    numbers_of(&c[PT_F_NPAGES]), numbers_of(&c[PT_F_ORDER]) };
	w->fields = pt_kind_info(kind)->fields;
	w->walks = (uint8_t)pt_predict_walks(kind);
	w->file_by = c[PT_F_FILE].transform;
	w->open_by = c[PT_F_OPEN].transform;
	w->page_by = c[PT_F_PAGE].transform;
	if (w->page_by == PT_T_FILE_END) {
		if (pt_predict_use_file_ends(predict, kind) < 0)
			return -ENOMEM;
		w->file_ends = predict->file_ends[kind];
	}
	return 0;
}

static inline uint64_t undo(uint64_t *coded, uint64_t predicted)
{
	return *coded = predicted + (uint64_t)zigzag_unfold(*coded);
}

static inline uint64_t undo_page(const struct walk *w, uint64_t *page, uint64_t file,
				 const struct pt_predict_task *t)
{
	switch (w->page_by) {
	case PT_T_TASK:
		return undo(page, t->page);
	case PT_T_TASK_END:
		return undo(page, t->end);
	case PT_T_FILE_END:
		return undo(page, w->file_ends[file]);
	default:
		return *page;
	}
}

/* Resolve the predicted fields of the kind's next record. 0, or -EBADMSG. */
static int undo_guess(const struct frame *f, struct pt_predict *predict, struct walk *w)
{
	size_t i = w->row++;
	uint64_t task = w->task.v[i * w->task.step], page, end;
	uint64_t *file = &w->file.v[i * w->file.step], *open = &w->open.v[i * w->open.step];
	struct pt_predict_task *t;

	if (task > f->n_tables[PT_REFERS_TASK])
		return -EBADMSG;
	t = &predict->tasks[task];
	if (w->file_by == PT_T_TASK)
		undo(file, t->file);
	if (w->open_by == PT_T_TASK)
		undo(open, t->open);
	if (*file > f->n_tables[PT_REFERS_FILE])
		return -EBADMSG;
	page = undo_page(w, &w->page.v[i * w->page.step], *file, t);
	end = page +
	      pt_predict_pages(w->npages.v[i * w->npages.step], w->order.v[i * w->order.step]);
	if (w->file_ends && page)
		w->file_ends[*file] = end;
	if (w->walks)
		pt_predict_advance(t, w->fields, *file, *open, page, end);
	return 0;
}

static int is_guessed(const struct frame *f, unsigned int kind)
{
	static const unsigned int fields[] = { PT_F_FILE, PT_F_OPEN, PT_F_PAGE };

	for (unsigned int i = 0; i < PT_ARRAY_SIZE(fields); i++) {
		unsigned int by = f->columns[kind][fields[i]].transform;

		if (by == PT_T_TASK || by == PT_T_TASK_END || by == PT_T_FILE_END)
			return 1;
	}
	return 0;
}

static int undo_guesses(struct frame *f)
{
	struct walk walks[PT_KIND_COUNT];
	struct pt_predict predict;
	uint8_t takes_part[256] = { 0 };
	int any = 0, r;

	for (unsigned int k = 1; k < PT_KIND_COUNT; k++) {
		int guessed = f->counts[k] && is_guessed(f, k);

		takes_part[k] = f->counts[k] && (guessed || pt_predict_walks(k));
		any |= guessed;
	}
	if (!any)
		return 0;
	r = pt_predict_init(&predict, f->n_tables[PT_REFERS_TASK], f->n_tables[PT_REFERS_FILE]);
	for (unsigned int k = 1; k < PT_KIND_COUNT && r == 0; k++)
		if (takes_part[k])
			r = walk_init(f, &walks[k], &predict, k);
	for (uint32_t i = 0; i < f->u->n && r == 0; i++)
		if (takes_part[f->u->kinds[i]])
			r = undo_guess(f, &predict, &walks[f->u->kinds[i]]);
	pt_predict_done(&predict);
	return r == -EBADMSG ? bad(f, "id outside the block's table") : r;
}

static void undo_page_offs(const struct frame *f, struct coded *columns, uint32_t n)
{
	struct numbers page = numbers_of(&columns[PT_F_PAGE]);
	uint64_t *off = columns[PT_F_OFF].v;

	for (uint32_t i = 0; i < n; i++)
		undo(&off[i], page.v[i * page.step] * f->page_size);
}

static int undo_file_offs(const struct frame *f, struct coded *columns, uint32_t n)
{
	struct numbers file = numbers_of(&columns[PT_F_FILE]);
	struct numbers len = numbers_of(&columns[PT_F_LEN]);
	uint64_t *off = columns[PT_F_OFF].v;
	auto_free uint64_t *ends = calloc((size_t)f->n_tables[PT_REFERS_FILE] + 1, sizeof(*ends));

	if (!ends)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = file.v[i * file.step];

		if (at > f->n_tables[PT_REFERS_FILE])
			return bad(f, "id outside the block's table");
		ends[at] = undo(&off[i], ends[at]) + len.v[i * len.step] - 1;
	}
	return 0;
}

static int undo_offsets(struct frame *f)
{
	int r = 0;

	for (unsigned int k = 1; k < PT_KIND_COUNT && r == 0; k++) {
		unsigned int by = f->columns[k][PT_F_OFF].transform;

		if (by == PT_T_PAGE_OFF)
			undo_page_offs(f, f->columns[k], f->counts[k]);
		else if (by == PT_T_FILE_END)
			r = undo_file_offs(f, f->columns[k], f->counts[k]);
	}
	return r;
}

/* ---- Records */

/* Stored numbers to values. 0, or -EBADMSG where one does not fit the field. */
static int to_values(const struct frame *f, unsigned int field, uint64_t *v, uint32_t n)
{
	const struct pt_field_place *p = &pt_field_places[field];
	uint64_t mask = pt_width_mask(p->width), all = 0;

	if (p->refers) {
		const uint32_t *ids = f->ids[p->refers];
		uint32_t n_ids = f->n_tables[p->refers];

		for (uint32_t i = 0; i < n; i++) {
			if (v[i] > n_ids)
				return -EBADMSG;
			v[i] = v[i] ? ids[v[i]] : PT_UNKNOWN32;
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

/* What the kind's records share, and the copies that fill in the rest. */
static int plan_kind(struct frame *f, unsigned int kind)
{
	static const uint8_t widths[4] = { 8, 4, 2, 1 };
	struct pt_unpacked_kind *u = &f->u->by_kind[kind];
	unsigned int n = 0;

	*u = (struct pt_unpacked_kind){ .common = PT_RECORD_INIT((uint8_t)kind),
					.n = f->counts[kind] };
	for (unsigned int g = 0; g < PT_ARRAY_SIZE(widths); g++) {
		for (unsigned int i = 1; i < PT_F_COUNT; i++) {
			const struct pt_field_place *p = &pt_field_places[i];
			struct coded *c = &f->columns[kind][i];

			if (!c->present || p->width != widths[g])
				continue;
			if (to_values(f, i, c->v ? c->v : &c->constant, c->v ? u->n : 1) < 0)
				return bad(f, "number outside its field or table");
			if (c->v)
				u->copies[n++] = (struct pt_unpack_copy){ c->v, p->offset };
			else
				copy_value(&u->common, p, c->constant);
		}
		u->ends[g] = (uint8_t)n;
	}
	return 0;
}

static int plan_blobs(struct frame *f, unsigned int kind, uint32_t *ends)
{
	struct pt_unpacked_kind *u = &f->u->by_kind[kind];
	const struct coded *c = &f->columns[kind][PT_F_BLOB];
	uint64_t sum = 0;
	size_t pos = 0;

	for (uint32_t i = 0; i < u->n; i++) {
		uint64_t len;

		if (pt_varint_get(c->bytes, c->size, &pos, &len) < 0 || len > PT_STRING_MAX + 1)
			return bad(f, "bad length of a text");
		sum += len ? len - 1 : 0;
		if (sum > c->size)
			return bad(f, "texts are cut");
		ends[i] = (uint32_t)sum | (len ? 0 : PT_NO_BLOB);
	}
	if (sum != c->size - pos)
		return bad(f, "texts of a wrong size");
	u->blobs = c->bytes + pos;
	u->blob_ends = ends;
	return 0;
}

static int plan_all_blobs(struct frame *f)
{
	struct pt_unpacked *u = f->u;
	size_t need = 0, at = 0;
	int r = 0;

	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		need += f->columns[k][PT_F_BLOB].present ? f->counts[k] : 0;
	if (need > u->blob_numbers_cap) {
		uint32_t *numbers = reallocarray(u->blob_numbers, need, sizeof(*numbers));

		if (!numbers)
			return -ENOMEM;
		u->blob_numbers = numbers;
		u->blob_numbers_cap = need;
	}
	for (unsigned int k = 1; k < PT_KIND_COUNT && r == 0; k++) {
		if (!f->columns[k][PT_F_BLOB].present)
			continue;
		r = plan_blobs(f, k, u->blob_numbers + at);
		at += f->counts[k];
	}
	return r;
}

static int plan_all(struct frame *f)
{
	int r = 0;

	for (unsigned int k = 1; k < PT_KIND_COUNT && r == 0; k++)
		if (f->counts[k] && pt_kind_info(k))
			r = plan_kind(f, k);
	return r < 0 ? r : plan_all_blobs(f);
}

static int unpack_frame(struct frame *f, uint32_t n_records, struct pt_names *names)
{
	int r = parse_head(f, n_records);

	if (r == 0)
		r = parse_files(f, names);
	if (r == 0)
		r = parse_tasks(f, names);
	if (r == 0)
		r = parse_cgroups(f, names);
	if (r == 0)
		r = parse_columns(f);
	if (r == 0)
		r = join_all(f);
	if (r < 0)
		return r;
	undo_deltas(f);
	r = undo_guesses(f);
	if (r == 0)
		r = undo_offsets(f);
	return r < 0 ? r : plan_all(f);
}

int pt_unpack_data(struct pt_unpacked *u, const uint8_t *data, size_t len, uint32_t n_records,
		   uint32_t page_size, struct pt_names *names, struct pt_diag *diag)
{
	auto_free struct frame *f = calloc(1, sizeof(*f));
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
	r = unpack_frame(f, n_records, names);
	for (unsigned int i = 0; i < PT_REFERS_COUNT; i++)
		free(f->ids[i]);
	if (r < 0)
		u->n = 0;
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
	join_planes(data + PT_TIMES_HEAD, u->n, data[4], u->ts_ns);
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
