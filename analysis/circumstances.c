// SPDX-License-Identifier: GPL-2.0-or-later
/* What results were made of and with: see circumstances.h. */
#include "analysis/circumstances.h"

#include <stdio.h>
#include <string.h>

#include "util/parse.h"

#define SHORT_ID 8 /* digits of a tape's id that tell tapes apart at a glance */

static const struct {
	const char *key;
	const char *path[4]; /* in a result's document */
	const char *null;    /* what null stands for; NULL: not known */
	const char *warning; /* the beginning of it; NULL: none */
} made[PT_MADE_COUNT] = {
	[PT_MADE_KERNEL] = { "kernel", { "kernel", "release" }, NULL, NULL },
	[PT_MADE_LRU] = { "lru", { "kernel", "lru", "flavour" }, NULL, NULL },
	[PT_MADE_MEMORY] = { "memory_bytes",
			     { "settings", "memory_bytes" },
			     "none",
			     "memory limits" },
	[PT_MADE_ORDER] = { "order", { "settings", "order" }, NULL, "orders (--order)" },
	[PT_MADE_PACE] = { "pace", { "settings", "pace" }, NULL, "paces (--pace)" },
	[PT_MADE_WARMUP] = { "warmup", { "settings", "warmup" }, NULL, "warm-ups (--warmup)" },
	[PT_MADE_TAPE] = { "tape_id", { "tape_id" }, NULL, "tapes" },
	[PT_MADE_PLAYED] = { "cgroup",
			     { "settings", "cgroup" },
			     "all",
			     "cgroups that were played" },
	[PT_MADE_SPARSE] = { "sparse", { "settings", "sparse" }, NULL, "files (--sparse)" },
	[PT_MADE_FILESYSTEM] = { "filesystem", { "settings", "filesystem" }, NULL, "file systems" },
	[PT_MADE_READ_AHEAD] = { "read_ahead_kb",
				 { "settings", "read_ahead_kb" },
				 NULL,
				 "read-ahead limits (KiB)" },
	[PT_MADE_CGROUP_VERSION] = { "cgroup_version",
				     { "settings", "cgroup_version" },
				     NULL,
				     "cgroup versions" },
	[PT_MADE_ACCELERATOR] = { "accelerator", { "accelerator" }, NULL, "accelerators" },
};

const char *pt_circumstance_key(enum pt_circumstance c)
{
	return made[c].key;
}

/* NULL where the result does not know it. */
static const json_t *value_in(const struct pt_result *r, enum pt_circumstance c)
{
	const json_t *v = r->doc;

	for (size_t i = 0; v && i < 4 && made[c].path[i]; i++)
		v = json_object_get(v, made[c].path[i]);
	return json_is_null(v) && !made[c].null ? NULL : v;
}

/* Hold @v against the first known value: 1 where they differ. */
static int differs_from(const json_t *v, const json_t **first)
{
	if (!v)
		return 0;
	if (!*first)
		*first = v;
	return !json_equal(v, *first);
}

const json_t *pt_circumstance_of(const struct pt_result_group *g, enum pt_circumstance c,
				 int *ret_mixed)
{
	const json_t *first = NULL;
	int mixed = 0;

	for (size_t i = 0; i < g->n; i++)
		mixed |= differs_from(value_in(&g->results[i], c), &first);
	if (ret_mixed)
		*ret_mixed = mixed;
	return first;
}

int pt_circumstance_differs(const struct pt_result_group *groups, size_t n, enum pt_circumstance c)
{
	const json_t *first = NULL;
	int differs = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < groups[i].n; k++)
			differs |= differs_from(value_in(&groups[i].results[k], c), &first);
	return differs;
}

const char *pt_circumstance_text(const json_t *v, enum pt_circumstance c, char *buf, size_t size)
{
	if (!v)
		snprintf(buf, size, "unknown");
	else if (json_is_null(v))
		snprintf(buf, size, "%s", made[c].null);
	else if (c == PT_MADE_MEMORY && json_is_integer(v))
		pt_format_size((uint64_t)json_integer_value(v), buf, size);
	else if (c == PT_MADE_PACE && json_is_number(v) && json_number_value(v) == 1)
		snprintf(buf, size, "original");
	else if (c == PT_MADE_TAPE && json_is_string(v))
		snprintf(buf, size, "%.*s", SHORT_ID, json_string_value(v));
	else if (json_is_string(v))
		snprintf(buf, size, "%s", json_string_value(v));
	else if (json_is_boolean(v))
		snprintf(buf, size, "%s", json_is_true(v) ? "yes" : "no");
	else
		snprintf(buf, size, "%g", json_number_value(v));
	return buf;
}

/* "the tapes differ: 54ad0fbb (a.json), several (b.json)" */
static void warn(const struct pt_result_group *groups, size_t n, enum pt_circumstance c,
		 json_t *warnings)
{
	char text[1024];
	size_t at = (size_t)snprintf(text, sizeof(text), "the %s differ:", made[c].warning);

	for (size_t i = 0; i < n && at < sizeof(text); i++) {
		char value[128];
		int mixed;
		const json_t *v = pt_circumstance_of(&groups[i], c, &mixed);

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s %s (%.200s)", i ? "," : "",
				       mixed ? "several"
					     : pt_circumstance_text(v, c, value, sizeof(value)),
				       groups[i].name);
	}
	json_array_append_new(warnings, json_string(text));
}

void pt_circumstances_warn(const struct pt_result_group *groups, size_t n, json_t *warnings)
{
	for (enum pt_circumstance c = 0; c < PT_MADE_COUNT; c++)
		if (made[c].warning && pt_circumstance_differs(groups, n, c))
			warn(groups, n, c, warnings);
}
