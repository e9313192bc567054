// SPDX-License-Identifier: GPL-2.0-or-later
/* The recorded limit and the recorded refaults, out of a tape's head and definitions. */
#include "replay/recorded.h"

#include "util/json.h"

static uint32_t cgroup_by_id(const struct pt_reader *tape, uint64_t id)
{
	uint32_t n = pt_reader_cgroup_count(tape), i = 0;

	while (i < n && pt_reader_cgroup(tape, i)->id != id)
		i++;
	return i;
}

/* The least limit of a cgroup and its ancestors; no limit and unknown are the largest numbers. */
static uint64_t limit_of(const struct pt_reader *tape, uint32_t cgroup)
{
	uint32_t n = pt_reader_cgroup_count(tape);
	uint64_t least = PT_UNKNOWN;

	/* A hostile tape may have a group among its own ancestors. */
	for (uint32_t steps = 0; cgroup < n && steps < n; steps++) {
		const struct pt_cgroup *g = pt_reader_cgroup(tape, cgroup);

		if (g->max_bytes < least)
			least = g->max_bytes;
		cgroup = g->parent == PT_UNKNOWN ? n : cgroup_by_id(tape, g->parent);
	}
	return least;
}

static uint64_t common_limit(const struct pt_plan *plan)
{
	const struct pt_reader *tape = pt_plan_reader(plan);
	uint64_t limit = PT_UNKNOWN;
	uint32_t n;

	for (uint32_t i = 0; i < pt_plan_stats(plan)->threads; i++) {
		uint32_t task = pt_plan_task_of(plan, i, &n);
		uint64_t its = limit_of(tape, pt_reader_task(tape, task)->cgroup);

		if (i > 0 && its != limit)
			return PT_UNKNOWN;
		limit = its;
	}
	return limit;
}

static uint64_t count_of(const json_t *counts, const char *key)
{
	const json_t *v = json_object_get(counts, key);

	return json_is_integer(v) && json_integer_value(v) >= 0 ? (uint64_t)json_integer_value(v)
								: PT_UNKNOWN;
}

static void read_refaults(const struct pt_reader *tape, struct pt_recorded *rec)
{
	const struct pt_head *head = pt_reader_head(tape);
	struct pt_reader_summary sum;

	rec->refaults_of = pt_head_string(head, "kernel_counts", "scope", NULL);
	rec->refaults =
		count_of(json_object_get(head->doc, "kernel_counts"), "workingset_refault_file");
	if (rec->refaults != PT_UNKNOWN)
		return;
	rec->refaults_of = NULL;
	if (pt_head_known(head, "refaults") == PT_KNOWN_UNAVAILABLE)
		return;
	pt_reader_summary(tape, &sum);
	rec->refaults = sum.counts[PT_REFAULT];
	rec->refaults_of = "tape";
}

void pt_recorded_read(const struct pt_plan *plan, struct pt_recorded *ret_rec)
{
	ret_rec->limit_bytes = common_limit(plan);
	read_refaults(pt_plan_reader(plan), ret_rec);
}

static json_t *limit_json(uint64_t bytes)
{
	return bytes == PT_NO_LIMIT ? json_string("none") : json_integer((json_int_t)bytes);
}

void pt_recorded_compare_limit(const struct pt_recorded *rec, uint64_t limit_bytes, json_t *differs)
{
	uint64_t here = limit_bytes ? limit_bytes : PT_NO_LIMIT;
	json_t *entry;

	if (rec->limit_bytes == PT_UNKNOWN || rec->limit_bytes == here)
		return;
	entry = json_object();
	pt_json_set_string(entry, "what", "memory_limit_bytes");
	pt_json_set(entry, "recorded", limit_json(rec->limit_bytes));
	pt_json_set(entry, "here", limit_json(here));
	(void)json_array_append_new(differs, entry);
}
