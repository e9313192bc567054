// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape synth: make a tape without a workload. */
#include <errno.h>
#include <string.h>

#include "cli/verbs.h"
#include "formats/synth.h"
#include "formats/writer.h"

#define VERB "synth"

struct opts {
	struct pt_common common;
	const char *output;
	uint64_t files, size, accesses, tasks, io, interval, seed;
	double theta;
};

static const struct opts defaults = {
	.files = 4,
	.size = UINT64_C(64) << 20,
	.accesses = 100000,
	.tasks = 2,
	.io = 4096,
	.interval = 10000,
	.seed = 1,
	.theta = 0.8,
};

static const struct pt_option options[] = {
	{ "output", 'o', "TAPE", "where to write it (required)", PT_OPT_OUTPUT,
	  offsetof(struct opts, output), 0 },
	{ "files", 0, "N", "number of files (4)", PT_OPT_COUNT, offsetof(struct opts, files), 0 },
	{ "size", 0, "SIZE", "size of each file (64M)", PT_OPT_SIZE, offsetof(struct opts, size),
	  0 },
	{ "theta", 0, "X", "skew of zipf (0.8); 0 is uniform", PT_OPT_DOUBLE,
	  offsetof(struct opts, theta), 0 },
	{ "accesses", 0, "N", "number of reads in all (100000)", PT_OPT_COUNT,
	  offsetof(struct opts, accesses), 0 },
	{ "tasks", 0, "N", "number of tasks, reading in turn (2)", PT_OPT_COUNT,
	  offsetof(struct opts, tasks), 0 },
	{ "io", 0, "SIZE", "size of each read (4K)", PT_OPT_SIZE, offsetof(struct opts, io), 0 },
	{ "interval", 0, "TIME", "time from one read to the next (10us)", PT_OPT_TIME,
	  offsetof(struct opts, interval), 0 },
	{ "seed", 0, "N", "seed of the random numbers (1)", PT_OPT_COUNT,
	  offsetof(struct opts, seed), 0 },
	{ 0 },
};

static int write_tape(const struct pt_synth *s, const char *path, struct pt_diag *diag)
{
	struct pt_writer *w = NULL;
	struct pt_head head;
	int r = pt_synth_head(s, &head);

	if (r < 0)
		return r;
	r = pt_writer_new(path, &head, NULL, &w, diag);
	pt_head_done(&head);
	if (r < 0)
		return r;
	r = pt_synth_generate(s, pt_writer_sink(w));
	if (r == 0)
		r = pt_writer_finish(w, NULL, 1);
	if (r < 0)
		*diag = *pt_writer_diag(w);
	pt_writer_free(w);
	return r;
}

static int run(void *opts, int argc, char **argv)
{
	const struct opts *o = opts;
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_synth s = {
		.files = o->files,
		.size_bytes = o->size,
		.accesses = o->accesses,
		.tasks = o->tasks,
		.io_bytes = o->io,
		.interval_ns = o->interval,
		.seed = o->seed,
		.theta = o->theta,
	};
	int r;

	if (argc != 1)
		return pt_usage(VERB, "expected one preset: zipf, uniform or seq");
	if (pt_synth_by_name(argv[0], &s.preset) < 0)
		return pt_usage(VERB, "unknown preset '%s': zipf, uniform or seq", argv[0]);
	if (!o->output)
		return pt_usage(VERB, "-o TAPE is missing");
	if (pt_synth_check(&s, &diag) < 0)
		return pt_usage(VERB, "%s", diag.text);
	r = write_tape(&s, o->output, &diag);
	return r < 0 ? pt_fail(VERB, r, &diag) : PT_EXIT_DONE;
}

const struct pt_verb pt_verb_synth = {
	.name = VERB,
	.help = "make a tape without a workload",
	.usage = "[options] zipf|uniform|seq -o TAPE",
	.about = "Make a tape of reads over a set of files, drawn from a distribution.\n"
		 "The same options give the same tape.",
	.options = options,
	.opts_size = sizeof(struct opts),
	.defaults = &defaults,
	.run = run,
};
