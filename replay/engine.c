// SPDX-License-Identifier: GPL-2.0-or-later
/* The parent's side of a replay: fork, feed, watch; and the child's main thread. */
#include "replay/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/counters.h"
#include "replay/futex.h"
#include "replay/perform.h"
#include "replay/worker.h"
#include "util/cleanup.h"
#include "util/parse.h"
#include "util/textfile.h"

#define LOOK_NS    50000000 /* how often a waiting parent looks after child and user */
#define WARM_NS    1000000  /* the same before the barrier: all wait there for the parent */
#define LOOK_OPS   4096     /* and a busy one */
#define FIRST_OPS  256      /* fed to each thread before any begins */
#define EXIT_SETUP 120      /* the child could not start its threads */

struct pt_engine {
	struct pt_plan *plan;
	struct pt_engine_options opt;
	struct pt_cast cast;
	struct pt_stage *stage;
	pid_t child; /* 0: none, or already reaped */
	int status;  /* of a reaped child */
	int started;
	uint64_t fed;
	uint64_t next_counters_ns;
};

/* ---- The child */

struct actor {
	const struct pt_cast *cast;
	struct pt_worker *worker;
};

static void *actor_main(void *arg)
{
	const struct actor *a = arg;
	struct pt_stage *stage = a->cast->stage;

	atomic_store(&a->worker->tid, (uint32_t)syscall(SYS_gettid));
	atomic_fetch_add(&stage->ready, 1);
	pt_futex_wake(&stage->ready, PT_FUTEX_ANY);
	if (pt_stage_await(stage, PT_GO_WAIT) == PT_GO_RUN)
		pt_worker_run(a->cast, a->worker);
	return NULL;
}

/* Sanitizers know objects: the gaps between them are errors to one, and addresses without shadow
 * memory, where reading is fatal, to another. */
__attribute__((no_sanitize("address", "thread"))) static void touch(uint64_t from, uint64_t to)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (uint64_t at = from; at < to; at += page)
		(void)*(const volatile uint8_t *)(uintptr_t)at;
}

/*
 * Our own program and libraries: a page of them that is first needed while the limit holds would be
 * charged to the measured cgroup, read ahead around, evicted, and counted as a refault. Mapped
 * now, they are charged elsewhere, and stay when the page cache is dropped.
 */
static void touch_program(void)
{
	auto_free char *maps = NULL;
	char *rest, *line;
	uint64_t from, to;

	if (pt_text_read("", "/proc/self/maps", &maps) < 0)
		return;
	rest = maps;
	while ((line = pt_text_line(&rest))) {
		char *start = strsep(&line, "-"), *end = pt_text_word(&line);
		char *perms = pt_text_word(&line);

		if (perms && perms[0] == 'r' && strchr(line ? line : "", '/') &&
		    pt_parse_hex(start, &from) == 0 && pt_parse_hex(end, &to) == 0)
			touch(from, to);
	}
}

static int start_actors(const struct pt_cast *cast, pthread_t *threads, struct actor *actors)
{
	struct pt_stage *stage = cast->stage;
	pthread_attr_t attr;
	int r = 0;

	if (pthread_attr_init(&attr) != 0)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < stage->threads; i++) {
		actors[i] = (struct actor){ cast, &stage->workers[i] };
		r = pthread_attr_setstack(&attr, stage->workers[i].stack, PT_STAGE_STACK);
		if (r == 0)
			r = pthread_create(&threads[i], &attr, actor_main, &actors[i]);
	}
	pthread_attr_destroy(&attr);
	return -r;
}

static void raise_file_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
		lim.rlim_cur = lim.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &lim);
	}
}

static void note_end(struct pt_stage *stage, struct pt_cpu_time before)
{
	struct pt_cpu_time after;

	stage->end_ns = pt_now_ns();
	after = pt_stage_cpu_time();
	if (stage->reached_ns)
		before = stage->warmup_cpu;
	stage->cpu_user_ns = after.user_ns - before.user_ns;
	stage->cpu_system_ns = after.system_ns - before.system_ns;
	atomic_store(&stage->finished, 1);
	pt_futex_wake(&stage->finished, PT_FUTEX_ANY);
}

/* A program that goes on after a crash (a test runner, say) would go on here as well, twice over.
 */
static void die_of_crashes(void)
{
	static const int crashes[] = { SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGSYS };

	for (size_t i = 0; i < PT_ARRAY_SIZE(crashes); i++)
		(void)signal(crashes[i], SIG_DFL);
}

/* Never returns: the parent's buffers, handlers and threads are none of the child's business. */
static void child_main(const struct pt_cast *cast, pid_t parent)
{
	struct pt_stage *stage = cast->stage;
	auto_free pthread_t *threads = calloc(stage->threads, sizeof(*threads));
	auto_free struct actor *actors = calloc(stage->threads, sizeof(*actors));
	struct pt_cpu_time before;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	(void)signal(SIGINT, SIG_IGN); /* the parent decides */
	(void)signal(SIGTERM, SIG_IGN);
	die_of_crashes();
	raise_file_limit();
	pt_perform_catch_sigbus();
	/* Page tables of the shared memory are the child's own: have them before the cgroup does.
	 */
	touch((uintptr_t)stage, (uintptr_t)stage + stage->bytes);
	touch_program();
	if (!threads || !actors || start_actors(cast, threads, actors) < 0)
		_exit(EXIT_SETUP);
	if (pt_stage_await(stage, PT_GO_WAIT) == PT_GO_LEAVE)
		_exit(0);
	before = pt_stage_cpu_time();
	for (uint32_t i = 0; i < stage->threads; i++)
		pthread_join(threads[i], NULL);
	note_end(stage, before);
	(void)pt_stage_await(stage, PT_GO_RUN);
	_exit(0);
}

/* ---- Looking after it */

static int explain_death(struct pt_engine *e, struct pt_diag *diag)
{
	if (e->opt.memcg && pt_memcg_oom_kills(e->opt.memcg) > 0)
		return pt_diag_set(
			diag, -ENOMEM, PT_NO_OFFSET,
			"the kernel killed the replay: its memory limit is below what it "
			"needs");
	if (WIFEXITED(e->status) && WEXITSTATUS(e->status) == EXIT_SETUP)
		return pt_diag_set(diag, -EAGAIN, PT_NO_OFFSET,
				   "cannot start %u threads for the recorded tasks",
				   e->stage->threads);
	if (WIFSIGNALED(e->status))
		return pt_diag_set(diag, -ECHILD, PT_NO_OFFSET,
				   "the replaying process was killed by signal %d",
				   WTERMSIG(e->status));
	return pt_diag_set(diag, -ECHILD, PT_NO_OFFSET, "the replaying process ended early");
}

/* The recorder's reading of memory.stat flushes statistics, and so changes what is activated: do
 * likewise. What it says is not needed. */
static void read_counters(struct pt_engine *e)
{
	struct pt_counters c = { 0 };
	uint64_t now;

	if (!e->opt.memcg || !e->opt.counters_every_ns)
		return;
	now = pt_now_ns();
	if (now < e->next_counters_ns)
		return;
	e->next_counters_ns = now + e->opt.counters_every_ns;
	if (pt_counters_memstat(pt_memcg_dir(e->opt.memcg), &c) == 0)
		pt_counters_done(&c);
}

/* Once all threads wait at the barrier: what was due then is due now. */
static void open_barrier(struct pt_engine *e)
{
	struct pt_stage *s = e->stage;
	uint64_t begin_ns = atomic_load(&s->begin_ns);

	if (atomic_load(&s->barrier) != PT_BARRIER_REACHED)
		return;
	if (e->opt.warmed)
		e->opt.warmed(e->opt.ctx);
	s->warmup_ns = s->reached_ns - begin_ns;
	s->measured_ns = pt_now_ns();
	atomic_store(&s->begin_ns, begin_ns + s->measured_ns - s->reached_ns);
	atomic_store(&s->barrier, PT_BARRIER_OPEN);
	pt_futex_wake(&s->barrier, PT_FUTEX_ANY);
}

/* How long to wait at a time. */
static uint64_t patience_ns(const struct pt_engine *e)
{
	return atomic_load(&e->stage->barrier) == PT_BARRIER_OPEN ? LOOK_NS : WARM_NS;
}

/* Is all well? 0, or -errno. */
static int look(struct pt_engine *e, struct pt_diag *diag)
{
	char fed[32];

	if (e->opt.stop && *e->opt.stop)
		return pt_diag_set(diag, -EINTR, PT_NO_OFFSET, "interrupted");
	if (waitpid(e->child, &e->status, WNOHANG) == e->child) {
		e->child = 0;
		return explain_death(e, diag);
	}
	open_barrier(e);
	read_counters(e);
	if (e->opt.progress && e->fed)
		pt_progress_show(e->opt.progress, "replaying: %s operations",
				 pt_format_count(e->fed, fed, sizeof(fed)));
	return 0;
}

/* Wait until @word has another value than @seen. */
static int wait_while(struct pt_engine *e, _Atomic uint32_t *word, uint32_t seen,
		      struct pt_diag *diag)
{
	int r = 0;

	while (r == 0 && atomic_load(word) == seen) {
		pt_futex_wait(word, seen, PT_FUTEX_ANY, patience_ns(e));
		r = look(e, diag);
	}
	return atomic_load(word) == seen ? r : 0;
}

static int wait_ready(struct pt_engine *e, struct pt_diag *diag)
{
	uint32_t ready;
	int r = 0;

	while (r == 0 && (ready = atomic_load(&e->stage->ready)) < e->stage->threads)
		r = wait_while(e, &e->stage->ready, ready, diag);
	return r;
}

/* ---- Starting */

static int check_limit(const struct pt_engine *e, uint32_t threads, struct pt_diag *diag)
{
	uint64_t least = PT_ENGINE_MIN_BYTES + (uint64_t)threads * PT_ENGINE_THREAD_BYTES;
	uint64_t limit = e->opt.memcg ? pt_memcg_limit(e->opt.memcg) : PT_CGROUP_NO_LIMIT;
	char a[32], b[32];

	if (limit >= least)
		return 0;
	return pt_diag_set(diag, -ENOMEM, PT_NO_OFFSET,
			   "a memory limit of %s is below the %s that %u threads take",
			   pt_format_size(limit, a, sizeof(a)), pt_format_size(least, b, sizeof(b)),
			   threads);
}

static int start_child(struct pt_engine *e, struct pt_diag *diag)
{
	pid_t parent = getpid(), pid;
	int r;

	pid = fork();
	if (pid < 0)
		return pt_diag_errno(diag, -errno, "cannot fork");
	if (pid == 0)
		child_main(&e->cast, parent);
	e->child = pid;
	r = wait_ready(e, diag);
	if (r == 0 && e->opt.memcg)
		r = pt_memcg_add(e->opt.memcg, pid, diag);
	return r;
}

int pt_engine_new(struct pt_plan *plan, const struct pt_fileset *files,
		  const struct pt_engine_options *opt, struct pt_engine **ret_e,
		  struct pt_diag *diag)
{
	const struct pt_plan_stats *stats = pt_plan_stats(plan);
	struct pt_engine *e = calloc(1, sizeof(*e));
	int r;

	if (!e)
		return -ENOMEM;
	e->plan = plan;
	e->opt = *opt;
	e->stage = pt_stage_new(stats->threads, stats->handles, opt->window);
	if (e->stage && opt->warmup_ops) {
		e->stage->warmup_ops = opt->warmup_ops;
		atomic_store(&e->stage->warmup_left, opt->warmup_ops);
		atomic_store(&e->stage->barrier, PT_BARRIER_AHEAD);
	}
	r = e->stage ? check_limit(e, stats->threads, diag)
		     : pt_diag_set(diag, -ENOMEM, PT_NO_OFFSET, "no memory for %u threads",
				   stats->threads);
	e->cast = (struct pt_cast){ e->stage, files, plan, opt->speed,
				    pt_head_page_size(pt_reader_head(pt_plan_reader(plan))) };
	if (r == 0)
		r = start_child(e, diag);
	if (r < 0)
		pt_engine_free(e);
	else
		*ret_e = e;
	return r;
}

void pt_engine_free(struct pt_engine *e)
{
	if (!e)
		return;
	if (e->child) {
		if (e->stage && atomic_load(&e->stage->finished))
			pt_stage_say(e->stage, PT_GO_LEAVE);
		else
			kill(e->child, SIGKILL);
		while (waitpid(e->child, &e->status, 0) < 0 && errno == EINTR)
			continue;
	}
	pt_stage_free(e->stage);
	free(e);
}

/* ---- Feeding */

static void start(struct pt_engine *e)
{
	if (e->started)
		return;
	e->started = 1;
	e->stage->measured_ns = pt_now_ns();
	atomic_store(&e->stage->begin_ns, e->stage->measured_ns);
	pt_stage_say(e->stage, PT_GO_RUN);
}

static int put(struct pt_engine *e, uint32_t thread, const struct pt_op *op, struct pt_diag *diag)
{
	struct pt_opring *ring = &e->stage->workers[thread].ring;
	int r = 0;

	/* Nobody takes anything out before the start: that must not be waited for. */
	while (r == 0 && !pt_opring_put(ring, op, e->started ? patience_ns(e) : 1)) {
		start(e);
		r = look(e, diag);
	}
	return r;
}

static int feed(struct pt_engine *e, struct pt_diag *diag)
{
	uint64_t first = (uint64_t)FIRST_OPS * e->stage->threads;
	struct pt_op op;
	int r;

	while ((r = pt_plan_next(e->plan, &op)) > 0) {
		if (e->fed < e->opt.warmup_ops)
			op.flags |= PT_OP_WARMUP;
		r = put(e, op.thread, &op, diag);
		if (r == 0 && ++e->fed % LOOK_OPS == 0)
			r = look(e, diag);
		if (r < 0)
			return r;
		if (e->fed == first)
			start(e);
	}
	if (r < 0 && diag)
		*diag = *pt_plan_diag(e->plan);
	if (r == 0 && e->opt.warmup_ops && e->fed <= e->opt.warmup_ops)
		r = pt_diag_set(diag, -ENODATA, PT_NO_OFFSET,
				"nothing is left to measure behind the warm-up");
	return r;
}

int pt_engine_run(struct pt_engine *e, struct pt_diag *diag)
{
	const struct pt_op end = { .kind = PT_OP_END };
	int r = feed(e, diag);

	for (uint32_t i = 0; r == 0 && i < e->stage->threads; i++)
		r = put(e, i, &end, diag);
	if (r == 0) {
		start(e);
		r = wait_while(e, &e->stage->finished, 0, diag);
	}
	if (e->opt.progress)
		pt_progress_done(e->opt.progress);
	return r;
}

pid_t pt_engine_pid(const struct pt_engine *e)
{
	return e->child;
}

const struct pt_stage *pt_engine_stage(const struct pt_engine *e)
{
	return e->stage;
}
