// SPDX-License-Identifier: GPL-2.0-or-later
/* Other thresholds as text and CSV: see whatif_print.h. */
#include "cli/whatif_print.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/parse.h"

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : (double)NAN;
}

/* "active", or "64.0 MiB". */
static const char *rule_name(const struct pt_whatif_print *p, size_t i, char *buf, size_t size)
{
	const struct pt_whatif_rule *rule = &p->answer->opt.rules[i];
	const char *name = pt_lists_rule_name(rule->by);

	return name ? name
		    : pt_format_size(rule->pages * pt_head_page_size(pt_reader_head(p->reader)),
				     buf, size);
}

/* ---- Text */

#define FAR 0.05 /* of all refaults: what differs by less between rules means nothing */

/* The same rule by the tape and by the kernel: what the other rows are as good as. */
static void print_check(const struct pt_tape_whatif *a)
{
	double error = pt_tape_whatif_error(a);
	char n[32], m[32];

	if (!isfinite(error))
		return;
	printf("  %-12s the active list would activate %s, the kernel did %s: "
	       "%+.1f%% of all\n",
	       "model", pt_format_count(a->total.today, n, sizeof(n)),
	       pt_format_count(a->kernel_activations, m, sizeof(m)), 100 * error);
	if (fabs(error) > FAR)
		printf("  %-12s so far may the other rows be off too%s\n", "",
		       a->total.modelled ? ": record with --cgroup or --memory" : "");
}

static void print_head(const struct pt_whatif_print *p)
{
	const struct pt_tape_whatif *a = p->answer;
	char n[32];

	printf("%s\n", p->path);
	if (p->cgroup)
		printf("  %-12s %s\n", "scope", p->cgroup);
	printf("  %-12s %s pages", "refaulted", pt_format_count(a->total.refaults, n, sizeof(n)));
	if (a->kernel_activations != PT_UNKNOWN)
		printf(", of which the kernel activated %s",
		       pt_format_count(a->kernel_activations, n, sizeof(n)));
	printf("\n  %-12s %s, with the lists as the kernel sees them%s\n", "distance",
	       a->by_evictions ? "evicted_pages" : "nonresident_age",
	       a->with_swap ? ", anonymous pages included" : "");
	if (a->total.modelled)
		printf("  %-12s of %s pages the lists are what the tape adds up to: no counters\n",
		       "", pt_format_count(a->total.modelled, n, sizeof(n)));
	if (a->total.undated)
		printf("  %-12s %s pages were evicted before the tape began: not activated\n",
		       "unknown", pt_format_count(a->total.undated, n, sizeof(n)));
	print_check(a);
	putchar('\n');
}

static int rule_row(struct pt_table *t, const struct pt_whatif_print *p, size_t i)
{
	const struct pt_tape_whatif *a = p->answer;
	const struct pt_whatif_counts *c = &a->total.counts[i];
	char name[32];
	int bad = pt_table_text(t, rule_name(p, i, name, sizeof(name)));

	bad |= isfinite(a->total.thresholds[i])
		       ? pt_table_count(t, (uint64_t)a->total.thresholds[i])
		       : pt_table_text(t, "-");
	bad |= pt_table_count(t, c->activated);
	bad |= pt_table_percent(t, share(c->activated, a->total.refaults), 1);
	bad |= pt_table_count(t, c->protects);
	bad |= pt_table_count(t, c->again);
	return bad | pt_table_percent(t, a->miss_ratio[i], 2);
}

static int print_rules(const struct pt_whatif_print *p)
{
	static const char *const columns[] = { "threshold",        ">mean pages", ">activated",
					       ">of all",          ">protects",   ">again",
					       ">simulated misses" };
	struct pt_table *t = pt_table_new(columns, PT_ARRAY_SIZE(columns));
	int bad = !t;

	for (size_t i = 0; i < p->answer->opt.nrules && !bad; i++)
		bad = rule_row(t, p, i);
	if (!bad)
		pt_table_print(t, stdout);
	pt_table_free(t);
	return bad ? -ENOMEM : 0;
}

/* What the figures leave out, in so many words. */
static void print_meaning(const struct pt_whatif_print *p)
{
	const struct pt_tape_whatif *a = p->answer;
	auto_free char *cgroup = pt_refault_key_name(p->reader, PT_BY_CGROUP, a->total.evictor);
	char n[32], m[32];

	puts("\nActivated pages are counted with all else as recorded. Protecting them would\n"
	     "evict others: of the refaults that they had again at most that part is saved.");
	if (!a->accesses)
		return;
	printf("The simulation follows that through: two lists of %s pages, %s accesses,\n"
	       "neither read-ahead nor anonymous memory; %.2f%% miss with today's rule.\n"
	       "The accesses are those of %s.\n",
	       pt_format_count(a->memory_pages, m, sizeof(m)),
	       pt_format_count(a->accesses, n, sizeof(n)), 100 * a->today,
	       cgroup ? cgroup : "all tasks");
}

static int group_row(struct pt_table *t, const struct pt_whatif_print *p,
		     const struct pt_whatif_group *g)
{
	auto_free char *name = pt_tape_whatif_group_name(p->reader, p->by, g);
	int bad = pt_table_text(t, name ? name : "(not known)");

	bad |= pt_table_count(t, g->refaults);
	for (size_t i = 0; i < p->answer->opt.nrules && !bad; i++)
		bad = pt_table_count(t, g->counts[i].activated);
	return bad;
}

static struct pt_table *group_table(const struct pt_whatif_print *p)
{
	static const char *const by_names[] = { "first page of a folio", "file", "cgroup" };
	const char *columns[2 + PT_WHATIF_RULES] = { by_names[p->by], ">refaulted" };
	char names[PT_WHATIF_RULES][40], buf[32];

	for (size_t i = 0; i < p->answer->opt.nrules; i++) {
		snprintf(names[i], sizeof(names[i]), ">%s", rule_name(p, i, buf, sizeof(buf)));
		columns[2 + i] = names[i];
	}
	return pt_table_new(columns, 2 + p->answer->opt.nrules);
}

static int print_groups(const struct pt_whatif_print *p)
{
	auto_free struct pt_whatif_group *v = NULL;
	struct pt_table *t = group_table(p);
	size_t n = 0, shown;
	int bad = !t || pt_whatif_groups(p->answer->whatif, p->by, &v, &n) < 0;

	shown = p->top && p->top < n ? (size_t)p->top : n;
	for (size_t i = 0; i < shown && !bad; i++)
		bad = group_row(t, p, &v[i]);
	if (!bad && shown) {
		putchar('\n');
		pt_table_print(t, stdout);
		if (shown < n)
			printf("%zu more are not shown (--top 0 shows all)\n", n - shown);
	}
	pt_table_free(t);
	return bad ? -ENOMEM : 0;
}

int pt_whatif_print(const struct pt_whatif_print *p)
{
	int err;

	print_head(p);
	err = print_rules(p);
	if (err < 0)
		return err;
	print_meaning(p);
	return print_groups(p);
}

/* ---- CSV */

struct pt_table *pt_whatif_csv_new(void)
{
	static const char *const columns[] = {
		"tape",      "key",      "threshold", "threshold_pages_mean", "refaults",
		"activated", "protects", "again",     "simulated_miss_ratio"
	};

	return pt_table_new_as(columns, PT_ARRAY_SIZE(columns), PT_TABLE_CSV);
}

/* @key NULL: all refaults, of which alone thresholds and simulations are known. */
static int csv_row(struct pt_table *t, const struct pt_whatif_print *p, const char *key, size_t i,
		   uint64_t refaults, const struct pt_whatif_counts *c)
{
	const struct pt_tape_whatif *a = p->answer;
	const char *name = pt_lists_rule_name(a->opt.rules[i].by);
	int bad = pt_table_text(t, p->path);

	bad |= pt_table_text(t, key);
	bad |= name ? pt_table_text(t, name) : pt_table_count(t, a->opt.rules[i].pages);
	bad |= !key && isfinite(a->total.thresholds[i])
		       ? pt_table_count(t, (uint64_t)a->total.thresholds[i])
		       : pt_table_text(t, NULL);
	bad |= pt_table_count(t, refaults);
	bad |= pt_table_count(t, c->activated);
	bad |= pt_table_count(t, c->protects);
	bad |= pt_table_count(t, c->again);
	return bad | pt_table_percent(t, key ? (double)NAN : a->miss_ratio[i], 2);
}

int pt_whatif_csv_add(struct pt_table *t, const struct pt_whatif_print *p)
{
	const struct pt_tape_whatif *a = p->answer;
	auto_free struct pt_whatif_group *v = NULL;
	size_t n = 0;
	int bad = pt_whatif_groups(a->whatif, p->by, &v, &n) < 0;

	if (p->top && p->top < n)
		n = (size_t)p->top;
	for (size_t i = 0; i < a->opt.nrules && !bad; i++)
		bad = csv_row(t, p, NULL, i, a->total.refaults, &a->total.counts[i]);
	for (size_t g = 0; g < n && !bad; g++) {
		auto_free char *name = pt_tape_whatif_group_name(p->reader, p->by, &v[g]);

		for (size_t i = 0; i < a->opt.nrules && !bad; i++)
			bad = csv_row(t, p, name ? name : "?", i, v[g].refaults, &v[g].counts[i]);
	}
	return bad ? -ENOMEM : 0;
}
