/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Under what a replay ran: the target's file system and device, and where this machine differs from
 * what the tape says of the recording.
 */
#ifndef PT_REPLAY_SETTINGS_H
#define PT_REPLAY_SETTINGS_H

#include <jansson.h>

#include "formats/reader.h"

/* Set "filesystem" (its type), "device" (a name) and "read_ahead_kb" of the file system that holds
 * @fd, null where they cannot be told. @root: "" or a fake tree's prefix. */
void pt_settings_target(const char *root, json_t *settings, int fd);

/* The file system that holds @fd where its files live in memory alone, so that nothing of them is
 * ever read in or evicted: "tmpfs", "ramfs", "hugetlbfs"; NULL: it is another. */
const char *pt_settings_cacheless(int fd);

/* [{what, recorded, here}] of what both sides know and differ in. @kernel is
 * pt_identity_kernel()'s, @settings have what pt_settings_target() gives. */
json_t *pt_settings_differs(const char *root, const struct pt_reader *tape, const json_t *kernel,
			    const json_t *settings);

#endif
