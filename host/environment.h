/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What decides where pages stay: memory, its nodes, swap, the vm knobs, huge pages, the command
 * line. Read once, for a tape's head or a replay's settings.
 */
#ifndef PT_HOST_ENVIRONMENT_H
#define PT_HOST_ENVIRONMENT_H

#include <jansson.h>

/*
 * {memory_bytes, cpus, cmdline, nodes [{id, memory_bytes}], swap_bytes, zswap, thp,
 * fault_around_bytes, min_ttl_ms, vm {KNOB: value}}; what this kernel does not tell is left out.
 * @root is "" or the prefix of a fake tree. A new reference, or NULL when out of memory.
 */
json_t *pt_environment(const char *root);

/*
 * Write back, then drop the page cache, dentries and inodes of the whole machine. What is mapped or
 * dirty again stays. Returns 0 or -errno: it takes root.
 */
int pt_environment_drop_caches(const char *root);

#endif
