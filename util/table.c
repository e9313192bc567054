// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables as text and as CSV: see table.h. */
#include "util/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/parse.h"
#include "util/printable.h"

struct pt_table {
	enum pt_table_style style;
	size_t columns, cells, cap;
	unsigned char *right;
	char **cell; /* the headers first */
};

static int append(struct pt_table *t, char *owned)
{
	if (!owned)
		return -ENOMEM;
	if (t->cells == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 64;
		char **cell = reallocarray(t->cell, cap, sizeof(*cell));

		if (!cell) {
			free(owned);
			return -ENOMEM;
		}
		t->cell = cell;
		t->cap = cap;
	}
	t->cell[t->cells++] = pt_make_printable(owned);
	return 0;
}

/* A column's header in @style; the caller frees it. */
static char *header_of(const char *column, enum pt_table_style style)
{
	const char *name = column + (column[0] == '>'), *bar = strchr(name, '|');

	if (bar && style == PT_TABLE_CSV)
		return strdup(bar + 1);
	return bar ? strndup(name, (size_t)(bar - name)) : strdup(name);
}

struct pt_table *pt_table_new_as(const char *const *columns, size_t n, enum pt_table_style style)
{
	struct pt_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->style = style;
	t->columns = n;
	t->right = calloc(n, 1);
	if (!t->right)
		goto fail;
	for (size_t i = 0; i < n; i++) {
		t->right[i] = columns[i][0] == '>';
		if (append(t, header_of(columns[i], style)) < 0)
			goto fail;
	}
	return t;
fail:
	pt_table_free(t);
	return NULL;
}

struct pt_table *pt_table_new(const char *const *columns, size_t n)
{
	return pt_table_new_as(columns, n, PT_TABLE_TEXT);
}

int pt_table_cell(struct pt_table *t, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	return append(t, n < 0 ? NULL : text);
}

/* What stands where something is not known. */
static int unknown(struct pt_table *t)
{
	return pt_table_cell(t, "%s", t->style == PT_TABLE_CSV ? "" : "-");
}

int pt_table_text(struct pt_table *t, const char *text)
{
	return text ? pt_table_cell(t, "%s", text) : unknown(t);
}

static int number(struct pt_table *t, uint64_t v, char *(*format)(uint64_t, char *, size_t))
{
	char text[64];

	if (v == UINT64_MAX)
		return unknown(t);
	if (t->style == PT_TABLE_CSV)
		return pt_table_cell(t, "%" PRIu64, v);
	return pt_table_cell(t, "%s", format(v, text, sizeof(text)));
}

int pt_table_count(struct pt_table *t, uint64_t n)
{
	return number(t, n, pt_format_count);
}

int pt_table_size(struct pt_table *t, uint64_t bytes)
{
	return number(t, bytes, pt_format_size);
}

int pt_table_time(struct pt_table *t, uint64_t ns)
{
	return number(t, ns, pt_format_time);
}

int pt_table_percent(struct pt_table *t, double ratio, int digits)
{
	if (!isfinite(ratio))
		return unknown(t);
	if (t->style == PT_TABLE_CSV)
		return pt_table_cell(t, "%.9g", ratio);
	return pt_table_cell(t, "%.*f%%", digits, 100 * ratio);
}

int pt_table_real(struct pt_table *t, double v)
{
	if (!isfinite(v))
		return unknown(t);
	return pt_table_cell(t, t->style == PT_TABLE_CSV ? "%.12g" : "%.4g", v);
}

/* ---- Printing */

/* Characters, not bytes: UTF-8 continuation bytes take no room. */
static size_t width_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void print_blanks(size_t n, FILE *f)
{
	for (; n; n--)
		fputc(' ', f);
}

static void print_row(const struct pt_table *t, char *const *cell, const size_t *width, FILE *f)
{
	size_t blanks = 0; /* owed: they come only if a word follows */

	for (size_t i = 0; i < t->columns; i++) {
		size_t pad = width[i] - width_of(cell[i]);

		if (t->right[i])
			blanks += pad;
		if (cell[i][0]) {
			print_blanks(blanks, f);
			fputs(cell[i], f);
			blanks = 0;
		}
		if (!t->right[i])
			blanks += pad;
		blanks += 2;
	}
	fputc('\n', f);
}

static void print_csv_cell(const char *cell, FILE *f)
{
	if (!strpbrk(cell, ",\"")) {
		fputs(cell, f);
		return;
	}
	fputc('"', f);
	for (; *cell; cell++) {
		if (*cell == '"')
			fputc('"', f);
		fputc(*cell, f);
	}
	fputc('"', f);
}

static void print_csv(const struct pt_table *t, FILE *f)
{
	for (size_t i = 0; i < t->cells - t->cells % t->columns; i++) {
		print_csv_cell(t->cell[i], f);
		fputc((i + 1) % t->columns ? ',' : '\n', f);
	}
}

void pt_table_print(const struct pt_table *t, FILE *f)
{
	size_t *width;

	if (t->style == PT_TABLE_CSV) {
		print_csv(t, f);
		return;
	}
	width = calloc(t->columns, sizeof(*width));
	for (size_t i = 0; width && i < t->cells; i++)
		if (width_of(t->cell[i]) > width[i % t->columns])
			width[i % t->columns] = width_of(t->cell[i]);
	for (size_t i = 0; width && i + t->columns <= t->cells; i += t->columns)
		print_row(t, t->cell + i, width, f);
	free(width);
}

void pt_table_free(struct pt_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->cells; i++)
		free(t->cell[i]);
	free(t->cell);
	free(t->right);
	free(t);
}
