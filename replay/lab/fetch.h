/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels of the distribution, through the machine's own package manager.
 *
 * apt is run with lists of its own, in the folder that the kernels go to. It asks the servers that
 * the machine's sources name, for more suites than those: security updates, backports, and the next
 * release's. Nothing of the host is changed, and it takes no root where that folder can be written.
 */
#ifndef PT_REPLAY_LAB_FETCH_H
#define PT_REPLAY_LAB_FETCH_H

#include <signal.h>

#include "util/diag.h"

struct pt_fetch_options {
	const char *what; /* "debian:VERSION": a series, "6.12", or a version, "6.12.95" */
	const char *dir;  /* where DIR/VERSION is made; it is made too */
	const volatile sig_atomic_t *stop;        /* NULL: none */
	void (*say)(void *arg, const char *what); /* what is done now, one line; NULL: nobody */
	void *arg;
};

/*
 * Fetch the newest kernel that fits, and unpack it. One that is there already is kept. Returns 0
 * and *ret_path (the kernel's folder, a SPEC; to be freed), or -errno with @diag: -EINVAL (not such
 * a name), -EOPNOTSUPP (no such distribution, or this machine has no apt sources of it), -ENOENT
 * (no such version: @diag lists those that are served), -EIO (apt's own words), -EBUSY
 * (another call fetches into the folder), -EINTR.
 */
int pt_fetch_kernel(const struct pt_fetch_options *opt, char **ret_path, struct pt_diag *diag);

#endif
