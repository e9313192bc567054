/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a reader knows of files, tasks, cgroups, mounts, devices and open files: ids by key,
 * definitions by id.
 *
 * Definitions stay where they are until pt_names_done(), so pointers to them stay valid; their
 * strings are replaced by a later definition. Not thread-safe.
 */
#ifndef PT_FORMATS_NAMES_H
#define PT_FORMATS_NAMES_H

#include "formats/record.h"
#include "util/map.h"

enum pt_names_sort {
	PT_NAMES_FILE,
	PT_NAMES_TASK,
	PT_NAMES_CGROUP,
	PT_NAMES_MOUNT,
	PT_NAMES_DEVICE,
	PT_NAMES_OPEN,
	PT_NAMES_SORTS
};

struct pt_names_list {
	struct pt_map ids; /* by key */
	void **chunks;
	uint32_t n;
};

struct pt_names {
	struct pt_names_list lists[PT_NAMES_SORTS];
	int sealed; /* set by the owner: no new keys from now on */
};

void pt_names_init(struct pt_names *names);
void pt_names_done(struct pt_names *names);

/* Keys as maps want them. */
struct pt_map_key pt_names_file_key(const struct pt_file_key *key);
struct pt_map_key pt_names_task_key(const struct pt_task_key *key);
struct pt_map_key pt_names_number_key(uint64_t number);

/*
 * The id of a key, a new one with all but its key unknown where it is not known yet.
 * Returns 0, -ENOENT (unknown, and @names is sealed) or -ENOMEM.
 */
int pt_names_file(struct pt_names *names, const struct pt_file_key *key, uint32_t *ret_id);
int pt_names_task(struct pt_names *names, const struct pt_task_key *key, uint32_t *ret_id);
int pt_names_cgroup(struct pt_names *names, uint64_t cgroup, uint32_t *ret_id);

/* The same for any sort; the entry is blank where *ret_added. */
int pt_names_intern(struct pt_names *names, enum pt_names_sort sort, struct pt_map_key key,
		    uint32_t *ret_id, int *ret_added);

/* The definition of an id (struct pt_file, ... by sort); NULL where there is no such id. */
void *pt_names_get(const struct pt_names *names, enum pt_names_sort sort, uint32_t id);

#endif
