// SPDX-License-Identifier: GPL-2.0-or-later
/* How many different hashes: see distinct.h. */
#include "analysis/distinct.h"

#include <math.h>

#define REGISTERS (1u << PT_DISTINCT_BITS)
#define MAX_RANK  (64 - PT_DISTINCT_BITS + 1)

/* Ertl's sigma and tau, summed until nothing is added. */
static double sigma(double x)
{
	double y = 1, z = x, before;

	do {
		before = z;
		x *= x;
		z += x * y;
		y += y;
	} while (z > before && isfinite(z));
	return z;
}

static double tau(double x)
{
	double y = 1, z = 1 - x, before;

	if (x <= 0 || x >= 1)
		return 0;
	do {
		before = z;
		x = sqrt(x);
		y *= 0.5;
		z -= (1 - x) * (1 - x) * y;
	} while (z < before);
	return z / 3;
}

double pt_distinct_estimate(const struct pt_distinct *d)
{
	uint32_t counts[MAX_RANK + 1] = { 0 };
	double m = REGISTERS, z;

	for (uint32_t i = 0; i < REGISTERS; i++)
		counts[d->ranks[i]]++;
	if (counts[0] == REGISTERS)
		return 0;
	z = m * tau(1 - counts[MAX_RANK] / m);
	for (unsigned int k = MAX_RANK - 1; k > 0; k--)
		z = 0.5 * (z + counts[k]);
	z += m * sigma(counts[0] / m);
	return m * m / (2 * M_LN2 * z);
}
