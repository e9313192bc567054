/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc and the cgroup file system say of tasks and cgroups, while recording.
 */
#ifndef PT_CAPTURE_WHOSWHO_H
#define PT_CAPTURE_WHOSWHO_H

#include "formats/sink.h"
#include "host/cgroup.h"

struct pt_whoswho {
	const char *root;                  /* "" or a fake tree */
	struct pt_cgroup_hierarchy memory; /* mount NULL: none found */
};

/* Find the memory controller's hierarchy; without one, cgroups stay unknown. */
void pt_whoswho_init(struct pt_whoswho *w, const char *root);
void pt_whoswho_done(struct pt_whoswho *w);

/* Fill in what is known of @pid: comm (16 bytes), tgid, parent, PT_TASK_KTHREAD. */
void pt_whoswho_task(const struct pt_whoswho *w, uint32_t pid, struct pt_task *def, char *comm);

/* The id of @pid's memory cgroup (its directory's inode), PT_UNKNOWN where not known. */
uint64_t pt_whoswho_cgroup(const struct pt_whoswho *w, uint32_t pid);

/* Define all cgroups of the hierarchy for which @want(ctx, id) is true. 0 or the sink's failure. */
int pt_whoswho_define(const struct pt_whoswho *w, const struct pt_sink *sink,
		      int (*want)(void *ctx, uint64_t id), void *ctx);

#endif
