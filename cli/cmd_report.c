// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape report: one page of charts and tables out of tapes, results and documents. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page/page.h"
#include "cli/report_inputs.h"
#include "cli/verbs.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/outfile.h"

#define VERB     "report"
#define MIN_RATE 1e-6
#define MAPS     8 /* of one tape; the more tapes, the fewer of each */
#define MAPS_ALL 24

struct report_opts {
	struct pt_common common;
	const char *output, *cgroup;
	double sample;
};

static const struct report_opts defaults = { .sample = 1 };

static const struct pt_option options[] = {
	{ "output", 'o', "FILE", "write the page there", PT_OPT_OUTPUT,
	  offsetof(struct report_opts, output), 0 },
	{ "cgroup", 'c', "PATH", "of tapes only this cgroup; 'subject' (default), or /",
	  PT_OPT_STRING, offsetof(struct report_opts, cgroup), 0 },
	{ "sample", 0, "RATE", "miss-ratio curves of this share of pages (1)", PT_OPT_DOUBLE,
	  offsetof(struct report_opts, sample), 0 },
	{ 0 },
};

/*
 * JSON that can stand in a script element: "<" would let a name end it. The three occur in strings
 * alone, where they may be escaped.
 */
static char *make_safe(const char *json)
{
	char *safe = malloc(6 * strlen(json) + 1), *to = safe;

	for (; safe && *json; json++) {
		if (*json == '<' || *json == '>' || *json == '&')
			to += snprintf(to, 7, "\\u%04x", *json);
		else
			*to++ = *json;
	}
	if (safe)
		*to = '\0';
	return safe;
}

static int write_page(const json_t *doc, const char *path, struct pt_diag *diag)
{
	auto_free char *json =
		json_dumps(doc, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));
	auto_free char *safe = json ? make_safe(json) : NULL;
	struct pt_outfile out = PT_OUTFILE_INIT;
	int err = safe ? pt_outfile_open(&out, path, 0644, diag) : -ENOMEM;

	if (!err)
		err = pt_write_all(out.fd, pt_page_before, pt_page_before_len);
	if (!err)
		err = pt_write_all(out.fd, safe, strlen(safe));
	if (!err)
		err = pt_write_all(out.fd, pt_page_behind, pt_page_behind_len);
	if (!err)
		err = pt_outfile_commit(&out, diag);
	pt_outfile_done(&out, 0);
	return err < 0 ? pt_diag_file(diag, err, path) : 0;
}

static void say_warnings(const json_t *doc)
{
	const json_t *entry, *text;
	size_t i, k;

	json_array_foreach(json_object_get(doc, "inputs"), i, entry)
		json_array_foreach(json_object_get(entry, "warnings"), k, text)
			pt_warn(VERB, "%s: %s", json_string_value(json_object_get(entry, "name")),
				json_string_value(text));
	json_array_foreach(json_object_get(doc, "warnings"), i, text)
		pt_warn(VERB, "%s", json_string_value(text));
}

static int make(const struct report_opts *o, int argc, char **argv, int *ret_complete,
		struct pt_diag *diag)
{
	const struct pt_report_inputs_options opt = {
		.cgroup = o->cgroup,
		.sample = o->sample,
		.maps = argc * MAPS <= MAPS_ALL ? MAPS : 1 + MAPS_ALL / (size_t)argc,
	};
	struct pt_report_inputs in = { 0 };
	json_t *doc = NULL;
	int err = o->output ? pt_outfile_check(o->output, diag) : 0;

	if (!err)
		err = pt_report_inputs_read(&in, &opt, argc, argv, diag);
	*ret_complete = in.complete;
	if (!err)
		doc = pt_report_inputs_document(&in, &err);
	if (!err) {
		say_warnings(doc);
		err = o->output ? write_page(doc, o->output, diag) : 0;
	}
	if (!err && o->common.json)
		err = pt_json_write(doc, stdout);
	json_decref(doc);
	pt_report_inputs_done(&in);
	return err;
}

static int run(void *opts, int argc, char **argv)
{
	const struct report_opts *o = opts;
	struct pt_diag diag = PT_DIAG_INIT;
	int complete, err;

	if (!argc)
		return pt_usage(VERB, "of what?");
	if (!o->output && !o->common.json)
		return pt_usage(VERB, "-o FILE is missing: where to write the page");
	if (!(o->sample >= MIN_RATE && o->sample <= 1))
		return pt_usage(VERB, "--sample: a share of pages, from %g to 1", MIN_RATE);
	if (o->output && !pt_page_before_len) {
		pt_diag_set(&diag, -EOPNOTSUPP, PT_NO_OFFSET,
			    "built without charts: install libjs-chart.js and build again, or use "
			    "--json");
		return pt_fail(VERB, -EOPNOTSUPP, &diag);
	}
	err = make(o, argc, argv, &complete, &diag);
	if (err < 0 && err != -EPIPE)
		return pt_fail(VERB, err, &diag);
	return complete ? PT_EXIT_DONE : pt_exit_incomplete(&o->common);
}

const struct pt_verb pt_verb_report = {
	.name = VERB,
	.help = "one page of charts and tables",
	.usage = "[options] IN... -o FILE.html",
	.about = "Make one HTML file that opens offline in any browser out of tapes, results of\n"
		 "replay, documents of hist, mrc and timeline, or the folder of a lab.",
	.options = options,
	.has_json = 1,
	.opts_size = sizeof(struct report_opts),
	.defaults = &defaults,
	.run = run,
};
