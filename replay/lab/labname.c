// SPDX-License-Identifier: GPL-2.0-or-later
/* Names fit for folders: see labname.h. */
#include "replay/lab/labname.h"

#include <stdio.h>
#include <string.h>

static bool is_fit(char c, bool first)
{
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')
		return true;
	return !first && c && strchr("._+-", c);
}

bool pt_labname_is_valid(const char *s)
{
	size_t len = strlen(s);

	if (!len || len >= PT_LABNAME_SIZE)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_fit(s[i], i == 0))
			return false;
	return true;
}

char *pt_labname_append(char buf[PT_LABNAME_SIZE], const char *more)
{
	size_t len = strlen(buf);

	for (; *more && len < PT_LABNAME_SIZE - 1; more++) {
		if (is_fit(*more, len == 0))
			buf[len++] = *more;
		else if (len)
			buf[len++] = '-';
	}
	buf[len] = '\0';
	return buf;
}

char *pt_labname_make(const char *text, char buf[PT_LABNAME_SIZE])
{
	buf[0] = '\0';
	pt_labname_append(buf, text);
	if (!buf[0])
		snprintf(buf, PT_LABNAME_SIZE, "unnamed");
	return buf;
}

static bool is_taken(const char *name, const char *const *taken, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, taken[i]) == 0)
			return true;
	return false;
}

char *pt_labname_unique(char buf[PT_LABNAME_SIZE], const char *const *taken, size_t n)
{
	char stem[PT_LABNAME_SIZE];

	snprintf(stem, sizeof(stem), "%s", buf);
	for (unsigned int i = 2; is_taken(buf, taken, n); i++) {
		char tail[16];
		int len = snprintf(tail, sizeof(tail), "-%u", i);

		snprintf(buf, PT_LABNAME_SIZE, "%.*s%s", PT_LABNAME_SIZE - 1 - len, stem, tail);
	}
	return buf;
}
