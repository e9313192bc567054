/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files below a directory, and never anywhere else.
 *
 * Paths are relative and have neither "." nor ".." nor empty components; no symbolic link is
 * followed, not even one planted between two calls: the kernel resolves the path under
 * RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS, or, where it is too old for openat2(2), every
 * component is opened in turn with O_NOFOLLOW. Opening never blocks on a FIFO.
 */
#ifndef PT_REPLAY_BENEATH_H
#define PT_REPLAY_BENEATH_H

/*
 * Open PATH below @dirfd; O_CLOEXEC, O_NOFOLLOW, O_NONBLOCK and O_NOCTTY are added. Returns a
 * descriptor, or -errno: -EXDEV or -EINVAL for a path that would leave, -ELOOP for a link.
 */
int pt_beneath_open(int dirfd, const char *path, int flags, unsigned int mode);

/* The same without openat2(2): what old kernels get, and tests. */
int pt_beneath_walk(int dirfd, const char *path, int flags, unsigned int mode);

/* Make the directories that lead to the file PATH. Returns 0 or -errno. */
int pt_beneath_make_parents(int dirfd, const char *path);

/* Remove the file PATH. Returns 0 or -errno. */
int pt_beneath_unlink(int dirfd, const char *path);

/* Remove the directories that lead to PATH, deepest first, as far as they are empty. */
void pt_beneath_prune_parents(int dirfd, const char *path);

/*
 * Turn a recorded path, any bytes, into a relative one that may be used here: the leading '/' goes,
 * control bytes and '%' become %XX, "." and ".." become %2E and %2E%2E, a first component "dev-..."
 * or ".pagetape..." (our own names) has its first byte coded, and components longer than 200 bytes
 * are cut and end in '~' and a checksum. Different paths give different names, but for checksums:
 * the caller checks. Returns a string to be released with free(), or NULL when out of memory; ""
 * where nothing can be made of it (no component, or too long in all).
 */
char *pt_beneath_name(const char *recorded);

#endif
