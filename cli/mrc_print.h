/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Miss-ratio curves as text: what `mrc` shows without --json. */
#ifndef PT_CLI_MRC_PRINT_H
#define PT_CLI_MRC_PRINT_H

#include "analysis/tape_mrc.h"

/* All of it to stdout; groups are @by. 0 or -ENOMEM. */
int pt_mrc_print(const struct pt_reader *r, const struct pt_mrc *m, enum pt_group_by by);

#endif
