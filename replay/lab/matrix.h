/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lab's folder: which candidates, tapes and repeats were asked for, which of them are done.
 *
 *   DIR/lab.json                          what was asked for, by all calls together
 *   DIR/CANDIDATE/TAPE/N/result.json      a cell that is done, with whatever belongs to it
 *   DIR/CANDIDATE/TAPE/N.part/            one that is being done; of a run that was killed, until
 *                                         the next one begins
 *   DIR/CANDIDATE/TAPE/N.failed/          one that failed: failed.json says why
 *
 * All cells of a lab have the same settings: another memory limit is another lab. Candidates, tapes
 * and repeats may be added by later calls. Nothing read from the folder is trusted.
 */
#ifndef PT_REPLAY_LAB_MATRIX_H
#define PT_REPLAY_LAB_MATRIX_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/diag.h"

#define PT_MATRIX_MAX_REPEAT 1000
#define PT_MATRIX_MAX_CELLS  100000

/* The pseudo-tape under which the runs of a native command stand. */
#define PT_MATRIX_NATIVE "native"

struct pt_matrix_cell {
	size_t candidate, tape; /* among those of this call */
	unsigned int repeat;    /* from 1 */
	bool done;
	char *dir; /* "DIR/CANDIDATE/TAPE/N" */
};

struct pt_matrix {
	char *dir;
	int lock;      /* held while it is open for running; -1 */
	json_t *doc;   /* of lab.json: settings {}, candidates [{name, ...}], tapes [{name,
			* tape_id, path}], repeat */
	json_t *asked; /* of this call, of the same form; a setting left out is as it was */
	struct pt_matrix_cell *cells; /* of this call: by repeat, then tape, then candidate */
	size_t ncells;
};

/*
 * Open the lab @dir for what @asked says. With @run the folder is made, locked and lab.json
 * written, and what a run that was killed left half-made removed; else nothing is. 0 and *ret_m, to
 * be released with pt_matrix_done(); -EBUSY (another run is at it), -EEXIST with @diag naming what
 * differs: a setting, or a candidate or tape that has the name of another one; -E2BIG; -EBADMSG
 * (lab.json is none); or -errno.
 */
int pt_matrix_open(const char *dir, json_t *asked, bool run, struct pt_matrix *ret_m,
		   struct pt_diag *diag);

/* Open what is there, for reading: all that was ever asked for. -ENOENT where it is no lab. */
int pt_matrix_read(const char *dir, struct pt_matrix *ret_m, struct pt_diag *diag);
void pt_matrix_done(struct pt_matrix *m);

/* Names of @m's candidates and tapes, borrowed, by the numbers that cells have. */
const char *pt_matrix_candidate(const struct pt_matrix *m, size_t i);
const char *pt_matrix_tape(const struct pt_matrix *m, size_t i);
size_t pt_matrix_candidates(const struct pt_matrix *m);
size_t pt_matrix_tapes(const struct pt_matrix *m);

/*
 * What a cell's result.json has under "lab": {settings, candidate, tape, repeat}. A result counts
 * as done where it can be read and has the lab's settings, the candidate as it is described now,
 * and the tape's id. A new reference; NULL: no memory.
 */
json_t *pt_matrix_cell_json(const struct pt_matrix *m, const struct pt_matrix_cell *c);

#endif
