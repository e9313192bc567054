// SPDX-License-Identifier: GPL-2.0-or-later
/* How long the kernel's lists are: see lrusizes.h. */
#include "analysis/lrusizes.h"

#include <errno.h>

#include "formats/countertext.h"

#define SIZE_MAX_PAGES (UINT64_C(1) << 50) /* a counter beyond is damage */

/* The sum of two counters in pages; 0 and *@ret_pages, or -ENODATA. */
static int add_counters(const struct pt_record *rec, uint64_t unit, const char *a, const char *b,
			int64_t *ret_pages)
{
	uint64_t x = pt_countertext_get(rec, a);
	uint64_t y = b ? pt_countertext_get(rec, b) : 0;

	if (x == PT_UNKNOWN || y == PT_UNKNOWN || x / unit > SIZE_MAX_PAGES ||
	    y / unit > SIZE_MAX_PAGES)
		return -ENODATA;
	*ret_pages = (int64_t)(x / unit + y / unit);
	return 0;
}

/* Version 1 has the sums over all below under names of their own. */
static int read_memstat(const struct pt_record *rec, uint64_t unit, struct pt_lru_sizes *ret_sizes)
{
	if (add_counters(rec, unit, "total_active_file", NULL, &ret_sizes->active) == 0 &&
	    add_counters(rec, unit, "total_active_file", "total_inactive_file", &ret_sizes->file) ==
		    0)
		return add_counters(rec, unit, "total_active_anon", "total_inactive_anon",
				    &ret_sizes->anon);
	if (add_counters(rec, unit, "active_file", NULL, &ret_sizes->active) < 0 ||
	    add_counters(rec, unit, "active_file", "inactive_file", &ret_sizes->file) < 0)
		return -ENODATA;
	return add_counters(rec, unit, "active_anon", "inactive_anon", &ret_sizes->anon);
}

static int read_vmstat(const struct pt_record *rec, struct pt_lru_sizes *ret_sizes)
{
	if (add_counters(rec, 1, "nr_active_file", NULL, &ret_sizes->active) < 0 ||
	    add_counters(rec, 1, "nr_active_file", "nr_inactive_file", &ret_sizes->file) < 0)
		return -ENODATA;
	return add_counters(rec, 1, "nr_active_anon", "nr_inactive_anon", &ret_sizes->anon);
}

int pt_lrusizes_read(struct pt_lruvecs *l, const struct pt_record *rec, uint32_t page_size)
{
	struct pt_lru_sizes sizes = { 0 };
	uint32_t lruvec, cgroup = rec->cgroup;

	if (rec->how == PT_COUNTERS_FLUSH) {
		pt_lruvecs_flush(l, cgroup);
		return 0;
	}
	if (l->many_nodes)
		return 0;
	if (rec->how == PT_COUNTERS_MEMSTAT
		    ? read_memstat(rec, page_size, &sizes) < 0
		    : rec->how != PT_COUNTERS_VMSTAT || read_vmstat(rec, &sizes) < 0)
		return 0;
	if (rec->how == PT_COUNTERS_VMSTAT)
		cgroup = pt_lruvecs_top(l);
	if (pt_lruvecs_get(l, cgroup, 0, &lruvec) < 0)
		return -ENOMEM;
	pt_lruvecs_read(l, lruvec, &sizes);
	if (rec->how == PT_COUNTERS_MEMSTAT)
		pt_lruvecs_flush(l, cgroup);
	return 0;
}

void pt_lrusizes_scanned(struct pt_lruvecs *l, const struct pt_record *rec, uint32_t lruvec)
{
	uint64_t v = rec->how == PT_SCAN_ACTIVE ? rec->value[1] : rec->value[2];

	if (v == PT_UNKNOWN)
		return;
	pt_lruvecs_resize(l, lruvec, 0, rec->how == PT_SCAN_ACTIVE ? -(int64_t)v : (int64_t)v);
}
