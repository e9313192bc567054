// SPDX-License-Identifier: GPL-2.0-or-later
/* A lab's results: candidates side by side, a comparison for each tape. See lab.h. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/compare_print.h"
#include "cli/lab.h"
#include "cli/verdict.h"
#include "formats/result.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"
#include "util/table.h"

/* What there is of one tape. */
struct side {
	struct pt_result *results;
	size_t nresults;
	struct pt_result_group *groups; /* candidates that have results, in the lab's order */
	size_t ngroups;
	json_t *missing; /* [{candidate, repeat, error}]: cells without a result */
	int diverged;    /* of the results */
};

static void side_done(struct side *s)
{
	for (size_t i = 0; i < s->nresults; i++)
		pt_result_done(&s->results[i]);
	free(s->results);
	free(s->groups);
	json_decref(s->missing);
}

/* Why a cell failed, as failed.json says; null where it did not, yet. */
static json_t *failure_of(const struct pt_matrix_cell *c)
{
	auto_free char *path = NULL;
	json_t *doc, *why;

	if (asprintf(&path, "%s.failed/failed.json", c->dir) < 0)
		path = NULL;
	doc = path ? json_load_file(path, 0, NULL) : NULL;
	why = json_object_get(doc, "error");
	why = json_is_string(why) ? json_incref(why) : NULL;
	json_decref(doc);
	return why;
}

static void add_missing(struct side *s, const struct pt_matrix *m, const struct pt_matrix_cell *c)
{
	json_t *o = json_object();

	pt_json_set_string(o, "candidate", pt_matrix_candidate(m, c->candidate));
	pt_json_set_u64(o, "repeat", c->repeat);
	pt_json_set(o, "error", failure_of(c));
	json_array_append_new(s->missing, o);
}

static int load_cell(struct side *s, const struct pt_matrix_cell *c, struct pt_diag *diag)
{
	struct pt_result *r = &s->results[s->nresults];
	auto_free char *path = NULL;
	int err;

	if (asprintf(&path, "%s/result.json", c->dir) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	err = pt_result_load(path, r, diag);
	if (err < 0)
		return err;
	s->nresults++;
	s->groups[s->ngroups - 1].n++;
	s->diverged |= json_array_size(json_object_get(r->doc, "diverged")) > 0;
	return 0;
}

/* The results of tape @tape, candidate by candidate. */
static int load(const struct pt_matrix *m, size_t tape, struct side *s, struct pt_diag *diag)
{
	int err = 0;

	*s = (struct side){ .results = calloc(m->ncells + 1, sizeof(*s->results)),
			    .groups = calloc(pt_matrix_candidates(m) + 1, sizeof(*s->groups)),
			    .missing = json_array() };
	if (!s->results || !s->groups || !s->missing)
		return -ENOMEM;
	for (size_t k = 0; !err && k < pt_matrix_candidates(m); k++) {
		s->groups[s->ngroups++] = (struct pt_result_group){
			.name = pt_matrix_candidate(m, k),
			.results = s->results + s->nresults,
		};
		for (size_t i = 0; !err && i < m->ncells; i++) {
			const struct pt_matrix_cell *c = &m->cells[i];

			if (c->candidate != k || c->tape != tape)
				continue;
			if (c->done)
				err = load_cell(s, c, diag);
			else
				add_missing(s, m, c);
		}
		if (!s->groups[s->ngroups - 1].n)
			s->ngroups--;
	}
	return err;
}

/* ---- Accesses: the same for all? */

/* The least and the largest value of @path in all runs of all groups; 0 where there is none. */
static int range_of(const struct side *s, const char *path, double *ret_min, double *ret_max)
{
	int any = 0;

	for (size_t i = 0; i < s->nresults; i++) {
		for (size_t run = 0; run < pt_result_runs(&s->results[i]); run++) {
			double v;

			if (!pt_result_value(&s->results[i], run, path, &v))
				continue;
			*ret_min = any ? fmin(*ret_min, v) : v;
			*ret_max = any ? fmax(*ret_max, v) : v;
			any = 1;
		}
	}
	return any;
}

static json_t *accesses_json(const struct side *s)
{
	double match[2] = { NAN, NAN }, ops[2] = { NAN, NAN };
	json_t *o = json_object();
	int issued = range_of(s, "ops", &ops[0], &ops[1]);

	(void)range_of(s, "fidelity.access_match", &match[0], &match[1]);
	pt_json_set_double(o, "access_match", match[0]);
	pt_json_set_double(o, "operations_min", ops[0]);
	pt_json_set_double(o, "operations_max", ops[1]);
	pt_json_set(o, "same_operations", issued ? json_boolean(ops[0] == ops[1]) : NULL);
	return o;
}

static void print_accesses(const json_t *accesses)
{
	const json_t *match = json_object_get(accesses, "access_match");
	double least = json_number_value(json_object_get(accesses, "operations_min"));
	char n[32];

	if (json_is_number(match))
		printf("accesses   %.4f of the tape's at least, in every run that shows them\n",
		       json_number_value(match));
	if (json_is_true(json_object_get(accesses, "same_operations")))
		printf("operations %s in every run\n",
		       pt_format_count((uint64_t)least, n, sizeof(n)));
	else if (json_is_false(json_object_get(accesses, "same_operations")))
		puts("operations NOT the same in every run");
}

/* ---- Refaults: the kernel's word and the tapes' */

static double mean_of(const struct pt_result_group *g, const char *path)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		for (size_t run = 0; run < pt_result_runs(&g->results[i]); run++) {
			double v;

			if (pt_result_value(&g->results[i], run, path, &v)) {
				sum += v;
				n++;
			}
		}
	}
	return n ? sum / (double)n : NAN;
}

static json_t *rule_of(const struct pt_result_group *g)
{
	const json_t *run = json_array_get(json_object_get(g->results[0].doc, "runs"), 0);
	const json_t *kernel = json_object_get(json_object_get(run, "own_tape"), "kernel");

	return json_incref(json_object_get(kernel, "refault_rule"));
}

static json_t *refaults_json(const struct side *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->ngroups; i++) {
		const struct pt_result_group *g = &s->groups[i];
		double tape = mean_of(g, "own_tape.refaults");
		double kernel = mean_of(g, "own_tape.kernel.workingset_refault_file");
		json_t *o;

		if (isnan(tape))
			continue;
		o = json_object();
		pt_json_set_string(o, "group", g->name);
		pt_json_set_double(o, "kernel", kernel);
		pt_json_set_double(o, "own_tape", tape);
		pt_json_set_double(o, "gap_percent",
				   kernel > 0 ? 100 * (tape - kernel) / kernel : NAN);
		pt_json_set(o, "refault_rule", rule_of(g));
		json_array_append_new(list, o);
	}
	return list;
}

static int number_cell(struct pt_table *t, const json_t *v, int percent)
{
	char n[32];

	if (!json_is_number(v))
		return pt_table_cell(t, "-");
	if (percent)
		return pt_table_cell(t, "%+.2f%%", json_number_value(v));
	return pt_table_cell(t, "%s",
			     pt_format_count((uint64_t)(json_number_value(v) + 0.5), n, sizeof(n)));
}

static int print_refaults(const json_t *list)
{
	static const char *const columns[] = { "refaults", ">kernel counted", ">in its tape",
					       ">gap", "the kernel counts" };
	struct pt_table *t;
	const json_t *o;
	size_t i;
	int bad = 0;

	if (!json_array_size(list))
		return 0;
	t = pt_table_new(columns, PT_ARRAY_SIZE(columns));
	if (!t)
		return -ENOMEM;
	json_array_foreach(list, i, o)
	{
		const char *rule = json_string_value(json_object_get(o, "refault_rule"));

		bad |= pt_table_cell(t, "%s", json_string_value(json_object_get(o, "group")));
		bad |= number_cell(t, json_object_get(o, "kernel"), 0);
		bad |= number_cell(t, json_object_get(o, "own_tape"), 0);
		bad |= number_cell(t, json_object_get(o, "gap_percent"), 1);
		bad |= pt_table_cell(t, "%s", rule ? rule : "-");
	}
	if (!bad) {
		putchar('\n');
		pt_table_print(t, stdout);
	}
	pt_table_free(t);
	return bad ? -ENOMEM : 0;
}

/* ---- One tape */

static void print_missing(const struct pt_lab_comparison *lc, const char *tape,
			  const json_t *missing)
{
	const json_t *o;
	size_t i;

	json_array_foreach(missing, i, o)
	{
		const json_t *error = json_object_get(o, "error");

		pt_warn(lc->verb, "%s %s run %" JSON_INTEGER_FORMAT ": %s",
			json_string_value(json_object_get(o, "candidate")), tape,
			json_integer_value(json_object_get(o, "repeat")),
			json_is_string(error) ? json_string_value(error) : "not done yet");
	}
}

static int print_side(const struct pt_lab_comparison *lc, const struct pt_comparison *c,
		      const struct side *s, const char *tape, json_t **ret_doc)
{
	json_t *accesses = accesses_json(s), *refaults = refaults_json(s), *doc, *lab;
	int err = 0;

	if (lc->common->json) {
		doc = pt_comparison_document(c);
		lab = json_object();
		pt_json_set_string(lab, "tape", tape);
		pt_json_set(lab, "accesses", accesses);
		pt_json_set(lab, "refaults", refaults);
		pt_json_set(lab, "missing", json_incref(s->missing));
		pt_json_set(doc, "lab", lab);
		*ret_doc = doc;
		return doc ? 0 : -ENOMEM;
	}
	printf("tape       %s\n", tape);
	print_accesses(accesses);
	putchar('\n');
	err = pt_compare_print(c);
	if (!err)
		err = print_refaults(refaults);
	json_decref(accesses);
	json_decref(refaults);
	return err;
}

/* The worse of two exit codes: a failure, then nobody knows, then incomplete. */
static int worse(int a, int b)
{
	static const int order[] = { PT_EXIT_FAILED, PT_EXIT_NO_VERDICT, PT_EXIT_INCOMPLETE };

	for (size_t i = 0; i < PT_ARRAY_SIZE(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return a;
}

/* What one tape's comparison comes to. */
static int judge(const struct pt_lab_comparison *lc, const struct pt_comparison *c,
		 const struct side *s)
{
	int partial = c->doubtful || s->diverged || json_array_size(s->missing) > 0;

	if (lc->fail_if && partial && !lc->common->allow_incomplete)
		return PT_EXIT_NO_VERDICT;
	if (lc->fail_if)
		return pt_verdict_give(lc->verb, lc->common, lc->fail_if, c);
	return partial ? pt_exit_incomplete(lc->common) : PT_EXIT_DONE;
}

/* -errno, or an exit code. */
static int compare_tape(const struct pt_lab_comparison *lc, size_t tape, json_t *docs,
			struct pt_diag *diag)
{
	const char *name = pt_matrix_tape(lc->matrix, tape);
	struct pt_comparison c = { 0 };
	json_t *doc = NULL;
	struct side s;
	int err = load(lc->matrix, tape, &s, diag), status = PT_EXIT_FAILED;

	if (!err && !lc->told)
		print_missing(lc, name, s.missing);
	if (!err && !s.ngroups)
		status = lc->fail_if ? PT_EXIT_NO_VERDICT : PT_EXIT_FAILED;
	if (!err && s.ngroups) {
		err = pt_comparison_make(s.groups, s.ngroups, lc->test, &c);
		for (size_t i = 0; !err && i < json_array_size(c.warnings); i++)
			pt_warn(lc->verb, "%s", json_string_value(json_array_get(c.warnings, i)));
		if (!err)
			err = lc->csv ? pt_compare_csv_add(lc->csv, name, &c)
				      : print_side(lc, &c, &s, name, &doc);
		if (doc)
			json_array_append_new(docs, doc);
		if (!err)
			status = judge(lc, &c, &s);
		pt_comparison_done(&c);
	}
	side_done(&s);
	return err < 0 ? err : status;
}

/* One document of one tape; else one that has all of them. */
static int print_documents(json_t *docs)
{
	json_t *doc;
	int err;

	if (json_array_size(docs) == 1)
		return pt_json_write(json_array_get(docs, 0), stdout);
	doc = pt_json_document("compare", NULL);
	pt_json_set(doc, "tapes", json_incref(docs));
	err = pt_json_write(doc, stdout);
	json_decref(doc);
	return err;
}

int pt_lab_compare(const struct pt_lab_comparison *lc)
{
	size_t n = pt_matrix_tapes(lc->matrix);
	struct pt_diag diag = PT_DIAG_INIT;
	json_t *docs = json_array();
	int status = PT_EXIT_DONE, r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++) {
		if (i && !lc->common->json && !lc->csv)
			putchar('\n');
		r = compare_tape(lc, i, docs, &diag);
		if (r >= 0)
			status = worse(status, r);
	}
	if (r >= 0 && lc->common->json)
		r = print_documents(docs);
	json_decref(docs);
	if (r >= 0 || r == -EPIPE)
		return status;
	pt_fail(lc->verb, r, &diag);
	return lc->fail_if ? PT_EXIT_NO_VERDICT : PT_EXIT_FAILED;
}
