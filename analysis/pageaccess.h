/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which pages a record accesses, as reuse distances, simulated policies and the kernel's misses all
 * count them.
 *
 * A read accesses each page of its range, in order, and so does a write; a fault accesses its page.
 * Not counted, but told apart: windows of fault-around, since which of their pages was touched is
 * not known; direct I/O, which passes the cache by; records whose range is not known. A page made
 * writable (PT_IO_MMAP) is no access of its own: the fault before it is.
 */
#ifndef PT_ANALYSIS_PAGEACCESS_H
#define PT_ANALYSIS_PAGEACCESS_H

#include "formats/reader.h"

/* The largest read or write of the kernel (MAX_RW_COUNT) in pages of 4 KiB; longer ones are cut. */
#define PT_PAGEACCESS_MAX ((UINT64_C(1) << 19) + 1)

enum pt_pageaccess_is {
	PT_PAGEACCESS_NONE = 0, /* not an access */
	PT_PAGEACCESS_PAGES = 1,
	PT_PAGEACCESS_WINDOW = 2,
	PT_PAGEACCESS_DIRECT = 3,
	PT_PAGEACCESS_UNKNOWN = 4,
	PT_PAGEACCESS_KINDS = 5
};

struct pt_pageaccess {
	uint64_t page, npages;
	uint32_t file;
	uint32_t at; /* in pt_pageaccesses: the record's place in the block */
};

/* Those of a block, in order. All zero is an empty one; release with pt_pageaccesses_done(). */
struct pt_pageaccesses {
	struct pt_pageaccess *v;
	size_t n, cap;
	uint64_t is[PT_PAGEACCESS_KINDS]; /* how many of its records were what */
};

/* The fields of a PT_ACCESS and of a PT_WRITE that are looked at, for pt_reader_options. */
#define PT_PAGEACCESS_READ_FIELDS \
	(1u << PT_F_FILE | 1u << PT_F_PAGE | 1u << PT_F_NPAGES | 1u << PT_F_FLAGS | 1u << PT_F_HOW)
#define PT_PAGEACCESS_WRITE_FIELDS \
	(1u << PT_F_FILE | 1u << PT_F_OFF | 1u << PT_F_LEN | 1u << PT_F_FLAGS)

/* What @rec is; *@ret_a is filled for PT_PAGEACCESS_PAGES only. @page_size is in bytes, not 0. */
enum pt_pageaccess_is pt_pageaccess_of(const struct pt_record *rec, uint32_t page_size,
				       struct pt_pageaccess *ret_a);

/* All of a block, which replaces what @a had. 0 or -ENOMEM. */
int pt_pageaccesses_of(struct pt_pageaccesses *a, const struct pt_reader_block *b,
		       uint32_t page_size);
void pt_pageaccesses_done(struct pt_pageaccesses *a);

#endif
