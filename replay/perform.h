/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One operation as system calls or touches of mapped memory.
 */
#ifndef PT_REPLAY_PERFORM_H
#define PT_REPLAY_PERFORM_H

#include "replay/worker.h"

/* What pt_perform() returns where the kernel raised SIGBUS: no errno has this value. */
#define PT_PERFORM_SIGBUS 4095

/* Open or map what @op needs, where that has not happened yet: not part of its latency. Returns 0,
 * 1 where it did, or -errno. */
int pt_perform_prepare(const struct pt_cast *cast, const struct pt_op *op);

/* Do it, with @buffer of PT_STAGE_BUFFER bytes. Returns bytes read or written (0 for what moves
 * none), -errno, or -PT_PERFORM_SIGBUS. */
int64_t pt_perform(const struct pt_cast *cast, const struct pt_op *op, uint8_t *buffer);

/* Turn SIGBUS in a touched mapping (cut file, I/O error) into an error of the operation. */
void pt_perform_catch_sigbus(void);

#endif
