/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a kernel file says of itself: the header of a bzImage, as the x86 boot protocol
 * (Documentation/arch/x86/boot.rst) has it, and GNU build-ids.
 *
 * The files are untrusted input.
 */
#ifndef PT_REPLAY_LAB_BZIMAGE_H
#define PT_REPLAY_LAB_BZIMAGE_H

#include <stdint.h>

#include "util/diag.h"

struct pt_bzimage {
	char release[128], version[128];   /* uname -r and -v, printable ASCII */
	uint64_t payload_off, payload_len; /* bytes in the file; 0: not told */
};

/*
 * Read the header of the file @fd. Returns 0, -EBADMSG (no bzImage, or a header that points outside
 * of the file), -EOPNOTSUPP (not for x86-64) or -errno.
 */
int pt_bzimage_read(int fd, struct pt_bzimage *ret_b, struct pt_diag *diag);

/*
 * The build-id of the kernel that is packed in the bzImage, as lower-case hex to be freed. It is
 * unpacked as far as its notes. Returns 0; -EOPNOTSUPP where it is packed by something other than
 * zstd; -ENOENT where it has none; -EBADMSG, -ENOMEM or -errno.
 */
int pt_bzimage_build_id(int fd, const struct pt_bzimage *b, char **ret_hex);

/*
 * Whether the kernel packed in it holds the bytes of @text: 1 or 0; -EOPNOTSUPP, -EBADMSG, -ENOMEM
 * or -errno. All of it is unpacked, which takes some tenths of a second.
 */
int pt_bzimage_has(int fd, const struct pt_bzimage *b, const char *text);

/* The build-id of the ELF file @path (a vmlinux), as above. 0, -ENOENT, -EBADMSG or -errno. */
int pt_elf_build_id(const char *path, char **ret_hex);

#endif
