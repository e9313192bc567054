// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape lab kernels: the kernels at hand. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"
#include "replay/lab/kernels.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/table.h"

#define VERB "lab kernels"

static const char *accesses_text(enum pt_kernel_accesses a)
{
	if (a == PT_KERNEL_ACCESSES_UNKNOWN)
		return "not known";
	return a == PT_KERNEL_ACCESSES_YES ? "yes" : "no";
}

static int print_json(const struct pt_kernels *k)
{
	json_t *doc = pt_json_document("lab-kernels", NULL), *list = json_array();
	int r;

	for (size_t i = 0; i < k->n; i++) {
		json_t *o = pt_image_json(k->v[i].image);

		pt_json_set_string(o, "name", k->v[i].name);
		pt_json_set(o, "accesses",
			    k->v[i].accesses == PT_KERNEL_ACCESSES_UNKNOWN
				    ? NULL
				    : json_boolean(k->v[i].accesses == PT_KERNEL_ACCESSES_YES));
		json_array_append_new(list, o);
	}
	pt_json_set(doc, "kernels", list);
	r = pt_json_write(doc, stdout);
	json_decref(doc);
	return r;
}

static int print_text(const struct pt_kernels *k)
{
	static const char *const columns[] = { "name", "release", "accesses", "path" };
	struct pt_table *t = pt_table_new(columns, PT_ARRAY_SIZE(columns));
	int bad = !t;

	for (size_t i = 0; !bad && i < k->n; i++) {
		bad |= pt_table_cell(t, "%s", k->v[i].name);
		bad |= pt_table_cell(t, "%s", k->v[i].image->release);
		bad |= pt_table_cell(t, "%s", accesses_text(k->v[i].accesses));
		bad |= pt_table_cell(t, "%s", k->v[i].image->path);
	}
	if (!bad)
		pt_table_print(t, stdout);
	pt_table_free(t);
	return bad ? -ENOMEM : 0;
}

static int run(void *opts, int argc, char **argv)
{
	const struct pt_common *common = opts;
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_kernels k = { 0 };
	int r = pt_kernels_find(argc ? (const char *const *)argv : NULL, &k, &diag), none;

	if (r == 0)
		r = common->json ? print_json(&k) : k.n ? print_text(&k) : 0;
	none = r == 0 && !k.n;
	pt_kernels_done(&k);
	if (r < 0 && r != -EPIPE)
		return pt_fail(VERB, r, &diag);
	if (none)
		pt_say(common, "no kernels found; pagetape lab fetch gets one");
	return PT_EXIT_DONE;
}

const struct pt_verb pt_verb_lab_kernels = {
	.name = VERB,
	.help = "the kernels at hand",
	.usage = "[options] [DIR...]",
	.about =
		"List the kernels in DIR, else those that lab fetch got, and those installed:\n"
		"each name or path can be a --kernel of lab run. \"accesses\": whether its events\n"
		"tell what was read.",
	.has_json = 1,
	.opts_size = sizeof(struct pt_common),
	.run = run,
};
