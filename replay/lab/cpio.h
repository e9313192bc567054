/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cpio archive as the kernel unpacks it ("newc", Documentation/driver-api/early-userspace), all
 * owned by root.
 *
 * Names are as in the guest, absolute or not. A name with an empty, "." or ".." component, a
 * control byte, or more than PATH_MAX bytes is refused (-EINVAL); so is a name that is there
 * already
 * (-EEXIST), unless both are folders. Folders on the way are made. Not thread-safe.
 */
#ifndef PT_REPLAY_LAB_CPIO_H
#define PT_REPLAY_LAB_CPIO_H

#include <stddef.h>
#include <stdint.h>

#include "util/diag.h"

struct pt_cpio;

/* Write to @fd, which stays the caller's, @max_bytes and @max_files at most (-E2BIG later). */
int pt_cpio_new(int fd, uint64_t max_bytes, uint64_t max_files, struct pt_cpio **ret_c);
void pt_cpio_free(struct pt_cpio *c); /* NULL is fine */

/* Each returns 0 or -errno with @diag; after a failure the archive is of no use. */
int pt_cpio_folder(struct pt_cpio *c, const char *name, uint32_t mode, struct pt_diag *diag);
int pt_cpio_bytes(struct pt_cpio *c, const char *name, uint32_t mode, const void *data, size_t len,
		  struct pt_diag *diag);
int pt_cpio_link(struct pt_cpio *c, const char *name, const char *target, struct pt_diag *diag);
int pt_cpio_node(struct pt_cpio *c, const char *name, uint32_t mode, unsigned int major,
		 unsigned int minor, struct pt_diag *diag);

/* The regular file @fd, as long as it is now; -ENODATA where it shrinks meanwhile. */
int pt_cpio_file(struct pt_cpio *c, const char *name, uint32_t mode, int fd, struct pt_diag *diag);

/* Whether @name is there: 0; 1, or 2 for a folder. */
int pt_cpio_has(const struct pt_cpio *c, const char *name);

/* Write the end. */
int pt_cpio_finish(struct pt_cpio *c, struct pt_diag *diag);

#endif
