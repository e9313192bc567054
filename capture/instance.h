/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracefs instance of our own: made, set up, switched on and off, and removed.
 *
 * It is called pagetape-PID-N. Instances of recorders that are dead are removed first. Nothing
 * outside of our own instance is ever changed.
 */
#ifndef PT_CAPTURE_INSTANCE_H
#define PT_CAPTURE_INSTANCE_H

#include <stdint.h>
#include <sys/types.h>

#include "util/diag.h"

struct tep_handle;
struct pt_instance;

/*
 * Make one below @tracefs (NULL: where this machine has it mounted), with @ring_bytes for each CPU
 * and the monotonic clock. Returns 0 and *ret_i, to be released with pt_instance_free(), or -errno
 * with @diag: -EPERM and -EACCES want root, -ENOENT wants tracefs.
 */
int pt_instance_new(const char *tracefs, uint64_t ring_bytes, struct pt_instance **ret_i,
		    struct pt_diag *diag);

/* Switch it off, remove it, release it. NULL is fine. */
void pt_instance_free(struct pt_instance *i);

const char *pt_instance_dir(const struct pt_instance *i);

/* A new libtraceevent handle with the formats of all pt_kevents that the kernel has; the caller
 * releases it with tep_free(). */
int pt_instance_formats(const struct pt_instance *i, struct tep_handle **ret_tep,
			struct pt_diag *diag);

/* Switch on the event, filtered by the kernel where @filter is not NULL. */
int pt_instance_enable(const struct pt_instance *i, const char *system, const char *name,
		       const char *filter);

/* Leave out what thread @tid does. */
int pt_instance_exclude(const struct pt_instance *i, pid_t tid);

/* Start and stop recording. */
int pt_instance_on(const struct pt_instance *i, int on);

/* Whether it records: 1, 0 where somebody else has switched it off, or -errno. */
int pt_instance_is_on(const struct pt_instance *i);

#endif
