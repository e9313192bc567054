// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups of results side by side: see comparison.h. */
#include "analysis/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/distortion.h"
#include "util/cleanup.h"
#include "util/json.h"

#define LEVEL 0.05

const char *pt_comparison_test_name(enum pt_comparison_test test)
{
	return test == PT_COMPARE_WELCH ? "welch" : "mann-whitney";
}

/* ---- What may be compared */

static int is_one_of(const char *s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(s, list[i]) == 0)
			return 1;
	return 0;
}

static const char *why_not(const struct pt_metric *m, const struct pt_comparison *c)
{
	static const char *const lru[] = { "activations", "restores", "machine_activations",
					   "refault_activations" };
	static const char *const timed[] = { "ns", "us", "1/s", "B/s" };

	if (is_one_of(m->name, lru, PT_ARRAY_SIZE(lru)) &&
	    pt_circumstance_differs(c->groups, c->ngroups, PT_MADE_LRU))
		return "the LRU flavours differ, and count it differently";
	if ((strncmp(m->path, "counters.cgroup.", 16) == 0 ||
	     strncmp(m->path, "psi_us.cgroup.", 14) == 0) &&
	    strcmp(m->name, "refaults") != 0 &&
	    pt_circumstance_differs(c->groups, c->ngroups, PT_MADE_CGROUP_VERSION))
		return "cgroup versions 1 and 2 do not count it alike";
	if (is_one_of(m->unit, timed, PT_ARRAY_SIZE(timed)) &&
	    pt_circumstance_differs(c->groups, c->ngroups, PT_MADE_ACCELERATOR))
		return "the virtual machines' accelerators differ";
	return NULL;
}

/* Whether any replay kept to a clock: then how much it does in a second is the tape's doing. */
static int is_paced(const struct pt_comparison *c)
{
	for (size_t i = 0; i < c->ngroups; i++) {
		for (size_t k = 0; k < c->groups[i].n; k++) {
			const struct pt_result_group one = { .results = &c->groups[i].results[k],
							     .n = 1 };

			if (json_is_number(pt_circumstance_of(&one, PT_MADE_PACE, NULL)))
				return 1;
		}
	}
	return 0;
}

/* ---- Runs that are marked */

static void count_runs(const struct pt_result_group *g, struct pt_group_runs *ret)
{
	*ret = (struct pt_group_runs){ 0 };
	for (size_t i = 0; i < g->n; i++) {
		for (size_t run = 0; run < pt_result_runs(&g->results[i]); run++) {
			ret->runs++;
			ret->distorted += pt_result_distorted(&g->results[i], run) != NULL;
		}
	}
	ret->keeps_distorted = ret->distorted && ret->distorted == ret->runs;
}

static void warn_distorted(struct pt_comparison *c, size_t i)
{
	const struct pt_group_runs *r = &c->runs[i];
	char text[512];

	if (!r->distorted)
		return;
	if (r->keeps_distorted)
		snprintf(text, sizeof(text), "%.200s: all runs are distorted, and kept",
			 c->groups[i].name);
	else
		snprintf(text, sizeof(text), "%.200s: %zu of %zu runs are distorted, and left out",
			 c->groups[i].name, r->distorted, r->runs);
	json_array_append_new(c->warnings, json_string(text));
}

/* Look at everything beside the figures. */
static int judge_circumstances(struct pt_comparison *c)
{
	c->runs = calloc(c->ngroups + 1, sizeof(*c->runs));
	c->warnings = json_array();
	if (!c->runs || !c->warnings)
		return -ENOMEM;
	pt_circumstances_warn(c->groups, c->ngroups, c->warnings);
	c->doubtful = pt_circumstance_differs(c->groups, c->ngroups, PT_MADE_TAPE);
	for (size_t i = 0; i < c->ngroups; i++) {
		count_runs(&c->groups[i], &c->runs[i]);
		warn_distorted(c, i);
		c->doubtful |= c->runs[i].distorted && !c->runs[i].keeps_distorted;
	}
	return 0;
}

/* ---- Figures */

/* All values of a metric in a group's runs that count, *@ret_n of them. NULL: out of memory. */
static double *values_of(const struct pt_result_group *g, int keeps_distorted,
			 const struct pt_metric *m, size_t *ret_n)
{
	size_t cap = 0, n = 0;
	double *v;

	for (size_t i = 0; i < g->n; i++)
		cap += pt_result_runs(&g->results[i]);
	v = calloc(cap + 1, sizeof(*v));
	for (size_t i = 0; v && i < g->n; i++)
		for (size_t run = 0; run < pt_result_runs(&g->results[i]); run++)
			if (keeps_distorted || !pt_result_distorted(&g->results[i], run))
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

		v[i] = values_of(&c->groups[i], c->runs[i].keeps_distorted, m->metric, &n);
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

enum rank { RANK_PRIMARY, RANK_OTHER, RANK_PACED, RANK_DISTORTED, RANK_COUNT };

static enum rank rank_of(const struct pt_metric *m, const struct pt_comparison *c, int paced)
{
	static const char *const pinned[] = { "ops_per_s", "bytes_per_s", "wall" };

	if (pt_distortion_concerns(m, c->groups, c->ngroups))
		return RANK_DISTORTED;
	if (paced && is_one_of(m->name, pinned, PT_ARRAY_SIZE(pinned)))
		return RANK_PACED;
	return m->primary ? RANK_PRIMARY : RANK_OTHER;
}

/* Append the metric where any group has it. 0 or -ENOMEM. */
static int add_metric(struct pt_comparison *c, const struct pt_metric *metric, enum rank rank)
{
	struct pt_compared_metric *m = &c->metrics[c->nmetrics];
	int has;

	*m = (struct pt_compared_metric){
		.metric = metric,
		.groups = calloc(c->ngroups + 1, sizeof(*m->groups)),
		.paced = rank == RANK_PACED,
		.distorted = rank == RANK_DISTORTED,
		.primary = rank == RANK_PRIMARY,
		.why_not = why_not(metric, c),
	};
	has = m->groups ? measure(m, c) : -ENOMEM;
	if (has > 0)
		c->nmetrics++;
	else
		free(m->groups);
	return has < 0 ? has : 0;
}

int pt_comparison_make(const struct pt_result_group *groups, size_t n, enum pt_comparison_test test,
		       struct pt_comparison *ret_c)
{
	size_t most = 0;
	int paced, err;

	while (pt_metrics[most].name)
		most++;
	*ret_c = (struct pt_comparison){ .groups = groups, .ngroups = n, .test = test };
	ret_c->metrics = calloc(most + 1, sizeof(*ret_c->metrics));
	err = ret_c->metrics ? judge_circumstances(ret_c) : -ENOMEM;
	paced = is_paced(ret_c);
	for (enum rank rank = 0; !err && rank < RANK_COUNT; rank++)
		for (size_t i = 0; !err && i < most; i++)
			if (rank_of(&pt_metrics[i], ret_c, paced) == rank)
				err = add_metric(ret_c, &pt_metrics[i], rank);
	return err ? err : adjust(ret_c);
}

void pt_comparison_done(struct pt_comparison *c)
{
	for (size_t i = 0; i < c->nmetrics; i++)
		free(c->metrics[i].groups);
	free(c->metrics);
	free(c->runs);
	json_decref(c->warnings);
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
	pt_json_set_bool(o, "primary", m->primary);
	pt_json_set_bool(o, "paced", m->paced);
	pt_json_set_bool(o, "distorted", m->distorted);
	for (size_t i = 0; i < c->ngroups; i++)
		json_array_append_new(groups, group_json(c, &m->groups[i], i));
	pt_json_set(o, "groups", groups);
	set_change(o, c->ngroups > 1 ? &m->groups[1] : NULL, c->test);
	return o;
}

/* What a group was made with; null where its results differ, or do not know. */
static json_t *made_json(const struct pt_comparison *c, size_t i)
{
	const struct pt_group_runs *r = &c->runs[i];
	json_t *o = json_object();

	pt_json_set_string(o, "name", c->groups[i].name);
	for (enum pt_circumstance m = 0; m < PT_MADE_COUNT; m++) {
		int mixed;
		const json_t *v = pt_circumstance_of(&c->groups[i], m, &mixed);

		pt_json_set(o, pt_circumstance_key(m), mixed ? NULL : json_incref((json_t *)v));
	}
	pt_json_set_u64(o, "runs", r->runs);
	pt_json_set_u64(o, "distorted", r->distorted);
	pt_json_set_u64(o, "left_out", r->keeps_distorted ? 0 : r->distorted);
	return o;
}

/* Append an entry for each of a group's runs that is marked. */
static void list_distorted(json_t *list, const struct pt_comparison *c, size_t i)
{
	const struct pt_result_group *g = &c->groups[i];

	for (size_t k = 0; k < g->n; k++) {
		for (size_t run = 0; run < pt_result_runs(&g->results[k]); run++) {
			const json_t *why = pt_result_distorted(&g->results[k], run);
			json_t *o;

			if (!why)
				continue;
			o = json_object();
			pt_json_set_string(o, "group", g->name);
			pt_json_set_string(o, "result", g->results[k].name);
			pt_json_set_u64(o, "run", run + 1);
			pt_json_set(o, "why", json_incref((json_t *)why));
			pt_json_set_bool(o, "left_out", !c->runs[i].keeps_distorted);
			json_array_append_new(list, o);
		}
	}
}

json_t *pt_comparison_document(const struct pt_comparison *c)
{
	json_t *doc = pt_json_document("compare", NULL);
	json_t *metrics = json_array(), *not = json_array();
	json_t *made = json_array(), *distorted = json_array();

	for (size_t i = 0; i < c->ngroups; i++) {
		json_array_append_new(made, made_json(c, i));
		list_distorted(distorted, c, i);
	}
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
	pt_json_set(doc, "warnings", json_incref(c->warnings));
	pt_json_set(doc, "groups", made);
	pt_json_set(doc, "distorted", distorted);
	pt_json_set(doc, "metrics", metrics);
	pt_json_set(doc, "not_comparable", not );
	return doc;
}
