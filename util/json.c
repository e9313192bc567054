// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON documents: see json.h. */
#include "util/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/version.h"

json_t *pt_json_document(const char *kind, const char *tape_id)
{
	json_t *doc = json_object();

	pt_json_set_u64(doc, "schema", 1);
	pt_json_set_string(doc, "pagetape", PT_VERSION);
	pt_json_set_string(doc, "kind", kind);
	pt_json_set_string(doc, "tape_id", tape_id);
	return doc;
}

void pt_json_set(json_t *obj, const char *key, json_t *stolen)
{
	(void)json_object_set_new(obj, key, stolen ? stolen : json_null());
}

void pt_json_set_u64(json_t *obj, const char *key, uint64_t v)
{
	pt_json_set(obj, key, v > INT64_MAX ? NULL : json_integer((json_int_t)v));
}

void pt_json_set_double(json_t *obj, const char *key, double v)
{
	pt_json_set(obj, key, isfinite(v) ? json_real(v) : NULL);
}

void pt_json_set_bool(json_t *obj, const char *key, int v)
{
	pt_json_set(obj, key, json_boolean(v));
}

/* Length of the UTF-8 sequence at @s, 0 where it is none. jansson checks the rest. */
static size_t sequence_len(const char *s)
{
	for (size_t n = 1; n <= 4; n++) {
		json_t *one = strnlen(s, n) == n ? json_stringn(s, n) : NULL;

		if (one) {
			json_decref(one);
			return n;
		}
	}
	return 0;
}

static json_t *replaced(const char *s)
{
	char *out = malloc(strlen(s) * 3 + 1);
	size_t at = 0;
	json_t *str;

	if (!out)
		return NULL;
	while (*s) {
		size_t n = sequence_len(s);

		memcpy(out + at, n ? s : "\xef\xbf\xbd", n ? n : 3);
		at += n ? n : 3;
		s += n ? n : 1;
	}
	str = json_stringn(out, at);
	free(out);
	return str;
}

void pt_json_set_string(json_t *obj, const char *key, const char *s)
{
	json_t *str = s ? json_string(s) : NULL;

	if (s && !str)
		str = replaced(s);
	pt_json_set(obj, key, str);
}

int pt_json_write(const json_t *doc, FILE *f)
{
	if (!doc)
		return -ENOMEM;
	errno = 0;
	if (json_dumpf(doc, f, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) < 0 || fputc('\n', f) < 0)
		return errno ? -errno : -EIO;
	return 0;
}
