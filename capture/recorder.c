// SPDX-License-Identifier: GPL-2.0-or-later
/* The live recorder: one thread reads the ring, interprets and writes. See recorder.h. */
#include "capture/recorder.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "capture/livehead.h"
#include "capture/livesink.h"
#include "capture/livesource.h"
#include "capture/tally.h"
#include "formats/writer.h"
#include "util/json.h"
#include "util/progress.h"

#define NICE             -10 /* the ring overruns where the reader does not get to run */
#define COUNTERS_DEFAULT UINT64_C(2000000000)
#define LOOK_EVERY_NS    UINT64_C(200000000)
#define FLUSH_EVERY_NS   UINT64_C(700000000) /* with the hold-back: a kill loses less than 2 s */
#define WAIT_MS          20

struct pt_recorder {
	struct pt_recorder_options opt;
	struct pt_livesource source;
	struct pt_interpreter *in;
	struct pt_livesink sink;
	struct pt_head head;
	struct pt_writer *writer;
	struct pt_tally tally;
	uint64_t start_ns, end_ns, look_ns, flush_ns, counters_ns;
	uint64_t events_told;
	uint64_t gaps, undecoded;
	/* the thread */
	pthread_t thread;
	int has_thread, wake_fd;
	sem_t ready;
	_Atomic int stopping, error;
	_Atomic uint64_t events, lost, unknown_gaps, cpu_ns;
	int finished, complete;
};

/* ---- events ---- */

static int on_gap(void *ctx, uint16_t cpu, uint64_t ts_ns, uint64_t lost)
{
	struct pt_recorder *rec = ctx;
	const struct pt_kevent ev = { .ts_ns = ts_ns,
				      .cpu = cpu,
				      .type = PT_KEV_GAP,
				      .how = PT_GAP_RING,
				      .value = { lost, PT_UNKNOWN, PT_UNKNOWN, PT_UNKNOWN } };

	rec->gaps++;
	if (lost != PT_UNKNOWN)
		rec->lost += lost;
	else
		rec->unknown_gaps++;
	return pt_interpreter_feed(rec->in, &ev);
}

static int on_event(void *ctx, uint16_t cpu, uint64_t ts_ns, const void *data, uint32_t len)
{
	struct pt_recorder *rec = ctx;
	struct pt_kevent ev;
	int r = ts_ns >= rec->tally.read_ns ? pt_tally_record(&rec->tally, rec->in) : 0;

	if (r < 0)
		return r;
	r = pt_decoder_decode(rec->source.decoder, data, len, cpu, ts_ns, &ev);
	if (r < 0) {
		ev = (struct pt_kevent){ .ts_ns = ts_ns,
					 .cpu = cpu,
					 .type = PT_KEV_GAP,
					 .how = PT_GAP_UNDECODED,
					 .value = { 1, PT_UNKNOWN, PT_UNKNOWN, PT_UNKNOWN } };
		rec->undecoded++;
		return pt_interpreter_feed(rec->in, &ev);
	}
	if (r == 0)
		return 0;
	if (ev.type == PT_KEV_SLAB_START || ev.type == PT_KEV_SLAB_END)
		ev.value[0] = ev.value[0] == rec->source.shadow_shrinker;
	rec->sink.pid = ev.pid;
	rec->events++;
	r = pt_interpreter_feed(rec->in, &ev);
	rec->undecoded += r > 0;
	return r < 0 ? r : 0;
}

static struct pt_ring_handler handler_of(struct pt_recorder *rec)
{
	return (struct pt_ring_handler){ .event = on_event, .gap = on_gap, .ctx = rec };
}

/* Somebody else may have switched our instance off; what happened since then is lost. */
static int see_that_it_is_on(struct pt_recorder *rec)
{
	int r = pt_instance_is_on(rec->source.instance);

	if (r != 0)
		return r < 0 ? r : 0;
	r = on_gap(rec, PT_UNKNOWN16, pt_now_ns(), PT_UNKNOWN);
	return r < 0 ? r : pt_instance_on(rec->source.instance, 1);
}

/* What is due by now: names, counters, a block's end. */
static int do_chores(struct pt_recorder *rec)
{
	uint64_t now_ns = pt_now_ns();
	int r = 0;

	if (now_ns >= rec->look_ns) {
		rec->look_ns = now_ns + LOOK_EVERY_NS;
		r = pt_finder_look(rec->sink.finder, &rec->sink.sink, rec->in);
	}
	if (r == 0 && now_ns >= rec->counters_ns) {
		rec->counters_ns = now_ns + rec->opt.counters_every_ns;
		r = pt_tally_record(&rec->tally, rec->in);
		pt_tally_read(&rec->tally);
	}
	if (r == 0 && now_ns >= rec->flush_ns) {
		rec->flush_ns = now_ns + FLUSH_EVERY_NS;
		r = see_that_it_is_on(rec);
		if (r == 0)
			r = pt_writer_flush(rec->writer);
	}
	return r;
}

static int read_once(struct pt_recorder *rec, uint64_t now_ns)
{
	const struct pt_ring_handler handler = handler_of(rec);
	uint64_t horizon;
	int pages, r;

	pages = pt_ring_read(rec->source.ring, now_ns, &handler, &horizon);
	if (pages < 0)
		return pages;
	if (horizon != UINT64_MAX) {
		r = rec->tally.read_ns <= horizon ? pt_tally_record(&rec->tally, rec->in) : 0;
		if (r == 0)
			r = pt_interpreter_advance(rec->in, horizon);
		if (r < 0)
			return r;
	}
	pt_writer_count_events(rec->writer, rec->events - rec->events_told);
	rec->events_told = rec->events;
	return pages;
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Read until told to stop; then all that is left. */
static int record(struct pt_recorder *rec)
{
	struct pollfd wake = { .fd = rec->wake_fd, .events = POLLIN };
	int r = 0;

	while (!rec->stopping && r >= 0) {
		r = read_once(rec, pt_now_ns());
		if (r >= 0)
			r = do_chores(rec);
		rec->cpu_ns = thread_cpu_ns();
		if (r >= 0)
			(void)poll(&wake, 1, WAIT_MS);
	}
	if (r >= 0)
		r = see_that_it_is_on(rec);
	(void)pt_instance_on(rec->source.instance, 0);
	rec->end_ns = pt_now_ns();
	pt_tally_stop(&rec->tally);
	if (r >= 0)
		r = read_once(rec, UINT64_MAX);
	return r < 0 ? r : pt_tally_record(&rec->tally, rec->in);
}

static void *run(void *ctx)
{
	struct pt_recorder *rec = ctx;
	int r = pt_instance_exclude(rec->source.instance, gettid());

	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	if (r == 0) {
		pt_tally_start(&rec->tally);
		rec->start_ns = pt_now_ns();
		pt_livehead_set_start(&rec->head);
		r = pt_instance_on(rec->source.instance, 1);
	}
	rec->error = r;
	sem_post(&rec->ready);
	if (r == 0)
		rec->error = record(rec);
	rec->cpu_ns = thread_cpu_ns();
	return NULL;
}

/* ---- start ---- */

static int open_tape(struct pt_recorder *rec, struct pt_diag *diag)
{
	const struct pt_writer_options opt = { .bypass_cache = 1, .keep_part_on_failure = 1 };
	const struct pt_livehead facts = {
		.source = rec->opt.source,
		.sources = (const char *const *)rec->source.names,
		.command = rec->opt.command,
		.counters_every_ns = rec->opt.counters_every_ns,
		.knows_accesses = pt_decoder_tells_accesses(rec->source.decoder),
		.knows_cgroups = pt_livesource_has(&rec->source, PT_KEV_MEMCG_STATE),
		.knows_activations = pt_livesource_has(&rec->source, PT_KEV_LRU_ACTIVATE),
	};
	int r = pt_livehead_init(&rec->head, &facts);

	if (r == 0)
		r = pt_writer_new(rec->opt.output, &rec->head, &opt, &rec->writer, diag);
	if (r < 0)
		return r;
	return 0;
}

static int open_interpreter(struct pt_recorder *rec)
{
	const struct pt_interpreter_options opt = {
		.page_size = (uint32_t)sysconf(_SC_PAGESIZE),
		.announces_readahead = pt_livesource_has(&rec->source, PT_KEV_RA_WINDOW),
		.memcg = rec->source.items,
		.subject_pid = (uint32_t)rec->opt.subject,
		.describe_task = pt_livesink_describe_task,
		.ctx = &rec->sink,
	};
	int r;

	r = pt_livesink_init(&rec->sink, pt_writer_sink(rec->writer), rec->opt.subject);
	if (r == 0)
		r = pt_tally_intern(&rec->tally, &rec->sink.sink);
	return r < 0 ? r : pt_interpreter_new(&opt, &rec->sink.sink, &rec->in);
}

static int start_thread(struct pt_recorder *rec, struct pt_diag *diag)
{
	sigset_t all, old;
	int r;

	rec->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (rec->wake_fd < 0)
		return -errno;
	/* Signals are the caller's business. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&rec->thread, NULL, run, rec);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r)
		return pt_diag_errno(diag, -r, "cannot start the recorder's thread");
	rec->has_thread = 1;
	while (sem_wait(&rec->ready) < 0 && errno == EINTR)
		;
	if (rec->error)
		return pt_diag_errno(diag, rec->error, "cannot switch recording on");
	return 0;
}

int pt_recorder_start(const struct pt_recorder_options *opt, struct pt_recorder **ret_rec,
		      struct pt_diag *diag)
{
	struct pt_recorder *rec = calloc(1, sizeof(*rec));
	int r;

	if (!rec)
		return -ENOMEM;
	rec->opt = *opt;
	rec->wake_fd = -1;
	sem_init(&rec->ready, 0, 0);
	if (!rec->opt.counters_every_ns)
		rec->opt.counters_every_ns = COUNTERS_DEFAULT;
	if (rec->opt.counters_every_ns == UINT64_MAX)
		rec->counters_ns = UINT64_MAX;
	r = pt_tally_init(&rec->tally, opt->cgroup, diag);
	if (r == 0)
		r = pt_livesource_open(&rec->source, opt->ring_bytes, diag);
	if (r == 0)
		r = open_tape(rec, diag);
	if (r == 0)
		r = open_interpreter(rec);
	if (r == 0)
		r = start_thread(rec, diag);
	if (r < 0) {
		pt_recorder_free(rec);
		return r;
	}
	*ret_rec = rec;
	return 0;
}

/* ---- stop ---- */

void pt_recorder_peek(struct pt_recorder *rec, struct pt_recorder_stats *ret_stats)
{
	*ret_stats = (struct pt_recorder_stats){
		.events = rec->events,
		.lost_events = rec->lost,
		.unknown_gaps = rec->unknown_gaps,
		.duration_ns = pt_now_ns() - rec->start_ns,
		.recorder_cpu_ns = rec->cpu_ns,
		.failed = rec->error < 0,
		.tells_accesses = pt_decoder_tells_accesses(rec->source.decoder),
		.sources = (const char *const *)rec->source.names,
	};
	snprintf(ret_stats->tape_id, sizeof(ret_stats->tape_id), "%s", pt_head_tape_id(&rec->head));
}

static void join(struct pt_recorder *rec)
{
	uint64_t one = 1;

	if (!rec->has_thread)
		return;
	rec->stopping = 1;
	if (write(rec->wake_fd, &one, sizeof(one)) < 0)
		(void)0; /* it wakes by itself soon */
	pthread_join(rec->thread, NULL);
	rec->has_thread = 0;
}

/* Losses that the kernel counted but no page told of: where they were is not known. */
static int tell_rest(struct pt_recorder *rec)
{
	uint64_t lost, reported;
	int r = pt_ring_lost(rec->source.ring, &lost, &reported);

	if (r < 0)
		return r;
	return lost > reported ? on_gap(rec, PT_UNKNOWN16, rec->end_ns, lost - reported) : 0;
}

static int finish(struct pt_recorder *rec)
{
	int r = tell_rest(rec);

	if (r == 0)
		r = pt_interpreter_finish(rec->in);
	if (r == 0)
		r = pt_livesink_finish(&rec->sink);
	if (r == 0 && rec->opt.before_finish)
		r = rec->opt.before_finish(rec->opt.ctx, rec->sink.to);
	if (r < 0)
		return r;
	rec->complete = !rec->gaps && !rec->undecoded;
	pt_json_set_u64(rec->head.doc, "duration_ns", rec->end_ns - rec->start_ns);
	return pt_writer_finish(rec->writer, &rec->head, rec->complete);
}

int pt_recorder_stop(struct pt_recorder *rec, struct pt_recorder_stats *ret_stats,
		     struct pt_diag *diag)
{
	struct pt_writer_stats stats;
	int r;

	join(rec);
	pt_json_set(rec->head.doc, "kernel_counts", pt_tally_counts(&rec->tally));
	r = rec->error;
	if (r == 0)
		r = finish(rec);
	pt_livesource_stop(&rec->source);
	if (r < 0) {
		const struct pt_diag *why = pt_writer_diag(rec->writer);

		if (diag && why->text[0])
			*diag = *why;
		return pt_diag_errno(diag, r, "recording failed");
	}
	pt_writer_stats(rec->writer, &stats);
	pt_recorder_peek(rec, ret_stats);
	ret_stats->records = stats.records;
	ret_stats->bytes = stats.bytes;
	ret_stats->duration_ns = rec->end_ns - rec->start_ns;
	ret_stats->complete = rec->complete;
	return 0;
}

void pt_recorder_free(struct pt_recorder *rec)
{
	if (!rec)
		return;
	join(rec);
	pt_interpreter_free(rec->in);
	pt_writer_free(rec->writer);
	pt_livesink_done(&rec->sink);
	pt_tally_done(&rec->tally);
	pt_livesource_close(&rec->source);
	pt_head_done(&rec->head);
	if (rec->wake_fd >= 0)
		close(rec->wake_fd);
	sem_destroy(&rec->ready);
	free(rec);
}
