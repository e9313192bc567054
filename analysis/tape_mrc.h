/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The miss-ratio curve of a whole tape, simulated policies, and how far the kernel's own misses are
 * from LRU's and OPT's with the same number of pages.
 *
 * Accesses are counted as pageaccess.h tells, distances as reuse.h, the kernel's misses as
 * kernelmiss.h. A group's curve is that of its accesses alone, in a cache of its own. One read of
 * the tape does; its times are not needed, so open it with PT_READER_NO_TIME, PT_MRC_KINDS and
 * pt_mrc_fields.
 */
#ifndef PT_ANALYSIS_TAPE_MRC_H
#define PT_ANALYSIS_TAPE_MRC_H

#include <jansson.h>

#include "analysis/pageaccess.h"
#include "analysis/policy.h"
#include "analysis/refault.h"
#include "analysis/reuse.h"
#include "analysis/walk.h"

/* The kinds of records that are looked at, for pt_reader_options. */
#define PT_MRC_KINDS                                                                  \
	(UINT64_C(1) << PT_ACCESS | UINT64_C(1) << PT_WRITE | UINT64_C(1) << PT_ADD | \
	 UINT64_C(1) << PT_EVICT | UINT64_C(1) << PT_REMOVE | UINT64_C(1) << PT_ATTACH)

/* The fields of theirs that are, by kind. */
extern const uint32_t pt_mrc_fields[PT_KIND_COUNT];

#define PT_MRC_POLICIES 8 /* as many as there are, without OPT */

struct pt_mrc_options {
	struct pt_reuse_options sample;
	enum pt_group_by by; /* nothing, cgroup (the accessing task's) or file */
	/* Cache sizes in pages, rising, each above 0. Borrowed. None: powers of two from 1 to the
	 * first that holds all pages. */
	const uint64_t *sizes;
	size_t nsizes;
	const struct pt_policy *policies[PT_MRC_POLICIES];
	size_t npolicies; /* above 0, or opt: not together with sample.max_pages */
	int opt;
	uint64_t memory_pages; /* to compare the kernel at; 0: what the tape tells */
	/*
	 * Only what belongs to these, see cgroupfilter.h; NULL: everything. Borrowed. Not together
	 * with by, and r must be opened for all fields.
	 */
	const uint8_t *cgroups;
};

/* Where the number of pages comes from at which the kernel is compared. */
enum pt_mrc_memory {
	PT_MRC_MEMORY_NONE = 0,
	PT_MRC_MEMORY_OPTION = 1,
	PT_MRC_MEMORY_CACHED = 2, /* the most that the kernel cached at once */
	PT_MRC_MEMORY_LIMIT = 3,  /* of the subject's cgroup, as nothing was evicted */
};

/* PT_UNKNOWN and NAN where not known. */
struct pt_mrc_kernel {
	enum pt_mrc_memory memory;
	uint64_t pages;
	uint64_t limit_pages;
	uint64_t misses, cached_before, cached_max;
	double miss_ratio;
	uint64_t lru, opt; /* misses with as many pages */
};

struct pt_mrc_group {
	uint32_t key; /* id of a cgroup or file, PT_UNKNOWN32: not known */
	struct pt_reuse *reuse;
};

struct pt_mrc {
	struct pt_reuse *reuse;
	uint64_t records[PT_PAGEACCESS_KINDS]; /* by what they were */
	uint64_t *sizes;                       /* pages */
	double *curve;                         /* LRU's miss ratio, by size */
	size_t nsizes;
	double *policies[PT_MRC_POLICIES + 1]; /* as the options have them, then OPT if wanted */
	size_t npolicies;
	const char *names[PT_MRC_POLICIES + 1];
	struct pt_mrc_kernel kernel;
	struct pt_mrc_group *groups; /* in order of appearance */
	size_t ngroups;
	uint32_t max_pages; /* of the sample, from the options */
};

/* Read @r. 0 and *@ret_m, or -errno with @diag. */
int pt_tape_mrc(struct pt_reader *r, const struct pt_mrc_options *opt, struct pt_mrc **ret_m,
		struct pt_walk *ret_w, struct pt_diag *diag);
void pt_mrc_free(struct pt_mrc *m);

/* LRU's miss ratio of @reuse with @pages pages; NAN where there are no accesses. */
double pt_mrc_ratio(const struct pt_reuse *reuse, uint64_t pages);

/* "option", "cached", "limit"; NULL: none. */
const char *pt_mrc_memory_name(enum pt_mrc_memory memory);

/* The kernel's misses as a multiple of @misses, LRU's or OPT's; NAN where one is not known or 0. */
double pt_mrc_kernel_over(const struct pt_mrc_kernel *k, uint64_t misses);

/* The document `mrc --json` prints. NULL when out of memory. */
json_t *pt_mrc_document(const struct pt_reader *r, const struct pt_mrc *m, enum pt_group_by by,
			int complete);

#endif
