/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replacement policies written as their papers tell them, with arrays that are searched: slow, and
 * simple enough to be believed.
 */
#ifndef PT_TESTS_UNIT_NAIVE_POLICIES_H
#define PT_TESTS_UNIT_NAIVE_POLICIES_H

#include <stdint.h>

#define NAIVE_PAGES 600 /* page numbers are below this */

struct naive;

struct naive *naive_new(const char *policy, uint32_t capacity);
/* "twolists" with another threshold than the active list's length: pages, or another list. */
#define NAIVE_INACTIVE UINT32_MAX
#define NAIVE_BOTH     (UINT32_MAX - 1)
struct naive *naive_twolists(uint32_t capacity, uint32_t threshold_pages);

void naive_free(struct naive *n);

/* 1 a hit, 0 a miss. */
int naive_access(struct naive *n, uint32_t page);

/* Misses of OPT, by looking ahead. */
uint64_t naive_opt(const uint32_t *pages, uint32_t n, uint32_t capacity);

#endif
