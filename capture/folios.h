/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folios that entered the page cache during the recording: which file and page a pfn stands for,
 * and which pages were read in but not used yet.
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

/* A page that was read in, and who used it first. */
struct pt_fresh {
	uint64_t page;
	uint64_t used_ns; /* 0: not used yet */
	uint32_t file;
	uint32_t user; /* pid */
	uint8_t order; /* of its folio, whose first page this is */
};

#define PT_FRESH_ROOM 65536 /* a power of two; a collision forgets a page */

struct pt_folios {
	struct pt_map by_pfn; /* to a place in all[] */
	struct pt_seen_folio *all;
	uint32_t count, room;
	uint32_t free_list; /* chained through file */
	uint64_t untracked;
	struct pt_fresh *fresh;
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

/* Note that a folio was read in. */
void pt_folios_read_in(struct pt_folios *f, uint32_t file, uint64_t page, uint8_t order);

/* The page behind @n folios from the one that holds @page on; PT_UNKNOWN where not all are known.
 */
uint64_t pt_folios_skip(const struct pt_folios *f, uint32_t file, uint64_t page, unsigned int n);

/*
 * Whether @page may still have been under I/O when task @pid came to it at @now_ns: it was read
 * in, and nobody has used it, or another task did so only just now. Folios of @order up to 9
 * around the page are looked for by their first page.
 */
int pt_folios_is_fresh(const struct pt_folios *f, uint32_t file, uint64_t page, uint32_t pid,
		       uint64_t now_ns);

/* Task @pid used @page. */
void pt_folios_use(struct pt_folios *f, uint32_t file, uint64_t page, uint32_t pid,
		   uint64_t now_ns);

#endif
