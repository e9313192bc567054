/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run of a lab: boots the candidate, has it do one thing, brings back what came of it, powers
 * it off, and leaves a folder that is there only when it is whole.
 *
 * Everything is written to DIR.part, which becomes DIR, or DIR.failed with a failed.json. Beside
 * the result lie console.log, stdout, stderr and the files that were fetched.
 */
#ifndef PT_REPLAY_LAB_CELL_H
#define PT_REPLAY_LAB_CELL_H

#include <jansson.h>

#include "replay/lab/candidate.h"
#include "replay/lab/machine.h"

/* A file between host and guest. */
struct pt_cell_file {
	const char *guest, *host; /* to fetch: host is a name in the cell's folder */
	bool may_fail;            /* nothing is wrong where the guest does not have it */
};

struct pt_cell {
	const char *dir;                          /* of the cell; those above it are made */
	const struct pt_machine_options *machine; /* its dir is not looked at */
	const struct pt_candidate *candidate;
	const char *const *knobs; /* set before the candidate's own; NULL ends them; NULL: none */
	const struct pt_cell_file *put, *get; /* NULL guest ends each; NULL: none */
	const char *const *prepare;           /* run first, its output dropped; NULL: nothing */
	const char *const *argv;              /* what is measured */
	const char *cwd;
	unsigned int limit_s; /* for each command, and each file put or fetched */
	json_t *lab;          /* stands in the result under "lab". Borrowed */
	/*
	 * Make the result's document (a replay's: formats/result.h) out of the folder @part;
	 * @status is the command's exit status. 0 and *ret_doc, or -errno with @diag: the cell
	 * fails.
	 */
	int (*finish)(void *ctx, const char *part, int status, json_t **ret_doc,
		      struct pt_diag *diag);
	void *ctx;
};

/*
 * Do it. 0: the folder is there. -errno with @diag: DIR.failed says why; or there is nothing where
 * that could not be written, or after an interruption (-EINTR).
 */
int pt_cell_run(const struct pt_cell *c, struct pt_diag *diag);

/*
 * Boot and prepare the machine of a cell, and let @argv talk to our terminal instead. Its exit
 * status in *@ret_status. Leaves nothing.
 */
int pt_cell_shell(const struct pt_cell *c, int *ret_status, struct pt_diag *diag);

#endif
