// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics by what distorts them: see distortion.h. */
#include "analysis/distortion.h"

#include <string.h>

#include "util/cleanup.h"

/* By the beginnings of their paths in a run. */
static const struct {
	const char *class, *path;
} concerned[] = {
	{ "activations", "counters.cgroup.workingset_activate" },
	{ "activations", "counters.cgroup.workingset_restore" },
	{ "activations", "counters.machine.workingset_activate" },
	{ "activations", "own_tape.refault_activations" },
	{ "cpu", "cpu_ns." },
	{ "latency", "latency_ns." },
	{ "latency", "lateness_ns." },
	{ "latency", "stall_ns" },
	{ "latency", "reclaim.direct.ns." },
	{ "psi", "psi_us." },
	{ "throughput", "ops_per_s" },
	{ "throughput", "bytes_per_s" },
	{ "throughput", "wall_ns" },
};

static int says(const struct pt_result *r, const char *class)
{
	const json_t *v;
	size_t i;

	json_array_foreach(json_object_get(r->doc, "distorted"), i, v)
	{
		if (json_is_string(v) && strcmp(json_string_value(v), class) == 0)
			return 1;
	}
	return 0;
}

int pt_distortion_concerns(const struct pt_metric *m, const struct pt_result_group *groups,
			   size_t n)
{
	for (size_t c = 0; c < PT_ARRAY_SIZE(concerned); c++) {
		if (strncmp(m->path, concerned[c].path, strlen(concerned[c].path)) != 0)
			continue;
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < groups[i].n; k++)
				if (says(&groups[i].results[k], concerned[c].class))
					return 1;
	}
	return 0;
}
