// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of policies: see policy.h. */
#include "analysis/policy.h"

#include <stddef.h>
#include <string.h>

const struct pt_policy *const pt_policies[] = {
	&pt_policy_lru,      &pt_policy_fifo,   &pt_policy_clock,
	&pt_policy_sieve,    &pt_policy_s3fifo, &pt_policy_arc,
	&pt_policy_twolists, &pt_policy_mglru,  NULL,
};

const struct pt_policy *pt_policy_by_name(const char *name)
{
	for (size_t i = 0; pt_policies[i]; i++)
		if (strcmp(pt_policies[i]->name, name) == 0)
			return pt_policies[i];
	return NULL;
}
