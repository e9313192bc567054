/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A random generator for tests: its seed is printed, and PT_SEED=N repeats a run.
 */
#ifndef PT_TESTS_UNIT_SEED_H
#define PT_TESTS_UNIT_SEED_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "util/parse.h"
#include "util/rng.h"

static inline uint64_t seed_new(void)
{
	const char *given = getenv("PT_SEED");
	uint64_t seed = 1;

	if (!given || pt_parse_u64(given, &seed) < 0)
		(void)!getrandom(&seed, sizeof(seed), GRND_NONBLOCK);
	fprintf(stderr, "PT_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

static inline void seed_rng(struct pt_rng *g)
{
	pt_rng_init(g, seed_new());
}

#endif
