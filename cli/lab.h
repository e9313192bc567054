/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of `pagetape lab` share: options of `lab run`, and a lab being run.
 */
#ifndef PT_CLI_LAB_H
#define PT_CLI_LAB_H

#include <signal.h>

#include "analysis/comparison.h"
#include "analysis/predicate.h"
#include "cli/cli.h"
#include "replay/lab/candidate.h"
#include "replay/lab/labtape.h"
#include "replay/lab/machine.h"
#include "replay/lab/matrix.h"

#define PT_LAB_RUN "lab run"

struct pt_lab_opts {
	struct pt_common common;
	const char *output, *fs, *swap, *order, *pace, *warmup, *cgroup, *accel, *before, *program,
		*fail_if;
	struct pt_strings kernels, trees, tapes, extra, trace;
	uint64_t memory, ram, disk, cpus, numa, repeat, jobs, limit_ns;
	int ramdisk, sparse, deterministic, keep_dmesg, shell, dry_run;
};

/* A lab as one call has it run: made by pt_lab_understand(), released by pt_lab_done(). */
struct pt_lab {
	const struct pt_lab_opts *o;
	struct pt_candidate *candidates; /* each with its image at the same place, NULL: not
					  * built in a dry run */
	struct pt_image **images;
	size_t ncandidates;
	struct pt_labtape *tapes;
	size_t ntapes;                     /* without the native command */
	char **command;                    /* NULL: none */
	struct pt_machine_options machine; /* what all cells have in common */
	struct pt_lab_swap swap;
	char *program, *append; /* append: what --trace and --keep-dmesg add */
	const char **extra;
	char *command_extra, *command_name;
	json_t *settings;
	struct pt_matrix matrix;
	int has_matrix, knows_accel; /* without running it nobody probes */
	const volatile sig_atomic_t *stop;
};

/*
 * From options and operands (tapes; behind "--" a command) to a lab, its folder not yet opened. -1
 * to go on, or an exit code with what is wrong said.
 */
int pt_lab_understand(struct pt_lab *lab, const struct pt_lab_opts *o, int argc, char **argv);

/*
 * Choose the accelerator of all machines: with @run by a probe, where it is "auto", and after a
 * look at the tools that all runs take. As above.
 */
int pt_lab_choose_accel(struct pt_lab *lab, int run);

/* Choose the accelerator, then open (with @run: make and lock) the folder. -1, or an exit code. */
int pt_lab_open(struct pt_lab *lab, int run);
void pt_lab_done(struct pt_lab *lab);

/* The disk of the cells of tape @i, and the memory limit of their replays (0: none), in bytes. */
uint64_t pt_lab_disk_bytes(const struct pt_lab *lab, size_t i);
uint64_t pt_lab_limit_bytes(const struct pt_lab *lab, size_t i);

/* Do what is missing. *@ret_failed counts cells that failed. 0 or -EINTR, -ENOMEM. */
int pt_lab_run_cells(struct pt_lab *lab, size_t *ret_failed);

/* A shell in the first candidate. An exit code. */
int pt_lab_shell(struct pt_lab *lab);

struct pt_lab_comparison {
	const char *verb;
	const struct pt_common *common;
	const struct pt_matrix *matrix;
	enum pt_comparison_test test;
	const struct pt_predicate *fail_if; /* NULL: nothing is asked */
	int told;                           /* of each run that is missing, why */
	struct pt_table *csv; /* pt_compare_csv_new()'s, to add to instead of printing; or NULL */
};

/* Compare what is done, a tape at a time, and print it. An exit code. */
int pt_lab_compare(const struct pt_lab_comparison *lc);

#endif
