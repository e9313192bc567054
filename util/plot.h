/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plots in a terminal: bars, histograms of them, a line for each power of two, and shaded maps.
 * Block characters where the terminal takes them, else ASCII.
 */
#ifndef PT_UTIL_PLOT_H
#define PT_UTIL_PLOT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/log2hist.h"

enum pt_plot_unit {
	PT_PLOT_PAGES = 0, /* 1, 2, 4 ... 1K, 2K */
	PT_PLOT_TIME = 1,  /* ns to days */
};

struct pt_plot_style {
	unsigned int columns; /* width of a line */
	int unicode;          /* block characters, eighths of a cell; else '#' */
};

/* How @f takes it: a terminal's width (COLUMNS elsewhere, else 80), blocks only where the locale is
 * UTF-8 and @f is a terminal. Sets LC_CTYPE from the environment. */
void pt_plot_style_of(FILE *f, struct pt_plot_style *ret_style);

/* A bar that is @share, in [0, 1], of @width cells; a share above 0 is seen. No newline. */
void pt_plot_bar(double share, unsigned int width, const struct pt_plot_style *style, FILE *f);

/* From the first to the last power of two that holds something; nothing for an empty histogram. */
void pt_plot_hist(const struct pt_log2hist *h, enum pt_plot_unit unit,
		  const struct pt_plot_style *style, FILE *f);

/*
 * One line of a map: @n cells in @width columns, darker for more, on a logarithmic scale up to
 * @most; a cell above 0 is seen. Where cells share a column the greatest counts. No newline.
 */
void pt_plot_shades(const uint32_t *cells, size_t n, uint32_t most, unsigned int width,
		    const struct pt_plot_style *style, FILE *f);

#endif
