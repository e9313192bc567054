/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modules that a kernel needs in a guest: found below a folder, in the order in which they must
 * be loaded, decompressed.
 *
 * Neither depmod's files nor kmod are needed, since an unpacked package has no modules.dep: each
 * module says itself what it depends on (.modinfo). Files are untrusted input.
 */
#ifndef PT_REPLAY_LAB_MODULES_H
#define PT_REPLAY_LAB_MODULES_H

#include <stddef.h>

#include "util/bytes.h"
#include "util/diag.h"

#define PT_MODULE_MAX_BYTES (256u << 20) /* of one, decompressed */

struct pt_module {
	char *name; /* with '_' for '-', without ".ko": "virtio_blk" */
	char *path; /* of the file: .ko, .ko.xz, .ko.zst or .ko.gz */
};

struct pt_modules;

/*
 * Look for modules below @dir, in all its folders; symbolic links are not followed. NULL is a
 * kernel without any. Returns 0 and *ret_m, -ENOMEM or -errno.
 */
int pt_modules_open(const char *dir, struct pt_modules **ret_m, struct pt_diag *diag);
void pt_modules_free(struct pt_modules *m); /* NULL is fine */

/*
 * Want @name, and before it what it depends on. Returns 0 (also where it is built in, or wanted
 * already); -ENOENT where the kernel has it neither as a module nor built in; -EBADMSG for a file
 * that is no module; -ELOOP; -E2BIG or -errno. Where a kernel does not say what it has built in (it
 * has no modules.builtin), what is no module is taken to be built in: only the boot can tell.
 */
int pt_modules_want(struct pt_modules *m, const char *name, struct pt_diag *diag);

enum pt_modules_needs {
	PT_NEED_DISK = 1 << 0,    /* a virtio disk */
	PT_NEED_RAMDISK = 1 << 1, /* brd */
	PT_NEED_ZRAM = 1 << 2,    /* zram, with the compressors that there are */
};

/*
 * Want all that a guest needs: the channel, what @needs says, the file system @fs (NULL: none).
 * -ENOENT says what is missing in one line: "the kernel has no block driver (virtio_blk)...".
 */
int pt_modules_need(struct pt_modules *m, const char *fs, unsigned int needs, struct pt_diag *diag);

/* What is wanted, in order. Borrowed until the next want. */
size_t pt_modules_count(const struct pt_modules *m);
const struct pt_module *pt_modules_at(const struct pt_modules *m, size_t i);

/* Append the module's contents, decompressed, to @b. 0, -EBADMSG, -ENODATA (cut), -E2BIG, -errno.
 */
int pt_module_read(const char *path, struct pt_buf *b, struct pt_diag *diag);

#endif
