/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whole replay of a tape: the file set, the runs one after the other, and their document.
 *
 * Before each run the file set is put right, the page cache is dropped and a fresh memory cgroup
 * made. Not thread-safe; the hooks are called from the caller's thread.
 */
#ifndef PT_REPLAY_SESSION_H
#define PT_REPLAY_SESSION_H

#include <jansson.h>
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/sink.h"
#include "util/diag.h"
#include "util/progress.h"

#define PT_SESSION_MAX_THREADS 256

/* With fewer of the recorded accesses in its own recording a replay counts as diverged. The one in
 * a hundred is for faults: which pages a fault-around maps depends on what is cached. */
#define PT_SESSION_MIN_ACCESS_MATCH 0.99

enum pt_session_flags {
	PT_SESSION_SPARSE = 1 << 0,
	PT_SESSION_FORCE = 1 << 1,  /* also on tmpfs, and with sizes that are hard to believe */
	PT_SESSION_REMOVE = 1 << 2, /* remove the file set at the end */
};

struct pt_session;

/* What a watcher makes of a run; each may stay NULL. */
struct pt_session_seen {
	json_t *fidelity; /* to the tape that was played */
	json_t *own_tape; /* what the run's own recording tells of it */
};

struct pt_session_options {
	const char *tape, *target;
	const char *cgroup;    /* play only tasks of this recorded cgroup; NULL: all */
	uint64_t memory_bytes; /* 0: no limit */
	uint64_t repeat;       /* runs, at least 1 */
	uint32_t window;       /* replay/order.h */
	double speed;          /* 0: as fast as it goes */
	double warmup;         /* the part of the operations, below 1, that is not measured */
	unsigned int flags;
	const volatile sig_atomic_t *stop; /* may be NULL */
	struct pt_progress *progress;      /* may be NULL */

	/*
	 * For whoever watches a run. before_run: the child @pid exists and waits, in the cgroup
	 * whose directory is @cgroup_dir (NULL: none); a negative return ends the session.
	 * after_run: it has played everything, or failed; *ret_seen is all NULL and may be filled
	 * (stolen). Both may be NULL.
	 */
	int (*before_run)(void *ctx, struct pt_session *s, uint64_t run, pid_t pid,
			  const char *cgroup_dir, struct pt_diag *diag);
	int (*after_run)(void *ctx, struct pt_session *s, uint64_t run, int failed,
			 struct pt_session_seen *ret_seen, struct pt_diag *diag);
	void *ctx;
};

/* Open tape and target and plan, without writing anything. Returns 0 or -errno with @diag. */
int pt_session_open(const struct pt_session_options *opt, struct pt_session **ret_s,
		    struct pt_diag *diag);
void pt_session_close(struct pt_session *s);

/* The tape's; valid until the session is closed. */
const char *pt_session_tape_id(const struct pt_session *s);

/* What would be done, as JSON: operations by kind, what is skipped, threads, files, bytes, and the
 * limit that it was recorded under. */
json_t *pt_session_plan(const struct pt_session *s);

/*
 * Do it. Returns 0 and *@ret_doc, the results' document, or -errno with @diag; runs that were
 * finished before the failure are lost with it. Its "diverged" lists in words what of the recording
 * is not in the replay: not empty means that the results are not those of the recorded accesses.
 */
int pt_session_run(struct pt_session *s, json_t **ret_doc, struct pt_diag *diag);

/*
 * Tell a recording of the run at hand who plays whom: each thread of the child and each file of the
 * target, by the keys that the kernel's events have, with its stands_for. Call it between
 * before_run and the end of after_run.
 */
int pt_session_tell_cast(const struct pt_session *s, const struct pt_sink *sink);

/* Of run @run, in after_run: when its measuring began behind a warm-up (CLOCK_MONOTONIC; 0: there
 * was none), and what the kernel counted from then on, as in the results. Borrowed. */
uint64_t pt_session_measured_from_ns(const struct pt_session *s, uint64_t run,
				     const json_t **ret_counters);

/* How often the original's recorder read counters; 0 where it did not. */
uint64_t pt_session_counters_every_ns(const struct pt_session *s);

#endif
