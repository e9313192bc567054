// SPDX-License-Identifier: GPL-2.0-or-later
/* A session as JSON: its plan, its settings, its runs and what became of them. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/identity.h"
#include "replay/session_state.h"
#include "replay/settings.h"
#include "util/json.h"

static json_t *counts(const uint64_t *v, unsigned int n, const char *(*name)(unsigned int))
{
	json_t *obj = json_object();

	for (unsigned int i = 0; i < n; i++)
		if (v[i])
			pt_json_set_u64(obj, name(i), v[i]);
	return obj;
}

/* PT_UNKNOWN also where there was none. */
static uint64_t recorded_limit(const struct pt_session *s)
{
	return s->recorded.limit_bytes == PT_NO_LIMIT ? PT_UNKNOWN : s->recorded.limit_bytes;
}

const char *pt_session_tape_id(const struct pt_session *s)
{
	return pt_head_tape_id(pt_reader_head(pt_plan_reader(s->plan)));
}

json_t *pt_session_plan(const struct pt_session *s)
{
	const struct pt_plan_stats *st = pt_plan_stats(s->plan);
	struct pt_fileset_cost cost;
	json_t *obj = json_object();

	pt_fileset_cost(s->files, &cost);
	pt_json_set(obj, "ops", counts(st->ops, PT_OP_COUNT, pt_op_name));
	pt_json_set(obj, "skipped", counts(st->skipped, PT_SKIP_COUNT, pt_skip_name));
	pt_json_set_u64(obj, "guessed_pages", st->guessed_pages);
	pt_json_set_u64(obj, "guessed_lengths", st->guessed_lengths);
	pt_json_set_u64(obj, "guessed_random", st->guessed_random);
	pt_json_set_u64(obj, "other_tasks", st->other_tasks);
	pt_json_set_u64(obj, "damaged_blocks", st->damaged_blocks);
	pt_json_set_u64(obj, "duration_ns", st->last_ns - st->first_ns);
	pt_json_set_u64(obj, "tasks", st->tasks);
	pt_json_set_u64(obj, "threads", st->threads);
	pt_json_set_u64(obj, "open_files", st->handles);
	pt_json_set_u64(obj, "files", cost.files);
	pt_json_set_u64(obj, "resident_files", st->resident_files);
	pt_json_set_u64(obj, "file_bytes", cost.bytes);
	pt_json_set_u64(obj, "missing_bytes", cost.missing_bytes);
	pt_json_set_u64(obj, "recorded_memory_bytes", recorded_limit(s));
	return obj;
}

static json_t *recorded(const struct pt_session *s)
{
	json_t *obj = json_object();

	pt_json_set_u64(obj, "memory_bytes", recorded_limit(s));
	pt_json_set_u64(obj, "refaults", s->recorded.refaults);
	pt_json_set_string(obj, "refaults_of", s->recorded.refaults_of);
	return obj;
}

static void say_order(json_t *settings, uint32_t window)
{
	char text[32];

	snprintf(text, sizeof(text), "window:%u", window);
	pt_json_set_string(settings, "order",
			   window == 0 ? "task" : (window == 1 ? "strict" : text));
}

static json_t *settings(const struct pt_session *s, const json_t *kernel)
{
	const struct pt_plan_stats *st = pt_plan_stats(s->plan);
	json_t *obj = json_object(), *differs;

	pt_json_set_string(obj, "target", s->opt.target);
	pt_json_set_u64(obj, "memory_bytes",
			s->opt.memory_bytes ? s->opt.memory_bytes : PT_UNKNOWN);
	pt_json_set_u64(obj, "cgroup_version",
			s->opt.memory_bytes ? (uint64_t)s->hierarchy.version : PT_UNKNOWN);
	say_order(obj, s->opt.window);
	pt_json_set(obj, "pace", s->opt.speed > 0 ? json_real(s->opt.speed) : json_string("max"));
	pt_json_set_double(obj, "warmup", s->opt.warmup);
	pt_json_set_u64(obj, "repeat", s->opt.repeat);
	pt_json_set_string(obj, "cgroup", s->opt.cgroup);
	pt_json_set_bool(obj, "sparse", (s->opt.flags & PT_SESSION_SPARSE) != 0);
	pt_json_set_string(obj, "caches", s->caches);
	pt_json_set_string(obj, "open_files",
			   st->shared_handles ? "shared"
					      : (st->guessed_opens ? "guessed" : "known"));
	pt_json_set_u64(obj, "counters_every_ns", pt_session_counters_every_ns(s));
	pt_settings_target("", obj, pt_fileset_dirfd(s->files));
	differs = pt_settings_differs("", pt_plan_reader(s->plan), kernel, obj);
	pt_recorded_compare_limit(&s->recorded, s->opt.memory_bytes, differs);
	pt_json_set(obj, "differs", differs);
	return obj;
}

static void add_text(json_t *list, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add_text(json_t *list, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)json_array_append_new(list, json_vsprintf(fmt, args));
	va_end(args);
}

void pt_session_judge_run(json_t *run, int dropped)
{
	json_t *list = json_array();

	if (dropped)
		add_text(list, "somebody dropped the page cache while it ran");
	pt_json_set(run, "distorted", list);
}

/* What is said of single runs, with their numbers. */
static void add_runs(const struct pt_session *s, json_t *list)
{
	const json_t *run, *text;
	size_t i, k;

	json_array_foreach(s->runs, i, run)
	{
		json_array_foreach(json_object_get(run, "distorted"), k, text)
			add_text(list, "run %zu: %s", i + 1, json_string_value(text));
	}
}

/* What makes this replay less than the recording, in words. */
static json_t *distortions(const struct pt_session *s)
{
	const struct pt_plan_stats *st = pt_plan_stats(s->plan);
	json_t *list = json_array();

	if (st->tasks > st->threads)
		add_text(list, "several recorded tasks share a thread");
	if (st->shared_handles)
		add_text(list, "tasks share one open file for each file");
	if (s->opt.flags & PT_SESSION_SPARSE)
		add_text(list, "the files are sparse: reads do no I/O");
	if (strcmp(s->caches, "not clean") == 0)
		add_text(list, "some pages were cached when it began");
	if (st->resident_pages)
		add_text(list, "the recording began with pages cached, the replay with none");
	if (s->partial)
		add_text(list, "the tape is cut or damaged");
	add_runs(s, list);
	return list;
}

static void add_bad_matches(const struct pt_session *s, json_t *list)
{
	const json_t *run;
	size_t i;

	json_array_foreach(s->runs, i, run)
	{
		const json_t *v = json_object_get(json_object_get(run, "fidelity"), "access_match");

		if (json_is_real(v) && json_real_value(v) < PT_SESSION_MIN_ACCESS_MATCH)
			add_text(list, "run %zu: access_match %.4f is below %g", i + 1,
				 json_real_value(v), PT_SESSION_MIN_ACCESS_MATCH);
	}
}

json_t *pt_session_divergences(const struct pt_session *s)
{
	const struct pt_plan_stats *st = pt_plan_stats(s->plan);
	json_t *list = json_array();

	if (s->errors)
		add_text(list, "%" PRIu64 " operation%s failed", s->errors,
			 s->errors == 1 ? "" : "s");
	for (unsigned int i = 0; i < PT_SKIP_COUNT; i++)
		/* Advice that is not given (huge pages, core dumps) does not concern the cache. */
		if (i != PT_SKIP_ADVICE && st->skipped[i])
			add_text(list, "%" PRIu64 " record%s not replayed: %s", st->skipped[i],
				 st->skipped[i] == 1 ? " was" : "s were", pt_skip_name(i));
	if (s->partial)
		add_text(list, "the tape is cut or damaged");
	add_runs(s, list);
	add_bad_matches(s, list);
	return list;
}

json_t *pt_session_document(const struct pt_session *s)
{
	json_t *doc = pt_json_document("replay", pt_session_tape_id(s));
	json_t *kernel = pt_identity_kernel("");

	pt_json_set_string(doc, "tape", s->opt.tape);
	pt_json_set(doc, "kernel", json_incref(kernel));
	pt_json_set(doc, "accelerator", NULL);
	pt_json_set(doc, "distorted", distortions(s));
	pt_json_set(doc, "diverged", pt_session_divergences(s));
	pt_json_set(doc, "recorded", recorded(s));
	pt_json_set(doc, "settings", settings(s, kernel));
	pt_json_set(doc, "plan", pt_session_plan(s));
	pt_json_set(doc, "runs", json_incref(s->runs));
	pt_json_set(doc, "fidelity", json_incref(s->fidelity));
	json_decref(kernel);
	return doc;
}
