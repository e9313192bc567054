/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys that a writer has given ids to, of one sort: files, tasks or cgroups.
 */
#ifndef PT_FORMATS_KEYRING_H
#define PT_FORMATS_KEYRING_H

#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

struct pt_keyring {
	struct pt_map ids;
	void *v;          /* the keys, by id */
	uint8_t *defined; /* by id: a definition was written */
	uint32_t n, cap;
	uint32_t announced; /* ids below have a definition, if only of their key */
	size_t size;        /* of a key */
};

void pt_keyring_init(struct pt_keyring *k, size_t key_size);
void pt_keyring_done(struct pt_keyring *k);

/* The id of @key, which @map_key stands for; a new one where it has none. 0 or -ENOMEM. */
int pt_keyring_intern(struct pt_keyring *k, struct pt_map_key map_key, const void *key,
		      uint32_t *ret_id);

#endif
