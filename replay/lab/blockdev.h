/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole block devices of a guest. */
#ifndef PT_REPLAY_LAB_BLOCKDEV_H
#define PT_REPLAY_LAB_BLOCKDEV_H

#include "util/diag.h"

/*
 * Copy what is not zero of the device @from to the fresh, so all zero, device @to. It bypasses the
 * page cache. Returns 0, -ENOSPC (smaller) or -errno.
 */
int pt_blockdev_copy(const char *from, const char *to, struct pt_diag *diag);

/* Write an empty swap area, as mkswap does, over all of @device. Returns 0, -ENOSPC or -errno. */
int pt_blockdev_make_swap(const char *device, struct pt_diag *diag);

#endif
