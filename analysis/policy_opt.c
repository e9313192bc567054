// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * OPT: see policy_opt.h.
 *
 * A cached page is known by the place of its next access: an access hits if its own place is among
 * those, and what must go is the largest of them. They are bits, with a tree of "some bit is set"
 * above. Pages that are never accessed again are only counted; they go first.
 */
#include "analysis/policy_opt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

#define LEVELS 6 /* 64^6 is more than 2^32 */

struct bitset {
	uint64_t *level[LEVELS]; /* [0] the bits, each above: which words below are not 0 */
	unsigned int levels;
};

int pt_opt_prepare(const uint32_t *pages, uint32_t n, uint32_t npages, uint32_t *next)
{
	auto_free uint32_t *seen = malloc(((size_t)npages + 1) * sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	memset(seen, 0xff, (size_t)npages * sizeof(*seen)); /* PT_OPT_NEVER */
	for (uint32_t i = n; i-- > 0;) {
		uint32_t page = pages[i];

		next[i] = seen[page];
		seen[page] = i;
	}
	return 0;
}

static void bitset_done(struct bitset *b)
{
	for (unsigned int l = 0; l < LEVELS; l++)
		free(b->level[l]);
}

static int bitset_init(struct bitset *b, size_t n)
{
	*b = (struct bitset){ 0 };
	do {
		n = (n + 63) / 64;
		b->level[b->levels] = calloc(n ? n : 1, sizeof(uint64_t));
		if (!b->level[b->levels++])
			return -ENOMEM;
	} while (n > 1);
	return 0;
}

static void set(struct bitset *b, uint32_t i)
{
	for (unsigned int l = 0; l < b->levels; l++, i >>= 6)
		b->level[l][i >> 6] |= UINT64_C(1) << (i & 63);
}

static void clear(struct bitset *b, uint32_t i)
{
	for (unsigned int l = 0; l < b->levels; l++, i >>= 6) {
		b->level[l][i >> 6] &= ~(UINT64_C(1) << (i & 63));
		if (b->level[l][i >> 6])
			return;
	}
}

static int is_set(const struct bitset *b, uint32_t i)
{
	return b->level[0][i >> 6] >> (i & 63) & 1;
}

/* The largest; there is one. */
static uint32_t largest(const struct bitset *b)
{
	uint32_t i = 0;

	for (unsigned int l = b->levels; l-- > 0;)
		i = i << 6 | (63u - (uint32_t)__builtin_clzll(b->level[l][i]));
	return i;
}

int pt_opt_misses(const uint32_t *next, uint32_t n, uint32_t capacity, uint64_t *ret_misses)
{
	uint32_t cached = 0, useless = 0;
	struct bitset b;
	uint64_t misses = 0;

	if (bitset_init(&b, n) < 0) {
		bitset_done(&b);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (is_set(&b, i)) {
			clear(&b, i);
		} else {
			misses++;
			if (cached < capacity)
				cached++;
			else if (useless)
				useless--;
			else
				clear(&b, largest(&b));
		}
		if (next[i] == PT_OPT_NEVER)
			useless++;
		else
			set(&b, next[i]);
	}
	bitset_done(&b);
	*ret_misses = misses;
	return 0;
}
