// SPDX-License-Identifier: GPL-2.0-or-later
/* A tape's replay from start to end: file set, runs, document. */
#include "replay/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/environment.h"
#include "host/mountinfo.h"
#include "replay/beneath.h"
#include "replay/measure.h"
#include "replay/session_state.h"
#include "replay/settings.h"
#include "util/cleanup.h"
#include "util/json.h"

#define MAX_HANDLES   1000000 /* about what fs.nr_open allows by default */
#define SPARE_HANDLES 64      /* descriptors for everything else */

/* ---- Opening */

static uint32_t allowed_handles(void)
{
	struct rlimit lim;

	/* The child raises its limit as far as it may. */
	if (getrlimit(RLIMIT_NOFILE, &lim) < 0 || lim.rlim_max > MAX_HANDLES)
		return MAX_HANDLES;
	return lim.rlim_max > 2 * SPARE_HANDLES ? (uint32_t)lim.rlim_max - SPARE_HANDLES
						: SPARE_HANDLES;
}

static int plan_files(struct pt_session *s, struct pt_diag *diag)
{
	const struct pt_reader *tape = pt_plan_reader(s->plan);
	uint32_t n = pt_reader_file_count(tape);
	auto_free struct pt_fileset_want *want = calloc(n + 1, sizeof(*want));
	unsigned int flags = 0;
	int r;

	if (!want)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const struct pt_plan_file *f = pt_plan_file(s->plan, i);
		const struct pt_file *def = pt_reader_file(tape, i);

		want[i] =
			(struct pt_fileset_want){ def->key, def->path, f->size, f->reach, f->used };
	}
	if (s->opt.flags & PT_SESSION_SPARSE)
		flags |= PT_FILESET_SPARSE;
	if (s->opt.flags & PT_SESSION_FORCE)
		flags |= PT_FILESET_FORCE;
	r = pt_fileset_plan(s->files, want, n, flags, diag);
	return r < 0 ? pt_diag_file(diag, r, s->opt.target) : 0;
}

/* Reads of such files add nothing to the page cache and evict nothing: the numbers would look fine
 * and say nothing. */
static int check_target(const struct pt_session *s, struct pt_diag *diag)
{
	const char *fs = pt_settings_cacheless(pt_fileset_dirfd(s->files));

	if (!fs || (s->opt.flags & PT_SESSION_FORCE))
		return 0;
	return pt_diag_file(
		diag,
		pt_diag_set(diag, -EOPNOTSUPP, PT_NO_OFFSET,
			    "it is on %s, whose pages are never read in or evicted as "
			    "those of files on a disk (--force plays there all the same)",
			    fs),
		s->opt.target);
}

/* The first of them, by the survey's count; one at least is measured. */
static uint64_t warmup_ops(const struct pt_session *s)
{
	const struct pt_plan_stats *st = pt_plan_stats(s->plan);
	uint64_t sum = 0, n;

	for (unsigned int i = 0; i < PT_OP_COUNT; i++)
		sum += st->ops[i];
	n = (uint64_t)(s->opt.warmup * (double)sum);
	return n < sum ? n : sum - 1;
}

int pt_session_open(const struct pt_session_options *opt, struct pt_session **ret_s,
		    struct pt_diag *diag)
{
	const struct pt_plan_options plan = { .cgroup = opt->cgroup,
					      .max_threads = PT_SESSION_MAX_THREADS,
					      .max_handles = allowed_handles() };
	struct pt_session *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->opt = *opt;
	s->runs = json_array();
	r = pt_plan_open(opt->tape, &plan, &s->plan, diag);
	if (r == 0 && opt->memory_bytes)
		r = pt_cgroup_find("", &s->hierarchy, diag);
	if (r == 0)
		r = pt_fileset_open(opt->target, &s->files, diag);
	if (r == 0)
		r = check_target(s, diag);
	if (r == 0)
		r = plan_files(s, diag);
	if (r == 0)
		pt_recorded_read(s->plan, &s->recorded);
	if (r == 0 && opt->warmup > 0)
		s->warmup_ops = warmup_ops(s);
	if (r < 0)
		pt_session_close(s);
	else
		*ret_s = s;
	return r;
}

static void end_run(struct pt_session *s)
{
	pt_engine_free(s->engine);
	(void)pt_memcg_remove(s->memcg);
	s->engine = NULL;
	s->memcg = NULL;
}

void pt_session_close(struct pt_session *s)
{
	if (!s)
		return;
	end_run(s);
	pt_plan_close(s->plan);
	pt_fileset_close(s->files);
	pt_cgroup_hierarchy_done(&s->hierarchy);
	pt_sample_done(&s->before);
	json_decref(s->runs);
	json_decref(s->fidelity);
	free(s);
}

/* ---- Running */

static void drop_caches(struct pt_session *s)
{
	const char *how;

	if (pt_environment_drop_caches("") == 0)
		how = "dropped";
	else
		how = pt_fileset_drop(s->files) ? "advised" : "not clean";
	/* The worst of all runs is what the document says. */
	if (!s->caches || strcmp(s->caches, "not clean") != 0)
		s->caches = how;
}

/* What the recording found cached and never read in: shared libraries, mostly. It is not charged to
 * the measured cgroup, as it was not then. */
static void warm_files(struct pt_session *s)
{
	uint32_t n = pt_reader_file_count(pt_plan_reader(s->plan));

	for (uint32_t i = 0; i < n; i++) {
		const struct pt_plan_file *f = pt_plan_file(s->plan, i);

		if (f->resident)
			(void)pt_fileset_warm(s->files, i, f->reach);
	}
}

static void sample_before(void *ctx)
{
	struct pt_session *s = ctx;

	pt_sample_done(&s->before);
	s->before = (struct pt_sample){ 0 };
	pt_sample_take(&s->before, s->memcg, pt_engine_pid(s->engine));
}

static int make_engine(struct pt_session *s, struct pt_diag *diag)
{
	const struct pt_engine_options engine = {
		.window = s->opt.window,
		.speed = s->opt.speed,
		.memcg = s->memcg,
		.counters_every_ns = s->opt.before_run ? 0 : pt_session_counters_every_ns(s),
		.warmup_ops = s->warmup_ops,
		.warmed = sample_before,
		.ctx = s,
		.stop = s->opt.stop,
		.progress = s->opt.progress,
	};

	return pt_engine_new(s->plan, s->files, &engine, &s->engine, diag);
}

static int prepare_run(struct pt_session *s, struct pt_diag *diag)
{
	int r = pt_fileset_prepare(s->files, s->opt.progress, s->opt.stop, diag);

	if (r < 0)
		return pt_diag_file(diag, r, s->opt.target);
	r = pt_plan_rewind(s->plan);
	if (r < 0) {
		if (diag)
			*diag = *pt_plan_diag(s->plan);
		return pt_diag_file(diag, r, s->opt.tape);
	}
	if (s->opt.memory_bytes)
		r = pt_memcg_create(&s->hierarchy, s->opt.memory_bytes, &s->memcg, diag);
	if (r == 0)
		r = make_engine(s, diag);
	if (r == 0) {
		drop_caches(s);
		warm_files(s);
	}
	return r;
}

static int play(struct pt_session *s, struct pt_diag *diag)
{
	struct pt_sample after = { 0 };
	const struct pt_stage *stage = pt_engine_stage(s->engine);
	json_t *run = NULL;
	int r;

	sample_before(s);
	r = pt_engine_run(s->engine, diag);
	if (r == 0) {
		pt_sample_take(&after, s->memcg, pt_engine_pid(s->engine));
		run = pt_measure_run(stage, &s->before, &after, s->memcg != NULL);
		s->errors += pt_measure_errors(stage);
		pt_session_judge_run(run, pt_counters_get(&s->before.vmstat, "drop_pagecache") !=
						  pt_counters_get(&after.vmstat, "drop_pagecache"));
		if (!run || json_array_append_new(s->runs, run) < 0)
			r = -ENOMEM;
	}
	pt_sample_done(&after);
	return r;
}

static void keep_seen(struct pt_session *s, uint64_t run, const struct pt_session_seen *seen)
{
	json_t *to = json_array_get(s->runs, run);

	if (seen->own_tape)
		pt_json_set(to, "own_tape", seen->own_tape);
	if (!seen->fidelity)
		return;
	pt_json_set_u64(seen->fidelity, "run", run + 1);
	pt_json_set(to, "fidelity", json_incref(seen->fidelity));
	json_decref(s->fidelity);
	s->fidelity = seen->fidelity;
}

static int watched_play(struct pt_session *s, uint64_t run, struct pt_diag *diag)
{
	const char *dir = s->memcg ? pt_memcg_dir(s->memcg) : NULL;
	int r = 0, r2 = 0;

	if (s->opt.before_run)
		r = s->opt.before_run(s->opt.ctx, s, run, pt_engine_pid(s->engine), dir, diag);
	if (r < 0)
		return r;
	r = play(s, diag);
	if (s->opt.after_run) {
		struct pt_session_seen seen = { 0 };

		r2 = s->opt.after_run(s->opt.ctx, s, run, r < 0, &seen, diag);
		keep_seen(s, run, &seen);
	}
	return r < 0 ? r : r2;
}

int pt_session_run(struct pt_session *s, json_t **ret_doc, struct pt_diag *diag)
{
	const struct pt_plan_stats *st = pt_plan_stats(s->plan);
	json_t *doc;
	int r = 0;

	for (uint64_t run = 0; r == 0 && run < s->opt.repeat; run++) {
		r = prepare_run(s, diag);
		if (r == 0)
			r = watched_play(s, run, diag);
		end_run(s);
	}
	s->partial = st->cut || st->damaged_blocks > 0;
	if (r < 0)
		return r;
	doc = pt_session_document(s);
	if (!doc)
		return -ENOMEM;
	*ret_doc = doc;
	if (s->opt.flags & PT_SESSION_REMOVE) {
		r = pt_fileset_remove(s->files, diag);
		if (r < 0) {
			json_decref(doc);
			return pt_diag_file(diag, r, s->opt.target);
		}
	}
	return 0;
}

uint64_t pt_session_measured_from_ns(const struct pt_session *s, uint64_t run,
				     const json_t **ret_counters)
{
	*ret_counters = json_object_get(json_array_get(s->runs, run), "counters");
	return s->warmup_ops ? pt_engine_stage(s->engine)->measured_ns : 0;
}

uint64_t pt_session_counters_every_ns(const struct pt_session *s)
{
	const struct pt_head *head = pt_reader_head(pt_plan_reader(s->plan));
	const json_t *every = json_object_get(head->doc, "counters_every_ns");

	return json_is_integer(every) && json_integer_value(every) > 0
		       ? (uint64_t)json_integer_value(every)
		       : 0;
}

/* ---- Who plays whom */

/* The cgroup that the replay ran in: its own group, else ours; PT_UNKNOWN32 where nobody knows. */
static int tell_cgroup(const struct pt_session *s, const struct pt_sink *sink, uint32_t *ret_id)
{
	struct pt_cgroup_hierarchy h;
	auto_free char *own = NULL;
	struct stat st;

	*ret_id = PT_UNKNOWN32;
	if (!s->memcg && pt_cgroup_find("", &h, NULL) == 0) {
		if (asprintf(&own, "%s%s", h.mount, h.own) < 0)
			own = NULL;
		pt_cgroup_hierarchy_done(&h);
	}
	if ((!s->memcg && !own) || stat(s->memcg ? pt_memcg_dir(s->memcg) : own, &st) < 0)
		return 0;
	return sink->intern_cgroup(sink->ctx, st.st_ino, ret_id);
}

static int tell_thread(const struct pt_session *s, const struct pt_sink *sink, uint32_t cgroup,
		       uint32_t i)
{
	const struct pt_stage *stage = pt_engine_stage(s->engine);
	const struct pt_task *original;
	struct pt_task def = { .parent_pid = (uint32_t)getpid(),
			       .cgroup = cgroup,
			       .flags = PT_TASK_SUBJECT };
	uint32_t n, task = pt_plan_task_of(s->plan, i, &n);

	if (n != 1) /* a thread that plays several stands for none */
		return 0;
	original = pt_reader_task(pt_plan_reader(s->plan), task);
	def.key.pid = atomic_load(&stage->workers[i].tid);
	def.tgid = (uint32_t)pt_engine_pid(s->engine);
	def.comm = original->comm;
	def.stands_for_pid = original->key.pid;
	def.stands_for_incarnation = original->key.incarnation;
	return sink->define_task(sink->ctx, &def);
}

/* @real: the target's absolute path. */
static int tell_file(const struct pt_session *s, const struct pt_sink *sink, const char *real,
		     const struct pt_mounts *mounts, uint32_t i)
{
	const char *path = pt_fileset_path(s->files, i);
	auto_free char *full = NULL;
	auto_close int fd = -1;
	struct pt_file def = { .type = PT_FILE_REGULAR, .mount = PT_UNKNOWN32 };
	struct statx st;

	if (!path)
		return 0;
	fd = pt_beneath_open(pt_fileset_dirfd(s->files), path, O_PATH, 0);
	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_MNT_ID, &st) < 0)
		return 0; /* the replay removed it, as the workload did */
	if (asprintf(&full, "%s/%s", real, path) < 0) {
		full = NULL;
		return -ENOMEM;
	}
	def.key.dev = pt_mounts_dev(mounts, &st);
	def.key.ino = st.stx_ino;
	def.size = st.stx_size;
	def.blocks_512 = st.stx_blocks;
	def.path = full;
	def.stands_for = pt_reader_file(pt_plan_reader(s->plan), i)->key;
	return sink->define_file(sink->ctx, &def);
}

int pt_session_tell_cast(const struct pt_session *s, const struct pt_sink *sink)
{
	uint32_t threads = pt_engine_stage(s->engine)->threads;
	uint32_t files = pt_reader_file_count(pt_plan_reader(s->plan));
	auto_free char *real = realpath(s->opt.target, NULL);
	struct pt_mounts mounts = { 0 };
	int r = real ? 0 : -errno;
	uint32_t cgroup;

	if (r == 0)
		r = tell_cgroup(s, sink, &cgroup);
	for (uint32_t i = 0; r == 0 && i < threads; i++)
		r = tell_thread(s, sink, cgroup, i);
	(void)pt_mounts_read("", &mounts); /* without it only btrfs is not told of */
	for (uint32_t i = 0; r == 0 && i < files; i++)
		r = tell_file(s, sink, real, &mounts, i);
	pt_mounts_done(&mounts);
	return r;
}
