// SPDX-License-Identifier: GPL-2.0-or-later
/* --fail-if: see verdict.h. */
#include "cli/verdict.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "formats/result.h"

int pt_verdict_parse(const char *verb, const char *text, struct pt_predicate **ret_p)
{
	struct pt_diag diag = PT_DIAG_INIT;
	int r;

	*ret_p = NULL;
	if (!text)
		return -1;
	r = pt_predicate_parse(text, pt_metric_exists, ret_p, &diag);
	if (r == 0)
		return -1;
	if (!diag.has_offset)
		return pt_usage(verb, "--fail-if '%s': %s", text,
				diag.text[0] ? diag.text : strerror(-r));
	if (!text[diag.offset])
		return pt_usage(verb, "--fail-if '%s': at its end: %s", text, diag.text);
	return pt_usage(verb, "--fail-if '%s': at '%s': %s", text, text + diag.offset, diag.text);
}

struct asked {
	const struct pt_comparison *c;
	size_t group;
};

static int find_group(const struct asked *a, const char *name, size_t *ret_i)
{
	for (size_t i = 0; i < a->c->ngroups; i++) {
		if (strcmp(a->c->groups[i].name, name) == 0) {
			*ret_i = i;
			return 0;
		}
	}
	if (strcmp(name, "base") != 0)
		return -ENOENT;
	*ret_i = 0;
	return 0;
}

static int value_of(void *ctx, const char *group, const char *metric, double *ret_v)
{
	const struct asked *a = ctx;
	size_t g = a->group;
	double v;

	if (group && find_group(a, group, &g) < 0)
		return -ENOENT;
	for (size_t i = 0; i < a->c->nmetrics; i++) {
		const struct pt_compared_metric *m = &a->c->metrics[i];

		if (strcmp(m->metric->name, metric) != 0)
			continue;
		v = m->groups[g].stats.n ? m->groups[g].stats.mean : NAN;
		if (m->why_not || isnan(v))
			return -ENODATA;
		*ret_v = v;
		return 0;
	}
	return -ENODATA;
}

int pt_verdict_give(const char *verb, const struct pt_common *common, const struct pt_predicate *p,
		    const struct pt_comparison *c)
{
	int status = PT_EXIT_DONE;

	for (size_t i = c->ngroups > 1; i < c->ngroups; i++) {
		struct asked a = { c, i };
		struct pt_diag diag = PT_DIAG_INIT;
		int r = pt_predicate_eval(p, value_of, &a, &diag);

		if (r < 0)
			pt_warn(verb, "%s: no verdict: %s", c->groups[i].name, diag.text);
		else
			pt_say(common, "%s: --fail-if is %s", c->groups[i].name,
			       r ? "true" : "false");
		if (r > 0 || (r < 0 && status == PT_EXIT_DONE))
			status = r > 0 ? PT_EXIT_FAILED : PT_EXIT_NO_VERDICT;
	}
	return status;
}
