/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a guest boots from: an uncompressed cpio archive with pagetape as /init (and /bin/pagetape),
 * the kernel's modules, and files of the user's.
 */
#ifndef PT_REPLAY_LAB_INITRAMFS_H
#define PT_REPLAY_LAB_INITRAMFS_H

#include "replay/lab/modules.h"

#define PT_INITRAMFS_MAX_BYTES (UINT64_C(1) << 30) /* all of it; it lies in the guest's memory */
#define PT_INITRAMFS_MAX_FILES 65536

#define PT_INITRAMFS_MODULES "/lab/modules" /* the list: a path a line, in order */

struct pt_initramfs_options {
	const char *program;              /* pagetape, linked statically */
	const struct pt_modules *modules; /* NULL: none */
	/*
	 * "HOST[:GUEST]", NULL-ended; NULL: none. A file, or a folder with all that is in it. GUEST
	 * is absolute; without it a program from the PATH or a file goes to where it is on the
	 * host. A program brings its interpreter and its shared libraries.
	 */
	const char *const *extra;
};

/*
 * Whether @program can be a guest's init: an ELF program for x86-64, linked statically. 0;
 * -ENOEXEC, -EINVAL (it is not static) or -errno with @diag. Writing an archive asks for the latter
 * alone.
 */
int pt_initramfs_check_program(const char *program, struct pt_diag *diag);

/*
 * Write it to the file @path, made anew. Returns 0; -ENOENT (no such file, or library); -EINVAL (a
 * program that is not static, a GUEST that is no absolute path or holds ".."); -EEXIST (two files
 * for one name); -E2BIG; or -errno, with @diag. On failure nothing is left.
 */
int pt_initramfs_write(const char *path, const struct pt_initramfs_options *opt,
		       struct pt_diag *diag);

#endif
