/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a plan once: a forked child with one thread a recorded task does the operations, the parent
 * reads the tape and feeds them.
 *
 * The child alone is in the memory cgroup, and what it needs besides the operations themselves is
 * made, and touched, before it gets there. A failed operation is counted and the rest goes on.
 * Not thread-safe; fork before starting threads of your own.
 */
#ifndef PT_REPLAY_ENGINE_H
#define PT_REPLAY_ENGINE_H

#include <signal.h>
#include <sys/types.h>

#include "host/cgroup.h"
#include "replay/fileset.h"
#include "replay/plan.h"
#include "replay/stage.h"
#include "util/progress.h"

/* A limit below this is refused: the child's own page tables, kernel stacks and first pages do not
 * fit, and the kernel would kill it. Each thread adds PT_ENGINE_THREAD_BYTES. */
#define PT_ENGINE_MIN_BYTES    (1u << 20)
#define PT_ENGINE_THREAD_BYTES (64u << 10)

struct pt_engine_options {
	uint32_t window;            /* replay/order.h; 0: each task in its own order only */
	double speed;               /* 1: as recorded; 0: as fast as it goes */
	struct pt_memcg *memcg;     /* where the child runs; NULL: where the parent does */
	uint64_t counters_every_ns; /* read memory.stat as often as the recorder did; 0: never */
	/* So many operations come first and are not measured. Behind them all threads wait until
	 * @warmed returns (may be NULL): what the kernel counted so far is the warm-up's. */
	uint64_t warmup_ops;
	void (*warmed)(void *ctx);
	void *ctx;
	const volatile sig_atomic_t *stop; /* not 0: end with -EINTR; may be NULL */
	struct pt_progress *progress;      /* may be NULL */
};

struct pt_engine;

/*
 * Fork the child and move it into the cgroup; it waits there. The plan must have been rewound.
 * Plan and file set must outlive the engine. Returns 0 or -errno with @diag.
 */
int pt_engine_new(struct pt_plan *plan, const struct pt_fileset *files,
		  const struct pt_engine_options *opt, struct pt_engine **ret_e,
		  struct pt_diag *diag);

/*
 * Play everything. Returns 0 (operations may have failed: see the workers), -EINTR, -ENOMEM (the
 * kernel killed the child for want of memory), -ECHILD (it died otherwise), -ENODATA (there was
 * nothing but warm-up), or what the plan says, with @diag. Afterwards the child still exists, idle,
 * so that /proc can be asked about it.
 */
int pt_engine_run(struct pt_engine *e, struct pt_diag *diag);

/* End the child and release. NULL is fine. */
void pt_engine_free(struct pt_engine *e);

pid_t pt_engine_pid(const struct pt_engine *e);

/* Results, valid after a run; thread ids already after pt_engine_new(). */
const struct pt_stage *pt_engine_stage(const struct pt_engine *e);

#endif
