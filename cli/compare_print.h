/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison of groups of results as text. */
#ifndef PT_CLI_COMPARE_PRINT_H
#define PT_CLI_COMPARE_PRINT_H

#include "analysis/comparison.h"

/* On stdout: a line for each group, the table of metrics, and what its marks mean. 0 or -ENOMEM. */
int pt_compare_print(const struct pt_comparison *c);

#endif
