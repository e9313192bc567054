/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own counters beside a recording: as records every now and then, and what they grew
 * by from start to end.
 *
 * Reading memory.stat makes the kernel flush it, which changes what is activated: hence a cadence,
 * which a replay repeats.
 */
#ifndef PT_CAPTURE_TALLY_H
#define PT_CAPTURE_TALLY_H

#include <jansson.h>
#include <stdint.h>

#include "capture/interpreter.h"
#include "host/counters.h"
#include "host/lrugen.h"
#include "util/diag.h"

struct pt_tally {
	char *cgroup_dir;           /* NULL: the machine alone */
	char *mount, *path;         /* the hierarchy's root, the cgroup below it; NULL: unknown */
	const struct pt_sink *sink; /* NULL before pt_tally_intern(). Borrowed */
	uint32_t cgroup;            /* the sink's id, PT_UNKNOWN32 */
	struct pt_counters machine, memcg; /* at the start */
	struct pt_counters machine_end, memcg_end;
	/* A reading that waits for its place among the events; read_ns is UINT64_MAX without. */
	struct pt_counters vmstat, memstat, psi, kswapd;
	struct pt_lrugens lrugens; /* of the cgroup and all below, of MGLRU */
	uint64_t read_ns;
};

/*
 * Count @cgroup (a directory, or a path below the memory hierarchy's root; NULL: none) beside the
 * machine. 0, -ENOENT with @diag where there is no such cgroup.
 */
int pt_tally_init(struct pt_tally *t, const char *cgroup, struct pt_diag *diag);
void pt_tally_done(struct pt_tally *t);

/* Enter the cgroup in @sink, so that its records say whose they are, and later those below it:
 * @sink is borrowed until done. 0 or the sink's failure. */
int pt_tally_intern(struct pt_tally *t, const struct pt_sink *sink);

/* Read the counters that later ones are compared with. */
void pt_tally_start(struct pt_tally *t);

/* Read them again: the end of what is counted. */
void pt_tally_stop(struct pt_tally *t);

/*
 * Read what the counters say now. Events from before are still in the ring, and the reading itself
 * changes what the kernel does from here on: so its place in the tape is behind them.
 */
void pt_tally_read(struct pt_tally *t);

/* Put a reading that waits into the tape, at its time; nothing where none does. 0, or the sink's
 * failure. */
int pt_tally_record(struct pt_tally *t, struct pt_interpreter *in);

/* The head's "kernel_counts": what the counters grew by from start to stop. A new reference. */
json_t *pt_tally_counts(const struct pt_tally *t);

#endif
