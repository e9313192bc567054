/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own counters as sets of names and values.
 *
 * Names are the kernel's. A counter that this kernel does not keep is absent, never 0. @root is ""
 * for this machine or the prefix of a fake tree. Reading memory.stat makes the kernel flush its
 * statistics, which changes what it activates: read it seldom.
 */
#ifndef PT_HOST_COUNTERS_H
#define PT_HOST_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "util/bytes.h"

#define PT_COUNTER_NONE UINT64_MAX

struct pt_counter {
	const char *name;
	uint64_t value;
};

/* All zero is an empty set. */
struct pt_counters {
	struct pt_counter *v;
	size_t n;
	char *text; /* what the names point into */
};

/*
 * Each reads one source into an empty set and returns 0 or -errno (-ENOENT: this kernel has it
 * not), the set then unchanged:
 * /proc/vmstat, pages and events;
 * memory.stat of the cgroup whose directory is @dir, bytes and events;
 * memory pressure of the machine, or of the cgroup at @dir, as "some" and "full" (us in total);
 * CPU time of each kswapd thread by its name ("kswapd0"), in ns;
 * any file of lines of a name and a number, as /proc/PID/io.
 */
int pt_counters_vmstat(const char *root, struct pt_counters *ret_c);
int pt_counters_memstat(const char *dir, struct pt_counters *ret_c);
int pt_counters_psi(const char *root, struct pt_counters *ret_c);
int pt_counters_psi_cgroup(const char *dir, struct pt_counters *ret_c);
int pt_counters_kswapd(const char *root, struct pt_counters *ret_c);
int pt_counters_pairs(const char *root, const char *path, struct pt_counters *ret_c);
void pt_counters_done(struct pt_counters *c);

/* The value of @name, PT_COUNTER_NONE where it is absent. */
uint64_t pt_counters_get(const struct pt_counters *c, const char *name);

/* The sum of all values, PT_COUNTER_NONE of an empty set. */
uint64_t pt_counters_sum(const struct pt_counters *c);

/* Append "NAME VALUE\n" lines to @b. Returns 0 or -ENOMEM. */
int pt_counters_format(const struct pt_counters *c, struct pt_buf *b);

#endif
