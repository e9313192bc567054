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
 * Take "DIR" or "DIR@REV" apart: DIR is the longest part before an @, or all of it, that is a
 * folder, since folders and revisions ("HEAD@{1}") may have one in their names; where there is
 * none, what stands before the last. Returns 0, *ret_dir and *ret_rev (NULL: none), both to be
 * freed; -EINVAL where either is empty; or -ENOMEM.
 */
int pt_kerneltree_split(const char *spec, char **ret_dir, char **ret_rev);

/*
 * Build it with make. A tree that has a .config of its own is built where it is, as its developer
 * does. Any other is not written to: what is built goes to the user's cache (cachedir.h), by the
 * tree's name or by the commit, and is used again, so that make does what is new alone. With REV
 * that commit is checked out there first, as a git worktree, and takes the .config of DIR where
 * there is one. Without any the configuration is the lab's (lab.config). All are brought up to date
 * by olddefconfig. What make says is kept in build.log there.
 *
 * Returns 0 and *ret_path, the build's folder, for pt_image_open() (to be freed); -ENOENT (no such
 * tree, no make, no git); -EINVAL (not a kernel tree, no such commit); -EBUSY (another call builds
 * it); -EIO (make failed: @diag has its first error and names the log); -ETIMEDOUT, -EINTR or
 * -errno.
 */
int pt_kerneltree_build(const struct pt_kerneltree_options *opt, char **ret_path,
			struct pt_diag *diag);

#endif
