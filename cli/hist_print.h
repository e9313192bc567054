/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evictions, refaults and their distances as text. */
#ifndef PT_CLI_HIST_PRINT_H
#define PT_CLI_HIST_PRINT_H

#include "analysis/tape_refaults.h"
#include "util/plot.h"

struct pt_hist_print {
	const char *path;
	const struct pt_reader *reader;
	const struct pt_refault *refaults;
	const char *metric; /* this distance only; "all"; NULL: evicted_pages */
	const char *cgroup; /* what was asked for, NULL: the machine */
	/* A byte for each cgroup, 1 where it is the recorded command's; NULL: none, or not the
	 * question. Then the refaults must be grouped by cgroup. */
	const uint8_t *subjects;
	enum pt_group_by by; /* the table to print; PT_BY_NOTHING: none */
	const char *by_name;
	uint64_t top; /* rows of it at most; 0: all */
};

/* One histogram, with its title, on stdout. */
void pt_hist_print_distance(enum pt_distance d, const struct pt_log2hist *h,
			    const struct pt_plot_style *style);

/* On stdout. 0 or -ENOMEM. */
int pt_hist_print(const struct pt_hist_print *p);

#endif
