/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page that `report` fills: what stands before and behind its data. Generated at build time by
 * embed.py out of the files beside this one and the chart library.
 */
#ifndef PT_CLI_PAGE_PAGE_H
#define PT_CLI_PAGE_PAGE_H

#include <stddef.h>

extern const char pt_page_before[], pt_page_behind[];
extern const size_t pt_page_before_len, pt_page_behind_len;

#endif
