// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers out of counters' text: see countertext.h. */
#include "formats/countertext.h"

#include <string.h>

#include "util/parse.h"

static uint64_t number(const char *s, size_t len)
{
	char digits[24];
	uint64_t v;

	if (!len || len >= sizeof(digits))
		return PT_UNKNOWN;
	memcpy(digits, s, len);
	digits[len] = '\0';
	return pt_parse_u64(digits, &v) == 0 ? v : PT_UNKNOWN;
}

uint64_t pt_countertext_get(const struct pt_record *rec, const char *name)
{
	const char *at = rec->blob, *end = at ? at + rec->blob_len : NULL;
	size_t len = strlen(name);

	while (at && at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = stop ? stop : end;

		if ((size_t)(line_end - at) > len && memcmp(at, name, len) == 0 && at[len] == ' ')
			return number(at + len + 1, (size_t)(line_end - at) - len - 1);
		at = stop ? stop + 1 : end;
	}
	return PT_UNKNOWN;
}
