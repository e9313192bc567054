// SPDX-License-Identifier: GPL-2.0-or-later
/* Integer histograms: see log2hist.h. */
#include "util/log2hist.h"

#include <math.h>
#include <stdlib.h>

struct pt_log2hist *pt_log2hist_new(void)
{
	return calloc(1, sizeof(struct pt_log2hist));
}

static unsigned int octave_of(uint64_t v)
{
	return v ? 64 - (unsigned int)__builtin_clzll(v) : 0;
}

static unsigned int slot_of(uint64_t v)
{
	unsigned int shift;

	if (v < (1u << PT_LOG2HIST_SUB_BITS))
		return (unsigned int)v;
	shift = octave_of(v) - PT_LOG2HIST_SUB_BITS - 1;
	return ((shift + 1) << PT_LOG2HIST_SUB_BITS) +
	       (unsigned int)(v >> shift & ((1u << PT_LOG2HIST_SUB_BITS) - 1));
}

uint64_t pt_log2hist_first(unsigned int slot)
{
	unsigned int shift, sub;

	if (slot < (1u << PT_LOG2HIST_SUB_BITS))
		return slot;
	shift = (slot >> PT_LOG2HIST_SUB_BITS) - 1;
	sub = slot & ((1u << PT_LOG2HIST_SUB_BITS) - 1);
	return (UINT64_C(1) << PT_LOG2HIST_SUB_BITS | sub) << shift;
}

static uint64_t slot_last(unsigned int slot)
{
	unsigned int octave = slot >> PT_LOG2HIST_SUB_BITS;

	return pt_log2hist_first(slot) + (octave ? (UINT64_C(1) << (octave - 1)) - 1 : 0);
}

void pt_log2hist_add(struct pt_log2hist *h, uint64_t value, uint64_t weight)
{
	h->count += weight;
	h->sum += (double)value * (double)weight;
	h->slots[slot_of(value)] += weight;
	h->octaves[octave_of(value)] += weight;
	if (weight && value > h->max)
		h->max = value;
}

void pt_log2hist_merge(struct pt_log2hist *into, const struct pt_log2hist *from)
{
	into->count += from->count;
	into->sum += from->sum;
	if (from->max > into->max)
		into->max = from->max;
	for (unsigned int i = 0; i < PT_LOG2HIST_SLOTS; i++)
		into->slots[i] += from->slots[i];
	for (unsigned int i = 0; i < 65; i++)
		into->octaves[i] += from->octaves[i];
}

uint64_t pt_log2hist_quantile(const struct pt_log2hist *h, double q)
{
	uint64_t rank = (uint64_t)ceil(q * (double)h->count);
	uint64_t seen = 0;

	for (unsigned int i = 0; i < PT_LOG2HIST_SLOTS; i++) {
		seen += h->slots[i];
		if (seen && seen >= rank)
			return slot_last(i) < h->max ? slot_last(i) : h->max;
	}
	return h->max;
}

double pt_log2hist_mean(const struct pt_log2hist *h)
{
	return h->count ? h->sum / (double)h->count : 0;
}
