/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Under what a replay ran: this kernel, the target's file system and device, and where they differ
 * from what the tape says of the recording.
 */
#ifndef PT_REPLAY_SETTINGS_H
#define PT_REPLAY_SETTINGS_H

#include <jansson.h>

#include "formats/reader.h"

/* {release, build_id, lru {flavour, mask, min_ttl_ms}} of the running kernel. @root: "" or a fake
 * tree's prefix. NULL without memory. */
json_t *pt_settings_kernel(const char *root);

/* Set "filesystem", "device", and "read_ahead_kb" of the file system that holds @fd, null where
 * they cannot be told. */
void pt_settings_target(const char *root, json_t *settings, int fd);

/* [{what, recorded, here}] of what both sides know and differ in. @kernel and @settings are what
 * the functions above gave. */
json_t *pt_settings_differs(const struct pt_reader *tape, const json_t *kernel,
			    const json_t *settings, uint64_t memory_bytes);

#endif
