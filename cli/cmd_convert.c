// SPDX-License-Identifier: GPL-2.0-or-later
/* convert: other tools' recordings into tapes. */
#include <errno.h>
#include <stdio.h>

#include "capture/import.h"
#include "cli/verbs.h"
#include "formats/record.h"
#include "util/json.h"
#include "util/parse.h"

struct convert_opts {
	struct pt_common common;
	int list;
};

static const struct pt_option options[] = {
	{ "list", 'l', NULL, "name the formats that can be read and written", PT_OPT_FLAG,
	  offsetof(struct convert_opts, list), 0 },
	{ 0 },
};

static int list_formats(void)
{
	for (const struct pt_import *const *i = pt_imports; *i; i++)
		printf("%-12s in   %s\n", (*i)->name, (*i)->about);
	printf("%-12s out  pagetape's own\n", "ptape");
	return PT_EXIT_DONE;
}

static void say_result(const struct convert_opts *o, const char *output,
		       const struct pt_import_stats *s)
{
	char events[32], size[32];

	pt_say(&o->common, "%s: %s events, %s", output,
	       pt_format_count(s->events, events, sizeof(events)),
	       pt_format_size(s->bytes, size, sizeof(size)));
	if (s->complete)
		return;
	if (!s->gaps)
		pt_warn("convert", "%s: nothing in the recording tells whether events were lost",
			output);
	else if (s->unknown_gaps)
		pt_warn("convert",
			"%s: the recording is incomplete: %llu gaps, an unknown number of "
			"events lost",
			output, (unsigned long long)s->gaps);
	else
		pt_warn("convert", "%s: the recording is incomplete: %llu gaps, %llu events lost",
			output, (unsigned long long)s->gaps, (unsigned long long)s->lost_events);
}

static int show_json(const char *output, const struct pt_import_stats *s)
{
	json_t *doc = pt_json_document("convert", NULL);
	int r;

	pt_json_set_string(doc, "output", output);
	pt_json_set_u64(doc, "events", s->events);
	pt_json_set_u64(doc, "records", s->records);
	pt_json_set_u64(doc, "lost_events",
			s->unknown_gaps || (!s->gaps && !s->complete) ? PT_UNKNOWN
								      : s->lost_events);
	pt_json_set_u64(doc, "gaps", s->gaps);
	pt_json_set_u64(doc, "bytes", s->bytes);
	pt_json_set_bool(doc, "complete", s->complete);
	r = pt_json_write(doc, stdout);
	json_decref(doc);
	return r;
}

static int run(void *opts, int argc, char **argv)
{
	const struct convert_opts *o = opts;
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_import_stats stats;
	const struct pt_import *import;
	int r;

	if (o->list && argc == 0)
		return list_formats();
	if (argc != 2)
		return pt_usage("convert", "expected IN and OUT");
	if (!pt_is_output(argv[1]))
		return pt_usage("convert", "OUT '%s': expected " PT_OUTPUT_EXPECTED, argv[1]);
	r = pt_import_find(argv[0], &import, &diag);
	if (r == 0)
		r = import->convert(argv[0], argv[1], &stats, &diag);
	if (r < 0)
		return pt_fail("convert", r, &diag);
	say_result(o, argv[1], &stats);
	if (o->common.json)
		r = show_json(argv[1], &stats);
	if (r < 0)
		return pt_fail("convert", r, &diag);
	return stats.complete ? PT_EXIT_DONE : pt_exit_incomplete(&o->common);
}

const struct pt_verb pt_verb_convert = {
	.name = "convert",
	.help = "turn another tool's recording into a tape",
	.usage = "[options] IN OUT",
	.about = "Reads the recording IN and writes the tape OUT. The same recording always gives\n"
		 "the same tape. The format of IN is found by its content.",
	.options = options,
	.has_json = 1,
	.opts_size = sizeof(struct convert_opts),
	.run = run,
};
