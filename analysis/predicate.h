/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A question to results with yes or no for an answer: "refaults > 1.05 * base".
 *
 *   any     := all { ("or" | "||") all }
 *   all     := not { ("and" | "&&") not }
 *   not     := ("not" | "!") not | compare
 *   compare := sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
 *   sum     := product { ("+" | "-") product }
 *   product := factor { ("*" | "/") factor }
 *   factor  := "-" factor | "(" any ")" | NUMBER | "base" | [ GROUP "." ] METRIC
 *
 * METRIC is a name as compare's table has it. Alone it is the judged group's; GROUP is another
 * group's name, in quotes where it is more than letters, digits and "_", or "base", the first
 * one's. "base" alone is the first group's value of the one metric that its comparison names. What
 * stands between "and" and "or" must be true or false, what stands between operators a number.
 */
#ifndef PT_ANALYSIS_PREDICATE_H
#define PT_ANALYSIS_PREDICATE_H

#include "util/diag.h"

#define PT_PREDICATE_MAX_LEN   4096
#define PT_PREDICATE_MAX_NODES 256
#define PT_PREDICATE_MAX_DEPTH 64

struct pt_predicate;

/*
 * Parse @text. @is_metric tells which names there are. 0 and *ret_p, to be released with
 * pt_predicate_free(); or, with @diag saying where (byte offset) and what: -EINVAL, -E2BIG (limits
 * above), -ENOMEM.
 */
int pt_predicate_parse(const char *text, int (*is_metric)(const char *name),
		       struct pt_predicate **ret_p, struct pt_diag *diag);
void pt_predicate_free(struct pt_predicate *p);

/*
 * Where its values come from: @group is NULL for the judged group, "base" for the first, or a name.
 * 0 and *ret_v, or -ENODATA (such a group has no such value) or -ENOENT (no such group).
 */
typedef int (*pt_predicate_lookup)(void *ctx, const char *group, const char *metric, double *ret_v);

/*
 * 1 true, 0 false, or, with @diag naming what is missing, -ENODATA or -ENOENT. A division by zero
 * has no value either (-ENODATA). Both sides of "and" and "or" are looked at only as far as they
 * decide, so that `refaults > 1000 and refaults > 1.05 * base` needs no base where there are few.
 */
int pt_predicate_eval(const struct pt_predicate *p, pt_predicate_lookup lookup, void *ctx,
		      struct pt_diag *diag);

#endif
