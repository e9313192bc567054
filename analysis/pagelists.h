/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A few lists of pages, each page on one of them or on none: what policies are made of.
 *
 * Pages are numbers below UINT32_MAX. A list has a young end, where pages join, and an old one.
 */
#ifndef PT_ANALYSIS_PAGELISTS_H
#define PT_ANALYSIS_PAGELISTS_H

#include <stdint.h>

#define PT_PAGELISTS    8 /* 1 to 7; 0 is none */
#define PT_PAGELIST_END UINT32_MAX

struct pt_listed_page {
	uint32_t younger, older;
	uint32_t stamp; /* the policy's own, as is bits; both stay when the page changes lists */
	uint8_t list;
	uint8_t bits;
};

struct pt_pagelist {
	uint32_t youngest, oldest;
	uint32_t n;
};

/* Initialise with pt_pagelists_init(); release with pt_pagelists_done(). */
struct pt_pagelists {
	struct pt_listed_page *pages;
	uint32_t npages;
	struct pt_pagelist lists[PT_PAGELISTS];
};

void pt_pagelists_init(struct pt_pagelists *l);
void pt_pagelists_done(struct pt_pagelists *l);

/* Make sure that there is a place for @page. 0 or -ENOMEM. */
int pt_pagelists_reserve(struct pt_pagelists *l, uint32_t page);

/* Join the young end of a list, leaving the one that it was on. */
void pt_pagelists_move(struct pt_pagelists *l, unsigned int list, uint32_t page);

/* Leave its list, if it is on one. */
void pt_pagelists_remove(struct pt_pagelists *l, uint32_t page);

#endif
