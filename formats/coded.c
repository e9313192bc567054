// SPDX-License-Identifier: GPL-2.0-or-later
/* Undoing what pack.c did to columns: see coded.h. */
#include "formats/coded.h"

#include <errno.h>
#include <stdlib.h>

#include "formats/predict.h"
#include "util/cleanup.h"

int pt_coded_bad(const struct pt_coded_frame *f, const char *what)
{
	return pt_diag_set(f->diag, -EBADMSG, PT_NO_OFFSET, "%s (byte %zu of the columns)", what,
			   f->pos);
}

/* The usual widths in one pass each, in which a number is stored once. */
void pt_coded_join(const uint8_t *p, uint32_t n, unsigned int width, uint64_t *v)
{
	const uint8_t *q = p + n, *r = q + n;

	switch (width) {
	case 1:
		for (uint32_t i = 0; i < n; i++)
			v[i] = p[i];
		return;
	case 2:
		for (uint32_t i = 0; i < n; i++)
			v[i] = p[i] | (uint32_t)q[i] << 8;
		return;
	default:
		for (uint32_t i = 0; i < n; i++)
			v[i] = p[i] | (uint32_t)q[i] << 8 | (uint32_t)r[i] << 16;
	}
	for (unsigned int b = 3; b < width; b++)
		for (uint32_t i = 0; i < n; i++)
			v[i] |= (uint64_t)p[(size_t)b * n + i] << (b * 8);
}

/* ---- What is needed */

/* Need a column; 1 where that is news. */
static int need(struct pt_coded_frame *f, unsigned int kind, unsigned int field)
{
	struct pt_coded *c = &f->columns[kind][field];

	if (!c->present || c->needed)
		return 0;
	c->needed = 1;
	return 1;
}

/* Need what the walks of tasks are made of, which @field is predicted from. */
static int need_walks(struct pt_coded_frame *f, unsigned int field, int ends)
{
	int news = 0;

	for (unsigned int k = 1; k < PT_KIND_COUNT; k++) {
		if (!pt_predict_walks(k))
			continue;
		news |= need(f, k, PT_F_TASK) | need(f, k, field);
		if (ends)
			news |= need(f, k, PT_F_NPAGES) | need(f, k, PT_F_ORDER);
	}
	return news;
}

/* Need what a column that is needed cannot be had without. */
static int need_behind(struct pt_coded_frame *f, unsigned int kind, unsigned int field)
{
	switch (f->columns[kind][field].transform) {
	case PT_T_TASK:
		return need_walks(f, field, 0);
	case PT_T_TASK_END:
		return need_walks(f, field, 1);
	case PT_T_FILE_END:
		return need(f, kind, PT_F_FILE) | need(f, kind, PT_F_NPAGES) |
		       need(f, kind, PT_F_ORDER) | need(f, kind, PT_F_LEN);
	case PT_T_PAGE_OFF:
		return need(f, kind, PT_F_PAGE);
	default:
		return 0;
	}
}

static void find_needs(struct pt_coded_frame *f)
{
	int news;

	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		for (unsigned int i = 1; i < PT_F_COUNT; i++)
			if (pt_coded_is_wanted(f, k, i))
				need(f, k, i);
	do {
		news = 0;
		for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
			for (unsigned int i = 1; i < PT_F_COUNT; i++)
				if (f->columns[k][i].needed)
					news |= need_behind(f, k, i);
	} while (news);
}

/* ---- Numbers */

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

static int is_numbers(const struct pt_coded *c)
{
	return c->needed && c->transform != PT_T_CONST && c->transform != PT_T_BLOB;
}

static int join_all(struct pt_coded_frame *f)
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
			struct pt_coded *c = &f->columns[k][i];

			if (!is_numbers(c))
				continue;
			c->v = f->u->numbers + need;
			need += f->counts[k];
			pt_coded_join(c->bytes, f->counts[k], c->width, c->v);
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

static void undo_deltas(struct pt_coded_frame *f)
{
	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		for (unsigned int i = 1; i < PT_F_COUNT; i++)
			if (f->columns[k][i].needed && f->columns[k][i].transform == PT_T_DELTA)
				undo_delta(f->columns[k][i].v, f->counts[k]);
}

/* A column as numbers to read: a missing one is unknown throughout. */
struct numbers {
	uint64_t *v;
	size_t step;
};

/* The transform to undo: none where the column is not needed. */
static uint8_t transform_of(const struct pt_coded *c)
{
	return c->needed ? c->transform : PT_T_CONST;
}

static struct numbers numbers_of(struct pt_coded *c)
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

static int walk_init(struct pt_coded_frame *f, struct walk *w, struct pt_predict *predict,
		     unsigned int kind)
{
	struct pt_coded *c = f->columns[kind];

	*w = (struct walk){ numbers_of(&c[PT_F_TASK]),   numbers_of(&c[PT_F_FILE]),
			    numbers_of(&c[PT_F_OPEN]),   numbers_of(&c[PT_F_PAGE]),
			    numbers_of(&c[PT_F_NPAGES]), numbers_of(&c[PT_F_ORDER]) };
	w->fields = pt_kind_info(kind)->fields;
	w->walks = (uint8_t)pt_predict_walks(kind);
	w->file_by = transform_of(&c[PT_F_FILE]);
	w->open_by = transform_of(&c[PT_F_OPEN]);
	w->page_by = transform_of(&c[PT_F_PAGE]);
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
static int undo_guess(const struct pt_coded_frame *f, struct pt_predict *predict, struct walk *w)
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

static int is_guessed(const struct pt_coded_frame *f, unsigned int kind)
{
	static const unsigned int fields[] = { PT_F_FILE, PT_F_OPEN, PT_F_PAGE };

	for (unsigned int i = 0; i < PT_ARRAY_SIZE(fields); i++) {
		unsigned int by = transform_of(&f->columns[kind][fields[i]]);

		if (by == PT_T_TASK || by == PT_T_TASK_END || by == PT_T_FILE_END)
			return 1;
	}
	return 0;
}

static int undo_guesses(struct pt_coded_frame *f)
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
	return r == -EBADMSG ? pt_coded_bad(f, "id outside the block's table") : r;
}

static void undo_page_offs(const struct pt_coded_frame *f, struct pt_coded *columns, uint32_t n)
{
	struct numbers page = numbers_of(&columns[PT_F_PAGE]);
	uint64_t *off = columns[PT_F_OFF].v;

	for (uint32_t i = 0; i < n; i++)
		undo(&off[i], page.v[i * page.step] * f->page_size);
}

static int undo_file_offs(const struct pt_coded_frame *f, struct pt_coded *columns, uint32_t n)
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
			return pt_coded_bad(f, "id outside the block's table");
		ends[at] = undo(&off[i], ends[at]) + len.v[i * len.step] - 1;
	}
	return 0;
}

static int undo_offsets(struct pt_coded_frame *f)
{
	int r = 0;

	for (unsigned int k = 1; k < PT_KIND_COUNT && r == 0; k++) {
		unsigned int by = transform_of(&f->columns[k][PT_F_OFF]);

		if (by == PT_T_PAGE_OFF)
			undo_page_offs(f, f->columns[k], f->counts[k]);
		else if (by == PT_T_FILE_END)
			r = undo_file_offs(f, f->columns[k], f->counts[k]);
	}
	return r;
}

int pt_coded_resolve(struct pt_coded_frame *f)
{
	int r;

	find_needs(f);
	r = join_all(f);
	if (r < 0)
		return r;
	undo_deltas(f);
	r = undo_guesses(f);
	return r < 0 ? r : undo_offsets(f);
}
