/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apt with lists and archives of its own, below a folder of ours: the host's are neither used nor
 * changed, and no root is needed.
 */
#ifndef PT_REPLAY_LAB_APT_H
#define PT_REPLAY_LAB_APT_H

#include <signal.h>
#include <stddef.h>

#include "util/diag.h"

struct pt_apt;

/*
 * Keep all in DIR/apt, which is made with DIR. Servers are those of the machine below @root ("" or
 * a fake tree; aptsources.h). Returns 0 and *ret_a, or -errno with @diag.
 */
int pt_apt_new(const char *root, const char *dir, const volatile sig_atomic_t *stop,
	       struct pt_apt **ret_a, struct pt_diag *diag);
void pt_apt_free(struct pt_apt *a); /* the files stay; NULL is fine */

/*
 * Get the lists of the machine's release and of the next: security updates and backports, and with
 * @all the whole releases too. A suite that is not there is none. 0; -EIO where no list at all
 * came, with apt's words; -ENOENT without apt; -EINTR...
 */
int pt_apt_update(struct pt_apt *a, int all, struct pt_diag *diag);

struct pt_apt_package {
	char *name, *version;
};

/* All zero is an empty list. */
struct pt_apt_list {
	struct pt_apt_package *v;
	size_t n;
};

/* All that is served, in all versions, with names that begin with @prefix and end in "amd64". */
int pt_apt_packages(struct pt_apt *a, const char *prefix, struct pt_apt_list *ret_l,
		    struct pt_diag *diag);
void pt_apt_list_done(struct pt_apt_list *l);

/* Download exactly this one. *ret_file is the .deb, to be removed and freed. */
int pt_apt_download(struct pt_apt *a, const struct pt_apt_package *p, char **ret_file,
		    struct pt_diag *diag);

#endif
