// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of pages: see pagelists.h. */
#include "analysis/pagelists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MIN_PAGES 64u

void pt_pagelists_init(struct pt_pagelists *l)
{
	*l = (struct pt_pagelists){ 0 };
	for (unsigned int i = 0; i < PT_PAGELISTS; i++)
		l->lists[i].youngest = l->lists[i].oldest = PT_PAGELIST_END;
}

void pt_pagelists_done(struct pt_pagelists *l)
{
	free(l->pages);
}

int pt_pagelists_reserve(struct pt_pagelists *l, uint32_t page)
{
	uint64_t n = l->npages ? l->npages : MIN_PAGES;
	struct pt_listed_page *pages;

	if (page < l->npages)
		return 0;
	while (n <= page)
		n *= 2;
	n = n < UINT32_MAX ? n : UINT32_MAX;
	pages = reallocarray(l->pages, n, sizeof(*pages));
	if (!pages)
		return -ENOMEM;
	memset(pages + l->npages, 0, (n - l->npages) * sizeof(*pages));
	l->pages = pages;
	l->npages = (uint32_t)n;
	return 0;
}

void pt_pagelists_remove(struct pt_pagelists *l, uint32_t page)
{
	struct pt_listed_page *p = &l->pages[page];
	struct pt_pagelist *list = &l->lists[p->list];

	if (!p->list)
		return;
	if (p->younger == PT_PAGELIST_END)
		list->youngest = p->older;
	else
		l->pages[p->younger].older = p->older;
	if (p->older == PT_PAGELIST_END)
		list->oldest = p->younger;
	else
		l->pages[p->older].younger = p->younger;
	list->n--;
	p->list = 0;
}

void pt_pagelists_move(struct pt_pagelists *l, unsigned int list, uint32_t page)
{
	struct pt_listed_page *p = &l->pages[page];
	struct pt_pagelist *to = &l->lists[list];

	pt_pagelists_remove(l, page);
	p->list = (uint8_t)list;
	p->younger = PT_PAGELIST_END;
	p->older = to->youngest;
	if (to->youngest == PT_PAGELIST_END)
		to->oldest = page;
	else
		l->pages[to->youngest].younger = page;
	to->youngest = page;
	to->n++;
}
