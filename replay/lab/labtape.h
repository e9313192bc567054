/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tape as a lab sees it: what it is called, how long it takes, how much disk it needs. */
#ifndef PT_REPLAY_LAB_LABTAPE_H
#define PT_REPLAY_LAB_LABTAPE_H

#include <jansson.h>
#include <stdint.h>

#include "replay/lab/labname.h"
#include "util/diag.h"

struct pt_labtape {
	char name[PT_LABNAME_SIZE]; /* of the file, without .ptape */
	char *path;
	char tape_id[40];
	uint64_t duration_ns; /* of what would be played, as recorded */
	uint64_t file_bytes;  /* of the files it is played on */
	uint64_t limit_bytes; /* the memory limit it was recorded under, 0: none or not known */
};

/*
 * Survey @path; @cgroup as in a replay, NULL: all. 0 and *ret_t, to be released with
 * pt_labtape_done(), or what pt_plan_open() says.
 */
int pt_labtape_open(const char *path, const char *cgroup, struct pt_labtape *ret_t,
		    struct pt_diag *diag);
void pt_labtape_done(struct pt_labtape *t);

/* {name, path, tape_id}. A new reference; NULL: no memory. */
json_t *pt_labtape_json(const struct pt_labtape *t);

#endif
