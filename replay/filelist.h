/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of the files that we made in a target: ".pagetape-files", a path a line.
 */
#ifndef PT_REPLAY_FILELIST_H
#define PT_REPLAY_FILELIST_H

#include <stddef.h>

#include "util/diag.h"

/* Sorted, no path twice. All zero is an empty list. */
struct pt_filelist {
	char **v;
	size_t n, cap;
};

/* Read the list named @name in @dirfd; none there is an empty list. Returns 0 or -errno:
 * -EBADMSG where the file is no such list. */
int pt_filelist_load(int dirfd, const char *name, struct pt_filelist *ret_l, struct pt_diag *diag);

/* Write it, whole or not at all. */
int pt_filelist_save(int dirfd, const char *name, const struct pt_filelist *l,
		     struct pt_diag *diag);
void pt_filelist_done(struct pt_filelist *l);

/* Append a copy of @path; call pt_filelist_sort() before looking up. Returns 0 or -ENOMEM. */
int pt_filelist_add(struct pt_filelist *l, const char *path);
void pt_filelist_sort(struct pt_filelist *l);
int pt_filelist_has(const struct pt_filelist *l, const char *path);

#endif
