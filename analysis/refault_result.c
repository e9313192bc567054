// SPDX-License-Identifier: GPL-2.0-or-later
/* What came out of refaults: see refault.h. */
#include "analysis/refault_state.h"

static const char *const distance_names[PT_DISTANCE_COUNT] = {
	[PT_DISTANCE_EVICTED_PAGES] = "evicted_pages",
	[PT_DISTANCE_NONRESIDENT_AGE] = "nonresident_age",
	[PT_DISTANCE_INTERVAL] = "interval_ns",
	[PT_DISTANCE_RESIDENCY] = "residency_ns",
	[PT_DISTANCE_LRU_PERCENT] = "lru_percent",
	[PT_DISTANCE_GENERATIONS] = "generations",
};

const char *pt_distance_name(enum pt_distance d)
{
	return distance_names[d];
}

const char *pt_distance_unit(enum pt_distance d)
{
	if (d == PT_DISTANCE_LRU_PERCENT)
		return "percent";
	if (d == PT_DISTANCE_GENERATIONS)
		return "generations";
	return d <= PT_DISTANCE_NONRESIDENT_AGE ? "pages" : "ns";
}

const struct pt_refault_counts *pt_refault_counts(const struct pt_refault *r)
{
	return &r->groups.total;
}

const struct pt_log2hist *pt_refault_distances(const struct pt_refault *r, enum pt_distance d)
{
	return r->distances[d];
}

const struct pt_refault_counts *pt_refault_model(const struct pt_refault *r)
{
	return &r->model;
}

const struct pt_refault_check *pt_refault_check(const struct pt_refault *r)
{
	return &r->check;
}

const struct pt_activation_counts *pt_refault_predictions(const struct pt_refault *r)
{
	return r->predictions ? pt_activation_finish(r->predictions) : NULL;
}

uint64_t pt_refault_malformed(const struct pt_refault *r)
{
	return r->malformed;
}

void pt_refault_nodes(const struct pt_refault *r, uint64_t *ret_kernel, uint64_t *ret_model)
{
	*ret_kernel = r->nodes_kernel;
	*ret_model = r->nodes_model;
}

void pt_refault_generations(const struct pt_refault *r, uint64_t *ret_readings,
			    uint64_t *ret_longest_step)
{
	*ret_readings = r->generations.readings;
	*ret_longest_step = r->generations.longest_step;
}

size_t pt_refault_group_count(const struct pt_refault *r)
{
	return r->groups.n;
}

const struct pt_refault_group *pt_refault_group(const struct pt_refault *r, size_t i)
{
	return &r->groups.v[i];
}
