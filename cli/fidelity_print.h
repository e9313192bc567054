/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fidelity of a tape to another, as a table with a legend. */
#ifndef PT_CLI_FIDELITY_PRINT_H
#define PT_CLI_FIDELITY_PRINT_H

#include <jansson.h>

/* @title heads the first column, @fidelity is what pt_fidelity_json() gives. 0 or -ENOMEM. */
int pt_fidelity_print(const char *title, const json_t *fidelity);

#endif
