// SPDX-License-Identifier: GPL-2.0-or-later
/* Text fit for a terminal: see printable.h. */
#include "util/printable.h"

#include <stdio.h>

char *pt_make_printable(char *s)
{
	for (char *c = s; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	return s;
}

char *pt_printable(const char *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s", s ? s : "unknown");
	return pt_make_printable(buf);
}
