// SPDX-License-Identifier: GPL-2.0-or-later
/* Miss-ratio curves as text: see mrc_print.h. */
#include "cli/mrc_print.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/tape_refaults.h"
#include "util/cleanup.h"
#include "util/parse.h"
#include "util/plot.h"
#include "util/table.h"

#define PAGES_WIDTH  14
#define MEMORY_WIDTH 12
#define RATIO_WIDTH  9
#define MIN_BAR      10

#define MOST_OF_HITS 0.9 /* of what could hit at all, for the table of groups */

static void print_left_out(const struct pt_mrc *m)
{
	static const char *const what[PT_PAGEACCESS_KINDS] = {
		[PT_PAGEACCESS_WINDOW] = "windows of fault-around, of which the page is not known",
		[PT_PAGEACCESS_DIRECT] = "direct reads and writes",
		[PT_PAGEACCESS_UNKNOWN] = "accesses whose range is not known",
	};
	char n[32];

	for (unsigned int i = 0; i < PT_PAGEACCESS_KINDS; i++)
		if (what[i] && m->records[i])
			printf("  %-12s %s %s\n", "left out",
			       pt_format_count(m->records[i], n, sizeof(n)), what[i]);
}

/* What nobody else tells, ahead of everything. */
static void print_verdict(const struct pt_mrc_kernel *k)
{
	double lru = pt_mrc_kernel_over(k, k->lru), opt = pt_mrc_kernel_over(k, k->opt);

	if (!isfinite(lru) && !isfinite(opt))
		return;
	printf("  %-12s ", "kernel");
	if (isfinite(opt))
		printf("%.2f times OPT's misses with the same memory", opt);
	if (isfinite(lru))
		printf("%s%.2f times LRU's", isfinite(opt) ? ", " : "", lru);
	printf("%s\n", k->cached_before != PT_UNKNOWN && k->cached_before ? " (beware)" : "");
}

static void print_summary(const struct pt_mrc *m)
{
	struct pt_reuse_summary s;
	char a[32], b[32];

	pt_reuse_summarise(m->reuse, &s);
	printf("  %-12s %s, to ", "accesses", pt_format_count(s.accesses, a, sizeof(a)));
	printf("%s%s different pages\n", s.rate < 1 ? "about " : "",
	       pt_format_count(s.distinct, b, sizeof(b)));
	if (s.rate < 1 || m->max_pages)
		printf("  %-12s %s accesses, one page in %.4g\n", "sampled",
		       pt_format_count(s.sampled, a, sizeof(a)), 1 / s.rate);
	print_left_out(m);
}

static void print_curve(const struct pt_mrc *m, uint32_t page_size)
{
	unsigned int taken = PAGES_WIDTH + MEMORY_WIDTH + RATIO_WIDTH + 1, width = MIN_BAR;
	struct pt_plot_style style;

	pt_plot_style_of(stdout, &style);
	if (style.columns > taken + MIN_BAR)
		width = style.columns - taken;
	printf("\n%*s%*s%*s\n", PAGES_WIDTH, "pages", MEMORY_WIDTH, "memory", RATIO_WIDTH, "LRU");
	for (size_t i = 0; i < m->nsizes && isfinite(m->curve[i]); i++) {
		char pages[32], memory[32];

		printf("%*s%*s%*.2f%% ", PAGES_WIDTH,
		       pt_format_count(m->sizes[i], pages, sizeof(pages)), MEMORY_WIDTH,
		       pt_format_size(m->sizes[i] * page_size, memory, sizeof(memory)),
		       RATIO_WIDTH - 1, 100 * m->curve[i]);
		pt_plot_bar(m->curve[i], width, &style, stdout);
		putchar('\n');
	}
}

static int print_policies(const struct pt_mrc *m, uint32_t page_size)
{
	const char *columns[PT_MRC_POLICIES + 2] = { ">memory" };
	char headers[PT_MRC_POLICIES + 1][16], memory[32];
	struct pt_table *t;
	int bad;

	for (size_t p = 0; p < m->npolicies; p++) {
		snprintf(headers[p], sizeof(headers[p]), ">%s", m->names[p]);
		columns[p + 1] = headers[p];
	}
	t = pt_table_new(columns, m->npolicies + 1);
	bad = !t;
	for (size_t i = 0; !bad && i < m->nsizes; i++) {
		pt_format_size(m->sizes[i] * page_size, memory, sizeof(memory));
		bad |= pt_table_cell(t, "%s", memory);
		for (size_t p = 0; p < m->npolicies; p++)
			bad |= isfinite(m->policies[p][i])
				       ? pt_table_cell(t, "%.2f%%", 100 * m->policies[p][i])
				       : pt_table_cell(t, "-");
	}
	if (!bad) {
		puts("\nmiss ratios of simulated policies");
		pt_table_print(t, stdout);
	}
	pt_table_free(t);
	return bad ? -ENOMEM : 0;
}

/* Misses of one who had the kernel's memory, and how they compare with the kernel's. */
static void print_rival(const char *who, uint64_t misses, const struct pt_mrc_kernel *k,
			uint64_t accesses)
{
	char n[32];

	if (misses == PT_UNKNOWN)
		return;
	printf("  %-12s %s misses, %.2f%%", who, pt_format_count(misses, n, sizeof(n)),
	       accesses ? 100.0 * (double)misses / (double)accesses : 0);
	if (k->misses != PT_UNKNOWN && misses)
		printf("; the kernel's are %+.1f%%",
		       100.0 * ((double)k->misses / (double)misses - 1));
	putchar('\n');
}

static void print_kernel(const struct pt_mrc *m, uint32_t page_size)
{
	static const char *const from[] = {
		[PT_MRC_MEMORY_OPTION] = "as --memory says",
		[PT_MRC_MEMORY_CACHED] = "the most that it cached at once",
		[PT_MRC_MEMORY_LIMIT] = "its cgroup's limit",
	};
	const struct pt_mrc_kernel *k = &m->kernel;
	struct pt_reuse_summary s;
	char a[32], b[32];

	if (k->memory == PT_MRC_MEMORY_NONE)
		return;
	pt_reuse_summarise(m->reuse, &s);
	printf("\nthe kernel with %s pages (%s), %s\n", pt_format_count(k->pages, a, sizeof(a)),
	       pt_format_size(k->pages * page_size, b, sizeof(b)), from[k->memory]);
	if (k->misses == PT_UNKNOWN)
		printf("  %-12s not known: the tape has no additions to the cache\n", "kernel");
	else
		printf("  %-12s %s misses, %.2f%%\n", "kernel",
		       pt_format_count(k->misses, a, sizeof(a)), 100 * k->miss_ratio);
	print_rival("LRU", k->lru, k, s.accesses);
	print_rival("OPT", k->opt, k, s.accesses);
	if (k->cached_before != PT_UNKNOWN && k->cached_before)
		printf("  %-12s %s pages were cached before the tape began: misses for LRU and "
		       "OPT, hits for the kernel\n",
		       "beware", pt_format_count(k->cached_before, a, sizeof(a)));
}

/* The first size at which most of what could hit does; 0: none. */
static uint64_t enough(const struct pt_mrc *m, const struct pt_reuse *reuse)
{
	struct pt_reuse_summary s;
	double cold;

	pt_reuse_summarise(reuse, &s);
	cold = s.accesses ? (double)s.cold / (double)s.accesses : 1;
	for (size_t i = 0; i < m->nsizes; i++)
		if (1 - pt_mrc_ratio(reuse, m->sizes[i]) >= MOST_OF_HITS * (1 - cold))
			return m->sizes[i];
	return 0;
}

/* Most accesses first; ties in order of appearance. */
static int by_accesses(const void *a, const void *b)
{
	const struct pt_mrc_group *x = *(const struct pt_mrc_group *const *)a;
	const struct pt_mrc_group *y = *(const struct pt_mrc_group *const *)b;
	struct pt_reuse_summary s, t;

	pt_reuse_summarise(x->reuse, &s);
	pt_reuse_summarise(y->reuse, &t);
	if (s.accesses != t.accesses)
		return s.accesses < t.accesses ? 1 : -1;
	return (x > y) - (x < y);
}

static int group_row(struct pt_table *t, const struct pt_reader *r, const struct pt_mrc *m,
		     const struct pt_mrc_group *g, enum pt_group_by by)
{
	auto_free char *name = pt_refault_key_name(r, by, g->key);
	uint64_t pages = enough(m, g->reuse);
	struct pt_reuse_summary s;
	char memory[32];
	int bad;

	pt_reuse_summarise(g->reuse, &s);
	bad = pt_table_cell(t, "%s", name ? name : "(not known)");
	bad |= pt_table_cell(t, "%" PRIu64, s.accesses);
	bad |= pt_table_cell(t, "%" PRIu64, s.distinct);
	bad |= pt_table_cell(t, "%" PRIu64, s.cold);
	pt_format_size(pages * pt_head_page_size(pt_reader_head(r)), memory, sizeof(memory));
	bad |= pt_table_cell(t, "%s", pages ? memory : "-");
	return bad;
}

static int print_groups(const struct pt_reader *r, const struct pt_mrc *m, enum pt_group_by by)
{
	const char *columns[] = { by == PT_BY_FILE ? "file" : "cgroup", ">accesses", ">pages",
				  ">cold", ">for 90% of hits" };
	struct pt_table *t = pt_table_new(columns, PT_ARRAY_SIZE(columns));
	auto_free const struct pt_mrc_group **sorted = calloc(m->ngroups + 1, sizeof(*sorted));
	int bad = !t || !sorted;

	for (size_t i = 0; !bad && i < m->ngroups; i++)
		sorted[i] = &m->groups[i];
	if (!bad)
		qsort(sorted, m->ngroups, sizeof(*sorted), by_accesses);
	for (size_t i = 0; !bad && i < m->ngroups; i++)
		bad = group_row(t, r, m, sorted[i], by);
	if (!bad) {
		putchar('\n');
		pt_table_print(t, stdout);
	}
	pt_table_free(t);
	return bad ? -ENOMEM : 0;
}

int pt_mrc_print(const struct pt_reader *r, const struct pt_mrc *m, enum pt_group_by by)
{
	uint32_t page_size = pt_head_page_size(pt_reader_head(r));
	int err;

	print_verdict(&m->kernel);
	print_summary(m);
	print_curve(m, page_size);
	err = m->npolicies ? print_policies(m, page_size) : 0;
	print_kernel(m, page_size);
	if (!err && by != PT_BY_NOTHING)
		err = print_groups(r, m, by);
	return err;
}
