/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a guest says of itself: the payload of HELLO and STATE. */
#ifndef PT_REPLAY_LAB_GUEST_IDENTITY_H
#define PT_REPLAY_LAB_GUEST_IDENTITY_H

#include <jansson.h>

#include "host/knobs.h"

/*
 * {protocol, release, version, build_id, arch, lru {flavour, mask, min_ttl_ms}, clocksource,
 * config {OPTION: "y"} or null (kconfig.h), knobs {NAME: value} (host/knobs.h), memory_bytes,
 * swap_bytes, cpus, nodes [{id, memory_bytes}], cmdline}. What the kernel does not tell is null or
 * left out. A new reference; NULL: no memory.
 */
json_t *pt_guest_identity(const struct pt_knob_place *place);

/* The same with vmstat {}, psi_us {} and kswapd_cpu_ns as they are now. */
json_t *pt_guest_state(const struct pt_knob_place *place);

#endif
