// SPDX-License-Identifier: GPL-2.0-or-later
/* Progress on a terminal: see progress.h. */
#include "util/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SHOW_EVERY_NS 100000000

uint64_t pt_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void pt_progress_init(struct pt_progress *p, int quiet)
{
	*p = (struct pt_progress){ .on = !quiet && isatty(STDERR_FILENO), .start_ns = pt_now_ns() };
}

void pt_progress_show(struct pt_progress *p, const char *fmt, ...)
{
	uint64_t now;
	va_list ap;

	if (!p->on)
		return;
	now = pt_now_ns();
	if (p->last_ns && now - p->last_ns < SHOW_EVERY_NS)
		return;
	p->last_ns = now;
	fputs("\r\033[K", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fflush(stderr);
}

void pt_progress_done(struct pt_progress *p)
{
	if (p->on && p->last_ns)
		fputs("\r\033[K", stderr);
	p->on = 0;
}
