// SPDX-License-Identifier: GPL-2.0-or-later
/* Formatted text: see text.h. */
#include "util/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "util/cleanup.h"

int pt_text_format(char **ret_text, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(ret_text, fmt, ap);
	va_end(ap);
	if (n < 0)
		*ret_text = NULL;
	return n < 0 ? -ENOMEM : 0;
}

char *pt_text_path(const char *dir, const char *name)
{
	char *path;

	return pt_text_format(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

int pt_text_append(struct pt_buf *b, const char *fmt, ...)
{
	auto_free char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		text = NULL;
		return -ENOMEM;
	}
	return pt_buf_put(b, text, (size_t)n);
}
