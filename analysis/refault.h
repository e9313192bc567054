/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evictions, refaults and how far apart they are, out of a tape's records.
 *
 * A refault is a folio added by anything but a write over a shadow; it counts with all its pages.
 * Shadows are modelled (pagetree.h, shadowlist.h), so that those which the kernel dropped are not
 * refaulted. Where the tape has the kernel's own word (PT_REFAULT) that word counts, and the model
 * gives the distances and stands beside it.
 *
 * Distances, each weighted by the pages refaulted:
 *   evicted_pages   evictions of the lruvec that owned the folio, strictly between its eviction and
 *                   its refault: 0 when it comes back at once.
 *   nonresident_age the kernel's: the reclaiming lruvec's age now less the age when the folio was
 *                   evicted, before its own pages were added to it. Classic LRU only.
 *   interval_ns     the time between.
 *   lru_percent     evicted_pages as a percentage of the file pages that the owner had when the
 *                   page came back: up to 100 a list twice as long would have kept it. Known
 *                   where the tape has readings of the kernel's counters for that cgroup.
 *   generations     MGLRU's generations of file pages that reclaim used up in between
 * (generations.h). Known where the tape has readings of them for the owner's cgroup. And, weighted
 * by the pages evicted: residency_ns, the time from add to eviction.
 *
 * A page that is added without a shadow is cold only if the tape has spoken of it before; else it
 * may have been cached and evicted before the tape began, and counts as unknown_before_start.
 *
 * Pages that were evicted by a page-out (DAMON, MADV_PAGEOUT) leave shadows and advance both
 * counters, but are in evictions_pageout, not in evictions: the kernel's pgsteal_file leaves them
 * out too.
 */
#ifndef PT_ANALYSIS_REFAULT_H
#define PT_ANALYSIS_REFAULT_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/activation.h"
#include "analysis/refault_event.h"
#include "formats/record.h"
#include "util/log2hist.h"

enum pt_distance {
	PT_DISTANCE_EVICTED_PAGES = 0,
	PT_DISTANCE_NONRESIDENT_AGE = 1,
	PT_DISTANCE_INTERVAL = 2,
	PT_DISTANCE_RESIDENCY = 3,
	PT_DISTANCE_LRU_PERCENT = 4,
	PT_DISTANCE_GENERATIONS = 5,
	PT_DISTANCE_COUNT = 6
};

/* Counts by cause have one place more than causes: the last is for those not known. */
#define PT_CAUSE_PLACES (PT_CAUSE_COUNT + 1)

/* All in pages unless said otherwise. */
struct pt_refault_counts {
	uint64_t evictions, evictions_pageout;
	uint64_t removals;
	uint64_t refaults;
	uint64_t refault_folios;   /* folios */
	uint64_t refaults_undated; /* of refaults: evicted at a time not known, in no histogram */
	uint64_t activations;      /* refaults that the kernel activated at once */
	uint64_t unknown_before_start;
	uint64_t adds[PT_CAUSE_PLACES];
	uint64_t refaults_by_cause[PT_CAUSE_PLACES];
	uint64_t evicted_unused; /* added by read-ahead, evicted without an access or a mapping */
};

/* The kernel's word on refaults held against the model, in pages. */
struct pt_refault_check {
	uint64_t kernel;    /* refaulted by the kernel's word */
	uint64_t confirmed; /* of these, the model had said so too */
	uint64_t model;     /* refaulted by the model */
};

enum pt_group_by {
	PT_BY_NOTHING = 0,
	PT_BY_CGROUP = 1, /* the owner; of pages whose owner is not known, the adding task's */
	PT_BY_FILE = 2,
	PT_BY_TASK = 3, /* who added; evictions are nobody's */
	PT_BY_NODE = 4,
	PT_BY_SECTION = 5, /* section_of of the options says: of a folio, its first page */
};

struct pt_refault_options {
	uint32_t page_size; /* bytes; 0 is taken as 4096 */
	int kernel_word;    /* the tape has a PT_REFAULT for every refault */
	/* The machine's memory in bytes: no more was cached when the tape began, whatever its
	 * records say. 0: not known, taken as 256 GiB. */
	uint64_t memory_bytes;
	enum pt_group_by by;
	/* For PT_BY_SECTION: the group's key, or a negative errno that ends the reading. */
	int (*section_of)(void *ctx, uint32_t file, uint64_t page);
	void *section_ctx;
	/* Count only pages owned by these (nonzero at the cgroup's id); NULL: all. Borrowed. */
	const uint8_t *cgroups;
	size_t ncgroups;
	/* Count only from here on, in the tape's clock; what came before is known all the same. The
	 * model's own counts and its check are of the whole tape. */
	uint64_t count_from_ns;
	const struct pt_refault_observer *observer; /* NULL: none. Borrowed */
	int predict;   /* the LRU is classic and activations are told: predict them */
	int with_swap; /* the machine has swap */
};

struct pt_refault_group {
	uint32_t key; /* id of what the groups are by, PT_UNKNOWN32 for the rest */
	struct pt_refault_counts counts;
	struct pt_log2hist *evicted_pages; /* NULL where nothing was added */
};

struct pt_refault;

/* 0 and *ret_r, or -ENOMEM. */
int pt_refault_new(const struct pt_refault_options *opt, struct pt_refault **ret_r);
void pt_refault_free(struct pt_refault *r);

/*
 * Say what ids stand for, before the first record: a task's first cgroup (PT_UNKNOWN32: not
 * known), a cgroup's parent (PT_UNKNOWN32: none, or not known). 0 or -ENOMEM.
 */
int pt_refault_define_task(struct pt_refault *r, uint32_t task, uint32_t cgroup);
int pt_refault_define_cgroup(struct pt_refault *r, uint32_t cgroup, uint32_t parent);

/* Say that a cgroup has a memory limit: reclaim for it reaches all below. 0 or -ENOMEM. */
int pt_refault_limit_cgroup(struct pt_refault *r, uint32_t cgroup);

/*
 * Take the next record, in the tape's order. Records of other kinds are passed over; such as make
 * no sense (an order that no folio has) are counted in pt_refault_malformed(). 0 or -ENOMEM.
 */
int pt_refault_feed(struct pt_refault *r, const struct pt_record *rec);

/* These @n records will be fed next: fetch what that needs of memory. Changes nothing else. */
void pt_refault_expect(const struct pt_refault *r, const struct pt_record *recs, int n);

/* What came out so far; valid until free, changed by feed. */
const struct pt_refault_counts *pt_refault_counts(const struct pt_refault *r);
const struct pt_log2hist *pt_refault_distances(const struct pt_refault *r, enum pt_distance d);

/* All zero where the tape does not have the kernel's word. */
const struct pt_refault_check *pt_refault_check(const struct pt_refault *r);

/* How predictions fared, to be called behind the last record; NULL: none were asked for. */
const struct pt_activation_counts *pt_refault_predictions(const struct pt_refault *r);

/* The model's own count of refaults and of activations, whatever the kernel said. */
const struct pt_refault_counts *pt_refault_model(const struct pt_refault *r);
uint64_t pt_refault_malformed(const struct pt_refault *r);

/* Shadow nodes that the kernel freed, and how many of them the model had to free. */
void pt_refault_nodes(const struct pt_refault *r, uint64_t *ret_kernel, uint64_t *ret_model);

/* Readings of generations, and how many went by between two of them at most. */
void pt_refault_generations(const struct pt_refault *r, uint64_t *ret_readings,
			    uint64_t *ret_longest_step);

/* Groups in order of appearance, 0 <= i < count. */
size_t pt_refault_group_count(const struct pt_refault *r);
const struct pt_refault_group *pt_refault_group(const struct pt_refault *r, size_t i);

/* "evicted_pages", "nonresident_age", "interval_ns", "residency_ns", "lru_percent", "generations".
 */
const char *pt_distance_name(enum pt_distance d);

/* "pages", "ns", "percent" or "generations". */
const char *pt_distance_unit(enum pt_distance d);

#endif
