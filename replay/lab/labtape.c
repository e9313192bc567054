// SPDX-License-Identifier: GPL-2.0-or-later
/* Tapes for a lab: see labtape.h. */
#include "replay/lab/labtape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cgroup.h"
#include "replay/plan.h"
#include "replay/recorded.h"
#include "replay/session.h"
#include "util/json.h"

#define SUFFIX ".ptape"

static void name_it(struct pt_labtape *t)
{
	const char *slash = strrchr(t->path, '/'), *base = slash ? slash + 1 : t->path;
	size_t len = strlen(base), suffix = strlen(SUFFIX);
	char text[PT_LABNAME_SIZE];

	if (len > suffix && strcmp(base + len - suffix, SUFFIX) == 0)
		len -= suffix;
	snprintf(text, sizeof(text), "%.*s", (int)len, base);
	pt_labname_make(text, t->name);
}

static void survey(struct pt_labtape *t, const struct pt_plan *plan)
{
	const struct pt_plan_stats *st = pt_plan_stats(plan);
	const struct pt_reader *r = pt_plan_reader(plan);
	struct pt_recorded rec;

	snprintf(t->tape_id, sizeof(t->tape_id), "%s", pt_head_tape_id(pt_reader_head(r)));
	t->duration_ns = st->last_ns - st->first_ns;
	for (uint32_t i = 0; i < pt_reader_file_count(r); i++) {
		const struct pt_plan_file *f = pt_plan_file(plan, i);

		if (f->used && __builtin_add_overflow(t->file_bytes, f->size, &t->file_bytes))
			t->file_bytes = UINT64_MAX;
	}
	pt_recorded_read(plan, &rec);
	if (rec.limit_bytes != PT_NO_LIMIT && rec.limit_bytes != PT_UNKNOWN)
		t->limit_bytes = rec.limit_bytes;
}

int pt_labtape_open(const char *path, const char *cgroup, struct pt_labtape *ret_t,
		    struct pt_diag *diag)
{
	const struct pt_plan_options opt = { .cgroup = cgroup,
					     .max_threads = PT_SESSION_MAX_THREADS,
					     .max_handles = 1 << 16 };
	struct pt_labtape t = { .path = strdup(path) };
	struct pt_plan *plan = NULL;
	int r = t.path ? pt_plan_open(path, &opt, &plan, diag) : -ENOMEM;

	if (r < 0) {
		pt_labtape_done(&t);
		return r;
	}
	name_it(&t);
	survey(&t, plan);
	pt_plan_close(plan);
	*ret_t = t;
	return 0;
}

void pt_labtape_done(struct pt_labtape *t)
{
	free(t->path);
	*t = (struct pt_labtape){ 0 };
}

json_t *pt_labtape_json(const struct pt_labtape *t)
{
	json_t *o = json_object();

	pt_json_set_string(o, "name", t->name);
	pt_json_set_string(o, "path", t->path);
	pt_json_set_string(o, "tape_id", t->tape_id);
	return o;
}
