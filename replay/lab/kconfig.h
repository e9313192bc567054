/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's configuration, as far as it decides what pages do and how fast: from a .config, or
 * from /proc/config.gz of a kernel that runs.
 */
#ifndef PT_REPLAY_LAB_KCONFIG_H
#define PT_REPLAY_LAB_KCONFIG_H

#include <jansson.h>

#include "util/diag.h"

/*
 * Read the file, compressed or not. *ret_config is {LRU_GEN: "y", MEMCG: "y", KASAN: "n", HZ: "250"
 * ...}: "n" is one that is not set; a new reference. Returns 0, -ENOENT, -ENOMEM or as
 * pt_compressed_read().
 */
int pt_kconfig_read(const char *path, json_t **ret_config, struct pt_diag *diag);

#endif
