/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads trace-cmd's trace.dat (versions 6 and 7) through libtracecmd and feeds the interpreter.
 *
 * libtracecmd trusts its input: call this where a crash does no harm (import.c does).
 */
#ifndef PT_CAPTURE_TRACEDAT_H
#define PT_CAPTURE_TRACEDAT_H

#include "formats/head.h"
#include "formats/sink.h"
#include "util/diag.h"

struct pt_tracedat;

struct pt_tracedat_counts {
	uint64_t events;       /* of ours */
	uint64_t lost;         /* known losses */
	uint64_t gaps;         /* places where events were lost, known how many or not */
	uint64_t undecoded;    /* events of ours: cut short, or making no sense */
	uint64_t unknown_gaps; /* of these, the ones that lost an unknown number */
	int complete;          /* no gap, and the kernel's statistics were there to tell of any */
	uint64_t first_ns, last_ns;
};

/*
 * Open and look up the events. -EBADMSG where libtracecmd refuses it, -ENOENT where events are
 * missing that a tape needs, -EOPNOTSUPP in a build without libtracecmd (notracecmd.c); @diag says
 * more.
 */
int pt_tracedat_open(const char *path, struct pt_tracedat **ret_t, struct pt_diag *diag);
void pt_tracedat_close(struct pt_tracedat *t);

/* Fill in what the recording says of itself: page size, clock, kernel, events, knowledge. */
int pt_tracedat_describe(struct pt_tracedat *t, struct pt_head *head);

/* Interpret all of it into @sink. 0 or -errno with @diag. */
int pt_tracedat_run(struct pt_tracedat *t, const struct pt_sink *sink,
		    struct pt_tracedat_counts *ret_counts, struct pt_diag *diag);

#endif
