/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables: for people, columns as wide as their widest cell, numbers to the right; or as CSV for
 * programs, out of the same rows.
 *
 * In CSV (RFC 4180, lines end in LF) numbers are bare, in the unit that the column's name says, and
 * what is not known is empty. Cells are copied. Control bytes are shown as '?'. Release with
 * pt_table_free().
 */
#ifndef PT_UTIL_TABLE_H
#define PT_UTIL_TABLE_H

#include <stdint.h>
#include <stdio.h>

enum pt_table_style {
	PT_TABLE_TEXT = 0,
	PT_TABLE_CSV = 1,
};

struct pt_table;

/*
 * @columns: a header each, a leading '>' (not shown) puts the column to the right. What follows a
 * '|' is the column's name in CSV, with its unit, where that differs: ">memory|memory_bytes".
 * NULL: no memory.
 */
struct pt_table *pt_table_new(const char *const *columns, size_t n);
struct pt_table *pt_table_new_as(const char *const *columns, size_t n, enum pt_table_style style);

/* Append a cell; a row is full after as many cells as there are columns. 0 or -ENOMEM. */
int pt_table_cell(struct pt_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Cells by what they hold: text, or not known where it is NULL; a count; bytes; nanoseconds
 * (UINT64_MAX: not known); a ratio, shown in percent with so many digits behind the point (CSV: the
 * ratio itself; NaN: not known); any other number (NaN: not known). 0 or -ENOMEM.
 */
int pt_table_text(struct pt_table *t, const char *text);
int pt_table_count(struct pt_table *t, uint64_t n);
int pt_table_size(struct pt_table *t, uint64_t bytes);
int pt_table_time(struct pt_table *t, uint64_t ns);
int pt_table_percent(struct pt_table *t, double ratio, int digits);
int pt_table_real(struct pt_table *t, double v);

/* Print with two blanks between columns and none at line ends; or as CSV. */
void pt_table_print(const struct pt_table *t, FILE *f);
void pt_table_free(struct pt_table *t);

#endif
