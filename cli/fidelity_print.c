// SPDX-License-Identifier: GPL-2.0-or-later
/* Fidelity for people: each figure with what it says. */
#include "cli/fidelity_print.h"

#include <errno.h>
#include <stdio.h>

#include "util/cleanup.h"
#include "util/parse.h"
#include "util/table.h"

static const struct {
	const char *key, *what;
} figures[] = {
	{ "access_match", "accesses found again, in each task's order" },
	{ "order_match", "neighbours of different tasks in order" },
	{ "miss_match", "accesses that hit or missed alike" },
	{ "evict_overlap", "evicted pages in common" },
	{ "residency_jaccard", "pages cached at the end" },
	{ "refault_ratio", "refaults, second over first" },
	{ "hist_ks", "distance of the evicted_pages distributions" },
	{ "file_budget_error", "room left for file pages" },
};

static void print_figure(struct pt_table *t, const char *key, const json_t *v, const char *what)
{
	(void)pt_table_cell(t, "%s", key);
	(void)(json_is_real(v) ? pt_table_cell(t, "%.4f", json_real_value(v))
			       : pt_table_cell(t, "not known"));
	(void)pt_table_cell(t, "%s", what);
}

static void print_pair(const char *what, const json_t *pair)
{
	char n[32];

	printf("%s", what);
	for (size_t i = 0; i < 2; i++) {
		const json_t *v = json_array_get(pair, i);

		printf("%s %s", i ? " and" : "",
		       json_is_integer(v)
			       ? pt_format_count((uint64_t)json_integer_value(v), n, sizeof(n))
			       : "not known");
	}
}

int pt_fidelity_print(const char *title, const json_t *fidelity)
{
	const char *columns[] = { title, ">value", "" };
	struct pt_table *t = pt_table_new(columns, PT_ARRAY_SIZE(columns));
	int bound = json_is_false(json_object_get(fidelity, "access_match_exact"));

	if (!t)
		return -ENOMEM;
	for (size_t i = 0; i < PT_ARRAY_SIZE(figures); i++)
		print_figure(t, figures[i].key, json_object_get(fidelity, figures[i].key),
			     i == 0 && bound ? "the same, at least: too many to be exact"
					     : figures[i].what);
	pt_table_print(t, stdout);
	pt_table_free(t);
	print_pair("\naccesses", json_object_get(fidelity, "accesses"));
	print_pair(", evictions", json_object_get(fidelity, "evictions"));
	print_pair(", refaults", json_object_get(fidelity, "refaults"));
	putchar('\n');
	return 0;
}
