// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups of results side by side: see comparison.h. */
#include "analysis/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"

#define LEVEL 0.05

/* In what the results were made that decides what may be compared. */
struct setting {
	int lru_differs, cgroup_differs, accelerator_differs;
};

const char *pt_comparison_test_name(enum pt_comparison_test test)
{
	return test == PT_COMPARE_WELCH ? "welch" : "mann-whitney";
}

/* ---- What may be compared */

static const json_t *below(const json_t *doc, const char *a, const char *b, const char *c)
{
	const json_t *v = json_object_get(json_object_get(doc, a), b);

	return c ? json_object_get(v, c) : v;
}

/* Note a difference from the first known value. */
static void hold_against(const json_t *v, const json_t **first, int *differs)
{
	if (!v || json_is_null(v))
		return;
	if (!*first)
		*first = v;
	*differs |= !json_equal(v, *first);
}

static struct setting setting_of(const struct pt_result_group *groups, size_t n)
{
	const json_t *lru = NULL, *cgroup = NULL, *accelerator = NULL;
	struct setting s = { 0 };

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < groups[i].n; k++) {
			const json_t *doc = groups[i].results[k].doc;

			hold_against(below(doc, "kernel", "lru", "flavour"), &lru, &s.lru_differs);
			hold_against(below(doc, "settings", "cgroup_version", NULL), &cgroup,
				     &s.cgroup_differs);
			hold_against(json_object_get(doc, "accelerator"), &accelerator,
				     &s.accelerator_differs);
		}
	}
	return s;
}

static const char *why_not(const struct pt_metric *m, const struct setting *s)
{
	static const char *const lru[] = { "activations", "restores", "machine_activations" };
	static const char *const timed[] = { "ns", "us", "1/s", "B/s" };

	for (size_t i = 0; s->lru_differs && i < sizeof(lru) / sizeof(lru[0]); i++)
		if (strcmp(m->name, lru[i]) == 0)
			return "the LRU flavours differ, and count it differently";
	if (s->cgroup_differs &&
	    (strncmp(m->path, "counters.cgroup.", 16) == 0 ||
	     strncmp(m->path, "psi_us.cgroup.", 14) == 0) &&
	    strcmp(m->name, "refaults") != 0)
		return "cgroup versions 1 and 2 do not count it alike";
	for (size_t i = 0; s->accelerator_differs && i < sizeof(timed) / sizeof(timed[0]); i++)
		if (strcmp(m->unit, timed[i]) == 0)
			return "the virtual machines' accelerators differ";
	return NULL;
}

/* ---- Figures */

/* All values of a metric in a group; *@ret_n is their number. NULL when out of memory. */
static double *values_of(const struct pt_result_group *g, const struct pt_metric *m, size_t *ret_n)
{
	size_t cap = 0, n = 0;
	double *v;

	for (size_t i = 0; i < g->n; i++)
		cap += pt_result_runs(&g->results[i]);
	v = calloc(cap + 1, sizeof(*v));
	for (size_t i = 0; v && i < g->n; i++)
		for (size_t run = 0; run < pt_result_runs(&g->results[i]); run++)
			n += pt_result_value(&g->results[i], run, m->path, &v[n]) == 1;
	*ret_n = n;
	return v;
}

static int test_values(enum pt_comparison_test test, const struct pt_compared *a,
		       const struct pt_compared *b, const double *va, const double *vb,
		       double *ret_p)
{
	struct pt_test t = { .p_value = NAN };
	int err;

	if (test == PT_COMPARE_WELCH)
		err = pt_welch_test(&a->stats, &b->stats, &t);
	else
		err = pt_mann_whitney_test(va, a->stats.n, vb, b->stats.n, &t);
	*ret_p = t.p_value;
	return err == -ENODATA ? 0 : err;
}

static int compare_group(struct pt_compared_metric *m, size_t i, double *const *v,
			 enum pt_comparison_test test)
{
	struct pt_compared *a = &m->groups[0], *b = &m->groups[i];
	double base = a->stats.mean;

	b->change_percent = base != 0 ? 100 * (b->stats.mean - base) / fabs(base) : NAN;
	b->min_detectable_percent = pt_min_detectable_percent(&a->stats, &b->stats);
	return test_values(test, a, b, v[0], v[i], &b->p_value);
}

/* Fill in @m from all groups. 1, 0 where no group has the metric, or -ENOMEM. */
static int measure(struct pt_compared_metric *m, const struct pt_comparison *c)
{
	double **v = calloc(c->ngroups + 1, sizeof(*v));
	size_t have = 0;
	int err = v ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < c->ngroups; i++) {
		size_t n;

		v[i] = values_of(&c->groups[i], m->metric, &n);
		if (!v[i])
			err = -ENOMEM;
		else
			pt_sample_describe(v[i], n, &m->groups[i].stats);
		have += !err && n;
	}
	if (!err && have && have < c->ngroups && !m->why_not)
		m->why_not = "not measured in every group";
	for (size_t i = 0; i < c->ngroups; i++) {
		struct pt_compared *g = &m->groups[i];

		g->change_percent = g->p_value = g->p_adjusted = g->min_detectable_percent = NAN;
		if (!err && i && have && !m->why_not)
			err = compare_group(m, i, v, c->test);
	}
	for (size_t i = 0; v && i < c->ngroups; i++)
		free(v[i]);
	free(v);
	return err ? err : have > 0;
}

static int adjust(struct pt_comparison *c)
{
	double *p = calloc(c->nmetrics + 1, sizeof(*p));
	int err = p ? 0 : -ENOMEM;

	for (size_t i = 1; !err && i < c->ngroups; i++) {
		for (size_t k = 0; k < c->nmetrics; k++)
			p[k] = c->metrics[k].groups[i].p_value;
		err = pt_holm_adjust(p, c->nmetrics);
		for (size_t k = 0; !err && k < c->nmetrics; k++) {
			c->metrics[k].groups[i].p_adjusted = p[k];
			c->metrics[k].groups[i].significant = p[k] < LEVEL;
		}
	}
	free(p);
	return err;
}

int pt_comparison_make(const struct pt_result_group *groups, size_t n, enum pt_comparison_test test,
		       struct pt_comparison *ret_c)
{
	struct setting s = setting_of(groups, n);
	size_t most = 0;

	while (pt_metrics[most].name)
		most++;
	*ret_c = (struct pt_comparison){ .groups = groups, .ngroups = n, .test = test };
	ret_c->metrics = calloc(most + 1, sizeof(*ret_c->metrics));
	if (!ret_c->metrics)
		return -ENOMEM;
	for (int primary = 1; primary >= 0; primary--) {
		for (size_t i = 0; i < most; i++) {
			struct pt_compared_metric *m = &ret_c->metrics[ret_c->nmetrics];
			int has;

			if (!!pt_metrics[i].primary != primary)
				continue;
			*m = (struct pt_compared_metric){
				.metric = &pt_metrics[i],
				.groups = calloc(n + 1, sizeof(*m->groups)),
				.why_not = why_not(&pt_metrics[i], &s),
			};
			has = m->groups ? measure(m, ret_c) : -ENOMEM;
			if (has > 0)
				ret_c->nmetrics++;
			else
				free(m->groups);
			if (has < 0)
				return has;
		}
	}
	return adjust(ret_c);
}

void pt_comparison_done(struct pt_comparison *c)
{
	for (size_t i = 0; i < c->nmetrics; i++)
		free(c->metrics[i].groups);
	free(c->metrics);
	*c = (struct pt_comparison){ 0 };
}

/* ---- The document */

static void set_change(json_t *o, const struct pt_compared *g, enum pt_comparison_test test)
{
	pt_json_set_double(o, "change_percent", g ? g->change_percent : NAN);
	pt_json_set_string(o, "test",
			   g && !isnan(g->p_value) ? pt_comparison_test_name(test) : NULL);
	pt_json_set_double(o, "p_value", g ? g->p_value : NAN);
	pt_json_set_double(o, "p_adjusted", g ? g->p_adjusted : NAN);
	pt_json_set(o, "significant",
		    g && !isnan(g->p_adjusted) ? json_boolean(g->significant) : NULL);
	pt_json_set_double(o, "min_detectable_percent", g ? g->min_detectable_percent : NAN);
}

static json_t *group_json(const struct pt_comparison *c, const struct pt_compared *g, size_t i)
{
	const struct pt_sample_stats *s = &g->stats;
	json_t *o = json_object(), *ci = json_array();

	pt_json_set_string(o, "name", c->groups[i].name);
	pt_json_set_u64(o, "n", s->n);
	pt_json_set_double(o, "mean", s->mean);
	pt_json_set_double(o, "hmean", s->hmean);
	pt_json_set_double(o, "stddev", s->stddev);
	pt_json_set_double(o, "min", s->min);
	pt_json_set_double(o, "max", s->max);
	for (int k = 0; k < 2; k++)
		json_array_append_new(ci, isnan(s->ci95[k]) ? json_null() : json_real(s->ci95[k]));
	pt_json_set(o, "ci95", ci);
	if (i && c->ngroups > 2)
		set_change(o, g, c->test);
	return o;
}

static json_t *metric_json(const struct pt_comparison *c, const struct pt_compared_metric *m)
{
	json_t *o = json_object(), *groups = json_array();

	pt_json_set_string(o, "name", m->metric->name);
	pt_json_set_string(o, "unit", m->metric->unit);
	pt_json_set_string(o, "better", m->metric->better);
	pt_json_set_bool(o, "primary", m->metric->primary);
	for (size_t i = 0; i < c->ngroups; i++)
		json_array_append_new(groups, group_json(c, &m->groups[i], i));
	pt_json_set(o, "groups", groups);
	set_change(o, c->ngroups > 1 ? &m->groups[1] : NULL, c->test);
	return o;
}

json_t *pt_comparison_document(const struct pt_comparison *c)
{
	json_t *doc = pt_json_document("compare", NULL);
	json_t *metrics = json_array(), *not = json_array();

	for (size_t i = 0; i < c->nmetrics; i++) {
		const struct pt_compared_metric *m = &c->metrics[i];
		json_t *o;

		if (!m->why_not) {
			json_array_append_new(metrics, metric_json(c, m));
			continue;
		}
		o = json_object();
		pt_json_set_string(o, "metric", m->metric->name);
		pt_json_set_string(o, "why", m->why_not);
		json_array_append_new(not, o);
	}
	pt_json_set(doc, "metrics", metrics);
	pt_json_set(doc, "not_comparable", not );
	return doc;
}
