/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of progress on stderr, only where that is a terminal and nobody said --quiet.
 *
 * Rewritten in place at most ten times a second; pt_progress_done() clears it.
 */
#ifndef PT_UTIL_PROGRESS_H
#define PT_UTIL_PROGRESS_H

#include <stdint.h>

struct pt_progress {
	int on;
	uint64_t last_ns, start_ns;
};

void pt_progress_init(struct pt_progress *p, int quiet);

/* Show the text now if the last one is old enough. */
void pt_progress_show(struct pt_progress *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void pt_progress_done(struct pt_progress *p);

/* CLOCK_MONOTONIC in ns. */
uint64_t pt_now_ns(void);

#endif
