/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash map from 128-bit keys to 64-bit values, open addressing with linear probing.
 *
 * For keys that come from a tape or the kernel: the hash is seeded at pt_map_init(), so nobody
 * can prepare colliding keys. All zero is not a map: call pt_map_init(). Not thread-safe.
 */
#ifndef PT_UTIL_MAP_H
#define PT_UTIL_MAP_H

#include <stddef.h>
#include <stdint.h>

struct pt_map_key {
	uint64_t hi, lo;
};

struct pt_map_slot {
	struct pt_map_key key;
	uint64_t value;
	uint64_t used; /* 0 free, 1 taken */
};

struct pt_map {
	struct pt_map_slot *slots;
	size_t mask, used;
	uint64_t seed;
};

void pt_map_init(struct pt_map *m);
void pt_map_done(struct pt_map *m);

/* The value's place, valid until the next put or del; NULL where the key is absent. */
uint64_t *pt_map_get(const struct pt_map *m, struct pt_map_key key);

/* Like get, but adds the key with value @init where it is absent. NULL only when out of memory. */
uint64_t *pt_map_put(struct pt_map *m, struct pt_map_key key, uint64_t init, int *ret_added);

/* Remove a key. Returns 1, or 0 where it was absent. */
int pt_map_del(struct pt_map *m, struct pt_map_key key);

/* Forget all keys, keep the memory. */
void pt_map_clear(struct pt_map *m);

/*
 * Walk: start with *@pos = 0; each call gives one taken slot, in no useful order, and 1; 0 at the
 * end. The map must not change meanwhile, other than through the value.
 */
int pt_map_next(const struct pt_map *m, size_t *pos, struct pt_map_slot **ret_slot);

#endif
