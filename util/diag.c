// SPDX-License-Identifier: GPL-2.0-or-later
/* Failure messages: see diag.h. Nothing here prints. */
#include "util/diag.h"

#include <stdio.h>
#include <string.h>

#include "util/printable.h"

static __attribute__((format(printf, 3, 0))) void fill(struct pt_diag *d, uint64_t offset,
						       const char *fmt, va_list ap)
{
	vsnprintf(d->text, sizeof(d->text), fmt, ap);
	pt_make_printable(d->text);
	d->has_offset = offset != PT_NO_OFFSET;
	d->offset = offset;
}

int pt_diag_set(struct pt_diag *d, int err, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	if (!d || d->text[0])
		return err;
	va_start(ap, fmt);
	fill(d, offset, fmt, ap);
	va_end(ap);
	return err;
}

int pt_diag_errno(struct pt_diag *d, int err, const char *fmt, ...)
{
	va_list ap;
	char why[80];
	size_t len, room;

	if (!d || d->text[0])
		return err;
	va_start(ap, fmt);
	fill(d, PT_NO_OFFSET, fmt, ap);
	va_end(ap);
	/* The reason matters more than the end of a long name. */
	room = sizeof(d->text) - (size_t)snprintf(why, sizeof(why), ": %.76s", strerror(-err));
	len = strlen(d->text);
	len = len < room ? len : room - 1;
	snprintf(d->text + len, sizeof(d->text) - len, "%s", why);
	return err;
}

int pt_diag_file(struct pt_diag *d, int err, const char *file)
{
	if (!d || d->file[0])
		return err;
	snprintf(d->file, sizeof(d->file), "%s", file);
	pt_make_printable(d->file);
	return err;
}

char *pt_diag_format(const struct pt_diag *d, int err, char *buf, unsigned int size)
{
	char place[48] = "";

	if (d->has_offset)
		snprintf(place, sizeof(place), "%s %llu: ", d->is_line ? "line" : "offset",
			 (unsigned long long)d->offset);
	snprintf(buf, size, "%s%s%s%s", d->file, d->file[0] ? ": " : "", place,
		 d->text[0] ? d->text : strerror(-err));
	return buf;
}
