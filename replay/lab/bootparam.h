/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's command line: NAME or NAME=VALUE, between blanks that are not within double quotes. In
 * names '-' and '_' are the same, and the last of several values holds, as for the kernel.
 */
#ifndef PT_REPLAY_LAB_BOOTPARAM_H
#define PT_REPLAY_LAB_BOOTPARAM_H

#include "util/bytes.h"

/*
 * Copy the value of @name to @buf of @size bytes, cut to fit ("" for a name without a value).
 * Returns 1, or 0 where it is not there.
 */
int pt_bootparam_get(const char *cmdline, const char *name, char *buf, size_t size);

/*
 * Append what is given to a module, MODULE.PARAMETER=VALUE, as init_module(2) takes it:
 * "PARAMETER=VALUE ..." and a NUL. Returns 0 or -ENOMEM.
 */
int pt_bootparam_module(const char *cmdline, const char *module, struct pt_buf *b);

#endif
