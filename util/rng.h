/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A seeded random generator (xoshiro256**, Blackman and Vigna 2018) and a zipf draw on top.
 *
 * The same seed gives the same numbers on every machine. Not for secrets.
 */
#ifndef PT_UTIL_RNG_H
#define PT_UTIL_RNG_H

#include <stdint.h>

struct pt_rng {
	uint64_t s[4];
};

void pt_rng_init(struct pt_rng *g, uint64_t seed);
uint64_t pt_rng_u64(struct pt_rng *g);

/* Uniform in [0, n), n > 0, without modulo bias. */
uint64_t pt_rng_below(struct pt_rng *g, uint64_t n);

/* Uniform in [0, 1) with 53 bits. */
double pt_rng_unit(struct pt_rng *g);

/*
 * Zipf over ranks 0..n-1, P(rank) proportional to (rank+1)^-theta, theta >= 0 and != 1 handled
 * as its limit, by rejection-inversion (Hormann and Derflinger 1996): exact, constant time.
 */
struct pt_zipf {
	uint64_t n;
	double theta, h_half, h_n, s;
};

void pt_zipf_init(struct pt_zipf *z, uint64_t n, double theta);
uint64_t pt_zipf_draw(const struct pt_zipf *z, struct pt_rng *g);

#endif
