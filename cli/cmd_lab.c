// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape lab: one tape, many candidate kernels, one table. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/lab.h"
#include "cli/verbs.h"
#include "cli/verdict.h"
#include "formats/record.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"
#include "util/table.h"

#define VERB PT_LAB_RUN

/* What booting and making the files take beside the recording itself, emulated on an idle host. */
#define BOOT_NS UINT64_C(12000000000)

#define O(field) offsetof(struct pt_lab_opts, field)

static const struct pt_lab_opts defaults = {
	.fs = "ext4",
	.swap = "none",
	.order = "window:32",
	.pace = "original",
	.accel = "auto",
	.memory = PT_UNKNOWN,
	.cpus = PT_UNKNOWN,
	.numa = 1,
	.repeat = 1,
	.jobs = 1,
};

static const struct pt_option run_options[] = {
	{ "kernel", 'k', "SPEC", "PATH[,name=N][,set=KNOB=V][,append=PARAMS]", PT_OPT_LIST,
	  O(kernels) },
	{ "tree", 0, "DIR", "DIR[@REV][,...]: build this kernel tree; repeat", PT_OPT_LIST,
	  O(trees) },
	{ "tape", 't', "TAPE", "a tape to replay, as operands are", PT_OPT_LIST, O(tapes) },
	{ "output", 'o', "DIR", "the lab's folder; what is done stays done", PT_OPT_STRING,
	  O(output) },
	{ "memory", 'm', "SIZE", "memory cgroup's limit (default: the recorded one)", PT_OPT_SIZE,
	  O(memory) },
	{ "ram", 0, "SIZE", "the machine's own memory (1G, or more)", PT_OPT_SIZE, O(ram), 0,
	  128 << 20 },
	{ "cpus", 0, "N", "CPUs (2)", PT_OPT_COUNT, O(cpus) },
	{ "numa", 0, "N", "memory nodes (1)", PT_OPT_COUNT, O(numa) },
	{ "disk", 0, "SIZE", "its disk (1G, or what the files need)", PT_OPT_SIZE, O(disk), 0,
	  16 << 20 },
	{ "fs", 0, "TYPE", "on it: ext4, xfs, btrfs, f2fs (ext4)", PT_OPT_STRING, O(fs) },
	{ "ramdisk", 0, NULL, "the disk is in the machine's memory", PT_OPT_FLAG, O(ramdisk) },
	{ "swap", 0, "HOW", "none, zram:SIZE, disk:SIZE (none)", PT_OPT_STRING, O(swap) },
	{ "repeat", 'n', "N", "runs of each (1)", PT_OPT_COUNT, O(repeat) },
	{ "order", 0, "ORDER", "as in replay", PT_OPT_STRING, O(order) },
	{ "pace", 0, "PACE", "as in replay", PT_OPT_STRING, O(pace) },
	{ "warmup", 0, "FRACTION", "as in replay", PT_OPT_STRING, O(warmup) },
	{ "cgroup", 0, "PATH", "play only tasks of this recorded cgroup", PT_OPT_STRING,
	  O(cgroup) },
	{ "sparse", 0, NULL, "files without data: reads do no I/O", PT_OPT_FLAG, O(sparse) },
	{ "accel", 0, "HOW", "auto, kvm, tcg (auto: kvm where it works)", PT_OPT_STRING, O(accel) },
	{ "deterministic", 0, NULL, "emulate one CPU whose time counts instructions", PT_OPT_FLAG,
	  O(deterministic) },
	{ "keep-dmesg", 0, NULL, "debugging messages, too, in console.log", PT_OPT_FLAG,
	  O(keep_dmesg) },
	{ "trace", 0, "EVENT", "SYSTEM:EVENT traced into trace.txt; repeat", PT_OPT_LIST,
	  O(trace) },
	{ "extra", 0, "FILE", "HOST[:GUEST] to have in the machine; repeat", PT_OPT_LIST,
	  O(extra) },
	{ "before", 0, "CMD", "run this first where a command is measured", PT_OPT_STRING,
	  O(before) },
	{ "shell", 0, NULL, "do nothing but open a shell in the first candidate", PT_OPT_FLAG,
	  O(shell) },
	{ "limit", 0, "TIME", "a run that takes longer has failed", PT_OPT_TIME, O(limit_ns), 0,
	  1000000000 },
	{ "jobs", 'j', "N", "machines at once (1)", PT_OPT_COUNT, O(jobs) },
	{ "program", 0, "FILE", "a static pagetape to be its init (this one)", PT_OPT_STRING,
	  O(program) },
	{ "fail-if", 0, "EXPR", "exit 1 where it is true, 125 where nobody knows", PT_OPT_STRING,
	  O(fail_if) },
	{ "dry-run", 0, NULL, "say what would be run, and do nothing", PT_OPT_FLAG, O(dry_run) },
	{ 0 },
};

/* ---- Dry runs */

/* At least: emulated machines do not always keep up with the tape. */
static uint64_t least_ns(const struct pt_lab *lab, const struct pt_matrix_cell *c)
{
	if (c->tape == lab->ntapes || strcmp(lab->o->pace, "original") != 0)
		return BOOT_NS;
	return BOOT_NS + lab->tapes[c->tape].duration_ns;
}

static int show_plan_json(const struct pt_lab *lab)
{
	const struct pt_matrix *m = &lab->matrix;
	json_t *doc = pt_json_document("lab-plan", NULL), *cells = json_array();
	uint64_t sum_ns = 0;
	int r;

	for (size_t i = 0; i < m->ncells; i++) {
		const struct pt_matrix_cell *c = &m->cells[i];
		json_t *o = json_object();

		pt_json_set_string(o, "candidate", pt_matrix_candidate(m, c->candidate));
		pt_json_set_string(o, "tape", pt_matrix_tape(m, c->tape));
		pt_json_set_u64(o, "repeat", c->repeat);
		pt_json_set_bool(o, "done", c->done);
		json_array_append_new(cells, o);
		sum_ns += c->done ? 0 : least_ns(lab, c);
	}
	pt_json_set(doc, "settings", json_incref(lab->settings));
	pt_json_set(doc, "candidates", json_incref(json_object_get(m->asked, "candidates")));
	pt_json_set(doc, "runs", cells);
	pt_json_set_u64(doc, "least_ns", sum_ns / lab->o->jobs);
	r = pt_json_write(doc, stdout);
	json_decref(doc);
	return r;
}

static const char *release_of(const struct pt_lab *lab, size_t candidate)
{
	const struct pt_image *i = lab->images[candidate];

	return i ? i->release : "to be built";
}

static int show_plan(const struct pt_lab *lab)
{
	static const char *const columns[] = { "candidate", "release", "tape", ">run", "" };
	const struct pt_matrix *m = &lab->matrix;
	struct pt_table *t = pt_table_new(columns, PT_ARRAY_SIZE(columns));
	uint64_t sum_ns = 0;
	size_t todo = 0;
	char time[32];
	int bad = !t;

	for (size_t i = 0; !bad && i < m->ncells; i++) {
		const struct pt_matrix_cell *c = &m->cells[i];

		bad |= pt_table_cell(t, "%s", pt_matrix_candidate(m, c->candidate));
		bad |= pt_table_cell(t, "%s", release_of(lab, c->candidate));
		bad |= pt_table_cell(t, "%s", pt_matrix_tape(m, c->tape));
		bad |= pt_table_cell(t, "%u", c->repeat);
		bad |= pt_table_cell(t, "%s", c->done ? "done" : "to do");
		todo += !c->done;
		sum_ns += c->done ? 0 : least_ns(lab, c);
	}
	if (!bad) {
		pt_table_print(t, stdout);
		printf("\n%zu of %zu runs to do; at least %s\n", todo, m->ncells,
		       pt_format_time(sum_ns / lab->o->jobs, time, sizeof(time)));
	}
	pt_table_free(t);
	return bad ? -ENOMEM : 0;
}

/* ---- The verb */

static int no_verdict(const struct pt_lab *lab, int status)
{
	return lab->o->fail_if && status == PT_EXIT_FAILED ? PT_EXIT_NO_VERDICT : status;
}

static int compare(const struct pt_lab *lab, const struct pt_predicate *fail_if)
{
	const struct pt_lab_comparison lc = {
		.verb = VERB,
		.common = &lab->o->common,
		.matrix = &lab->matrix,
		.fail_if = fail_if,
		.told = 1,
	};

	return pt_lab_compare(&lc);
}

static int dry_run(struct pt_lab *lab)
{
	int r = pt_lab_open(lab, 0);

	if (r >= 0)
		return r;
	r = lab->o->common.json ? show_plan_json(lab) : show_plan(lab);
	return r < 0 && r != -EPIPE ? pt_fail(VERB, r, &(struct pt_diag)PT_DIAG_INIT)
				    : PT_EXIT_DONE;
}

static int run_lab(struct pt_lab *lab, const struct pt_predicate *fail_if)
{
	size_t failed;
	int r;

	if (lab->o->dry_run)
		return no_verdict(lab, dry_run(lab));
	if (lab->o->shell) {
		r = pt_lab_choose_accel(lab, 1);
		return r < 0 ? pt_lab_shell(lab) : r;
	}
	r = pt_lab_open(lab, 1);
	if (r >= 0)
		return no_verdict(lab, r);
	r = pt_lab_run_cells(lab, &failed);
	if (*pt_interrupted) {
		pt_warn(VERB, "interrupted; what is done is kept in %s", lab->o->output);
		return 128 + *pt_interrupted;
	}
	if (r < 0)
		return no_verdict(lab, pt_fail(VERB, r, &(struct pt_diag)PT_DIAG_INIT));
	return compare(lab, fail_if);
}

static int run(void *opts, int argc, char **argv)
{
	struct pt_lab lab = { .stop = pt_interrupted };
	struct pt_predicate *fail_if;
	struct pt_lab_opts *o = opts;
	int status = pt_verdict_parse(VERB, o->fail_if, &fail_if);

	if (status >= 0)
		return status;
	pt_interrupt_catch();
	if (o->cpus == PT_UNKNOWN)
		o->cpus = o->deterministic ? 1 : 2;
	status = pt_lab_understand(&lab, o, argc, argv);
	if (status < 0)
		status = run_lab(&lab, fail_if);
	else
		status = no_verdict(&lab, status);
	pt_lab_done(&lab);
	pt_predicate_free(fail_if);
	return status;
}

static const struct pt_verb verb_run = {
	.name = VERB,
	.help = "replay tapes on candidate kernels, and compare",
	.usage = "-k SPEC... [options] -o DIR [TAPE...] [-- CMD...]",
	.about = "Boot each candidate kernel in a virtual machine, replay each tape in it, and\n"
		 "print the comparison. CMD is run there as well, recorded, under the same limit.",
	.options = run_options,
	.has_json = 1,
	.keeps_dashes = 1,
	.opts_size = sizeof(struct pt_lab_opts),
	.defaults = &defaults,
	.run = run,
};

static int which(void *opts, int argc, char **argv)
{
	(void)opts;
	if (argc)
		return pt_usage("lab", "there is no lab %s", argv[0]);
	return pt_usage("lab", "what is to be done?");
}

static const struct pt_verb *const verbs[] = { &pt_verb_lab_fetch, &pt_verb_lab_kernels, &verb_run,
					       NULL };

const struct pt_verb pt_verb_lab = {
	.name = "lab",
	.help = "replay on candidate kernels in virtual machines",
	.usage = "VERB [options]",
	.about = "One tape, many candidate kernels, one table.",
	.verbs = verbs,
	.opts_size = sizeof(struct pt_common),
	.run = which,
};
