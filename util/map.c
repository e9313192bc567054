// SPDX-License-Identifier: GPL-2.0-or-later
/* The hash map of map.h: power-of-two table, at most 70 % full, backward-shift deletion. */
#include "util/map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define MIN_SLOTS 16

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014), over both words and the seed. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static size_t home_of(const struct pt_map *m, struct pt_map_key key)
{
	return mix(mix(key.lo ^ m->seed) ^ key.hi) & m->mask;
}

void pt_map_init(struct pt_map *m)
{
	*m = (struct pt_map){ 0 };
	if (getrandom(&m->seed, sizeof(m->seed), GRND_NONBLOCK) != sizeof(m->seed))
		m->seed = (uint64_t)(uintptr_t)m * UINT64_C(0x9e3779b97f4a7c15);
}

void pt_map_done(struct pt_map *m)
{
	free(m->slots);
	m->slots = NULL;
	m->mask = m->used = 0;
}

void pt_map_clear(struct pt_map *m)
{
	if (m->slots)
		memset(m->slots, 0, (m->mask + 1) * sizeof(*m->slots));
	m->used = 0;
}

/* The slot that holds @key, or the free one where it would go. */
static struct pt_map_slot *find(const struct pt_map *m, struct pt_map_key key)
{
	for (size_t i = home_of(m, key);; i = (i + 1) & m->mask) {
		struct pt_map_slot *s = &m->slots[i];

		if (!s->used || (s->key.lo == key.lo && s->key.hi == key.hi))
			return s;
	}
}

uint64_t *pt_map_get(const struct pt_map *m, struct pt_map_key key)
{
	struct pt_map_slot *s;

	if (!m->used)
		return NULL;
	s = find(m, key);
	return s->used ? &s->value : NULL;
}

static int grow(struct pt_map *m)
{
	size_t n = m->slots ? (m->mask + 1) * 2 : MIN_SLOTS;
	struct pt_map old = *m;

	m->slots = calloc(n, sizeof(*m->slots));
	if (!m->slots) {
		*m = old;
		return -1;
	}
	m->mask = n - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].used)
			*find(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
	return 0;
}

uint64_t *pt_map_put(struct pt_map *m, struct pt_map_key key, uint64_t init, int *ret_added)
{
	struct pt_map_slot *s;
	int added;

	if ((!m->slots || (m->used + 1) * 10 > (m->mask + 1) * 7) && grow(m) < 0)
		return NULL;
	s = find(m, key);
	added = !s->used;
	if (added) {
		*s = (struct pt_map_slot){ .key = key, .value = init, .used = 1 };
		m->used++;
	}
	if (ret_added)
		*ret_added = added;
	return &s->value;
}

int pt_map_del(struct pt_map *m, struct pt_map_key key)
{
	struct pt_map_slot *s;
	size_t hole;

	if (!m->used)
		return 0;
	s = find(m, key);
	if (!s->used)
		return 0;
	hole = (size_t)(s - m->slots);
	for (size_t i = (hole + 1) & m->mask; m->slots[i].used; i = (i + 1) & m->mask) {
		size_t home = home_of(m, m->slots[i].key);

		/* Move it back only if its home is not behind the hole (cyclically). */
		if (((i - home) & m->mask) >= ((i - hole) & m->mask)) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole].used = 0;
	m->used--;
	return 1;
}

int pt_map_next(const struct pt_map *m, size_t *pos, struct pt_map_slot **ret_slot)
{
	if (!m->slots)
		return 0;
	for (; *pos <= m->mask; ++*pos) {
		if (m->slots[*pos].used) {
			*ret_slot = &m->slots[(*pos)++];
			return 1;
		}
	}
	return 0;
}
