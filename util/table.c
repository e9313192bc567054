// SPDX-License-Identifier: GPL-2.0-or-later
/* Plain text tables: see table.h. */
#include "util/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/printable.h"

struct pt_table {
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

struct pt_table *pt_table_new(const char *const *columns, size_t n)
{
	struct pt_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->columns = n;
	t->right = calloc(n, 1);
	if (!t->right)
		goto fail;
	for (size_t i = 0; i < n; i++) {
		t->right[i] = columns[i][0] == '>';
		if (append(t, strdup(columns[i] + t->right[i])) < 0)
			goto fail;
	}
	return t;
fail:
	pt_table_free(t);
	return NULL;
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

void pt_table_print(const struct pt_table *t, FILE *f)
{
	size_t *width = calloc(t->columns, sizeof(*width));

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
