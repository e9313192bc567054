// SPDX-License-Identifier: GPL-2.0-or-later
/* Parents of cgroups: see cgrouptree.h. */
#include "analysis/cgrouptree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/map.h"

/* Whether @path lies below @above; the root "/" is above all. */
static int is_below(const char *path, const char *above, size_t len)
{
	if (len == 1 && above[0] == '/')
		return path[0] == '/' && path[1];
	return strncmp(path, above, len) == 0 && path[len] == '/';
}

static uint32_t by_path(const struct pt_reader *r, uint32_t i)
{
	const char *path = pt_reader_cgroup(r, i)->path;
	uint32_t best = PT_UNKNOWN32;
	size_t longest = 0;

	for (uint32_t k = 0; path && k < pt_reader_cgroup_count(r); k++) {
		const char *above = pt_reader_cgroup(r, k)->path;
		size_t len = above ? strlen(above) : 0;

		if (k == i || len <= longest || !is_below(path, above, len))
			continue;
		best = k;
		longest = len;
	}
	return best;
}

int pt_cgrouptree_new(const struct pt_reader *r, uint32_t **ret_parents)
{
	uint32_t n = pt_reader_cgroup_count(r);
	auto_free uint32_t *parents = calloc((size_t)n + 1, sizeof(*parents));
	struct pt_map ids;
	int err = parents ? 0 : -ENOMEM;

	pt_map_init(&ids);
	for (uint32_t i = 0; i < n && !err; i++)
		if (!pt_map_put(&ids, (struct pt_map_key){ .lo = pt_reader_cgroup(r, i)->id }, i,
				NULL))
			err = -ENOMEM;
	for (uint32_t i = 0; i < n && !err; i++) {
		const uint64_t *parent = pt_map_get(
			&ids, (struct pt_map_key){ .lo = pt_reader_cgroup(r, i)->parent });

		parents[i] = parent && *parent != i ? (uint32_t)*parent : by_path(r, i);
	}
	pt_map_done(&ids);
	if (!err)
		*ret_parents = steal_ptr(parents);
	return err;
}
