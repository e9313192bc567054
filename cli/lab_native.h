/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a lab's native command, out of the recording of it. */
#ifndef PT_CLI_LAB_NATIVE_H
#define PT_CLI_LAB_NATIVE_H

#include <jansson.h>
#include <stdint.h>

#include "util/diag.h"

#define PT_NATIVE_TAPE "native.ptape" /* the recording, in the cell's folder */

/*
 * A document of the form that replays' results have, with one run: what the tape in @part and the
 * kernel's counts in its head tell. @memory_bytes: the limit, 0: none. 0 and *ret_doc, or -errno
 * with @diag.
 */
int pt_native_result(const char *part, uint64_t memory_bytes, json_t **ret_doc,
		     struct pt_diag *diag);

#endif
