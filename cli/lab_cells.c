// SPDX-License-Identifier: GPL-2.0-or-later
/* A lab's runs, one after the other or several at once. See lab.h. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/lab.h"
#include "cli/lab_native.h"
#include "formats/result.h"
#include "host/cgroup.h"
#include "replay/lab/cell.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"
#include "util/progress.h"

#define GUEST_TAPE   "/tmp/tape.ptape"
#define GUEST_OWN    "/tmp/own.ptape"
#define GUEST_FILES  "/mnt/files"
#define GUEST_TRACE  "/sys/kernel/tracing/trace"
#define OWN_REPLAY   "replay.ptape"
#define MAX_WORDS    256
#define TICK_NS      200000000
#define LIMIT_MIN_S  600
#define LIMIT_FACTOR 30 /* emulated machines may take so many times as long as the recording */

/* The same for all, since kernels read ahead on the same disk by far not the same. */
static const char *const knobs[] = { "block.read_ahead_kb=128", NULL };

struct pool {
	struct pt_lab *lab;
	pthread_mutex_t lock;
	size_t next, done, todo, failed, running;
	uint64_t start_ns;
	int error; /* -EINTR, -ENOMEM: nobody begins anything more */
};

/* ---- What a cell runs */

/* What a cell's texts need; release with work_done(). */
struct work {
	struct {
		char *v[4];
		size_t n;
	} texts;
	const char *argv[MAX_WORDS], *before[MAX_WORDS];
	struct pt_cell_file put[2], get[4];
	struct pt_machine_options machine;
	struct pt_cell cell;
	const struct pt_lab *lab;
	const struct pt_matrix_cell *at;
	json_t *cell_json;
};

static void work_done(struct work *w)
{
	for (size_t i = 0; i < w->texts.n; i++)
		free(w->texts.v[i]);
	json_decref(w->cell_json);
}

/* Append to @argv, which has room for MAX_WORDS; -E2BIG beyond. */
static int add(const char **argv, const char *word)
{
	size_t n = 0;

	while (argv[n])
		n++;
	if (n + 2 > MAX_WORDS)
		return -E2BIG;
	argv[n] = word;
	return 0;
}

static int add_all(const char **argv, const char *const *words)
{
	int r = 0;

	for (; r == 0 && *words; words++)
		r = add(argv, *words);
	return r;
}

/* The limit in whole KiB: what it is in pages stays as it is. */
static int add_memory(struct work *w, uint64_t bytes)
{
	char *text;

	if (!bytes)
		return 0;
	if (asprintf(&text, "%" PRIu64 "K", bytes >> 10) < 0)
		return -ENOMEM;
	w->texts.v[w->texts.n++] = text;
	return add_all(w->argv, (const char *const[]){ "--memory", text, NULL });
}

static int plan_replay(struct work *w)
{
	const struct pt_lab_opts *o = w->lab->o;
	const char *const head[] = { "pagetape",  "replay",   "--quiet", "--json",  "--target",
				     GUEST_FILES, "--record", GUEST_OWN, "--order", o->order,
				     "--pace",    o->pace,    NULL };
	int r = add_all(w->argv, head);

	if (r == 0)
		r = add_memory(w, pt_lab_limit_bytes(w->lab, w->at->tape));
	if (r == 0 && o->warmup)
		r = add_all(w->argv, (const char *const[]){ "--warmup", o->warmup, NULL });
	if (r == 0 && o->cgroup)
		r = add_all(w->argv, (const char *const[]){ "--cgroup", o->cgroup, NULL });
	if (r == 0 && o->sparse)
		r = add(w->argv, "--sparse");
	if (r == 0)
		r = add(w->argv, GUEST_TAPE);
	w->put[0] = (struct pt_cell_file){ GUEST_TAPE, w->lab->tapes[w->at->tape].path, false };
	w->get[0] = (struct pt_cell_file){ GUEST_OWN, OWN_REPLAY, false };
	return r;
}

/* --before is split at blanks: it is no shell's. */
static int split_before(struct work *w)
{
	char *copy = strdup(w->lab->o->before), *rest = copy, *word;
	int r = 0;

	if (!copy)
		return -ENOMEM;
	w->texts.v[w->texts.n++] = copy;
	while (r == 0 && (word = strsep(&rest, " ")))
		if (*word)
			r = add(w->before, word);
	w->cell.prepare = w->before[0] ? w->before : NULL;
	return r;
}

static int plan_native(struct work *w)
{
	const char *const head[] = { "pagetape", "record",  "--quiet", "--drop-caches",
				     "--output", GUEST_OWN, NULL };
	int r = add_all(w->argv, head);

	if (r == 0)
		r = add_memory(w, pt_lab_limit_bytes(w->lab, w->at->tape));
	if (r == 0)
		r = add_all(w->argv, (const char *const[]){ "--", w->lab->command_name, NULL });
	if (r == 0)
		r = add_all(w->argv, (const char *const *)w->lab->command + 1);
	if (r == 0 && w->lab->o->before)
		r = split_before(w);
	w->get[0] = (struct pt_cell_file){ GUEST_OWN, PT_NATIVE_TAPE, false };
	return r;
}

static unsigned int limit_s(const struct pt_lab *lab, size_t tape)
{
	uint64_t s = LIMIT_MIN_S;

	if (lab->o->limit_ns)
		s = (lab->o->limit_ns + 999999999) / 1000000000;
	else if (tape < lab->ntapes)
		s += lab->tapes[tape].duration_ns / 1000000000 * LIMIT_FACTOR;
	return s < UINT32_MAX ? (unsigned int)s : UINT32_MAX;
}

static int finish_replay(void *ctx, const char *part, int status, json_t **ret_doc,
			 struct pt_diag *diag)
{
	const struct work *w = ctx;
	auto_free char *path = NULL;
	struct pt_result res;
	int r;

	(void)status;
	if (asprintf(&path, "%s/stdout", part) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	r = pt_result_load(path, &res, diag);
	if (r < 0)
		return r;
	(void)unlink(path); /* all of it is in result.json */
	pt_json_set_string(res.doc, "tape", w->lab->tapes[w->at->tape].path);
	*ret_doc = json_incref(res.doc);
	pt_result_done(&res);
	return 0;
}

static int finish_native(void *ctx, const char *part, int status, json_t **ret_doc,
			 struct pt_diag *diag)
{
	const struct work *w = ctx;

	(void)status;
	return pt_native_result(part, pt_lab_limit_bytes(w->lab, w->at->tape), ret_doc, diag);
}

static int set_machine(struct work *w)
{
	const struct pt_lab *lab = w->lab;
	const struct pt_candidate *c = &lab->candidates[w->at->candidate];

	w->machine = lab->machine;
	w->machine.image = lab->images[w->at->candidate];
	w->machine.disk_bytes = pt_lab_disk_bytes(lab, w->at->tape);
	w->machine.stop = lab->stop;
	if (c->append && lab->machine.append) {
		char *both;

		if (asprintf(&both, "%s %s", lab->machine.append, c->append) < 0)
			return -ENOMEM;
		w->texts.v[w->texts.n++] = both;
		w->machine.append = both;
	} else if (c->append) {
		w->machine.append = c->append;
	}
	return 0;
}

/* Fill @w for the cell @at; release with work_done() in any case. 0 or -errno. */
static int plan(struct pt_lab *lab, const struct pt_matrix_cell *at, struct work *w)
{
	int native = at->tape == lab->ntapes, r;

	*w = (struct work){ .lab = lab, .at = at };
	r = set_machine(w);
	w->cell_json = lab->has_matrix ? pt_matrix_cell_json(&lab->matrix, at) : NULL;
	w->cell = (struct pt_cell){
		.dir = at->dir,
		.machine = &w->machine,
		.candidate = &lab->candidates[at->candidate],
		.knobs = knobs,
		.put = w->put,
		.get = w->get,
		.argv = w->argv,
		.cwd = "/mnt",
		.limit_s = limit_s(lab, at->tape),
		.lab = w->cell_json,
		.finish = native ? finish_native : finish_replay,
		.ctx = w,
	};
	if (r == 0)
		r = native ? plan_native(w) : plan_replay(w);
	if (lab->o->trace.n)
		w->get[1] = (struct pt_cell_file){ GUEST_TRACE, "trace.txt", true };
	return r;
}

/* ---- All of them */

static int take_next(struct pool *p, size_t *ret_i)
{
	const struct pt_matrix *m = &p->lab->matrix;
	int found = 0;

	pthread_mutex_lock(&p->lock);
	while (p->next < m->ncells && m->cells[p->next].done)
		p->next++;
	if (!p->error && p->next < m->ncells) {
		*ret_i = p->next++;
		p->running++;
		found = 1;
	}
	pthread_mutex_unlock(&p->lock);
	return found;
}

static void say_result(struct pool *p, const struct pt_matrix_cell *c, uint64_t took_ns, int err,
		       const struct pt_diag *diag)
{
	const struct pt_matrix *m = &p->lab->matrix;
	char text[640], took[32], left[32];
	uint64_t past_ns = pt_now_ns() - p->start_ns;

	if (err == -EINTR)
		return;
	pt_format_time(took_ns, took, sizeof(took));
	if (err < 0) {
		pt_warn(PT_LAB_RUN, "%s %s run %u: %s", pt_matrix_candidate(m, c->candidate),
			pt_matrix_tape(m, c->tape), c->repeat,
			pt_diag_format(diag, err, text, sizeof(text)));
		return;
	}
	pt_format_time(past_ns / p->done * (p->todo - p->done), left, sizeof(left));
	pt_say(&p->lab->o->common, "%s %s run %u: done in %s (%zu of %zu%s%s)",
	       pt_matrix_candidate(m, c->candidate), pt_matrix_tape(m, c->tape), c->repeat, took,
	       p->done, p->todo, p->done < p->todo ? ", for the others about " : "",
	       p->done < p->todo ? left : "");
}

static void *work(void *ctx)
{
	struct pool *p = ctx;
	size_t i;

	while (take_next(p, &i)) {
		struct pt_matrix_cell *at = &p->lab->matrix.cells[i];
		struct pt_diag diag = PT_DIAG_INIT;
		uint64_t from_ns = pt_now_ns();
		struct work *w = calloc(1, sizeof(*w));
		int r = w ? plan(p->lab, at, w) : -ENOMEM;

		if (r == 0)
			r = pt_cell_run(&w->cell, &diag);
		if (w)
			work_done(w);
		free(w);
		pthread_mutex_lock(&p->lock);
		p->running--;
		p->done++;
		at->done = r == 0;
		p->failed += r < 0 && r != -EINTR;
		if (r == -EINTR || r == -ENOMEM)
			p->error = r;
		say_result(p, at, pt_now_ns() - from_ns, r, &diag);
		pthread_mutex_unlock(&p->lock);
	}
	return NULL;
}

static void watch(struct pool *p)
{
	const struct timespec tick = { .tv_nsec = TICK_NS };
	struct pt_progress progress;
	int over = 0;

	pt_progress_init(&progress, p->lab->o->common.quiet);
	while (!over) {
		char past[32];

		nanosleep(&tick, NULL);
		pthread_mutex_lock(&p->lock);
		over = p->done == p->todo || (p->error && !p->running);
		pt_progress_show(&progress, "%zu of %zu runs done, %zu at work, for %s", p->done,
				 p->todo, p->running,
				 pt_format_time(pt_now_ns() - p->start_ns, past, sizeof(past)));
		pthread_mutex_unlock(&p->lock);
	}
	pt_progress_done(&progress);
}

int pt_lab_run_cells(struct pt_lab *lab, size_t *ret_failed)
{
	struct pool p = { .lab = lab, .start_ns = pt_now_ns() };
	pthread_t threads[64];
	size_t n = 0, most;

	for (size_t i = 0; i < lab->matrix.ncells; i++)
		p.todo += !lab->matrix.cells[i].done;
	*ret_failed = 0;
	if (!p.todo)
		return 0;
	most = lab->o->jobs < p.todo ? (size_t)lab->o->jobs : p.todo;
	pthread_mutex_init(&p.lock, NULL);
	while (n < most && pthread_create(&threads[n], NULL, work, &p) == 0)
		n++;
	if (n)
		watch(&p);
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&p.lock);
	*ret_failed = p.failed;
	return n ? p.error : -EAGAIN;
}

int pt_lab_shell(struct pt_lab *lab)
{
	static const char *const argv[] = { "/bin/sh", NULL };
	struct pt_matrix_cell at = { .tape = 0, .repeat = 1 };
	struct pt_diag diag = PT_DIAG_INIT;
	struct work *w = calloc(1, sizeof(*w));
	int status, r;

	if (!w)
		return pt_fail(PT_LAB_RUN, -ENOMEM, &diag);
	*w = (struct work){ .lab = lab, .at = &at };
	r = set_machine(w);
	if (lab->ntapes)
		w->put[0] = (struct pt_cell_file){ GUEST_TAPE, lab->tapes[0].path, false };
	w->cell = (struct pt_cell){ .machine = &w->machine,
				    .candidate = &lab->candidates[0],
				    .knobs = knobs,
				    .put = w->put,
				    .argv = argv,
				    .cwd = "/mnt" };
	if (r == 0)
		r = pt_cell_shell(&w->cell, &status, &diag);
	work_done(w);
	free(w);
	return r < 0 ? pt_fail(PT_LAB_RUN, r, &diag) : status;
}
