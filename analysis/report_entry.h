/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What report.c and report_tape.c share: entries, and lists cut to what a page can show. */
#ifndef PT_ANALYSIS_REPORT_ENTRY_H
#define PT_ANALYSIS_REPORT_ENTRY_H

#include <jansson.h>
#include <stddef.h>

/* {name, kind, warnings: []}. NULL: no memory; the others take that. */
json_t *pt_report_entry(const char *name, const char *kind);

/* Append a sentence, of any bytes, to its warnings. */
void pt_report_warn(json_t *entry, const char *text);

/* Drop all but the first @n; NULL is fine. */
void pt_report_cut(json_t *list, size_t n);

/* Cut every list that a document of hist, mrc or timeline has. */
void pt_report_reduce(json_t *doc);

#endif
