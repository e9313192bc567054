/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A candidate kernel as files on the host: what to boot, which modules go with it, and what it says
 * of itself, so that what ran can be compared with what was meant.
 *
 * The image is untrusted input: every offset in its header is checked. x86-64 bzImages only.
 */
#ifndef PT_REPLAY_LAB_IMAGE_H
#define PT_REPLAY_LAB_IMAGE_H

#include <jansson.h>

#include "util/diag.h"

/* Paths are the caller's, as given, joined with what was found below; NULL where there is none. */
struct pt_image {
	char *path;     /* the file or folder it was found by */
	char *boot;     /* the bzImage */
	char *modules;  /* folder that holds the .ko files somewhere below; NULL: all is built in */
	char *config;   /* the kernel's .config */
	char *vmlinux;  /* the ELF file, in a build tree or a debug package */
	char *release;  /* uname -r, from the bzImage's header */
	char *version;  /* uname -v, from there */
	char *build_id; /* lower-case hex; NULL where it is not known */
};

/*
 * Find the kernel at @path: a bzImage or vmlinuz file (its modules are looked for beside it, as
 * ../lib/modules/RELEASE, ../../lib/modules/RELEASE and, for one that lies among its modules, in
 * its own folder), or a folder: a build tree (arch/x86/boot/bzImage), an unpacked package
 * (boot/vmlinuz-*, usr/lib/modules/RELEASE/vmlinuz, lib/modules/RELEASE/vmlinuz), or one with a
 * single vmlinuz* or bzImage in it.
 *
 * Returns 0 and *ret_i, to be released with pt_image_free(); -ENOENT (no kernel there), -E2BIG (a
 * folder with several: the message names them), -EBADMSG (not a bzImage), -EOPNOTSUPP (not for
 * x86-64) or -errno, with @diag filled.
 */
int pt_image_open(const char *path, struct pt_image **ret_i, struct pt_diag *diag);
void pt_image_free(struct pt_image *i); /* NULL is fine */

/*
 * Compare what runs in a guest (@hello: its "release", "version" and "build_id") with the image.
 * What one of the two does not know is not compared, but a release it must have. Returns 0, or
 * -EBADMSG with @diag naming the first difference.
 */
int pt_image_check(const struct pt_image *i, const json_t *hello, struct pt_diag *diag);

/* {image, release, version, build_id, config (its path or null)}. A new reference; NULL: no memory.
 */
json_t *pt_image_json(const struct pt_image *i);

#endif
