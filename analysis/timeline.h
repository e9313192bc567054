/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a tape's records did, by windows of time and by file: accesses, misses, working set, what
 * came in, went and came back, and how much was cached.
 *
 * All windows are equally wide, the last may be cut. Page accesses are counted as pageaccess.h
 * tells, misses as kernelmiss.h, refaults and evictions as refault.h. The working set of a window
 * is the number of different pages accessed in it. Memory: windows, files, and 5 bytes a page
 * beside the model's. Not thread-safe.
 */
#ifndef PT_ANALYSIS_TIMELINE_H
#define PT_ANALYSIS_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/cgroupfilter.h"
#include "analysis/refault.h"

/* The kernel's counters whose values are kept, see pt_timeline_counter_name(). */
#define PT_TIMELINE_COUNTERS 13

struct pt_timeline_window {
	uint64_t accesses, misses; /* page accesses; of them, misses */
	uint64_t working_set;      /* different pages accessed */
	uint64_t adds;             /* pages, by whatever cause */
	uint64_t evictions;        /* pages, by reclaim and page-out */
	uint64_t removals;         /* pages that left without a shadow */
	uint64_t refaults;         /* pages */
	int64_t cached;            /* pages at its end, beyond those cached before the tape */
	uint64_t lost;             /* events, PT_UNKNOWN: some, not counted */
	uint64_t counters[PT_TIMELINE_COUNTERS]; /* as last read in it, PT_UNKNOWN: not read */
};

struct pt_timeline_file {
	uint64_t accesses, misses;
	uint64_t pages; /* different pages accessed */
	uint64_t evictions, refaults;
	uint64_t end_page; /* one beyond the last page accessed, added or evicted */
};

struct pt_timeline_options {
	uint64_t first_ns, last_ns; /* of the records; what is outside counts in the nearest one */
	size_t windows;             /* 1 to PT_TIMELINE_WINDOWS_MAX */
	uint32_t page_size;         /* bytes; 0 is taken as 4096 */
	uint32_t nfiles;            /* ids are below */
	struct pt_cgroupfilter *filter; /* what counts; NULL: everything. Borrowed */
};
#define PT_TIMELINE_WINDOWS_MAX 100000

struct pt_timeline;

/*
 * @ref is fed by pt_timeline_feed() from now on and stays the caller's; it must count the same
 * cgroups. 0 and *@ret_t, -EINVAL or -ENOMEM.
 */
int pt_timeline_new(const struct pt_timeline_options *opt, struct pt_refault *ref,
		    struct pt_timeline **ret_t);
void pt_timeline_free(struct pt_timeline *t);

/* Take the next record, in the tape's order. 0, -ENOMEM, -E2BIG. */
int pt_timeline_feed(struct pt_timeline *t, const struct pt_record *rec);

/* After the last record: what is cached stays so to the end. */
void pt_timeline_finish(struct pt_timeline *t);

/* What came out, @i below the number of windows, @file below nfiles. Valid until free. */
const struct pt_timeline_window *pt_timeline_window(const struct pt_timeline *t, size_t i);
const struct pt_timeline_file *pt_timeline_file(const struct pt_timeline *t, uint32_t file);
uint64_t pt_timeline_width_ns(const struct pt_timeline *t);

/* Pages that were cached before the tape began, of which it speaks. */
uint64_t pt_timeline_cached_before(const struct pt_timeline *t);

/* "machine.nr_active_file", "cgroup.workingset_refault_file", "psi.some_us", "kswapd.cpu_ns". */
const char *pt_timeline_counter_name(size_t i);

#endif
