/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel events as numbers: which ones are used, which of their fields, and where those go.
 *
 * One table serves every source: decoders look the fields up by name in the recording kernel's
 * own format, so that reordered or widened fields cost nothing.
 */
#ifndef PT_CAPTURE_KEVENT_H
#define PT_CAPTURE_KEVENT_H

#include <stddef.h>
#include <stdint.h>

enum pt_kevent_type {
	PT_KEV_NONE = 0,
	PT_KEV_ADD,
	PT_KEV_DELETE,
	PT_KEV_GET_PAGES,
	PT_KEV_MAP_PAGES,
	PT_KEV_FAULT,
	PT_KEV_LRU_INSERT,
	PT_KEV_LRU_ACTIVATE,
	PT_KEV_RA_SYNC,
	PT_KEV_RA_ASYNC,
	PT_KEV_RA_WINDOW,
	PT_KEV_SHRINK_INACTIVE,
	PT_KEV_SHRINK_ACTIVE,
	PT_KEV_RECLAIM_PAGES,
	PT_KEV_RECLAIM_BEGIN, /* how: enum pt_reclaim_how */
	PT_KEV_RECLAIM_END,
	PT_KEV_SLAB_START,
	PT_KEV_SLAB_END,
	PT_KEV_KSWAPD, /* woke: so this task is kswapd */
	PT_KEV_MEMCG_STATE,
	PT_KEV_MEMCG_FLUSH,
	PT_KEV_DIRTY,
	PT_KEV_WRITE_DONE,  /* a part of a write was copied */
	PT_KEV_WRITE_BEGIN, /* a whole write call is about to be carried out */
	PT_KEV_SYNC,
	PT_KEV_INVALIDATE,
	PT_KEV_TRUNCATE,
	PT_KEV_FREE_INODE,
	PT_KEV_FORK,
	PT_KEV_EXIT,
	PT_KEV_RENAME,
	PT_KEV_ATTACH,
	PT_KEV_GAP, /* not the kernel's: events of this CPU (PT_UNKNOWN16: of any) were lost here */
	PT_KEV_TYPES
};

/*
 * A decoded event. Which fields mean something depends on the type (kevent.c's table); a field
 * that the kernel does not have is PT_UNKNOWN (of its width). value[] holds, for
 * ADD, DELETE, LRU_*: pfn; LRU_INSERT also {pfn, lru list} · GET_PAGES, MAP_PAGES: last page ·
 * RA_SYNC, RA_ASYNC: pages asked for · RA_WINDOW: pages, async tail · SHRINK_INACTIVE and
 * RECLAIM_PAGES: scanned, reclaimed, activated file, activated anon · SHRINK_ACTIVE: taken,
 * deactivated, kept active, referenced · RECLAIM_BEGIN: gfp flags · RECLAIM_END: reclaimed ·
 * SLAB_START: whether it is the shadow shrinker, total scan · SLAB_END: likewise, total scan, nodes
 * freed (the kernel gives the shrinker's address: the source looks that up) · MEMCG_STATE: cgroup
 * id, item, change · MEMCG_FLUSH: cgroup id, updates since the last, forced, needed · WRITE_*: byte
 * offset, bytes · SYNC: data only · FORK: the child · EXIT, RENAME: the task · ATTACH: the task,
 * the cgroup, the hierarchy · GAP: events lost.
 */
struct pt_kevent {
	uint64_t ts_ns;
	uint64_t ino;
	uint64_t page;
	uint64_t value[4];
	const char *text; /* DIRTY: device name; RENAME, FORK: comm; ATTACH: path. Borrowed */
	uint32_t dev;
	uint32_t pid;
	uint32_t node;
	uint16_t cpu;
	uint8_t type;
	uint8_t how;
	uint8_t order;
};

/* Folios of more than 2^31 pages do not exist: such an order is damage. */
#define PT_KEVENT_ORDER_MAX 31

struct pt_kevent_field {
	const char *name; /* the kernel's; NULL ends */
	size_t offset;    /* into struct pt_kevent */
	uint8_t size;     /* there */
	uint8_t is_text;
	uint8_t optional; /* absent from some kernels */
};

#define PT_KEVENT_FIELDS 7

enum pt_kevent_need {
	PT_KEVENT_OPTIONAL = 0, /* recorded where the kernel has it */
	PT_KEVENT_REQUIRED,     /* no recording without it */
	PT_KEVENT_MEMCG,        /* optional, and filtered to a few items */
};

struct pt_kevent_info {
	const char *system, *name;
	uint8_t type;
	uint8_t how;
	uint8_t need; /* enum pt_kevent_need */
	struct pt_kevent_field fields[PT_KEVENT_FIELDS];
};

/* The events in use; NULL name ends. Names that the kernel changed have a row each. */
extern const struct pt_kevent_info pt_kevents[];

/* The row of @system:@name, or NULL. */
const struct pt_kevent_info *pt_kevent_by_name(const char *system, const char *name);

#endif
