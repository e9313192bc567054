// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape lab fetch: a distribution's kernels, unpacked for lab run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/interrupt.h"
#include "cli/verbs.h"
#include "replay/lab/fetch.h"
#include "replay/lab/kernels.h"
#include "util/cleanup.h"
#include "util/json.h"

#define VERB "lab fetch"

struct fetch_opts {
	struct pt_common common;
	const char *to;
};

static const struct pt_option options[] = {
	{ "to", 0, "DIR", "where to put them (default: where lab kernels looks)", PT_OPT_STRING,
	  offsetof(struct fetch_opts, to), 0 },
	{ 0 },
};

static void say_step(void *arg, const char *what)
{
	pt_say(arg, "%s", what);
}

static int fetch(const struct fetch_opts *o, const char *what, const char *dir, json_t *paths,
		 struct pt_diag *diag)
{
	const struct pt_fetch_options opt = { .what = what,
					      .dir = dir,
					      .stop = pt_interrupted,
					      .say = say_step,
					      .arg = (void *)&o->common };
	auto_free char *path = NULL;
	int r = pt_fetch_kernel(&opt, &path, diag);

	if (r < 0)
		return r;
	if (o->common.json)
		json_array_append_new(paths, json_string(path));
	else
		puts(path);
	return 0;
}

static int show_json(json_t *paths)
{
	json_t *doc = pt_json_document("lab-fetch", NULL);
	int r;

	pt_json_set(doc, "kernels", json_incref(paths));
	r = pt_json_write(doc, stdout);
	json_decref(doc);
	return r;
}

static int run(void *opts, int argc, char **argv)
{
	const struct fetch_opts *o = opts;
	struct pt_diag diag = PT_DIAG_INIT;
	auto_free char *folder = NULL;
	json_t *paths;
	int r = 0;

	if (!argc)
		return pt_usage(VERB, "which kernel? As in debian:6.12");
	pt_interrupt_catch();
	if (!o->to)
		r = pt_kernels_folder(&folder);
	paths = json_array();
	for (int i = 0; r == 0 && i < argc; i++)
		r = fetch(o, argv[i], o->to ? o->to : folder, paths, &diag);
	if (r == 0 && o->common.json)
		r = show_json(paths);
	json_decref(paths);
	if (*pt_interrupted)
		return 128 + *pt_interrupted;
	return r < 0 && r != -EPIPE ? pt_fail(VERB, r, &diag) : PT_EXIT_DONE;
}

const struct pt_verb pt_verb_lab_fetch = {
	.name = VERB,
	.help = "get a distribution's kernel",
	.usage = "[options] NAME...",
	.about = "Get kernels of the distribution through this machine's own package manager, as\n"
		 "debian:6.12, and unpack them for lab run. Prints where each is.",
	.options = options,
	.has_json = 1,
	.opts_size = sizeof(struct fetch_opts),
	.run = run,
};
