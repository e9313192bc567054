// SPDX-License-Identifier: GPL-2.0-or-later
/* Ids for keys: see keyring.h. */
#include "formats/keyring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pt_keyring_init(struct pt_keyring *k, size_t key_size)
{
	*k = (struct pt_keyring){ .size = key_size };
	pt_map_init(&k->ids);
}

static int grow(struct pt_keyring *k)
{
	uint32_t cap = k->cap ? k->cap * 2 : 64;
	void *v = reallocarray(k->v, cap, k->size);
	uint8_t *defined;

	if (!v)
		return -ENOMEM;
	k->v = v;
	defined = realloc(k->defined, cap);
	if (!defined)
		return -ENOMEM;
	k->defined = defined;
	k->cap = cap;
	return 0;
}

int pt_keyring_intern(struct pt_keyring *k, struct pt_map_key map_key, const void *key,
		      uint32_t *ret_id)
{
	uint64_t *id;
	int added;

	if (k->n == k->cap && grow(k) < 0)
		return -ENOMEM;
	id = pt_map_put(&k->ids, map_key, k->n, &added);
	if (!id)
		return -ENOMEM;
	*ret_id = (uint32_t)*id;
	if (!added)
		return 0;
	memcpy((char *)k->v + k->n * k->size, key, k->size);
	k->defined[k->n++] = 0;
	return 0;
}

void pt_keyring_done(struct pt_keyring *k)
{
	pt_map_done(&k->ids);
	free(k->v);
	free(k->defined);
}
