/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A batch of folios that a read got, and where the read's next one may begin.
 *
 * filemap_get_read_batch() collects uptodate folios that follow each other, and ends after
 * PT_BATCH_FOLIOS of them, after one with a read-ahead mark, before a page that is missing and at a
 * folio that is not uptodate. The last is waited for where it is the batch's only one; else it is
 * left to the next batch, and then the kernel makes no event of this one.
 */
#ifndef PT_CAPTURE_BATCH_H
#define PT_CAPTURE_BATCH_H

#include "capture/folios.h"

#define PT_BATCH_FOLIOS 31 /* PAGEVEC_SIZE of every kernel that has the event */

struct pt_batch {
	uint64_t page;      /* where it begins */
	uint64_t looked_ns; /* it was looked up after this */
	uint64_t at_ns;     /* and before this, when its event was made */
	uint64_t mark;      /* page whose read-ahead mark it met, PT_UNKNOWN */
	uint64_t missed;    /* page that a look-up after it missed, PT_UNKNOWN */
	uint32_t file;      /* place in pt_files */
	uint8_t was_fresh;  /* its first folio may not have been uptodate */
};

/* One at @page of which nothing else is known. */
void pt_batch_init(struct pt_batch *b, uint32_t file, uint64_t page);

/* Whether the same read's next event may be at @page. */
int pt_batch_leads_to(const struct pt_batch *b, const struct pt_folios *folios, uint64_t page);

#endif
