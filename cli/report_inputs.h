/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `report` is given: tapes, documents, lab folders; read one after the other. */
#ifndef PT_CLI_REPORT_INPUTS_H
#define PT_CLI_REPORT_INPUTS_H

#include "analysis/report.h"

struct pt_report_inputs_options {
	const char
		*cgroup; /* what of tapes counts; NULL: the recorded command's, if there is one */
	double sample;
	size_t maps; /* of each tape */
};

/* Results are kept until the end, since they are compared with one another. */
struct pt_report_inputs {
	json_t *entries;
	struct pt_result *results;
	struct pt_result_group *groups; /* a group is an operand, or a lab's candidate */
	size_t nresults, ngroups, cap;
	int complete;
};

/* Initialise with zeros; release with pt_report_inputs_done(). */
int pt_report_inputs_read(struct pt_report_inputs *in, const struct pt_report_inputs_options *opt,
			  int argc, char **argv, struct pt_diag *diag);

/* The whole document; NULL with *@ret_err. */
json_t *pt_report_inputs_document(struct pt_report_inputs *in, int *ret_err);
void pt_report_inputs_done(struct pt_report_inputs *in);

#endif
