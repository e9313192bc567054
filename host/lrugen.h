/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MGLRU's generations: of each memory cgroup and NUMA node the oldest and the youngest.
 *
 * They are in debugfs, for root and where that is mounted. The kernel numbers generations upwards:
 * reclaim takes from the oldest, aging opens a new youngest. The file exists under the classic LRU
 * too, where it says nothing.
 */
#ifndef PT_HOST_LRUGEN_H
#define PT_HOST_LRUGEN_H

#include <stddef.h>
#include <stdint.h>

#include "util/bytes.h"

#define PT_LRUGEN_TEXT_MAX (1u << 20) /* bytes of the file that are looked at */
#define PT_LRUGEN_MAX      256        /* nodes taken, of all cgroups together */
#define PT_LRUGEN_NONE     UINT64_MAX

struct pt_lrugen {
	const char *path; /* of the cgroup, from the hierarchy's root: "/", "/a/b" */
	uint32_t node;
	uint64_t min_seq, max_seq;
	uint64_t min_seq_file; /* the oldest with file pages; PT_LRUGEN_NONE: none has any */
};

/* All zero is empty; release with pt_lrugens_done(). */
struct pt_lrugens {
	struct pt_lrugen *v; /* the nodes of a cgroup one behind the other */
	size_t n;
	char *text; /* what the paths point into */
};

/* Whether the kernel uses them now. @root is "" or the prefix of a fake tree. */
int pt_lrugens_used(const char *root);

/*
 * Read those of the cgroup at @path and of all below it into an empty set. What is beyond the
 * limits above is left out. 0, -ENOMEM, or what opening and reading the file say.
 */
int pt_lrugens_read(const char *root, const char *path, struct pt_lrugens *ret_g);
void pt_lrugens_done(struct pt_lrugens *g);

/*
 * Append the cgroup's nodes from @i on as lines "nodeN_min_seq VALUE", "nodeN_max_seq VALUE" and,
 * where it is known, "nodeN_min_seq_file VALUE". *@ret_next is the index behind them. 0 or -ENOMEM.
 */
int pt_lrugens_format(const struct pt_lrugens *g, size_t i, struct pt_buf *b, size_t *ret_next);

#endif
