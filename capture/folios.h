/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folios that entered the page cache during the recording: which file and page a pfn stands for,
 * and since when their pages are known to be uptodate.
 *
 * Events of the LRU lists name pfns only, so a pfn is joined here and nowhere else. Memory is
 * bounded: beyond PT_FOLIOS_MAX folios the rest is not tracked (and counted).
 */
#ifndef PT_CAPTURE_FOLIOS_H
#define PT_CAPTURE_FOLIOS_H

#include "util/map.h"

#define PT_FOLIOS_MAX (UINT32_C(1) << 23) /* about 600 MB at the very most */

struct pt_seen_folio {
	uint64_t page;
	uint32_t file;    /* place in pt_files */
	uint8_t order;    /* PT_UNKNOWN8 */
	uint8_t inserted; /* its first way onto an LRU list has been seen */
};

/*
 * A folio that was added not long ago. Until somebody is seen to have got its data it may be under
 * I/O: then a read's batch ends there.
 */
struct pt_fresh {
	uint64_t page; /* its first */
	uint64_t added_ns;
	uint64_t uptodate_ns; /* it was by then; PT_UNKNOWN: nobody got its data yet */
	uint32_t file;
	uint8_t order;
	uint8_t in_use; /* the place holds one */
};

#define PT_FRESH_ROOM \
	(UINT64_C(1) << 18) /* 1 GB of pages; a power of two; a collision forgets a folio */
#define PT_FRESH_COUNTS 256 /* likewise; files that share a count cost time only */

struct pt_folios {
	struct pt_map by_pfn; /* to a place in all[] */
	struct pt_seen_folio *all;
	uint32_t count, room;
	uint32_t free_list; /* chained through file */
	uint64_t untracked;
	struct pt_fresh *fresh;
	uint32_t orders;                  /* bit n: there may be fresh folios of order n */
	uint32_t unused[PT_FRESH_COUNTS]; /* fresh folios that nobody used, by their file */
};

/* 0 or -ENOMEM. */
int pt_folios_init(struct pt_folios *f);
void pt_folios_done(struct pt_folios *f);

/* A folio entered the page cache at @pfn. 0 or -ENOMEM. */
int pt_folios_add(struct pt_folios *f, uint64_t pfn, uint32_t file, uint64_t page, uint8_t order);

/* The folio at @pfn, or NULL. */
struct pt_seen_folio *pt_folios_find(struct pt_folios *f, uint64_t pfn);

/* It left, or the pfn serves something else now. */
void pt_folios_del(struct pt_folios *f, uint64_t pfn);

/* Note that a folio was added at @now_ns. */
void pt_folios_read_in(struct pt_folios *f, uint32_t file, uint64_t page, uint8_t order,
		       uint64_t now_ns);

/* The newest fresh folio that holds @page, or NULL: there is none, or it is forgotten. */
const struct pt_fresh *pt_folios_fresh(const struct pt_folios *f, uint32_t file, uint64_t page);

/* Whether @page may not have been uptodate at @since_ns. */
int pt_folios_is_fresh(const struct pt_folios *f, uint32_t file, uint64_t page, uint64_t since_ns);

/* Somebody had got the data of pages [first, end) by @now_ns. */
void pt_folios_use(struct pt_folios *f, uint32_t file, uint64_t first, uint64_t end,
		   uint64_t now_ns);

#endif
