/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --fail-if EXPR: a comparison's answer as an exit status, for `git bisect run`.
 *
 * 0 it is false of every group, 1 true of one, 125 nobody can say, 128 the command line makes no
 * sense (main() sees to that). The first group is what others are compared with; the question is
 * put to each of the others, or to it where it is alone.
 */
#ifndef PT_CLI_VERDICT_H
#define PT_CLI_VERDICT_H

#include "analysis/comparison.h"
#include "analysis/predicate.h"
#include "cli/cli.h"

/*
 * Parse @text. -1 to go on, with *@ret_p to be released with pt_predicate_free() (NULL where @text
 * is); or an exit code, the mistake said.
 */
int pt_verdict_parse(const char *verb, const char *text, struct pt_predicate **ret_p);

/* Put @p to the groups, say what came out on stderr, and return the exit status. */
int pt_verdict_give(const char *verb, const struct pt_common *common, const struct pt_predicate *p,
		    const struct pt_comparison *c);

#endif
