/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text from a tape or the kernel, made fit for a terminal: control bytes would move the cursor, set
 * colours, or start a new line where one line is promised.
 */
#ifndef PT_UTIL_PRINTABLE_H
#define PT_UTIL_PRINTABLE_H

#include <stddef.h>

/* Make each control byte a '?', in place. Returns @s. */
char *pt_make_printable(char *s);

/* The same on a copy, cut to fit, in @buf of @size bytes; NULL gives "unknown". Returns @buf. */
char *pt_printable(const char *s, char *buf, size_t size);

#endif
