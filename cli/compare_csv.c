// SPDX-License-Identifier: GPL-2.0-or-later
/* A comparison of groups of results as CSV: see compare_print.h. */
#include <errno.h>
#include <math.h>

#include "cli/compare_print.h"
#include "util/cleanup.h"

struct pt_table *pt_compare_csv_new(void)
{
	static const char *const columns[] = { "tape",
					       "metric",
					       "unit",
					       "group",
					       "n",
					       "mean",
					       "stddev",
					       "min",
					       "max",
					       "change_percent",
					       "p_adjusted",
					       "significant",
					       "min_detectable_percent" };

	return pt_table_new_as(columns, PT_ARRAY_SIZE(columns), PT_TABLE_CSV);
}

static int figures(struct pt_table *t, const struct pt_compared *g, int first)
{
	int bad = pt_table_count(t, g->stats.n);

	bad |= pt_table_real(t, g->stats.mean);
	bad |= pt_table_real(t, g->stats.stddev);
	bad |= pt_table_real(t, g->stats.min);
	bad |= pt_table_real(t, g->stats.max);
	bad |= pt_table_real(t, first ? NAN : g->change_percent);
	bad |= pt_table_real(t, first ? NAN : g->p_adjusted);
	bad |= pt_table_text(t, first || isnan(g->p_adjusted) ? NULL : g->significant ? "1" : "0");
	return bad | pt_table_real(t, first ? NAN : g->min_detectable_percent);
}

int pt_compare_csv_add(struct pt_table *t, const char *tape, const struct pt_comparison *c)
{
	int bad = 0;

	for (size_t i = 0; i < c->nmetrics; i++) {
		const struct pt_compared_metric *m = &c->metrics[i];

		for (size_t k = 0; k < c->ngroups && !m->why_not && !bad; k++) {
			bad = pt_table_text(t, tape);
			bad |= pt_table_text(t, m->metric->name);
			bad |= pt_table_text(t, m->metric->unit);
			bad |= pt_table_text(t, c->groups[k].name);
			bad |= figures(t, &m->groups[k], k == 0);
		}
	}
	return bad ? -ENOMEM : 0;
}
