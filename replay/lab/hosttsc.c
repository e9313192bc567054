// SPDX-License-Identifier: GPL-2.0-or-later
/* The time stamp counter against the clock: see hosttsc.h. */
#include "replay/lab/hosttsc.h"

#include <time.h>

#include "util/progress.h"

#if defined(__x86_64__)
#include <x86intrin.h>

#define MEASURE_NS 50000000
#define TRIES      64 /* readings, of which the one that was disturbed least counts */

struct moment {
	uint64_t ns, ticks;
};

static struct moment now(void)
{
	struct moment best = { 0 };
	uint64_t least_ns = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t from = pt_now_ns(), ticks = __rdtsc(), took = pt_now_ns() - from;

		if (took < least_ns) {
			least_ns = took;
			best = (struct moment){ from + took / 2, ticks };
		}
	}
	return best;
}

uint64_t pt_hosttsc_khz(void)
{
	const struct timespec pause = { .tv_nsec = MEASURE_NS };
	struct moment from = now(), to;

	(void)nanosleep(&pause, NULL);
	to = now();
	if (to.ns <= from.ns || to.ticks <= from.ticks)
		return 0;
	return (uint64_t)((double)(to.ticks - from.ticks) * 1e6 / (double)(to.ns - from.ns));
}
#else
uint64_t pt_hosttsc_khz(void)
{
	return 0;
}
#endif
