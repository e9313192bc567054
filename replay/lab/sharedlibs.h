/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a dynamically linked program needs beside itself: its interpreter, and shared libraries
 * found as ld.so(8) finds them (RPATH, RUNPATH, ld.so.conf, the system's folders), theirs too.
 *
 * The programs are read, never run. What they open with dlopen(3) is not known.
 */
#ifndef PT_REPLAY_LAB_SHAREDLIBS_H
#define PT_REPLAY_LAB_SHAREDLIBS_H

#include <stddef.h>

#include "util/diag.h"

#define PT_SHAREDLIBS_MAX 512 /* of one program */

struct pt_sharedlib {
	char *host;  /* where it is */
	char *guest; /* where ld.so of a machine without a cache finds it */
};

/* All zero is an empty list. */
struct pt_sharedlibs {
	struct pt_sharedlib *v;
	size_t n;
};

/*
 * Find what the file @program needs. A file that is no ELF program, or linked statically, needs
 * nothing. Returns 0 and *ret_s, to be released with pt_sharedlibs_done(); -ENOENT with the
 * library's name in @diag; -EBADMSG (a malformed ELF file), -E2BIG, -ENOMEM or -errno.
 */
int pt_sharedlibs_find(const char *program, struct pt_sharedlibs *ret_s, struct pt_diag *diag);
void pt_sharedlibs_done(struct pt_sharedlibs *s);

#endif
