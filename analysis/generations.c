// SPDX-License-Identifier: GPL-2.0-or-later
/* Generations over time: see generations.h. */
#include "analysis/generations.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/countertext.h"

#define MAX_NODES 64 /* NUMA nodes looked for in a reading */

struct reading {
	uint64_t ts_ns, min_seq;
};

/* Times rise, numbers do not fall. */
struct pt_generations_history {
	struct reading *v;
	size_t n, cap;
};

void pt_generations_init(struct pt_generations *g)
{
	*g = (struct pt_generations){ 0 };
	pt_map_init(&g->ids);
}

void pt_generations_done(struct pt_generations *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->v[i].v);
	free(g->v);
	pt_map_done(&g->ids);
	*g = (struct pt_generations){ 0 };
}

static struct pt_generations_history *get(struct pt_generations *g, uint32_t cgroup, uint32_t node)
{
	const struct pt_map_key key = { .hi = cgroup, .lo = node };
	uint64_t *known = pt_map_get(&g->ids, key);
	struct pt_generations_history *v;

	if (known)
		return &g->v[*known];
	v = reallocarray(g->v, g->n + 1, sizeof(*v));
	if (!v)
		return NULL;
	g->v = v;
	if (!pt_map_put(&g->ids, key, g->n, NULL))
		return NULL;
	v[g->n] = (struct pt_generations_history){ 0 };
	return &v[g->n++];
}

/* A number that stays needs no other place. One that falls is damage, or a cgroup's successor. */
static int append(struct pt_generations *g, struct pt_generations_history *h, uint64_t ts_ns,
		  uint64_t min_seq)
{
	const struct reading *last = h->n ? &h->v[h->n - 1] : NULL;

	g->readings++;
	if (last && (min_seq <= last->min_seq || ts_ns < last->ts_ns))
		return 0;
	if (last && min_seq - last->min_seq > g->longest_step)
		g->longest_step = min_seq - last->min_seq;
	if (h->n == h->cap) {
		size_t cap = h->cap ? 2 * h->cap : 16;
		struct reading *v = reallocarray(h->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		h->v = v;
		h->cap = cap;
	}
	h->v[h->n++] = (struct reading){ ts_ns, min_seq };
	return 0;
}

int pt_generations_read(struct pt_generations *g, const struct pt_record *rec)
{
	for (uint32_t node = 0; node < MAX_NODES; node++) {
		struct pt_generations_history *h;
		uint64_t min_seq;
		char name[40];

		snprintf(name, sizeof(name), "node%" PRIu32 "_min_seq_file", node);
		min_seq = pt_countertext_get(rec, name);
		if (min_seq == PT_UNKNOWN)
			continue;
		h = get(g, rec->cgroup, node);
		if (!h || append(g, h, rec->ts_ns, min_seq) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* The number at @ts_ns, PT_UNKNOWN before the first reading. */
static uint64_t number_at(const struct pt_generations_history *h, uint64_t ts_ns)
{
	size_t lo = 0, hi = h->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (h->v[mid].ts_ns <= ts_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? h->v[lo - 1].min_seq : PT_UNKNOWN;
}

uint64_t pt_generations_between(const struct pt_generations *g, uint32_t cgroup, uint32_t node,
				uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t *known =
		g->n ? pt_map_get(&g->ids, (struct pt_map_key){ .hi = cgroup, .lo = node }) : NULL;
	uint64_t from;

	if (!known || from_ns > to_ns)
		return PT_UNKNOWN;
	from = number_at(&g->v[*known], from_ns);
	return from == PT_UNKNOWN ? PT_UNKNOWN : number_at(&g->v[*known], to_ns) - from;
}
