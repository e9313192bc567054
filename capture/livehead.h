/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The head of a live recording: this machine, and what the recorder can know of it. */
#ifndef PT_CAPTURE_LIVEHEAD_H
#define PT_CAPTURE_LIVEHEAD_H

#include <stdint.h>

#include "formats/head.h"

struct pt_livehead {
	const char *source;         /* "live", "replay" */
	const char *const *sources; /* event names, NULL-terminated */
	const char *const *command; /* NULL-terminated, or NULL */
	uint64_t counters_every_ns; /* UINT64_MAX: never */
	int knows_accesses;
	int knows_cgroups; /* the kernel tells owners and refaults */
	int knows_activations;
};

/* A new head; release with pt_head_done(). 0 or -ENOMEM, -EIO. */
int pt_livehead_init(struct pt_head *head, const struct pt_livehead *facts);

/* The recording starts now, not when the head was made. */
void pt_livehead_set_start(struct pt_head *head);

#endif
