// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages that records access: see pageaccess.h. */
#include "analysis/pageaccess.h"

#define MAX_PAGE (UINT64_C(1) << 52) /* a file of 2^63 bytes has fewer pages */

static int has_flag(const struct pt_record *rec, uint32_t flag)
{
	return rec->flags != PT_UNKNOWN32 && rec->flags & flag;
}

static enum pt_pageaccess_is range(uint64_t page, uint64_t npages, uint32_t file,
				   struct pt_pageaccess *ret_a)
{
	if (file == PT_UNKNOWN32 || page >= MAX_PAGE || npages == PT_UNKNOWN)
		return PT_PAGEACCESS_UNKNOWN;
	if (!npages)
		return PT_PAGEACCESS_NONE;
	*ret_a = (struct pt_pageaccess){
		.page = page,
		.npages = npages < PT_PAGEACCESS_MAX ? npages : PT_PAGEACCESS_MAX,
		.file = file,
	};
	return PT_PAGEACCESS_PAGES;
}

static enum pt_pageaccess_is write_of(const struct pt_record *rec, uint32_t page_size,
				      struct pt_pageaccess *ret_a)
{
	uint64_t off = rec->off_bytes, len = rec->len_bytes;

	if (has_flag(rec, PT_IO_MMAP))
		return PT_PAGEACCESS_NONE;
	if (off == PT_UNKNOWN || len == PT_UNKNOWN)
		return PT_PAGEACCESS_UNKNOWN;
	if (!len || off > INT64_MAX || len > INT64_MAX)
		return len ? PT_PAGEACCESS_UNKNOWN : PT_PAGEACCESS_NONE;
	return range(off / page_size, (off + len - 1) / page_size - off / page_size + 1, rec->file,
		     ret_a);
}

enum pt_pageaccess_is pt_pageaccess_of(const struct pt_record *rec, uint32_t page_size,
				       struct pt_pageaccess *ret_a)
{
	if (rec->kind != PT_ACCESS && rec->kind != PT_WRITE)
		return PT_PAGEACCESS_NONE;
	if (has_flag(rec, PT_IO_DIRECT))
		return PT_PAGEACCESS_DIRECT;
	if (rec->kind == PT_WRITE)
		return write_of(rec, page_size, ret_a);
	if (rec->how == PT_HOW_WINDOW)
		return PT_PAGEACCESS_WINDOW;
	return range(rec->page, rec->npages, rec->file, ret_a);
}
