/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernels at hand: images that are found where distributions, builds and we put them.
 */
#ifndef PT_REPLAY_LAB_KERNELS_H
#define PT_REPLAY_LAB_KERNELS_H

#include <stddef.h>

#include "replay/lab/image.h"
#include "util/diag.h"

enum pt_kernel_accesses {
	PT_KERNEL_ACCESSES_UNKNOWN,
	PT_KERNEL_ACCESSES_NO,  /* no tracepoints tell of reads and faults */
	PT_KERNEL_ACCESSES_YES, /* mm_filemap_get_pages is in it */
};

struct pt_kernel {
	char *name; /* of its folder in a folder of kernels, else its release; may be a SPEC */
	struct pt_image *image;
	enum pt_kernel_accesses accesses;
};

/* In the order in which they were found; all zero is an empty list. */
struct pt_kernels {
	struct pt_kernel *v;
	size_t n;
};

/*
 * Look in @dirs (NULL-ended): each may itself be a kernel's folder (image.h), or hold such folders.
 * NULL looks in the lab's own folders (below) and in /boot and /lib/modules. What is not a kernel,
 * or cannot be read, is left out; a folder of the caller's that is not there is -errno with @diag.
 * Release with pt_kernels_done().
 */
int pt_kernels_find(const char *const *dirs, struct pt_kernels *ret_k, struct pt_diag *diag);
void pt_kernels_done(struct pt_kernels *k);

/*
 * The folders that `lab fetch` fills: $PAGETAPE_KERNELS, else the user's cache (cachedir.h); and
 * /var/cache/pagetape-kernels, for all users, where it is.
 */
#define PT_KERNELS_SHARED "/var/cache/pagetape-kernels"

/* Where `lab fetch` puts kernels without --to: the first of these, made where it is missing. To be
 * freed. 0 or -errno. */
int pt_kernels_folder(char **ret_path);

/*
 * The kernel called @name (as in `debian:6.12`, or "6.12") in the lab's own folders: its folder, to
 * be freed. 0, -ENOENT or -ENOMEM.
 */
int pt_kernels_by_name(const char *name, char **ret_path);

#endif
