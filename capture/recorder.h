/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records page-cache events of this machine into a tape, from start to stop.
 *
 * pt_recorder_start() makes a tracefs instance of its own ("pagetape-PID-N"), removing stale ones
 * of dead recorders first, enables the events that this kernel has, and starts one thread that
 * reads, interprets and writes. pt_recorder_stop() turns tracing off, drains the ring, finishes the
 * tape and removes the instance. Needs root and tracefs.
 */
#ifndef PT_CAPTURE_RECORDER_H
#define PT_CAPTURE_RECORDER_H

#include <stdint.h>
#include <sys/types.h>

#include "formats/sink.h"
#include "util/diag.h"

struct pt_recorder;

struct pt_recorder_options {
	const char *output;         /* the tape's final path */
	uint64_t ring_bytes;        /* for each CPU; 0: the default */
	uint64_t counters_every_ns; /* 0: the default, 2 s; UINT64_MAX: off */
	pid_t subject;      /* root of the process tree the recording is about; 0: everything.
			     * It must exist, and not have begun its work */
	const char *cgroup; /* path of the memory cgroup to count with the kernel, or NULL */
	const char *const *command; /* argv for the head, NULL-terminated, or NULL */
	const char *source;         /* head's "source": "live" or "replay" */
	/* Called by stop, before the tape is finished, to add definitions (a replay's stands_for).
	 */
	int (*before_finish)(void *ctx, const struct pt_sink *sink);
	void *ctx;
};

struct pt_recorder_stats {
	uint64_t events, records, lost_events, bytes, duration_ns, recorder_cpu_ns;
	uint64_t unknown_gaps;      /* places where an unknown number was lost beside those */
	int failed;                 /* it could not go on: stop says why */
	int tells_accesses;         /* else the kernel has no events for them, before 6.12 */
	int complete;               /* the kernel's own counters say that nothing was lost */
	const char *const *sources; /* event names, NULL-terminated; valid until free */
	char tape_id[40];
};

/* Returns 0 once events are being recorded, or -errno with @diag: -EPERM, -ENOENT (no tracefs), ...
 */
int pt_recorder_start(const struct pt_recorder_options *opt, struct pt_recorder **ret_rec,
		      struct pt_diag *diag);

/* What is so far; cheap, from any thread. */
void pt_recorder_peek(struct pt_recorder *rec, struct pt_recorder_stats *ret_stats);

/* End it. 0, or -errno with @diag where the tape could not be finished (its .part stays). */
int pt_recorder_stop(struct pt_recorder *rec, struct pt_recorder_stats *ret_stats,
		     struct pt_diag *diag);

/* Release; stops without finishing if that has not happened: the instance goes in any case. */
void pt_recorder_free(struct pt_recorder *rec);

#endif
