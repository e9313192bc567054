/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bars in a terminal; histograms of them, a line for each power of two. */
#ifndef PT_CLI_BARS_H
#define PT_CLI_BARS_H

#include <stdio.h>

#include "util/log2hist.h"

enum pt_bars_unit {
	PT_BARS_PAGES = 0, /* 1, 2, 4 ... 1K, 2K */
	PT_BARS_TIME = 1,  /* ns to days */
};

struct pt_bars_style {
	unsigned int columns; /* width of a line */
	int unicode;          /* block characters, eighths of a cell; else '#' */
};

/* How @f takes it: a terminal's width (COLUMNS elsewhere, else 80), blocks only where the locale is
 * UTF-8 and @f is a terminal. Sets LC_CTYPE from the environment. */
void pt_bars_style_of(FILE *f, struct pt_bars_style *ret_style);

/* A bar that is @share, in [0, 1], of @width cells; a share above 0 is seen. No newline. */
void pt_bars_bar(double share, unsigned int width, const struct pt_bars_style *style, FILE *f);

/* From the first to the last power of two that holds something; nothing for an empty histogram. */
void pt_bars_print(const struct pt_log2hist *h, enum pt_bars_unit unit,
		   const struct pt_bars_style *style, FILE *f);

#endif
