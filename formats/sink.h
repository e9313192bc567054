/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where records go: a tape's writer, a test's array, or anything else that takes them in order.
 *
 * intern_* turn a key into the id that records use; the same key always gives the same id, ids
 * count from 0. define_* say or correct what an id stands for; strings are copied. record takes one
 * record; its ts_ns must not be smaller than the previous one's (-EINVAL). All return 0 or a
 * negative errno; intern_* return it through *ret_id. A sink that does not care may leave a
 * define_* NULL.
 */
#ifndef PT_FORMATS_SINK_H
#define PT_FORMATS_SINK_H

#include "formats/record.h"

struct pt_sink {
	void *ctx;
	int (*intern_file)(void *ctx, const struct pt_file_key *key, uint32_t *ret_id);
	int (*intern_task)(void *ctx, const struct pt_task_key *key, uint32_t *ret_id);
	int (*intern_cgroup)(void *ctx, uint64_t cgroup_id, uint32_t *ret_id);
	int (*record)(void *ctx, const struct pt_record *r);
	int (*define_file)(void *ctx, const struct pt_file *def);
	int (*define_task)(void *ctx, const struct pt_task *def);
	int (*define_cgroup)(void *ctx, const struct pt_cgroup *def);
	int (*define_mount)(void *ctx, const struct pt_mount *def);
	int (*define_device)(void *ctx, const struct pt_device *def);
	int (*define_open)(void *ctx, const struct pt_openfile *def);
};

#endif
