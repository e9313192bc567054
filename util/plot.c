// SPDX-License-Identifier: GPL-2.0-or-later
/* Plots in a terminal: see plot.h. */
#include "util/plot.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/parse.h"

#define LABEL      22 /* "[512K, 1M)" and the like */
#define COUNT      13
#define SHARE      8
#define MIN_BAR    10
#define EIGHTHS    8
#define FULL       "\xe2\x96\x88" /* U+2588; U+2589 to U+258F are 7 to 1 eighths */
#define MAX_OCTAVE 64

void pt_plot_style_of(FILE *f, struct pt_plot_style *ret_style)
{
	const char *columns = getenv("COLUMNS");
	struct winsize ws;
	uint32_t n;

	*ret_style = (struct pt_plot_style){ .columns = 80 };
	if (ioctl(fileno(f), TIOCGWINSZ, &ws) == 0 && ws.ws_col)
		ret_style->columns = ws.ws_col;
	else if (columns && pt_parse_u32(columns, &n) == 0 && n && n < 1000)
		ret_style->columns = n;
	setlocale(LC_CTYPE, "");
	ret_style->unicode = isatty(fileno(f)) && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* A power of two of pages: "512", "4K", "2M". */
static void pages_label(unsigned int power, char *buf, size_t size)
{
	snprintf(buf, size, "%u%.1s", 1u << power % 10, &" KMGTPE"[power / 10]);
	if (power < 10)
		buf[strlen(buf) - 1] = '\0';
}

static void bound(unsigned int octave, enum pt_plot_unit unit, char *buf, size_t size)
{
	if (!octave)
		snprintf(buf, size, "0");
	else if (unit == PT_PLOT_TIME && octave <= MAX_OCTAVE)
		pt_format_time(UINT64_C(1) << (octave - 1), buf, size);
	else
		pages_label(octave - 1, buf, size);
}

void pt_plot_bar(double share, unsigned int width, const struct pt_plot_style *style, FILE *f)
{
	unsigned int eighths = (unsigned int)(share * width * EIGHTHS + 0.5);

	if (share > 0 && !eighths)
		eighths = 1;
	if (!style->unicode) {
		for (unsigned int i = 0; i < (eighths + EIGHTHS - 1) / EIGHTHS; i++)
			fputc('#', f);
		return;
	}
	for (unsigned int i = 0; i < eighths / EIGHTHS; i++)
		fputs(FULL, f);
	if (eighths % EIGHTHS)
		fprintf(f, "\xe2\x96%c", (int)(0x90 - eighths % EIGHTHS));
}

void pt_plot_hist(const struct pt_log2hist *h, enum pt_plot_unit unit,
		  const struct pt_plot_style *style, FILE *f)
{
	unsigned int first = 0, last = MAX_OCTAVE, taken = LABEL + COUNT + SHARE + 2;
	unsigned int width = style->columns > taken + MIN_BAR ? style->columns - taken : MIN_BAR;
	uint64_t most = 1;

	if (!h->count)
		return;
	while (!h->octaves[first])
		first++;
	while (!h->octaves[last])
		last--;
	for (unsigned int i = first; i <= last; i++)
		if (h->octaves[i] > most)
			most = h->octaves[i];
	for (unsigned int i = first; i <= last; i++) {
		char lo[32], hi[32], label[72], count[32];

		bound(i, unit, lo, sizeof(lo));
		bound(i + 1, unit, hi, sizeof(hi));
		snprintf(label, sizeof(label), "[%s, %s)", lo, hi);
		fprintf(f, "%*s%*s%*.1f%% ", LABEL, label, COUNT,
			pt_format_count(h->octaves[i], count, sizeof(count)), SHARE - 1,
			100.0 * (double)h->octaves[i] / (double)h->count);
		pt_plot_bar((double)h->octaves[i] / (double)most, width, style, f);
		fputc('\n', f);
	}
}

/* 0 for nothing, else 1 to @steps. */
static unsigned int shade(uint32_t v, uint32_t most, unsigned int steps)
{
	double share = most > 1 ? log1p(v) / log1p(most) : 1;

	if (!v)
		return 0;
	return share >= 1 ? steps : 1 + (unsigned int)(share * steps);
}

void pt_plot_shades(const uint32_t *cells, size_t n, uint32_t most, unsigned int width,
		    const struct pt_plot_style *style, FILE *f)
{
	static const char *const blocks[] = { " ", "\xe2\x96\x91", "\xe2\x96\x92", "\xe2\x96\x93",
					      FULL }; /* U+2591 to U+2593 */
	static const char *const ascii[] = { " ", ".", "-", "+", "#" };
	const char *const *set = style->unicode ? blocks : ascii;

	for (unsigned int x = 0; n && x < width; x++) {
		size_t i = x * n / width, end = (x + 1) * n / width;
		uint32_t v = cells[i];

		for (; i < end; i++)
			if (cells[i] > v)
				v = cells[i];
		fputs(set[shade(v, most, PT_ARRAY_SIZE(blocks) - 1)], f);
	}
}
