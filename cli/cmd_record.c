// SPDX-License-Identifier: GPL-2.0-or-later
/* record: this machine's page-cache events into a tape, around a command or until told to stop. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/recorder.h"
#include "cli/command.h"
#include "cli/verbs.h"
#include "formats/record.h"
#include "host/cgroup.h"
#include "host/environment.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"
#include "util/progress.h"

#define TICK_NS 200000000

/* Less makes no sense: a wait within the tick, counters that are all that runs, a ring of pages,
 * a cgroup in which no program starts. */
#define DURATION_MIN_NS       1000000
#define COUNTERS_EVERY_MIN_NS 10000000
#define RING_MIN_BYTES        (64 << 10)
#define MEMORY_MIN_BYTES      (1 << 20)

struct record_opts {
	struct pt_common common;
	const char *output, *cgroup;
	uint64_t duration_ns, counters_every_ns, ring_bytes, memory_bytes;
	int drop_caches;
};

#define AT(member) offsetof(struct record_opts, member)

static const struct pt_option options[] = {
	{ "output", 'o', "FILE", "write the tape there (default: pagetape-DATE.ptape)",
	  PT_OPT_OUTPUT, AT(output), 0, 0 },
	{ "duration", 'd', "TIME", "end after this time, as in 30s or 5m", PT_OPT_TIME,
	  AT(duration_ns), 0, DURATION_MIN_NS },
	{ "memory", 'm', "SIZE", "run CMD in a memory cgroup with this limit", PT_OPT_SIZE,
	  AT(memory_bytes), 0, MEMORY_MIN_BYTES },
	{ "cgroup", 0, "PATH", "count this memory cgroup beside the machine", PT_OPT_STRING,
	  AT(cgroup), 0 },
	{ "counters-every", 0, "TIME", "record kernel counters so often (default 2s; off)",
	  PT_OPT_TIME, AT(counters_every_ns), 1, COUNTERS_EVERY_MIN_NS },
	{ "drop-caches", 0, NULL, "begin cold: empty the machine's page cache first", PT_OPT_FLAG,
	  AT(drop_caches), 0 },
	{ "ring-size", 0, "SIZE", "ring buffer for each CPU (default up to 32M)", PT_OPT_SIZE,
	  AT(ring_bytes), 0, RING_MIN_BYTES },
	{ 0 },
};

/* One recording in progress. */
struct session {
	const struct record_opts *o;
	struct pt_recorder *rec;
	struct pt_memcg *memcg;
	struct pt_command cmd;
	int signals; /* signalfd */
	sigset_t old_mask;
	int signal; /* what ended it, 0 */
	char default_output[64];
};

static const char *output_of(struct session *s)
{
	time_t now = time(NULL);
	struct tm tm;

	if (s->o->output)
		return s->o->output;
	localtime_r(&now, &tm);
	strftime(s->default_output, sizeof(s->default_output), "pagetape-%Y%m%d-%H%M%S.ptape", &tm);
	return s->default_output;
}

/* From here on SIGINT, SIGTERM and SIGCHLD are read, and nothing is left behind by them. */
static int catch_signals(struct session *s)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &s->old_mask);
	s->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->signals < 0 ? -errno : 0;
}

static int make_memcg(struct session *s, struct pt_diag *diag)
{
	struct pt_cgroup_hierarchy h;
	int r;

	if (!s->o->memory_bytes)
		return 0;
	r = pt_cgroup_find("", &h, diag);
	if (r < 0)
		return r;
	r = pt_memcg_create(&h, s->o->memory_bytes, &s->memcg, diag);
	pt_cgroup_hierarchy_done(&h);
	return r < 0 ? r : pt_memcg_add(s->memcg, s->cmd.pid, diag);
}

/* Before recording starts: the tape should not begin with the removal of everything. */
static int drop_caches(struct pt_diag *diag)
{
	int r = pt_environment_drop_caches("");

	return r < 0 ? pt_diag_errno(diag, r, "cannot drop the page cache") : 0;
}

static int start(struct session *s, char **argv, struct pt_diag *diag)
{
	struct pt_recorder_options opt = {
		.output = output_of(s),
		.ring_bytes = s->o->ring_bytes,
		.counters_every_ns = s->o->counters_every_ns,
		.cgroup = s->o->cgroup,
		.source = "live",
	};
	int r = catch_signals(s);

	if (r == 0 && argv[0]) {
		r = pt_command_prepare(&s->cmd, argv, &s->old_mask);
		if (r < 0)
			return pt_diag_errno(diag, r, "cannot start a process");
		opt.subject = s->cmd.pid;
		opt.command = (const char *const *)argv;
		r = make_memcg(s, diag);
		if (s->memcg)
			opt.cgroup = pt_memcg_dir(s->memcg);
	}
	if (r == 0 && s->o->drop_caches)
		r = drop_caches(diag);
	return r < 0 ? r : pt_recorder_start(&opt, &s->rec, diag);
}

/* Before CMD starts: who wants to replay it may rather stop here. */
static void say_what_is_missing(const struct session *s)
{
	struct pt_recorder_stats stats;

	pt_recorder_peek(s->rec, &stats);
	if (!stats.tells_accesses)
		pt_warn("record",
			"this kernel has no events for accesses (Linux 6.12 has): the tape "
			"will tell of evictions and refaults, and cannot be replayed");
}

/* Returns whether a signal says that it is over. */
static int over_by_signal(struct session *s)
{
	struct signalfd_siginfo si;

	while (read(s->signals, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD) {
			if (s->cmd.pid && pt_command_ended(&s->cmd))
				return 1;
			continue;
		}
		s->signal = (int)si.ssi_signo;
		/* Ctrl-C reaches the command by itself; the others are passed on. */
		if (s->cmd.pid && !s->cmd.ended)
			pt_command_signal(&s->cmd, s->signal);
		else
			return 1;
	}
	return 0;
}

static void wait_for_end(struct session *s)
{
	const uint64_t from_ns = pt_now_ns();
	struct pt_recorder_stats stats;
	struct pt_progress progress;

	pt_progress_init(&progress, s->o->common.quiet);
	for (;;) {
		const struct timespec tick = { .tv_nsec = TICK_NS };
		char events[32];
		fd_set fds;

		FD_ZERO(&fds);
		FD_SET(s->signals, &fds);
		(void)pselect(s->signals + 1, &fds, NULL, NULL, &tick, NULL);
		if (over_by_signal(s))
			break;
		pt_recorder_peek(s->rec, &stats);
		if (stats.failed)
			break;
		if (s->o->duration_ns && pt_now_ns() - from_ns >= s->o->duration_ns)
			break;
		pt_progress_show(&progress, "recording: %s events, %llu lost",
				 pt_format_count(stats.events, events, sizeof(events)),
				 (unsigned long long)stats.lost_events);
	}
	pt_progress_done(&progress);
}

static double per_event(const struct pt_recorder_stats *st)
{
	return st->events ? (double)st->bytes / (double)st->events : 0;
}

/* How many events were lost; not even that is always known. */
static const char *format_lost(const struct pt_recorder_stats *st, char *buf, size_t len)
{
	if (st->unknown_gaps)
		return "an unknown number";
	snprintf(buf, len, "%" PRIu64, st->lost_events);
	return buf;
}

static void say_summary(const struct session *s, const char *output,
			const struct pt_recorder_stats *st)
{
	char events[32], size[32], time[32], lost[32];

	pt_say(&s->o->common, "%s: %s events in %s, %s lost, %s, %.2f bytes an event", output,
	       pt_format_count(st->events, events, sizeof(events)),
	       pt_format_time(st->duration_ns, time, sizeof(time)),
	       format_lost(st, lost, sizeof(lost)), pt_format_size(st->bytes, size, sizeof(size)),
	       per_event(st));
	if (!st->complete)
		pt_warn("record", "%s: incomplete: events lost: %s%s", output,
			format_lost(st, lost, sizeof(lost)),
			st->lost_events ? " (a larger --ring-size helps)" : "");
}

/* What the group of --memory came to; nothing where there was none. */
static void say_memory(const struct session *s)
{
	char size[32];
	uint64_t kills;

	if (!s->memcg)
		return;
	kills = pt_memcg_oom_kills(s->memcg);
	pt_format_size(s->o->memory_bytes, size, sizeof(size));
	if (kills)
		pt_warn("record",
			"%s is too little: for want of memory the kernel killed %" PRIu64
			" of CMD's processes",
			size, kills);
	else if (pt_memcg_limit_reached(s->memcg) == 0)
		pt_say(&s->o->common,
		       "the limit of %s was never reached, so nothing was evicted there; what was "
		       "cached before is charged elsewhere (--drop-caches begins without it)",
		       size);
}

static int show_json(const struct session *s, const char *output,
		     const struct pt_recorder_stats *st)
{
	json_t *doc = pt_json_document("record", st->tape_id);
	json_t *sources = json_array();
	int reached = s->memcg ? pt_memcg_limit_reached(s->memcg) : -ENOENT, r;

	pt_json_set_string(doc, "output", output);
	pt_json_set_u64(doc, "events", st->events);
	pt_json_set_u64(doc, "records", st->records);
	pt_json_set_u64(doc, "lost_events", st->unknown_gaps ? PT_UNKNOWN : st->lost_events);
	pt_json_set_u64(doc, "bytes", st->bytes);
	pt_json_set_double(doc, "bytes_per_event", per_event(st));
	pt_json_set_u64(doc, "duration_ns", st->duration_ns);
	pt_json_set_u64(doc, "recorder_cpu_ns", st->recorder_cpu_ns);
	pt_json_set_bool(doc, "complete", st->complete);
	pt_json_set(doc, "memory_limit_reached", reached < 0 ? NULL : json_boolean(reached));
	pt_json_set_u64(doc, "oom_kills", s->memcg ? pt_memcg_oom_kills(s->memcg) : UINT64_MAX);
	for (const char *const *name = st->sources; *name; name++)
		json_array_append_new(sources, json_string(*name));
	pt_json_set(doc, "sources", sources);
	r = pt_json_write(doc, stdout);
	json_decref(doc);
	return r;
}

/* The command's status comes first; what the recorder has to say only where that is 0. */
static int status_of(const struct session *s, const struct pt_recorder_stats *st)
{
	if (s->cmd.pid && pt_command_status(&s->cmd))
		return pt_command_status(&s->cmd);
	return st->complete ? PT_EXIT_DONE : pt_exit_incomplete(&s->o->common);
}

/* Nothing was recorded: leave no beginning of a tape either. */
static void remove_part(const char *output)
{
	auto_free char *part = NULL;

	if (asprintf(&part, "%s.part", output) < 0)
		part = NULL;
	if (part)
		unlink(part);
}

static int record(struct session *s, char **argv)
{
	const int failed = argv[0] ? PT_EXIT_RECORDER : PT_EXIT_FAILED;
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_recorder_stats stats;
	const char *output = output_of(s);
	int r;

	r = start(s, argv, &diag);
	if (r < 0) {
		pt_fail("record", r, &diag);
		return failed;
	}
	say_what_is_missing(s);
	if (argv[0]) {
		r = pt_command_go(&s->cmd);
		if (r < 0) {
			pt_warn("record", "%s: %s", argv[0], strerror(-r));
			remove_part(output);
			return r == -ENOENT ? 127 : 126;
		}
	} else {
		pt_say(&s->o->common, "recording to %s; Ctrl-C ends it", output);
	}
	wait_for_end(s);
	pt_command_stop(&s->cmd);
	r = pt_recorder_stop(s->rec, &stats, &diag);
	if (r < 0) {
		pt_fail("record", r, &diag);
		return failed;
	}
	say_summary(s, output, &stats);
	say_memory(s);
	if (s->o->common.json && show_json(s, output, &stats) < 0)
		return failed;
	return status_of(s, &stats);
}

static int run(void *opts, int argc, char **argv)
{
	struct session s = { .o = opts, .signals = -1, .cmd = PT_COMMAND_INIT };
	int status;

	if (s.o->memory_bytes && !argc)
		return pt_usage("record", "--memory needs a command to run");
	if (s.o->memory_bytes && s.o->cgroup)
		return pt_usage("record", "--memory counts its own cgroup: no --cgroup beside it");
	status = record(&s, argv);
	pt_command_stop(&s.cmd);
	pt_recorder_free(s.rec);
	pt_memcg_remove(s.memcg);
	if (s.signals >= 0)
		close(s.signals);
	return status;
}

const struct pt_verb pt_verb_record = {
	.name = "record",
	.help = "record what happens to the page cache",
	.usage = "[options] [-- CMD...]",
	.about = "Records the page-cache events of the whole machine into a tape, until CMD ends,\n"
		 "--duration is over, or a signal comes. CMD starts once recording runs.",
	.options = options,
	.has_json = 1,
	.opts_size = sizeof(struct record_opts),
	.run = run,
};
