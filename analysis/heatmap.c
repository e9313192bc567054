// SPDX-License-Identifier: GPL-2.0-or-later
/* File offset by time: see heatmap.h. */
#include "analysis/heatmap.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/pageaccess.h"

struct pt_heatmap {
	struct pt_heatmap_grid grids[PT_HEATMAP_FILES_MAX];
	uint64_t end_pages[PT_HEATMAP_FILES_MAX];
	size_t n, columns;
	uint64_t first_ns, width_ns;
	uint32_t page_size;
	struct pt_refault *ref; /* borrowed */
	struct pt_cgroupfilter *filter;
};

static int grid_init(struct pt_heatmap_grid *g, const struct pt_heatmap_file *f, size_t rows,
		     size_t columns)
{
	uint64_t pages = f->end_page ? f->end_page : 1;

	g->file = f->file;
	g->row_pages = (pages - 1) / rows + 1;
	g->rows = (size_t)((pages - 1) / g->row_pages + 1);
	g->columns = columns;
	g->accesses = calloc(g->rows * columns, sizeof(*g->accesses));
	g->refaults = calloc(g->rows * columns, sizeof(*g->refaults));
	return g->accesses && g->refaults ? 0 : -ENOMEM;
}

int pt_heatmap_new(const struct pt_heatmap_options *opt, struct pt_refault *ref,
		   struct pt_heatmap **ret_h)
{
	struct pt_heatmap *h;

	if (!opt->rows || !opt->columns || opt->rows > PT_HEATMAP_SIDE_MAX ||
	    opt->columns > PT_HEATMAP_SIDE_MAX || opt->nfiles > PT_HEATMAP_FILES_MAX ||
	    opt->last_ns < opt->first_ns)
		return -EINVAL;
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->columns = opt->columns;
	h->first_ns = opt->first_ns;
	h->width_ns = (opt->last_ns - opt->first_ns) / opt->columns + 1;
	h->page_size = opt->page_size ? opt->page_size : 4096;
	h->ref = ref;
	h->filter = opt->filter;
	for (; h->n < opt->nfiles; h->n++) {
		h->end_pages[h->n] = opt->files[h->n].end_page;
		if (grid_init(&h->grids[h->n], &opt->files[h->n], opt->rows, opt->columns) < 0) {
			h->n++;
			pt_heatmap_free(h);
			return -ENOMEM;
		}
	}
	*ret_h = h;
	return 0;
}

void pt_heatmap_free(struct pt_heatmap *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n; i++) {
		free(h->grids[i].accesses);
		free(h->grids[i].refaults);
	}
	free(h);
}

/* Which grid is @file's: there are few. -1: none. */
static int find(const struct pt_heatmap *h, uint32_t file)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->grids[i].file == file)
			return (int)i;
	return -1;
}

static size_t column_of(const struct pt_heatmap *h, uint64_t ts_ns)
{
	uint64_t i = ts_ns > h->first_ns ? (ts_ns - h->first_ns) / h->width_ns : 0;

	return i < h->columns ? (size_t)i : h->columns - 1;
}

/* Add a range of pages, row by row, to one of the grids. */
static void count(const struct pt_heatmap *h, size_t i, uint32_t *cells, uint64_t ts_ns,
		  uint64_t page, uint64_t npages)
{
	const struct pt_heatmap_grid *g = &h->grids[i];
	size_t column = column_of(h, ts_ns);
	uint64_t end;

	if (page >= h->end_pages[i])
		return;
	end = npages > h->end_pages[i] - page ? h->end_pages[i] : page + npages;
	while (page < end) {
		uint64_t row = page / g->row_pages;
		uint64_t row_end = (row + 1) * g->row_pages;
		uint64_t pages = (row_end < end ? row_end : end) - page;
		uint32_t *cell = &cells[row * g->columns + column];

		*cell = pages > UINT32_MAX - *cell ? UINT32_MAX : *cell + (uint32_t)pages;
		page += pages;
	}
}

/* Folios are aligned to their size; the record may name any of their pages. */
static uint64_t first_page(const struct pt_record *rec)
{
	if (rec->kind != PT_ADD || rec->order >= 32)
		return rec->page;
	return rec->page & ~((UINT64_C(1) << rec->order) - 1);
}

int pt_heatmap_feed(struct pt_heatmap *h, const struct pt_record *rec)
{
	uint64_t refaults = pt_refault_counts(h->ref)->refaults;
	struct pt_pageaccess a;
	int i, has, err = pt_refault_feed(h->ref, rec);

	if (err < 0)
		return err;
	has = h->filter ? pt_cgroupfilter_has(h->filter, rec) : 1;
	i = has > 0 && rec->file != PT_UNKNOWN32 ? find(h, rec->file) : -1;
	if (i < 0)
		return has < 0 ? has : 0;
	if (pt_pageaccess_of(rec, h->page_size, &a) == PT_PAGEACCESS_PAGES)
		count(h, (size_t)i, h->grids[i].accesses, rec->ts_ns, a.page, a.npages);
	refaults = pt_refault_counts(h->ref)->refaults - refaults;
	if (refaults)
		count(h, (size_t)i, h->grids[i].refaults, rec->ts_ns, first_page(rec), refaults);
	return 0;
}

const struct pt_heatmap_grid *pt_heatmap_grid(const struct pt_heatmap *h, size_t i)
{
	return &h->grids[i];
}

size_t pt_heatmap_count(const struct pt_heatmap *h)
{
	return h->n;
}

uint64_t pt_heatmap_column_ns(const struct pt_heatmap *h)
{
	return h->width_ns;
}
