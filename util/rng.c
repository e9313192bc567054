// SPDX-License-Identifier: GPL-2.0-or-later
/* Seeded numbers: see rng.h. */
#include "util/rng.h"

#include <math.h>

static uint64_t rotl(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

void pt_rng_init(struct pt_rng *g, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t x = seed += UINT64_C(0x9e3779b97f4a7c15);

		x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
		g->s[i] = x ^ x >> 31;
	}
}

uint64_t pt_rng_u64(struct pt_rng *g)
{
	uint64_t *s = g->s;
	uint64_t result = rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t pt_rng_below(struct pt_rng *g, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n;
	uint64_t v;

	do {
		v = pt_rng_u64(g);
	} while (v >= limit);
	return v % n;
}

double pt_rng_unit(struct pt_rng *g)
{
	return (double)(pt_rng_u64(g) >> 11) * 0x1p-53;
}

/* The integral of x^-theta, and its inverse; log and exp at theta = 1. */
static double h_of(const struct pt_zipf *z, double x)
{
	double e = 1 - z->theta;

	return fabs(e) < 1e-9 ? log(x) : (pow(x, e) - 1) / e;
}

static double h_inverse(const struct pt_zipf *z, double y)
{
	double e = 1 - z->theta;

	return fabs(e) < 1e-9 ? exp(y) : pow(fmax(1 + y * e, 0), 1 / e);
}

void pt_zipf_init(struct pt_zipf *z, uint64_t n, double theta)
{
	*z = (struct pt_zipf){ .n = n, .theta = theta };
	z->h_half = h_of(z, 1.5) - 1;
	z->h_n = h_of(z, (double)n + 0.5);
	z->s = 2 - h_inverse(z, h_of(z, 2.5) - pow(2, -theta));
}

uint64_t pt_zipf_draw(const struct pt_zipf *z, struct pt_rng *g)
{
	for (;;) {
		double u = z->h_n + pt_rng_unit(g) * (z->h_half - z->h_n);
		double x = h_inverse(z, u);
		double k = fmin(fmax(floor(x + 0.5), 1), (double)z->n);

		if (k - x <= z->s || u >= h_of(z, k + 0.5) - pow(k, -z->theta))
			return (uint64_t)k - 1;
	}
}
