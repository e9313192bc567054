/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A memory cgroup of our own: made, limited, read and removed.
 *
 * It is called pagetape-PID-N and made below the caller's own cgroup, in the version 2 hierarchy
 * where that has the memory controller, else in version 1's. Where the caller's own group cannot
 * have one (version 2 gives no controllers to the children of a group with processes) the nearest
 * ancestor that already hands the memory controller down is used, and last the root. No group that
 * we did not make is changed, other than that the caller's own or the root may be told to hand the
 * memory controller down. Not thread-safe per group.
 */
#ifndef PT_HOST_CGROUP_H
#define PT_HOST_CGROUP_H

#include <stdint.h>
#include <sys/types.h>

#include "util/diag.h"

#define PT_CGROUP_NO_LIMIT UINT64_MAX

/* Where this machine has the memory controller. */
struct pt_cgroup_hierarchy {
	int version; /* 1 or 2 */
	char *mount; /* directory of the hierarchy's root, the tree's prefix included */
	char *own;   /* the caller's own cgroup below it, "/" for the root itself */
};

/*
 * Find it. @root is "" or the prefix of a fake tree. Returns 0, -ENOENT where no hierarchy has the
 * memory controller, -ENOMEM, or what reading /proc says; @diag is filled.
 */
int pt_cgroup_find(const char *root, struct pt_cgroup_hierarchy *ret_h, struct pt_diag *diag);
void pt_cgroup_hierarchy_done(struct pt_cgroup_hierarchy *h);

struct pt_memcg;

/*
 * Remove the groups of dead callers, then make a new one, limited to @limit_bytes of memory and no
 * swap (PT_CGROUP_NO_LIMIT: no limit). Returns 0 and *ret_cg, to be released with
 * pt_memcg_remove(), or -errno with @diag: -EACCES and -EROFS where this takes root or a delegated
 * cgroup.
 */
int pt_memcg_create(const struct pt_cgroup_hierarchy *h, uint64_t limit_bytes,
		    struct pt_memcg **ret_cg, struct pt_diag *diag);

/* Move a process, with all its threads, into it. */
int pt_memcg_add(struct pt_memcg *cg, pid_t pid, struct pt_diag *diag);

/*
 * Remove the group and release @cg; NULL is fine. Processes that are still in it are killed and
 * waited for by the kernel's account, at most two seconds. Returns 0 or -errno (-EBUSY: it stays,
 * and goes at the next pt_memcg_create() after this process is dead).
 */
int pt_memcg_remove(struct pt_memcg *cg);

/* Bytes charged now. Returns 0 or -errno. */
int pt_memcg_current(const struct pt_memcg *cg, uint64_t *ret_bytes);

/* How many times the kernel killed a process of it for want of memory; 0 where it cannot say. */
uint64_t pt_memcg_oom_kills(const struct pt_memcg *cg);

/* Whether it ever held as much as its limit allows, so that something had to be reclaimed: 1, 0, or
 * -errno where the kernel does not say. */
int pt_memcg_limit_reached(const struct pt_memcg *cg);

uint64_t pt_memcg_limit(const struct pt_memcg *cg); /* as asked for */
int pt_memcg_version(const struct pt_memcg *cg);
const char *pt_memcg_dir(const struct pt_memcg *cg);  /* its directory */
const char *pt_memcg_path(const struct pt_memcg *cg); /* below the hierarchy's root: "/a/b" */

#endif
