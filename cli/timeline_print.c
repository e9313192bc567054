// SPDX-License-Identifier: GPL-2.0-or-later
/* A tape over time as text: see timeline_print.h. */
#include "cli/timeline_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/tape_refaults.h"
#include "util/cleanup.h"
#include "util/parse.h"
#include "util/plot.h"
#include "util/printable.h"

#define TIME_WIDTH   9
#define MEMORY_WIDTH 11
#define RATIO_WIDTH  8
#define COUNT_WIDTH  11
#define LABEL_WIDTH  11
#define MIN_BAR      8
#define MAP_MIN      16

/* Whether the tape tells what the cache did. */
static int knows_folios(const struct pt_reader *r)
{
	struct pt_refault_knowledge k;

	pt_refault_know(pt_reader_head(r), &k);
	return k.folios;
}

static void print_memory(uint64_t pages, uint32_t page_size)
{
	char text[32];

	printf("%*s", MEMORY_WIDTH, pt_format_size(pages * page_size, text, sizeof(text)));
}

static void print_count(int known, uint64_t v)
{
	char text[32];

	printf("%*s", COUNT_WIDTH, known ? pt_format_count(v, text, sizeof(text)) : "-");
}

/* What bars show: refaults, or accesses where nothing is known of those. */
static uint64_t shown(const struct pt_timeline_window *w, int folios)
{
	return folios ? w->refaults : w->accesses;
}

static void print_window(const struct pt_tape_timeline *t, size_t i, uint32_t page_size, int folios)
{
	const struct pt_timeline_window *w = pt_timeline_window(t->timeline, i);
	int64_t cached = w->cached + (int64_t)pt_timeline_cached_before(t->timeline);
	char at[32];

	printf("%*s", TIME_WIDTH,
	       pt_format_time(i * pt_timeline_width_ns(t->timeline), at, sizeof(at)));
	print_memory(w->working_set, page_size);
	if (folios)
		print_memory(cached > 0 ? (uint64_t)cached : 0, page_size);
	else
		printf("%*s", MEMORY_WIDTH, "-");
	if (folios && w->accesses)
		printf("%*.1f%%", RATIO_WIDTH - 1,
		       100 - 100.0 * (double)w->misses / (double)w->accesses);
	else
		printf("%*s", RATIO_WIDTH, "-");
	print_count(1, w->accesses);
	print_count(folios, w->evictions);
	print_count(folios, w->refaults);
	if (w->lost)
		fputs(" !", stdout);
}

static void print_windows(const struct pt_tape_timeline *t, uint32_t page_size, int folios,
			  const struct pt_plot_style *style)
{
	unsigned int taken = TIME_WIDTH + 2 * MEMORY_WIDTH + RATIO_WIDTH + 3 * COUNT_WIDTH + 1;
	unsigned int width = style->columns > taken + MIN_BAR ? style->columns - taken : MIN_BAR;
	uint64_t most = 1;

	for (size_t i = 0; i < t->windows; i++) {
		uint64_t v = shown(pt_timeline_window(t->timeline, i), folios);

		most = v > most ? v : most;
	}
	printf("%*s%*s%*s%*s%*s%*s%*s\n", TIME_WIDTH, "at", MEMORY_WIDTH, "workingset",
	       MEMORY_WIDTH, "cached", RATIO_WIDTH, "hits", COUNT_WIDTH, "accesses", COUNT_WIDTH,
	       "evicted", COUNT_WIDTH, "refaulted");
	for (size_t i = 0; i < t->windows; i++) {
		const struct pt_timeline_window *w = pt_timeline_window(t->timeline, i);

		print_window(t, i, page_size, folios);
		if (shown(w, folios) && !w->lost)
			putchar(' ');
		pt_plot_bar((double)shown(w, folios) / (double)most, width, style, stdout);
		putchar('\n');
	}
}

/* The file's end on top, as in a plot. */
static void print_grid(const struct pt_heatmap_grid *g, const uint32_t *cells, uint32_t page_size,
		       const struct pt_plot_style *style)
{
	unsigned int width = style->columns > LABEL_WIDTH + 2 + MAP_MIN
				     ? style->columns - LABEL_WIDTH - 2
				     : MAP_MIN;
	uint32_t most = 1;

	for (size_t i = 0; i < g->rows * g->columns; i++)
		most = cells[i] > most ? cells[i] : most;
	for (size_t row = g->rows; row--;) {
		char label[32];

		printf("%*s |", LABEL_WIDTH,
		       pt_format_size(row * g->row_pages * page_size, label, sizeof(label)));
		pt_plot_shades(cells + row * g->columns, g->columns, most, width, style, stdout);
		putchar('\n');
	}
}

static void print_maps(const struct pt_reader *r, const struct pt_tape_timeline *t,
		       uint32_t page_size, int folios, const struct pt_plot_style *style)
{
	for (size_t i = 0; t->heatmap && i < pt_heatmap_count(t->heatmap); i++) {
		const struct pt_heatmap_grid *g = pt_heatmap_grid(t->heatmap, i);
		const struct pt_timeline_file *f = pt_timeline_file(t->timeline, g->file);
		auto_free char *name = pt_refault_key_name(r, PT_BY_FILE, g->file);
		char shown_name[256], n[32];

		printf("\n%s\n",
		       pt_printable(name ? name : "(not known)", shown_name, sizeof(shown_name)));
		printf("  %s page accesses, darker is more\n",
		       pt_format_count(f->accesses, n, sizeof(n)));
		print_grid(g, g->accesses, page_size, style);
		if (!folios || !f->refaults)
			continue;
		printf("  %s pages refaulted\n", pt_format_count(f->refaults, n, sizeof(n)));
		print_grid(g, g->refaults, page_size, style);
	}
}

int pt_timeline_print(const char *path, const struct pt_reader *r, const struct pt_tape_timeline *t)
{
	uint32_t page_size = pt_head_page_size(pt_reader_head(r));
	int folios = knows_folios(r);
	struct pt_plot_style style;
	char width[32];

	pt_plot_style_of(stdout, &style);
	printf("%s\n", path);
	printf("  %-12s %s each; bars show %s\n", "windows",
	       pt_format_time(pt_timeline_width_ns(t->timeline), width, sizeof(width)),
	       folios ? "pages refaulted" : "page accesses");
	print_windows(t, page_size, folios, &style);
	print_maps(r, t, page_size, folios, &style);
	return 0;
}

/* ---- CSV */

struct pt_table *pt_timeline_csv_new(void)
{
	static const char *const columns[] = {
		"tape",         "from_ns",   "accesses", "misses", "working_set_bytes",
		"cached_bytes", "evictions", "removals", "adds",   "refaults",
	};

	return pt_table_new_as(columns, PT_ARRAY_SIZE(columns), PT_TABLE_CSV);
}

static uint64_t known(int folios, uint64_t v)
{
	return folios ? v : PT_UNKNOWN;
}

int pt_timeline_csv_add(struct pt_table *table, const char *path, const struct pt_reader *r,
			const struct pt_tape_timeline *t)
{
	uint32_t page_size = pt_head_page_size(pt_reader_head(r));
	int64_t before = (int64_t)pt_timeline_cached_before(t->timeline);
	int folios = knows_folios(r), bad = 0;

	for (size_t i = 0; i < t->windows && !bad; i++) {
		const struct pt_timeline_window *w = pt_timeline_window(t->timeline, i);
		uint64_t cached = w->cached + before > 0 ? (uint64_t)(w->cached + before) : 0;

		bad = pt_table_text(table, path);
		bad |= pt_table_count(table, i * pt_timeline_width_ns(t->timeline));
		bad |= pt_table_count(table, w->accesses);
		bad |= pt_table_count(table, known(folios, w->misses));
		bad |= pt_table_size(table, w->working_set * page_size);
		bad |= pt_table_size(table, known(folios, cached * page_size));
		bad |= pt_table_count(table, known(folios, w->evictions));
		bad |= pt_table_count(table, known(folios, w->removals));
		bad |= pt_table_count(table, known(folios, w->adds));
		bad |= pt_table_count(table, known(folios, w->refaults));
	}
	return bad ? -ENOMEM : 0;
}
