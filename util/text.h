/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text made as printf(3) does, on the heap.
 */
#ifndef PT_UTIL_TEXT_H
#define PT_UTIL_TEXT_H

#include "util/bytes.h"

/* *@ret_text is to be freed. Returns 0 or -ENOMEM, and then *@ret_text is NULL. */
int pt_text_format(char **ret_text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "DIR/NAME", to be freed; NULL: no memory. */
char *pt_text_path(const char *dir, const char *name);

/* Append it to @b, without a NUL. Returns 0 or -ENOMEM, and then the buffer is as it was. */
int pt_text_append(struct pt_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
