/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What went wrong, in words: filled by library code, printed once by cli/.
 *
 * A function that takes a `struct pt_diag *` accepts NULL. It fills the first cause only, so
 * callers up the stack may add nothing, or use pt_diag_file() to say which file it was.
 */
#ifndef PT_UTIL_DIAG_H
#define PT_UTIL_DIAG_H

#include <stdarg.h>
#include <stdint.h>

#define PT_NO_OFFSET UINT64_MAX

struct pt_diag {
	char file[256]; /* the input or output concerned, "" where none */
	char text[256]; /* one line, no newline, control bytes shown as '?'; "" where nothing failed
			 */
	uint64_t offset; /* byte offset in file, valid where has_offset; a line where is_line */
	int has_offset;
	int is_line;
};

#define PT_DIAG_INIT            \
	{                       \
		.has_offset = 0 \
	}

/*
 * Note a failure and return @err (a negative errno), so that `return pt_diag_set(d, -EBADMSG, ...)`
 * reads well. Keeps what is already there. @offset is PT_NO_OFFSET where no place is known.
 */
int pt_diag_set(struct pt_diag *d, int err, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Like pt_diag_set() with ": <what errno means>" behind the text. */
int pt_diag_errno(struct pt_diag *d, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Name the file of a failure, if none is named yet. Returns @err. */
int pt_diag_file(struct pt_diag *d, int err, const char *file);

/*
 * Write "FILE: offset N: TEXT" (parts that are unknown left out; strerror(-err) where there is
 * no text) to @buf of @size bytes. Returns @buf.
 */
char *pt_diag_format(const struct pt_diag *d, int err, char *buf, unsigned int size);

#endif
