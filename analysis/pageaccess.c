// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages that records access: see pageaccess.h. */
#include "analysis/pageaccess.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_PAGE (UINT64_C(1) << 52) /* a file of 2^63 bytes has fewer pages */

/* What of a record tells its accesses; PT_UNKNOWN where not known. */
struct row {
	uint64_t file, page, npages, off_bytes, len_bytes, flags, how;
};

static int has_flag(const struct row *w, uint32_t flag)
{
	return w->flags != PT_UNKNOWN && w->flags & flag;
}

static enum pt_pageaccess_is range(uint64_t page, uint64_t npages, uint64_t file,
				   struct pt_pageaccess *ret_a)
{
	if (file == PT_UNKNOWN || page >= MAX_PAGE || npages == PT_UNKNOWN)
		return PT_PAGEACCESS_UNKNOWN;
	if (!npages)
		return PT_PAGEACCESS_NONE;
	ret_a->page = page;
	ret_a->npages = npages < PT_PAGEACCESS_MAX ? npages : PT_PAGEACCESS_MAX;
	ret_a->file = (uint32_t)file;
	return PT_PAGEACCESS_PAGES;
}

static enum pt_pageaccess_is write_of(const struct row *w, uint32_t page_size,
				      struct pt_pageaccess *ret_a)
{
	uint64_t off = w->off_bytes, len = w->len_bytes;

	if (has_flag(w, PT_IO_DIRECT))
		return PT_PAGEACCESS_DIRECT;
	if (has_flag(w, PT_IO_MMAP))
		return PT_PAGEACCESS_NONE;
	if (off == PT_UNKNOWN || len == PT_UNKNOWN)
		return PT_PAGEACCESS_UNKNOWN;
	if (!len || off > INT64_MAX || len > INT64_MAX)
		return len ? PT_PAGEACCESS_UNKNOWN : PT_PAGEACCESS_NONE;
	return range(off / page_size, (off + len - 1) / page_size - off / page_size + 1, w->file,
		     ret_a);
}

static inline enum pt_pageaccess_is read_of(const struct row *w, struct pt_pageaccess *ret_a)
{
	if (has_flag(w, PT_IO_DIRECT))
		return PT_PAGEACCESS_DIRECT;
	if (w->how == PT_HOW_WINDOW)
		return PT_PAGEACCESS_WINDOW;
	return range(w->page, w->npages, w->file, ret_a);
}

enum pt_pageaccess_is pt_pageaccess_of(const struct pt_record *rec, uint32_t page_size,
				       struct pt_pageaccess *ret_a)
{
	const struct row w = {
		.file = rec->file == PT_UNKNOWN32 ? PT_UNKNOWN : rec->file,
		.page = rec->page,
		.npages = rec->npages,
		.off_bytes = rec->off_bytes,
		.len_bytes = rec->len_bytes,
		.flags = rec->flags == PT_UNKNOWN32 ? PT_UNKNOWN : rec->flags,
		.how = rec->how,
	};

	if (rec->kind == PT_ACCESS)
		return read_of(&w, ret_a);
	return rec->kind == PT_WRITE ? write_of(&w, page_size, ret_a) : PT_PAGEACCESS_NONE;
}

/* ---- Blocks */

static inline enum pt_pageaccess_is read_at(const struct pt_unpacked_kind *k, uint32_t row,
					    struct pt_pageaccess *ret_a)
{
	const struct pt_unpack_column *c = k->columns;
	const struct row w = {
		.file = pt_unpack_value(&c[PT_F_FILE], row),
		.page = pt_unpack_value(&c[PT_F_PAGE], row),
		.npages = pt_unpack_value(&c[PT_F_NPAGES], row),
		.flags = pt_unpack_value(&c[PT_F_FLAGS], row),
		.how = pt_unpack_value(&c[PT_F_HOW], row),
	};

	return read_of(&w, ret_a);
}

static enum pt_pageaccess_is write_at(const struct pt_unpacked_kind *k, uint32_t row,
				      uint32_t page_size, struct pt_pageaccess *ret_a)
{
	const struct pt_unpack_column *c = k->columns;
	const struct row w = {
		.file = pt_unpack_value(&c[PT_F_FILE], row),
		.off_bytes = pt_unpack_value(&c[PT_F_OFF], row),
		.len_bytes = pt_unpack_value(&c[PT_F_LEN], row),
		.flags = pt_unpack_value(&c[PT_F_FLAGS], row),
	};

	return write_of(&w, page_size, ret_a);
}

static int reserve(struct pt_pageaccesses *a, size_t n)
{
	struct pt_pageaccess *v;

	if (n <= a->cap)
		return 0;
	v = reallocarray(a->v, n, sizeof(*v));
	if (!v)
		return -ENOMEM;
	a->v = v;
	a->cap = n;
	return 0;
}

int pt_pageaccesses_of(struct pt_pageaccesses *a, const struct pt_reader_block *b,
		       uint32_t page_size)
{
	const struct pt_unpacked_kind *reads = &b->by_kind[PT_ACCESS];
	const struct pt_unpacked_kind *writes = &b->by_kind[PT_WRITE];
	uint32_t read = 0, write = 0, todo = reads->n + writes->n;

	a->n = 0;
	if (reserve(a, todo) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->n && todo; i++) {
		struct pt_pageaccess *to = &a->v[a->n];
		enum pt_pageaccess_is is;

		if (b->kinds[i] == PT_ACCESS)
			is = read_at(reads, read++, to);
		else if (b->kinds[i] == PT_WRITE)
			is = write_at(writes, write++, page_size, to);
		else
			continue;
		to->at = i;
		a->n += is == PT_PAGEACCESS_PAGES;
		a->is[is]++;
		todo--;
	}
	return 0;
}

void pt_pageaccesses_done(struct pt_pageaccesses *a)
{
	free(a->v);
	*a = (struct pt_pageaccesses){ 0 };
}
