/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain text tables: columns as wide as their widest cell, numbers to the right.
 *
 * Cells are copied. Control bytes are shown as '?'. Release with pt_table_free().
 */
#ifndef PT_UTIL_TABLE_H
#define PT_UTIL_TABLE_H

#include <stdio.h>

struct pt_table;

/* @columns: a header each, a leading '>' (not shown) puts the column to the right. NULL: no memory.
 */
struct pt_table *pt_table_new(const char *const *columns, size_t n);

/* Append a cell; a row is full after as many cells as there are columns. 0 or -ENOMEM. */
int pt_table_cell(struct pt_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print with two blanks between columns and none at line ends. */
void pt_table_print(const struct pt_table *t, FILE *f);
void pt_table_free(struct pt_table *t);

#endif
