/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linux's two lists with another threshold for refaults than the active list's length. */
#ifndef PT_ANALYSIS_POLICY_TWOLISTS_H
#define PT_ANALYSIS_POLICY_TWOLISTS_H

#include "analysis/policy.h"

/* What a refault distance is held against. */
enum pt_lists_rule {
	PT_LISTS_ACTIVE = 0, /* the active list's length: Linux since 5.9 */
	PT_LISTS_INACTIVE = 1,
	PT_LISTS_BOTH = 2,  /* both lists' lengths together */
	PT_LISTS_FIXED = 3, /* a number of pages */
};

struct pt_twolists_rule {
	enum pt_lists_rule by;
	uint32_t pages; /* of PT_LISTS_FIXED */
};

/* A cache for pt_policy_twolists to access and free; pt_policy_twolists.new has PT_LISTS_ACTIVE. */
void *pt_twolists_new(uint32_t capacity, const struct pt_twolists_rule *rule);

#endif
