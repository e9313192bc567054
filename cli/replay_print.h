/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What replay tells people: its plan, and the results' document.
 */
#ifndef PT_CLI_REPLAY_PRINT_H
#define PT_CLI_REPLAY_PRINT_H

#include <jansson.h>

#include "cli/cli.h"

/* pt_session_plan()'s object, on stdout. */
void pt_replay_print_plan(const json_t *plan);

/* The document of pt_session_run(): tables, refaults, fidelity and the verdict on stdout; what is
 * to be known before one believes them on stderr. Returns 0 or -ENOMEM. */
int pt_replay_print(const json_t *doc, const struct pt_common *common);

#endif
