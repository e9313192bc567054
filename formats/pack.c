// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns to bytes: see pack.h. The reverse is unpack.c. */
#include "formats/pack.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "formats/field.h"
#include "formats/places.h"
#include "formats/predict.h"
#include "util/cleanup.h"

#define SAMPLES 2048u /* numbers of a column that its entropy is estimated from */

/* Differences to what was predicted, one each for the record's place among its kind. */
enum guess { GUESS_FILE, GUESS_OPEN, GUESS_PAGE, GUESS_TASK_END, GUESS_FILE_END, GUESS_COUNT };

struct pt_packer {
	uint32_t page_size;
	struct pt_places ids[PT_REFERS_COUNT];
	uint64_t *guesses[GUESS_COUNT]; /* slices by kind, at base[] */
	uint32_t base[PT_KIND_COUNT];
	uint64_t *scratch[2];
	struct pt_packed body; /* columns and their directory, kept for their memory */
	struct pt_buf directory;
	float n_log_n[SAMPLES + 1];
};

void pt_packed_done(struct pt_packed *p)
{
	pt_buf_done(&p->bytes);
	pt_buf_done(&p->ends);
}

static int end_piece(struct pt_packed *p)
{
	return pt_buf_put(&p->ends, &p->bytes.len, sizeof(p->bytes.len));
}

struct pt_packer *pt_packer_new(uint32_t page_size)
{
	struct pt_packer *p = calloc(1, sizeof(*p));
	int ok = p != NULL;

	if (!ok)
		return NULL;
	p->page_size = page_size;
	for (unsigned int g = 0; g < GUESS_COUNT; g++)
		ok &= !!(p->guesses[g] = calloc(PT_BLOCK_RECORDS, sizeof(uint64_t)));
	for (unsigned int i = 0; i < PT_ARRAY_SIZE(p->scratch); i++)
		ok &= !!(p->scratch[i] = calloc(PT_BLOCK_RECORDS, sizeof(uint64_t)));
	for (uint32_t i = 1; i <= SAMPLES; i++)
		p->n_log_n[i] = (float)(i * log2(i));
	if (!ok) {
		pt_packer_free(p);
		return NULL;
	}
	return p;
}

void pt_packer_free(struct pt_packer *p)
{
	if (!p)
		return;
	for (unsigned int i = 0; i < PT_REFERS_COUNT; i++)
		pt_places_done(&p->ids[i]);
	for (unsigned int g = 0; g < GUESS_COUNT; g++)
		free(p->guesses[g]);
	for (unsigned int i = 0; i < PT_ARRAY_SIZE(p->scratch); i++)
		free(p->scratch[i]);
	pt_packed_done(&p->body);
	pt_buf_done(&p->directory);
	free(p);
}

/* ---- The block's tables */

static int localise_column(struct pt_packer *p, struct pt_rows *rows, unsigned int f,
			   const uint32_t *n_ids)
{
	unsigned int refers = pt_field_places[f].refers;
	struct pt_column *c = &rows->columns[f];

	if (!refers)
		return 0;
	if (c->varied)
		return pt_places_of(&p->ids[refers], c->v, rows->n, n_ids[refers]);
	return pt_places_of(&p->ids[refers], &c->first, 1, n_ids[refers]);
}

static int localise_all(struct pt_packer *p, struct pt_columns *c, const struct pt_keys *keys)
{
	const uint32_t n_ids[PT_REFERS_COUNT] = { 0, keys->n_files, keys->n_tasks,
						  keys->n_cgroups };

	for (unsigned int i = 1; i < PT_REFERS_COUNT; i++)
		if (pt_places_reserve(&p->ids[i], n_ids[i]) < 0)
			return -ENOMEM;
	for (unsigned int k = 1; k < PT_KIND_COUNT; k++) {
		for (unsigned int f = 1; c->rows[k].n && f < PT_F_COUNT; f++) {
			int r = pt_kind_info(k)->fields & 1u << f
					? localise_column(p, &c->rows[k], f, n_ids)
					: 0;

			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int put_tables(const struct pt_packer *p, const struct pt_keys *keys, struct pt_buf *out)
{
	const struct pt_places *files = &p->ids[PT_REFERS_FILE];
	const struct pt_places *tasks = &p->ids[PT_REFERS_TASK];
	const struct pt_places *cgroups = &p->ids[PT_REFERS_CGROUP];
	int r = 0;

	for (uint32_t i = 0; i < files->n_used && r == 0; i++) {
		const struct pt_file_key *k = &keys->files[files->used[i]];

		r = pt_buf_put_le64(out, k->ino);
		if (r == 0)
			r = pt_buf_put_le32(out, k->dev);
		if (r == 0)
			r = pt_buf_put_le32(out, k->gen);
	}
	for (uint32_t i = 0; i < tasks->n_used && r == 0; i++) {
		r = pt_buf_put_le32(out, keys->tasks[tasks->used[i]].pid);
		if (r == 0)
			r = pt_buf_put_le32(out, keys->tasks[tasks->used[i]].incarnation);
	}
	for (uint32_t i = 0; i < cgroups->n_used && r == 0; i++)
		r = pt_buf_put_le64(out, keys->cgroups[cgroups->used[i]]);
	return r;
}

/* ---- Prediction */

/* What prediction looks at, of one kind. */
struct walk {
	struct pt_numbers task, file, open, page, npages, order;
	uint32_t fields, row;
	int walks, ends; /* is part of tasks' walks; has file ends */
	uint64_t *file_ends;
};

static int walk_init(struct walk *w, struct pt_predict *predict, const struct pt_rows *rows,
		     unsigned int kind)
{
	const struct pt_column *c = rows->columns;

	*w = (struct walk){ pt_column_numbers(&c[PT_F_TASK]),   pt_column_numbers(&c[PT_F_FILE]),
			    pt_column_numbers(&c[PT_F_OPEN]),   pt_column_numbers(&c[PT_F_PAGE]),
			    pt_column_numbers(&c[PT_F_NPAGES]), pt_column_numbers(&c[PT_F_ORDER]) };
	w->fields = pt_kind_info(kind)->fields;
	w->walks = pt_predict_walks(kind);
	w->ends = (w->fields & 1u << PT_F_FILE) && (w->fields & 1u << PT_F_PAGE);
	if (w->ends && pt_predict_use_file_ends(predict, kind) < 0)
		return -ENOMEM;
	w->file_ends = predict->file_ends[kind];
	return 0;
}

static void guess(struct pt_packer *p, struct pt_predict *predict, struct walk *w, uint32_t base)
{
	uint32_t i = w->row++;
	uint64_t file = w->file.v[i * w->file.step], page = w->page.v[i * w->page.step];
	uint64_t end = page + pt_predict_pages(w->npages.v[i * w->npages.step],
					       w->order.v[i * w->order.step]);

	if (w->ends) {
		uint64_t *at = &w->file_ends[file];

		p->guesses[GUESS_FILE_END][base + i] = zigzag_fold((int64_t)(page - *at));
		if (page)
			*at = end;
	}
	if (w->walks) {
		struct pt_predict_task *t = &predict->tasks[w->task.v[i * w->task.step]];
		uint64_t open = w->open.v[i * w->open.step];

		p->guesses[GUESS_FILE][base + i] = zigzag_fold((int64_t)(file - t->file));
		p->guesses[GUESS_OPEN][base + i] = zigzag_fold((int64_t)(open - t->open));
		p->guesses[GUESS_PAGE][base + i] = zigzag_fold((int64_t)(page - t->page));
		p->guesses[GUESS_TASK_END][base + i] = zigzag_fold((int64_t)(page - t->end));
		pt_predict_advance(t, w->fields, file, open, page, end);
	}
}

/* Fill the guesses of all records, in their order. */
static int guess_all(struct pt_packer *p, const struct pt_columns *c)
{
	struct walk walks[PT_KIND_COUNT];
	struct pt_predict predict;
	uint32_t base = 0;
	int r = pt_predict_init(&predict, p->ids[PT_REFERS_TASK].n_used,
				p->ids[PT_REFERS_FILE].n_used);

	for (unsigned int k = 1; k < PT_KIND_COUNT && r == 0; k++) {
		p->base[k] = base;
		base += c->rows[k].n;
		if (c->rows[k].n)
			r = walk_init(&walks[k], &predict, &c->rows[k], k);
	}
	for (uint32_t i = 0; i < c->n && r == 0; i++)
		guess(p, &predict, &walks[c->kinds[i]], p->base[c->kinds[i]]);
	pt_predict_done(&predict);
	return r;
}

/* ---- One column */

static unsigned int width_of(const uint64_t *v, uint32_t n)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < n; i++)
		all |= v[i];
	return all ? (71u - (unsigned int)__builtin_clzll(all)) / 8 : 1;
}

/* Estimated bits of each number when every byte position is coded by itself. */
static float entropy_of(const struct pt_packer *p, const uint64_t *v, uint32_t n)
{
	uint32_t step = (n + SAMPLES - 1) / SAMPLES, m = (n + step - 1) / step;
	unsigned int width = width_of(v, n);
	float bits = 0;

	for (unsigned int b = 0; b < width; b++) {
		uint16_t counts[256] = { 0 };
		float sum = 0;

		for (uint32_t i = 0; i < n; i += step)
			counts[v[i] >> (b * 8) & 0xff]++;
		for (unsigned int i = 0; i < 256; i++)
			sum += p->n_log_n[counts[i]];
		bits += (p->n_log_n[m] - sum) / (float)m;
	}
	return bits;
}

/* A way to code a column, and its numbers. */
struct choice {
	const uint64_t *v;
	float bits;
	unsigned int transform;
};

static void consider(const struct pt_packer *p, struct choice *best, unsigned int transform,
		     const uint64_t *v, uint32_t n)
{
	float bits = entropy_of(p, v, n);

	if (best->v && bits >= best->bits)
		return;
	*best = (struct choice){ v, bits, transform };
}

static void consider_delta(struct pt_packer *p, struct choice *best, const uint64_t *v, uint32_t n)
{
	uint64_t prev = 0;

	for (uint32_t i = 0; i < n; i++) {
		p->scratch[0][i] = zigzag_fold((int64_t)(v[i] - prev));
		prev = v[i];
	}
	consider(p, best, PT_T_DELTA, p->scratch[0], n);
}

/* A column whose transforms need no other column's help but those of guess_all(). */
static void consider_guesses(struct pt_packer *p, struct choice *best, unsigned int kind,
			     unsigned int f, uint32_t n)
{
	uint32_t at = p->base[kind];
	int walks = pt_predict_walks(kind);

	if (f == PT_F_FILE && walks)
		consider(p, best, PT_T_TASK, p->guesses[GUESS_FILE] + at, n);
	if (f == PT_F_OPEN && walks)
		consider(p, best, PT_T_TASK, p->guesses[GUESS_OPEN] + at, n);
	if (f != PT_F_PAGE)
		return;
	if (pt_kind_info(kind)->fields & 1u << PT_F_FILE)
		consider(p, best, PT_T_FILE_END, p->guesses[GUESS_FILE_END] + at, n);
	if (walks) {
		consider(p, best, PT_T_TASK, p->guesses[GUESS_PAGE] + at, n);
		consider(p, best, PT_T_TASK_END, p->guesses[GUESS_TASK_END] + at, n);
	}
}

/* Byte offsets follow from the page, where the kind has it, or from the file's last range. */
static int consider_offsets(struct pt_packer *p, struct choice *best, const struct pt_rows *rows,
			    unsigned int kind)
{
	uint32_t fields = pt_kind_info(kind)->fields;
	struct pt_numbers page = pt_column_numbers(&rows->columns[PT_F_PAGE]);
	struct pt_numbers file = pt_column_numbers(&rows->columns[PT_F_FILE]);
	struct pt_numbers len = pt_column_numbers(&rows->columns[PT_F_LEN]);
	const uint64_t *off = rows->columns[PT_F_OFF].v;
	uint64_t *ends;

	if (fields & 1u << PT_F_PAGE) {
		for (uint32_t i = 0; i < rows->n; i++)
			p->scratch[1][i] = zigzag_fold(
				(int64_t)(off[i] - page.v[i * page.step] * p->page_size));
		consider(p, best, PT_T_PAGE_OFF, p->scratch[1], rows->n);
		return 0;
	}
	ends = calloc((size_t)p->ids[PT_REFERS_FILE].n_used + 1, sizeof(*ends));
	if (!ends)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n; i++) {
		uint64_t *at = &ends[file.v[i * file.step]];

		p->scratch[1][i] = zigzag_fold((int64_t)(off[i] - *at));
		*at = off[i] + len.v[i * len.step] - 1;
	}
	consider(p, best, PT_T_FILE_END, p->scratch[1], rows->n);
	free(ends);
	return 0;
}

static int choose(struct pt_packer *p, const struct pt_rows *rows, unsigned int kind,
		  unsigned int f, struct choice *ret_best)
{
	const struct pt_column *c = &rows->columns[f];
	struct choice best = { 0 };
	int r = 0;

	consider(p, &best, PT_T_RAW, c->v, rows->n);
	if (pt_field_places[f].width > 1 && !pt_field_places[f].refers)
		consider_delta(p, &best, c->v, rows->n);
	consider_guesses(p, &best, kind, f, rows->n);
	if (f == PT_F_OFF)
		r = consider_offsets(p, &best, rows, kind);
	*ret_best = best;
	return r;
}

static int put_planes(struct pt_packed *out, const uint64_t *v, uint32_t n, unsigned int width)
{
	if (pt_buf_reserve(&out->bytes, (size_t)n * width) < 0)
		return -ENOMEM;
	for (unsigned int b = 0; b < width; b++) {
		uint8_t *plane = out->bytes.data + out->bytes.len;

		for (uint32_t i = 0; i < n; i++)
			plane[i] = (uint8_t)(v[i] >> (b * 8));
		out->bytes.len += n;
		if (end_piece(out) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* One entry of the directory, for the @size bytes just put into @body. */
static int put_entry(struct pt_buf *directory, unsigned int kind, unsigned int f,
		     unsigned int transform, unsigned int width, size_t size)
{
	uint8_t e[PT_COLUMN_SIZE] = { (uint8_t)kind, (uint8_t)f, (uint8_t)transform,
				      (uint8_t)width };

	le32_put(e + 4, (uint32_t)size);
	return pt_buf_put(directory, e, sizeof(e));
}

static int put_blobs(struct pt_packer *p, const struct pt_rows *rows, unsigned int kind)
{
	struct pt_packed *body = &p->body;
	struct pt_numbers len = pt_column_numbers(&rows->columns[PT_F_BLOB]);
	size_t start = body->bytes.len;
	int r = 0;

	for (uint32_t i = 0; i < rows->n && r == 0; i++)
		r = pt_buf_put_varint(&body->bytes, len.v[i * len.step]);
	if (r == 0)
		r = pt_buf_put(&body->bytes, rows->blobs.data, rows->blobs.len);
	if (r == 0)
		r = end_piece(body);
	return r < 0 ? r
		     : put_entry(&p->directory, kind, PT_F_BLOB, PT_T_BLOB, 0,
				 body->bytes.len - start);
}

static int put_column(struct pt_packer *p, const struct pt_rows *rows, unsigned int kind,
		      unsigned int f)
{
	struct pt_packed *body = &p->body;
	const struct pt_column *c = &rows->columns[f];
	size_t start = body->bytes.len;
	struct choice best = { &c->first, 0, PT_T_CONST };
	unsigned int width;
	int r;

	if (!c->varied && !c->first)
		return 0; /* unknown throughout: that is what a column that is not there means */
	if (c->varied) {
		r = choose(p, rows, kind, f, &best);
		if (r < 0)
			return r;
	}
	width = width_of(best.v, c->varied ? rows->n : 1);
	r = put_planes(body, best.v, c->varied ? rows->n : 1, width);
	return r < 0 ? r
		     : put_entry(&p->directory, kind, f, best.transform, width,
				 body->bytes.len - start);
}

static int put_columns(struct pt_packer *p, const struct pt_columns *c)
{
	for (unsigned int k = 1; k < PT_KIND_COUNT; k++) {
		const struct pt_rows *rows = &c->rows[k];

		for (uint32_t left = rows->n ? pt_kind_info(k)->fields : 0; left;
		     left &= left - 1) {
			unsigned int f = (unsigned int)__builtin_ctz(left);
			int r = f == PT_F_BLOB ? put_blobs(p, rows, k) : put_column(p, rows, k, f);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* ---- The frames */

static int put_head(const struct pt_packer *p, uint32_t n_records, uint32_t n_columns,
		    struct pt_buf *out)
{
	uint8_t head[PT_COLUMNS_HEAD];

	le32_put(head, n_records);
	le32_put(head + 4, p->ids[PT_REFERS_FILE].n_used);
	le32_put(head + 8, p->ids[PT_REFERS_TASK].n_used);
	le32_put(head + 12, p->ids[PT_REFERS_CGROUP].n_used);
	le32_put(head + 16, n_columns);
	return pt_buf_put(out, head, sizeof(head));
}

/* Head, tables, directory, kinds and then the body, with its pieces. */
static int assemble(const struct pt_packer *p, const struct pt_columns *c,
		    const struct pt_keys *keys, struct pt_packed *out)
{
	const struct pt_packed *body = &p->body;
	size_t shift;

	out->bytes.len = out->ends.len = 0;
	if (put_head(p, c->n, (uint32_t)(p->directory.len / PT_COLUMN_SIZE), &out->bytes) < 0 ||
	    put_tables(p, keys, &out->bytes) < 0 ||
	    pt_buf_put(&out->bytes, p->directory.data, p->directory.len) < 0 ||
	    end_piece(out) < 0 || pt_buf_put(&out->bytes, c->kinds, c->n) < 0 || end_piece(out) < 0)
		return -ENOMEM;
	shift = out->bytes.len;
	if (pt_buf_put(&out->bytes, body->bytes.data, body->bytes.len) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < body->ends.len; i += sizeof(size_t)) {
		size_t end;

		memcpy(&end, body->ends.data + i, sizeof(end));
		end += shift;
		if (pt_buf_put(&out->ends, &end, sizeof(end)) < 0)
			return -ENOMEM;
	}
	return 0;
}

int pt_pack_data(struct pt_packer *p, struct pt_columns *c, const struct pt_keys *keys,
		 struct pt_packed *data)
{
	int r = localise_all(p, c, keys);

	p->body.bytes.len = p->body.ends.len = p->directory.len = 0;
	if (r == 0)
		r = guess_all(p, c);
	if (r == 0)
		r = put_columns(p, c);
	if (r == 0)
		r = assemble(p, c, keys, data);
	for (unsigned int i = 1; i < PT_REFERS_COUNT; i++)
		pt_places_clear(&p->ids[i]);
	return r;
}

int pt_pack_times(struct pt_packer *p, const struct pt_columns *c, uint64_t first_ns,
		  uint32_t unit_ns, struct pt_packed *times)
{
	uint64_t *deltas = p->scratch[0], prev = first_ns / unit_ns;
	uint8_t head[PT_TIMES_HEAD] = { 0 };
	unsigned int width;

	for (uint32_t i = 0; i < c->n; i++) {
		uint64_t now = unit_ns == 1 ? c->ts_ns[i] : c->ts_ns[i] / unit_ns;

		deltas[i] = now - prev;
		prev = now;
	}
	width = width_of(deltas, c->n);
	le32_put(head, unit_ns);
	head[4] = (uint8_t)width;
	times->bytes.len = times->ends.len = 0;
	if (pt_buf_put(&times->bytes, head, sizeof(head)) < 0)
		return -ENOMEM;
	return put_planes(times, deltas, c->n, width);
}
