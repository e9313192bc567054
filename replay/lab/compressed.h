/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole files that may be compressed: xz, zstd or gzip, told by their first bytes, or neither.
 */
#ifndef PT_REPLAY_LAB_COMPRESSED_H
#define PT_REPLAY_LAB_COMPRESSED_H

#include "util/bytes.h"
#include "util/diag.h"

/*
 * Append what the file @path holds, decompressed, to @b: @max_bytes at most, compressed or not. The
 * input is not trusted. Returns 0; -EBADMSG (malformed), -ENODATA (cut short), -E2BIG, -ENOMEM or
 * -errno, with @diag naming the file; then @b may hold a part of it.
 */
int pt_compressed_read(const char *path, size_t max_bytes, struct pt_buf *b, struct pt_diag *diag);

#endif
