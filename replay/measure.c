// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel counters around a run, and the run's document. */
#include "replay/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/json.h"

/* ---- Samples */

void pt_sample_take(struct pt_sample *s, const struct pt_memcg *memcg, pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
	(void)pt_counters_vmstat("", &s->vmstat);
	(void)pt_counters_kswapd("", &s->kswapd);
	(void)pt_counters_psi("", &s->psi_machine);
	(void)pt_counters_pairs("", path, &s->io);
	if (!memcg)
		return;
	(void)pt_counters_memstat(pt_memcg_dir(memcg), &s->memstat);
	(void)pt_counters_psi_cgroup(pt_memcg_dir(memcg), &s->psi_cgroup);
}

void pt_sample_done(struct pt_sample *s)
{
	pt_counters_done(&s->vmstat);
	pt_counters_done(&s->kswapd);
	pt_counters_done(&s->psi_machine);
	pt_counters_done(&s->memstat);
	pt_counters_done(&s->psi_cgroup);
	pt_counters_done(&s->io);
}

static uint64_t difference(const struct pt_counters *before, const struct pt_counters *after,
			   const char *name)
{
	uint64_t a = pt_counters_get(before, name), b = pt_counters_get(after, name);

	return a == PT_COUNTER_NONE || b == PT_COUNTER_NONE || b < a ? PT_COUNTER_NONE : b - a;
}

/* ---- Counters */

/* What counts events, rather than saying how much there is, begins like one of these. */
static const char *const event_prefixes[] = {
	"workingset_refault",
	"workingset_activate",
	"workingset_restore",
	"workingset_nodereclaim",
	"pgscan",
	"pgsteal",
	"pgfault",
	"pgmajfault",
	"pgpgin",
	"pgpgout",
	"pgactivate",
	"pgdeactivate",
	"pgrefill",
	"pgrotated",
	"pgreuse",
	"pswp",
	"allocstall",
	"pageoutrun",
	"kswapd_",
	"slabs_scanned",
	"drop_",
	"oom_kill",
	"thp_file",
	"pglazyfree",
};

/* These are always there, null where the kernel does not keep them. */
static const char *const core_names[] = {
	"workingset_refault_file",
	"workingset_activate_file",
	"workingset_restore_file",
	"pgscan",
	"pgsteal",
	"pgfault",
	"pgmajfault",
};

static int counts_events(const char *name)
{
	for (size_t i = 0; i < PT_ARRAY_SIZE(event_prefixes); i++)
		if (strncmp(name, event_prefixes[i], strlen(event_prefixes[i])) == 0)
			return 1;
	return 0;
}

static json_t *differences(const struct pt_counters *before, const struct pt_counters *after,
			   int with_core)
{
	json_t *obj = json_object();

	for (size_t i = 0; with_core && i < PT_ARRAY_SIZE(core_names); i++)
		pt_json_set(obj, core_names[i], NULL);
	for (size_t i = 0; i < after->n; i++)
		if (counts_events(after->v[i].name))
			pt_json_set_u64(obj, after->v[i].name,
					difference(before, after, after->v[i].name));
	return obj;
}

/* The sum of differences of counters that begin with @prefix, PT_COUNTER_NONE where none does. */
static uint64_t summed(const struct pt_sample *before, const struct pt_sample *after,
		       const char *prefix)
{
	uint64_t sum = PT_COUNTER_NONE;

	for (size_t i = 0; i < after->vmstat.n; i++) {
		const char *name = after->vmstat.v[i].name;
		uint64_t d;

		if (strncmp(name, prefix, strlen(prefix)) != 0)
			continue;
		d = difference(&before->vmstat, &after->vmstat, name);
		if (d != PT_COUNTER_NONE)
			sum = sum == PT_COUNTER_NONE ? d : sum + d;
	}
	return sum;
}

static json_t *pressure(const struct pt_counters *before, const struct pt_counters *after)
{
	json_t *obj;

	if (after->n == 0)
		return NULL;
	obj = json_object();
	pt_json_set_u64(obj, "some", difference(before, after, "some"));
	pt_json_set_u64(obj, "full", difference(before, after, "full"));
	return obj;
}

static uint64_t kswapd_ns(const struct pt_sample *before, const struct pt_sample *after)
{
	uint64_t a = pt_counters_sum(&before->kswapd), b = pt_counters_sum(&after->kswapd);

	return a == PT_COUNTER_NONE || b == PT_COUNTER_NONE || b < a ? PT_COUNTER_NONE : b - a;
}

/*
 * Under a cgroup's limit nobody wakes kswapd, and allocstall counts other people's reclaim. How
 * long a direct reclaim took only a recording of the replay can say.
 */
static json_t *reclaim(const struct pt_sample *before, const struct pt_sample *after,
		       int has_cgroup)
{
	json_t *obj = json_object(), *direct = json_object(), *kswapd = json_object();

	pt_json_set_u64(direct, "count",
			has_cgroup ? PT_COUNTER_NONE : summed(before, after, "allocstall"));
	pt_json_set(direct, "ns", NULL);
	pt_json_set_u64(kswapd, "wakeups",
			has_cgroup ? PT_COUNTER_NONE
				   : difference(&before->vmstat, &after->vmstat, "pageoutrun"));
	pt_json_set_u64(kswapd, "cpu_ns", has_cgroup ? PT_COUNTER_NONE : kswapd_ns(before, after));
	pt_json_set(obj, "direct", direct);
	pt_json_set(obj, "kswapd", kswapd);
	return obj;
}

/* ---- Results of the threads */

struct totals {
	uint64_t ops, read_bytes, written_bytes, stall_ns, starved;
	uint64_t errors[PT_STAGE_ERRORS];
	struct pt_log2hist *latency[PT_LATENCY_COUNT], *lateness;
};

static void totals_done(struct totals *t)
{
	for (int i = 0; i < PT_LATENCY_COUNT; i++)
		free(t->latency[i]);
	free(t->lateness);
}

static int totals_init(struct totals *t, const struct pt_stage *stage)
{
	*t = (struct totals){ .lateness = pt_log2hist_new() };
	for (int i = 0; i < PT_LATENCY_COUNT; i++)
		t->latency[i] = pt_log2hist_new();
	for (int i = 0; i < PT_LATENCY_COUNT; i++)
		if (!t->latency[i] || !t->lateness)
			return -ENOMEM;
	for (uint32_t w = 0; w < stage->threads; w++) {
		const struct pt_worker *from = &stage->workers[w];

		t->ops += from->ops;
		t->read_bytes += from->read_bytes;
		t->written_bytes += from->written_bytes;
		t->stall_ns += from->stall_ns;
		t->starved += from->starved;
		for (int i = 0; i < PT_STAGE_ERRORS; i++)
			t->errors[i] += from->errors[i];
		for (int i = 0; i < PT_LATENCY_COUNT; i++)
			pt_log2hist_merge(t->latency[i], &from->latency_ns[i]);
		pt_log2hist_merge(t->lateness, &from->lateness_ns);
	}
	return 0;
}

uint64_t pt_measure_errors(const struct pt_stage *stage)
{
	uint64_t sum = 0;

	for (uint32_t w = 0; w < stage->threads; w++)
		for (int i = 0; i < PT_STAGE_ERRORS; i++)
			sum += stage->workers[w].errors[i];
	return sum;
}

static json_t *errors(const struct totals *t)
{
	json_t *obj = json_object();

	for (int i = 0; i < PT_STAGE_ERRORS; i++) {
		const char *name = i ? strerrorname_np(i) : "SIGBUS";

		if (t->errors[i])
			pt_json_set_u64(obj, name ? name : "other", t->errors[i]);
	}
	return obj;
}

static json_t *quantiles(const struct pt_log2hist *h)
{
	json_t *obj;

	if (h->count == 0)
		return NULL;
	obj = json_object();
	pt_json_set_u64(obj, "count", h->count);
	pt_json_set_u64(obj, "p50", pt_log2hist_quantile(h, 0.5));
	pt_json_set_u64(obj, "p90", pt_log2hist_quantile(h, 0.9));
	pt_json_set_u64(obj, "p99", pt_log2hist_quantile(h, 0.99));
	pt_json_set_u64(obj, "p999", pt_log2hist_quantile(h, 0.999));
	pt_json_set_u64(obj, "max", h->max);
	return obj;
}

/* NULL where there was none. */
static json_t *warmup(const struct pt_stage *stage)
{
	json_t *obj;

	if (!stage->warmup_ops)
		return NULL;
	obj = json_object();
	pt_json_set_u64(obj, "ops", stage->warmup_ops);
	pt_json_set_u64(obj, "ns", stage->warmup_ns);
	return obj;
}

static json_t *latencies(const struct totals *t)
{
	static const char *const names[PT_LATENCY_COUNT] = { "read_hit", "read_miss", "fault",
							     "write", "fsync" };
	json_t *obj = json_object();

	for (int i = 0; i < PT_LATENCY_COUNT; i++)
		pt_json_set(obj, names[i], quantiles(t->latency[i]));
	return obj;
}

static void set_rates(json_t *run, const struct pt_stage *stage, const struct totals *t)
{
	uint64_t wall_ns = stage->end_ns - stage->measured_ns;
	uint64_t bytes = t->read_bytes + t->written_bytes;
	double seconds = (double)wall_ns / 1e9;

	pt_json_set_u64(run, "wall_ns", wall_ns);
	pt_json_set_u64(run, "ops", t->ops);
	pt_json_set_u64(run, "bytes", bytes);
	pt_json_set_double(run, "ops_per_s", (double)t->ops / seconds);
	pt_json_set_double(run, "bytes_per_s", (double)bytes / seconds);
}

json_t *pt_measure_run(const struct pt_stage *stage, const struct pt_sample *before,
		       const struct pt_sample *after, int has_cgroup)
{
	json_t *run = json_object(), *counters = json_object(), *cpu = json_object();
	json_t *psi = json_object(), *io = json_object();
	struct totals t;

	if (totals_init(&t, stage) == 0) {
		set_rates(run, stage, &t);
		pt_json_set(run, "warmup", warmup(stage));
		pt_json_set(run, "errors", errors(&t));
		pt_json_set_u64(run, "stall_ns", t.stall_ns);
		pt_json_set_u64(run, "starved", t.starved);
		pt_json_set(run, "lateness_ns", quantiles(t.lateness));
		pt_json_set(run, "latency_ns", latencies(&t));
	}
	totals_done(&t);
	pt_json_set(counters, "machine", differences(&before->vmstat, &after->vmstat, 0));
	pt_json_set(counters, "cgroup",
		    has_cgroup ? differences(&before->memstat, &after->memstat, 1) : NULL);
	pt_json_set(run, "counters", counters);
	pt_json_set_u64(cpu, "user", stage->cpu_user_ns);
	pt_json_set_u64(cpu, "system", stage->cpu_system_ns);
	pt_json_set_u64(cpu, "kswapd", has_cgroup ? PT_COUNTER_NONE : kswapd_ns(before, after));
	pt_json_set(run, "cpu_ns", cpu);
	pt_json_set(psi, "machine", pressure(&before->psi_machine, &after->psi_machine));
	pt_json_set(psi, "cgroup", pressure(&before->psi_cgroup, &after->psi_cgroup));
	pt_json_set(run, "psi_us", psi);
	pt_json_set_u64(io, "read_bytes", difference(&before->io, &after->io, "read_bytes:"));
	pt_json_set_u64(io, "write_bytes", difference(&before->io, &after->io, "write_bytes:"));
	pt_json_set(run, "io", io);
	pt_json_set(run, "reclaim", reclaim(before, after, has_cgroup));
	return run;
}
