/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A candidate that is built from source: a kernel tree, as it stands or at a revision.
 */
#ifndef PT_REPLAY_LAB_KERNELTREE_H
#define PT_REPLAY_LAB_KERNELTREE_H

#include <signal.h>

#include "util/diag.h"

struct pt_kerneltree_options {
	const char *spec;     /* "DIR" or "DIR@REV", REV being whatever git takes for a commit */
	unsigned int jobs;    /* of make; 0: as many as CPUs */
	unsigned int limit_s; /* of each step; 0: PT_KERNELTREE_LIMIT_S */
	const volatile sig_atomic_t *stop;        /* NULL: none */
	void (*say)(void *arg, const char *what); /* what is done now, one line; NULL: nobody */
	void *arg;
};

#define PT_KERNELTREE_LIMIT_S (4 * 3600)

/*
 * Build it with make. What is built goes to a folder in the user's cache (cachedir.h), named after
 * the tree, or after the commit, and is used again by the next call, so that make does what is new
 * alone; the tree itself is not written to. With REV that commit is checked out below the cache
 * first. The configuration is the tree's own .config where it has one, else the lab's (lab.config,
 * which boots in the lab), brought up to date by olddefconfig. What make says is kept in build.log
 * there.
 *
 * Returns 0 and *ret_path, the build's folder, for pt_image_open() (to be freed); -ENOENT (no such
 * tree, no make, no git); -EINVAL (not a kernel tree, no such commit); -EIO (make failed: @diag has
 * its last error and names the log); -ETIMEDOUT, -EINTR or -errno.
 */
int pt_kerneltree_build(const struct pt_kerneltree_options *opt, char **ret_path,
			struct pt_diag *diag);

#endif
