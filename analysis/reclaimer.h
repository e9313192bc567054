/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who reclaims for whom: what the records said of each task so far.
 *
 * For a task: its cgroup where the tape knows it, whether it was seen reclaiming for a cgroup's
 * limit, the reclaim it is in now, and its last access.
 */
#ifndef PT_ANALYSIS_RECLAIMER_H
#define PT_ANALYSIS_RECLAIMER_H

#include "analysis/lruvec.h"
#include "analysis/shadowlist.h"
#include "formats/record.h"

struct pt_reclaimer {
	uint64_t page, npages; /* last access */
	uint32_t file;
	uint32_t cgroup; /* PT_UNKNOWN32: not known */
	uint32_t target; /* of the reclaim it is in */
	uint8_t how;     /* enum pt_reclaim_how; PT_UNKNOWN8: in none */
	uint8_t limited; /* is in a limited cgroup: it reclaimed for a limit, or its pages were */
};

/* Initialise with pt_reclaimers_init(); release with pt_reclaimers_done(). */
struct pt_reclaimers {
	struct pt_reclaimer *v; /* by task id */
	size_t n;
	const struct pt_lruvecs *lruvecs; /* for who is below whom */
	int brackets;                     /* the tape has PT_RECLAIM_BEGIN at all */
};

/* Whose nodes and pages one piece of reclaim is about. */
struct pt_reclaim_scope {
	const struct pt_reclaimers *reclaimers;
	uint32_t cgroup; /* PT_UNKNOWN32: not known */
	uint32_t node;
	int any_node;
	int limit; /* on behalf of a cgroup's limit; else machine-wide */
};

void pt_reclaimers_init(struct pt_reclaimers *s, const struct pt_lruvecs *lruvecs);
void pt_reclaimers_done(struct pt_reclaimers *s);

/* 0 or -ENOMEM. */
int pt_reclaimers_define(struct pt_reclaimers *s, uint32_t task, uint32_t cgroup);

/* Take a PT_RECLAIM_BEGIN, PT_RECLAIM_END or PT_ATTACH. 0 or -ENOMEM. */
int pt_reclaimers_feed(struct pt_reclaimers *s, const struct pt_record *rec);

/* Take note of an access. 0 or -ENOMEM. */
int pt_reclaimers_accesses(struct pt_reclaimers *s, const struct pt_record *rec);

/* A task turned out to be in a limited cgroup; nothing where it is not known. 0 or -ENOMEM. */
int pt_reclaimers_limit(struct pt_reclaimers *s, uint32_t task);

/* A task's cgroup, PT_UNKNOWN32 where not known. */
uint32_t pt_reclaimers_cgroup(const struct pt_reclaimers *s, uint32_t task);

/* Whether the task's last access already asked for the folio of this PT_ADD. */
int pt_reclaimers_wanted(const struct pt_reclaimers *s, const struct pt_record *add);

/*
 * The cgroup whose reclaim an eviction was: the record's word; else the nearest with a limit, from
 * the reclaiming task's upwards, where it was for a limit; and the root for all machine-wide
 * reclaim.
 */
uint32_t pt_reclaimers_target(const struct pt_reclaimers *s, const struct pt_record *evict,
			      uint32_t owner);

/* The scope of a PT_SCAN. @any_node: the tape does not tell pages' nodes. */
void pt_reclaimers_scope(const struct pt_reclaimers *s, const struct pt_record *scan, int any_node,
			 struct pt_reclaim_scope *ret_scope);

/* Whether that reclaim frees the nodes of @owner; @scope is a struct pt_reclaim_scope. */
int pt_reclaim_scope_has(const void *scope, const struct pt_owner *owner);

#endif
