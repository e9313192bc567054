// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape compare: two tapes, or groups of replay results, side by side. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/comparison.h"
#include "analysis/fidelity.h"
#include "cli/compare_print.h"
#include "cli/fidelity_print.h"
#include "cli/lab.h"
#include "cli/verbs.h"
#include "cli/verdict.h"
#include "formats/layout.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/json.h"

struct compare_opts {
	struct pt_common common;
	const char *test, *fail_if;
};

static const struct pt_option options[] = {
	{ "test", 't', "NAME", "welch's test (default) or mann-whitney's", PT_OPT_STRING,
	  offsetof(struct compare_opts, test), 0 },
	{ "fail-if", 0, "EXPR", "exit 1 where it is true, 125 where nobody knows", PT_OPT_STRING,
	  offsetof(struct compare_opts, fail_if), 0 },
	{ 0 },
};

static int is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* By its beginning: 1 a result (a JSON object), 0 a tape, or -errno with @diag. */
static int is_result(const char *path, struct pt_diag *diag)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[64];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	int r = n < 0 ? -errno : -EBADMSG;

	if (n < 0) {
		pt_diag_errno(diag, r, "cannot read");
		return pt_diag_file(diag, r, path);
	}
	text[n] = '\0';
	if (text[strspn(text, " \t\r\n")] == '{')
		return 1;
	if (n >= 4 && le32_get((const uint8_t *)text) == PT_MAGIC_HEAD)
		return 0;
	pt_diag_set(diag, r, PT_NO_OFFSET, "%s",
		    n ? "neither a tape nor a replay's result" : "the file is empty");
	return pt_diag_file(diag, r, path);
}

/* ---- Two tapes */

static int print_csv(const struct pt_comparison *c)
{
	int mixed;
	const json_t *tape = pt_circumstance_of(&c->groups[0], PT_MADE_TAPE, &mixed);
	struct pt_table *t = pt_compare_csv_new();
	int err = t ? pt_compare_csv_add(t, mixed ? NULL : json_string_value(tape), c) : -ENOMEM;

	if (!err)
		pt_table_print(t, stdout);
	pt_table_free(t);
	return err;
}

static int print_fidelity(const struct pt_fidelity *f)
{
	json_t *fidelity = pt_fidelity_json(f);
	int err = fidelity ? pt_fidelity_print("fidelity", fidelity) : -ENOMEM;

	json_decref(fidelity);
	return err;
}

static int print_fidelity_json(const struct pt_fidelity *f, const struct pt_reader *a)
{
	json_t *doc = pt_json_document("compare", pt_head_tape_id(pt_reader_head(a)));
	int err;

	pt_json_set(doc, "metrics", json_array());
	pt_json_set(doc, "not_comparable", json_array());
	pt_json_set(doc, "fidelity", pt_fidelity_json(f));
	err = pt_json_write(doc, stdout);
	json_decref(doc);
	return err;
}

static int open_tape(const char *path, struct pt_reader **ret_r, struct pt_diag *diag)
{
	int err = pt_reader_open(path, &(struct pt_reader_options){ 0 }, ret_r, diag);

	return err < 0 ? pt_diag_file(diag, err, path) : 0;
}

static int compare_tapes(const struct compare_opts *o, const char *path_a, const char *path_b)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_reader *a = NULL, *b = NULL;
	struct pt_fidelity f;
	int complete = 0, err;

	err = open_tape(path_a, &a, &diag);
	if (!err)
		err = open_tape(path_b, &b, &diag);
	if (!err)
		err = pt_fidelity_measure(a, b, &f, &complete, &diag);
	if (!err)
		err = o->common.json ? print_fidelity_json(&f, a) : print_fidelity(&f);
	pt_reader_close(a);
	pt_reader_close(b);
	if (err < 0 && err != -EPIPE)
		return pt_fail("compare", err, &diag);
	if (complete || err)
		return PT_EXIT_DONE;
	pt_warn("compare", "incomplete: events were lost or a tape was cut");
	return pt_exit_incomplete(&o->common);
}

/* ---- Groups of results */

/* The operands sorted into groups; names are borrowed. */
struct groups {
	struct pt_result_group *v;
	struct pt_result *results; /* all of them, the groups' one behind the other */
	size_t n, nresults;
};

static void groups_done(struct groups *g)
{
	for (size_t i = 0; i < g->nresults; i++)
		pt_result_done(&g->results[i]);
	free(g->results);
	free(g->v);
}

/* Without "--" each operand is a group, else each list between is one. */
static int groups_load(struct groups *g, int argc, char **argv, struct pt_diag *diag)
{
	int dashes = 0, begin = 1;

	*g = (struct groups){ .v = calloc((size_t)argc + 1, sizeof(*g->v)),
			      .results = calloc((size_t)argc + 1, sizeof(*g->results)) };
	if (!g->v || !g->results)
		return -ENOMEM;
	for (int i = 0; i < argc; i++)
		dashes |= strcmp(argv[i], "--") == 0;
	for (int i = 0; i < argc; i++) {
		struct pt_result *r = &g->results[g->nresults];
		int err;

		if (strcmp(argv[i], "--") == 0) {
			begin = 1;
			continue;
		}
		err = pt_result_load(argv[i], r, diag);
		if (err < 0)
			return err;
		g->nresults++;
		if (begin || !dashes)
			g->v[g->n++] = (struct pt_result_group){ .name = r->name, .results = r };
		g->v[g->n - 1].n++;
		begin = 0;
	}
	return 0;
}

static int compare_results(const struct compare_opts *o, enum pt_comparison_test test,
			   const struct pt_predicate *fail_if, int argc, char **argv)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_comparison c = { 0 };
	struct groups g;
	json_t *doc;
	int status = PT_EXIT_DONE, err = groups_load(&g, argc, argv, &diag);

	if (!err)
		err = pt_comparison_make(g.v, g.n, test, &c);
	for (size_t i = 0; !err && i < json_array_size(c.warnings); i++)
		pt_warn("compare", "%s", json_string_value(json_array_get(c.warnings, i)));
	if (!err && o->common.json) {
		doc = pt_comparison_document(&c);
		err = doc ? pt_json_write(doc, stdout) : -ENOMEM;
		json_decref(doc);
	} else if (!err) {
		err = o->common.csv ? print_csv(&c) : pt_compare_print(&c);
	}
	if (!err && c.doubtful)
		status = pt_exit_incomplete(&o->common);
	if (!err && status == PT_EXIT_DONE && fail_if)
		status = pt_verdict_give("compare", &o->common, fail_if, &c);
	pt_comparison_done(&c);
	groups_done(&g);
	if (err < 0 && err != -EPIPE) {
		pt_fail("compare", err, &diag);
		return fail_if ? PT_EXIT_NO_VERDICT : PT_EXIT_FAILED;
	}
	return status;
}

/* What a lab left. */
static int compare_lab(const struct compare_opts *o, enum pt_comparison_test test,
		       const struct pt_predicate *fail_if, const char *dir)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_matrix m;
	struct pt_lab_comparison lc = { .verb = "compare",
					.common = &o->common,
					.matrix = &m,
					.test = test,
					.fail_if = fail_if };
	int status, r = pt_matrix_read(dir, &m, &diag);

	if (r < 0) {
		pt_fail("compare", r, &diag);
		return fail_if ? PT_EXIT_NO_VERDICT : PT_EXIT_FAILED;
	}
	if (o->common.csv && !(lc.csv = pt_compare_csv_new())) {
		pt_matrix_done(&m);
		return pt_fail("compare", -ENOMEM, &diag);
	}
	status = pt_lab_compare(&lc);
	if (lc.csv)
		pt_table_print(lc.csv, stdout);
	pt_table_free(lc.csv);
	pt_matrix_done(&m);
	return status;
}

/* What the operands are: all results, or no results; *@ret_files of them. 1, 0, or an exit code
 * behind a -1 - code. */
static int look(int argc, char **argv, int *ret_files)
{
	struct pt_diag diag = PT_DIAG_INIT;
	int files = 0, results = 0;

	for (int i = 0; i < argc; i++) {
		int r = strcmp(argv[i], "--") == 0 ? 0 : is_result(argv[i], &diag);

		if (r < 0)
			return -1 - pt_fail("compare", r, &diag);
		files += strcmp(argv[i], "--") != 0;
		results += r;
	}
	if (!files)
		return -1 - pt_usage("compare", "what is to be compared?");
	if (results && results != files)
		return -1 - pt_usage("compare", "tapes cannot be compared with results");
	*ret_files = files;
	return results > 0;
}

static int compare(const struct compare_opts *o, const struct pt_predicate *fail_if, int argc,
		   char **argv)
{
	enum pt_comparison_test test = PT_COMPARE_WELCH;
	int files = 0, results;

	if (o->test && strcmp(o->test, "mann-whitney") == 0)
		test = PT_COMPARE_MANN_WHITNEY;
	else if (o->test && strcmp(o->test, "welch") != 0)
		return pt_usage("compare", "--test %s: welch or mann-whitney", o->test);
	if (o->common.csv && fail_if)
		return pt_usage("compare", "--csv does not go with --fail-if");
	if (argc == 1 && is_folder(argv[0]))
		return compare_lab(o, test, fail_if, argv[0]);
	results = look(argc, argv, &files);
	if (results < 0)
		return fail_if && results == -1 - PT_EXIT_FAILED ? PT_EXIT_NO_VERDICT
								 : -1 - results;
	if (results)
		return compare_results(o, test, fail_if, argc, argv);
	if (argc != 2 || files != 2)
		return pt_usage("compare", "two tapes are compared, or any number of results");
	if (fail_if)
		return pt_usage("compare", "--fail-if asks results, not tapes");
	if (o->common.csv)
		return pt_usage("compare", "--csv is of results, not of tapes");
	return compare_tapes(o, argv[0], argv[1]);
}

static int run(void *opts, int argc, char **argv)
{
	const struct compare_opts *o = opts;
	struct pt_predicate *fail_if;
	int status = pt_verdict_parse("compare", o->fail_if, &fail_if);

	if (status >= 0)
		return status;
	status = compare(o, fail_if, argc, argv);
	/* 1 is an answer where one was asked for: a failure is none. */
	if (fail_if && status == PT_EXIT_INCOMPLETE)
		status = PT_EXIT_NO_VERDICT;
	pt_predicate_free(fail_if);
	return status;
}

const struct pt_verb pt_verb_compare = {
	.name = "compare",
	.help = "two tapes, or sets of results, side by side",
	.usage = "[options] A... [-- B...]... | DIR",
	.about = "Say how faithful one tape is to another, or compare groups of replay\n"
		 "results, or what lab run left in DIR, and tell what is significant.",
	.options = options,
	.has_json = 1,
	.has_csv = 1,
	.keeps_dashes = 1,
	.opts_size = sizeof(struct compare_opts),
	.run = run,
};
