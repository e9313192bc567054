/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a live recording's events come from: a tracefs instance of our own, with all the events
 * that this kernel has switched on, its ring and what decodes it.
 */
#ifndef PT_CAPTURE_LIVESOURCE_H
#define PT_CAPTURE_LIVESOURCE_H

#include <stdint.h>

#include "capture/decoder.h"
#include "capture/instance.h"
#include "capture/interpreter.h"
#include "capture/ring.h"
#include "util/diag.h"

#define PT_LIVESOURCE_EVENTS 64

struct pt_livesource {
	struct pt_instance *instance;
	struct tep_handle *tep;
	struct pt_decoder *decoder;
	struct pt_ring *ring;
	struct pt_memcg_items items; /* that memcg events are filtered to; -1: none of them */
	uint64_t types;              /* bit 1 << enum pt_kevent_type: such events are on */
	uint64_t shadow_shrinker;    /* its address, PT_UNKNOWN where that is hidden */
	char *names[PT_LIVESOURCE_EVENTS + 1]; /* of the events that are on; NULL-terminated */
};

/*
 * Open it with @ring_bytes a CPU (0: by the machine's memory); pt_instance_on() then starts it. 0,
 * or -errno with @diag: -EPERM and -EACCES want root, -ENOENT wants tracefs or a newer kernel.
 * pt_livesource_close() it in both cases.
 */
int pt_livesource_open(struct pt_livesource *s, uint64_t ring_bytes, struct pt_diag *diag);

/* Whether events of @type are on: that the kernel knows them does not say so. */
int pt_livesource_has(const struct pt_livesource *s, enum pt_kevent_type type);

/* Close the ring and remove the instance; the names of the events stay. */
void pt_livesource_stop(struct pt_livesource *s);

void pt_livesource_close(struct pt_livesource *s);

#endif
