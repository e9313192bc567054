/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers out of the text of PT_COUNTERS records. */
#ifndef PT_FORMATS_COUNTERTEXT_H
#define PT_FORMATS_COUNTERTEXT_H

#include "formats/record.h"

/*
 * The value on the line "@name VALUE" of @rec's text; PT_UNKNOWN where there is no such line, or
 * its value is no number. The text may be anything: a tape's.
 */
uint64_t pt_countertext_get(const struct pt_record *rec, const char *name);

#endif
