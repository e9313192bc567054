// SPDX-License-Identifier: GPL-2.0-or-later
/* Ids and definitions of a reader: see names.h. Entries live in chunks that never move. */
#include "formats/names.h"

#include <errno.h>
#include <stdlib.h>

#include "formats/definition.h"

#define CHUNK 256u /* entries */

void pt_names_init(struct pt_names *names)
{
	names->sealed = 0;
	for (unsigned int s = 0; s < PT_NAMES_SORTS; s++) {
		names->lists[s] = (struct pt_names_list){ 0 };
		pt_map_init(&names->lists[s].ids);
	}
}

void pt_names_done(struct pt_names *names)
{
	for (unsigned int s = 0; s < PT_NAMES_SORTS; s++) {
		struct pt_names_list *l = &names->lists[s];

		for (uint32_t id = 0; id < l->n; id++)
			pt_definition_release(s, pt_names_get(names, s, id));
		for (uint32_t i = 0; i < (l->n + CHUNK - 1) / CHUNK; i++)
			free(l->chunks[i]);
		free(l->chunks);
		pt_map_done(&l->ids);
	}
}

struct pt_map_key pt_names_file_key(const struct pt_file_key *key)
{
	return (struct pt_map_key){ key->ino, (uint64_t)key->dev << 32 | key->gen };
}

struct pt_map_key pt_names_task_key(const struct pt_task_key *key)
{
	return (struct pt_map_key){ key->pid, key->incarnation };
}

struct pt_map_key pt_names_number_key(uint64_t number)
{
	return (struct pt_map_key){ 0, number };
}

void *pt_names_get(const struct pt_names *names, enum pt_names_sort sort, uint32_t id)
{
	const struct pt_names_list *l = &names->lists[sort];

	if (id >= l->n)
		return NULL;
	return (char *)l->chunks[id / CHUNK] + id % CHUNK * pt_definition_size(sort);
}

static int list_grow(struct pt_names_list *l, enum pt_names_sort sort)
{
	uint32_t at = l->n / CHUNK;
	void **chunks;

	if (l->n == PT_UNKNOWN32 - 1)
		return -ENOMEM;
	if (l->n % CHUNK)
		return 0;
	chunks = reallocarray(l->chunks, at + 1, sizeof(*chunks));
	if (!chunks)
		return -ENOMEM;
	l->chunks = chunks;
	chunks[at] = calloc(CHUNK, pt_definition_size(sort));
	return chunks[at] ? 0 : -ENOMEM;
}

int pt_names_intern(struct pt_names *names, enum pt_names_sort sort, struct pt_map_key key,
		    uint32_t *ret_id, int *ret_added)
{
	struct pt_names_list *l = &names->lists[sort];
	uint64_t *id = pt_map_get(&l->ids, key);

	*ret_added = !id;
	if (id) {
		*ret_id = (uint32_t)*id;
		return 0;
	}
	if (names->sealed)
		return -ENOENT;
	if (list_grow(l, sort) < 0)
		return -ENOMEM;
	if (!pt_map_put(&l->ids, key, l->n, NULL)) {
		if (l->n % CHUNK == 0)
			free(l->chunks[l->n / CHUNK]);
		return -ENOMEM;
	}
	*ret_id = l->n++;
	pt_definition_blank(sort, pt_names_get(names, sort, *ret_id));
	return 0;
}

int pt_names_file(struct pt_names *names, const struct pt_file_key *key, uint32_t *ret_id)
{
	int added,
		r = pt_names_intern(names, PT_NAMES_FILE, pt_names_file_key(key), ret_id, &added);

	if (r == 0 && added)
		((struct pt_file *)pt_names_get(names, PT_NAMES_FILE, *ret_id))->key = *key;
	return r;
}

int pt_names_task(struct pt_names *names, const struct pt_task_key *key, uint32_t *ret_id)
{
	int added,
		r = pt_names_intern(names, PT_NAMES_TASK, pt_names_task_key(key), ret_id, &added);

	if (r == 0 && added)
		((struct pt_task *)pt_names_get(names, PT_NAMES_TASK, *ret_id))->key = *key;
	return r;
}

int pt_names_cgroup(struct pt_names *names, uint64_t cgroup, uint32_t *ret_id)
{
	int added, r = pt_names_intern(names, PT_NAMES_CGROUP, pt_names_number_key(cgroup), ret_id,
				       &added);

	if (r == 0 && added)
		((struct pt_cgroup *)pt_names_get(names, PT_NAMES_CGROUP, *ret_id))->id = cgroup;
	return r;
}
