// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms as bars: see bars.h. */
#include "cli/bars.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/parse.h"

#define LABEL      22 /* "[512K, 1M)" and the like */
#define COUNT      13
#define SHARE      8
#define MIN_BAR    10
#define EIGHTHS    8
#define FULL       "\xe2\x96\x88" /* U+2588; U+2589 to U+258F are 7 to 1 eighths */
#define MAX_OCTAVE 64

void pt_bars_style_of(FILE *f, struct pt_bars_style *ret_style)
{
	const char *columns = getenv("COLUMNS");
	struct winsize ws;
	uint32_t n;

	*ret_style = (struct pt_bars_style){ .columns = 80 };
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

static void bound(unsigned int octave, enum pt_bars_unit unit, char *buf, size_t size)
{
	if (!octave)
		snprintf(buf, size, "0");
	else if (unit == PT_BARS_TIME && octave <= MAX_OCTAVE)
		pt_format_time(UINT64_C(1) << (octave - 1), buf, size);
	else
		pages_label(octave - 1, buf, size);
}

void pt_bars_bar(double share, unsigned int width, const struct pt_bars_style *style, FILE *f)
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

void pt_bars_print(const struct pt_log2hist *h, enum pt_bars_unit unit,
		   const struct pt_bars_style *style, FILE *f)
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
		pt_bars_bar((double)h->octaves[i] / (double)most, width, style, f);
		fputc('\n', f);
	}
}
