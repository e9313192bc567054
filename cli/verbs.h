/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line a verb; each is defined in cli/cmd_NAME.c. */
#ifndef PT_CLI_VERBS_H
#define PT_CLI_VERBS_H

#include "cli/cli.h"

extern const struct pt_verb pt_verb_compare;
extern const struct pt_verb pt_verb_convert;
extern const struct pt_verb pt_verb_dump;
extern const struct pt_verb pt_verb_hist;
extern const struct pt_verb pt_verb_info;
extern const struct pt_verb pt_verb_lab, pt_verb_lab_fetch, pt_verb_lab_kernels;
extern const struct pt_verb pt_verb_mrc;
extern const struct pt_verb pt_verb_record;
extern const struct pt_verb pt_verb_replay;
extern const struct pt_verb pt_verb_report;
extern const struct pt_verb pt_verb_synth;
extern const struct pt_verb pt_verb_timeline;
extern const struct pt_verb pt_verb_verify;
extern const struct pt_verb pt_verb_whatif;

#endif
