/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which kernel this machine runs, and in what surroundings: the facts that a tape's head and a
 * replay's result name.
 *
 * @root is "" for this machine or the prefix of a fake tree. What a kernel does not tell is left
 * out, never invented.
 */
#ifndef PT_HOST_IDENTITY_H
#define PT_HOST_IDENTITY_H

#include <jansson.h>
#include <stdint.h>

/*
 * {release, version, build_id, arch, lru {flavour "classic" or "mglru", mask, min_ttl_ms}}. A new
 * reference, or NULL when out of memory.
 */
json_t *pt_identity_kernel(const char *root);

#define PT_BUILD_ID_HEX 129 /* of the longest build-id taken, 64 bytes, and its NUL */

/* The GNU build-id among @len bytes of ELF notes, in hex: 0 or -ENOENT. They need not be valid. */
int pt_identity_build_id(const uint8_t *notes, size_t len, char ret_hex[PT_BUILD_ID_HEX]);

/* Copy /proc/sys/kernel/random/boot_id to @buf ("" where there is none). Returns @buf. */
char *pt_identity_boot(const char *root, char *buf, size_t size);

#endif
