// SPDX-License-Identifier: GPL-2.0-or-later
/* A thread of the replaying child: time, turn, operation, measurement. */
#include "replay/worker.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "replay/futex.h"
#include "replay/perform.h"
#include "util/progress.h"

/* A call that slept has been switched away and back: on no machine is that done in less. */
#define NO_SLEEP_NS 2000

/* How often this thread gave up the CPU to wait. Asked for only where the answer matters. */
struct sleeps {
	long count;
	int stale; /* it slept between operations since */
};

static long sleeps_now(void)
{
	struct rusage ru;

	return getrusage(RUSAGE_THREAD, &ru) == 0 ? ru.ru_nvcsw : 0;
}

/* Did the call just made sleep? Quick ones cannot have. */
static int has_slept(struct sleeps *s, uint64_t took_ns)
{
	long before = s->count;

	if (took_ns < NO_SLEEP_NS)
		return 0;
	s->count = sleeps_now();
	return s->count != before;
}

static void note_error(struct pt_worker *w, int64_t err)
{
	if (err == PT_PERFORM_SIGBUS)
		err = 0;
	else if (err >= PT_STAGE_ERRORS)
		err = PT_STAGE_ERRORS - 1;
	w->errors[err]++;
}

static void note_latency(struct pt_worker *w, const struct pt_op *op, uint64_t took_ns,
			 struct sleeps *s)
{
	enum pt_latency class;

	switch (op->kind) {
	case PT_OP_READ:
		class = has_slept(s, took_ns) ? PT_LATENCY_READ_MISS : PT_LATENCY_READ_HIT;
		break;
	case PT_OP_LOAD:
	case PT_OP_STORE:
		class = PT_LATENCY_FAULT;
		s->stale = 1;
		break;
	case PT_OP_WRITE:
		class = PT_LATENCY_WRITE;
		s->stale = 1;
		break;
	case PT_OP_FSYNC:
	case PT_OP_FDATASYNC:
	case PT_OP_SYNC_RANGE:
		class = PT_LATENCY_FSYNC;
		s->stale = 1;
		break;
	default:
		s->stale = 1;
		return;
	}
	pt_log2hist_add(&w->latency_ns[class], took_ns, 1);
}

static void sleep_until(uint64_t when_ns)
{
	const struct timespec ts = { .tv_sec = (time_t)(when_ns / 1000000000),
				     .tv_nsec = (long)(when_ns % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		continue;
}

/* When the operation is due on this machine's clock; 0 where there is no pace. */
static uint64_t due_at(const struct pt_cast *cast, const struct pt_op *op)
{
	if (cast->speed <= 0)
		return 0;
	return atomic_load_explicit(&cast->stage->begin_ns, memory_order_relaxed) +
	       (uint64_t)((double)op->due_ns / cast->speed);
}

static void end_warmup_op(struct pt_stage *stage)
{
	if (atomic_fetch_sub(&stage->warmup_left, 1) != 1)
		return;
	stage->warmup_cpu = pt_stage_cpu_time();
	stage->reached_ns = pt_now_ns();
	atomic_store(&stage->barrier, PT_BARRIER_REACHED); /* the parent looks often until it has */
}

/* Behind the warm-up: until all of it is done and the parent has read the counters. */
static void await_measuring(struct pt_stage *stage, struct sleeps *s)
{
	uint32_t at;

	while ((at = atomic_load(&stage->barrier)) != PT_BARRIER_OPEN) {
		pt_futex_wait(&stage->barrier, at, PT_FUTEX_ANY, 0);
		s->stale = 1;
	}
}

/* Wait for the operation's time, then for its turn. Returns the moment at which it may begin. */
static uint64_t wait_for(const struct pt_cast *cast, struct pt_worker *w, const struct pt_op *op,
			 struct sleeps *s)
{
	const int measured = !(op->flags & PT_OP_WARMUP);
	uint64_t due, now, stalled;

	if (measured)
		await_measuring(cast->stage, s);
	due = due_at(cast, op); /* the barrier moves it */
	if (due && pt_now_ns() < due) {
		sleep_until(due);
		s->stale = 1;
	}
	stalled = pt_order_enter(cast->stage->order, op->seq);
	if (stalled) {
		w->stall_ns += measured ? stalled : 0;
		s->stale = 1;
	}
	now = pt_now_ns();
	if (due && measured)
		pt_log2hist_add(&w->lateness_ns, now > due ? now - due : 0, 1);
	return now;
}

static void play(const struct pt_cast *cast, struct pt_worker *w, const struct pt_op *op,
		 struct sleeps *s)
{
	uint64_t begin = wait_for(cast, w, op, s), end;
	int64_t r = pt_perform_prepare(cast, op);

	if (s->stale && op->kind == PT_OP_READ) {
		s->count = sleeps_now();
		s->stale = 0;
		begin = pt_now_ns();
	} else if (r > 0) { /* opening is not part of the operation's latency */
		begin = pt_now_ns();
	}
	if (r >= 0)
		r = pt_perform(cast, op, w->buffer);
	end = pt_now_ns();
	pt_order_leave(cast->stage->order, op->seq);
	if (r < 0)
		note_error(w, -r);
	if (op->flags & PT_OP_WARMUP)
		end_warmup_op(cast->stage);
	else
		w->ops++;
	if (r < 0 || (op->flags & PT_OP_WARMUP)) {
		s->stale = 1;
		return;
	}
	note_latency(w, op, end - begin, s);
	if (op->kind == PT_OP_READ)
		w->read_bytes += (uint64_t)r;
	else
		w->written_bytes += (uint64_t)r;
}

void pt_worker_run(const struct pt_cast *cast, struct pt_worker *w)
{
	struct sleeps s = { .stale = 1 };
	const struct pt_op *op;
	int slept = 0;

	(void)prctl(PR_SET_TIMERSLACK, 1ul);
	for (;;) {
		op = pt_opring_peek(&w->ring, &slept);
		if (op->kind == PT_OP_END)
			return;
		if (slept) {
			w->starved += !(op->flags & PT_OP_WARMUP);
			s.stale = 1;
			slept = 0;
		}
		play(cast, w, op, &s);
		pt_opring_pop(&w->ring);
	}
}
