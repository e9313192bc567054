/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages of a tape's files by what they are in: sections of ELF files, read from the files of this
 * machine.
 *
 * A file is taken for the one that was recorded if its build-id is the tape's, or, where the tape
 * has none, its size. Files are looked at when first asked for. A folio counts as its first page.
 */
#ifndef PT_ANALYSIS_SECTIONS_H
#define PT_ANALYSIS_SECTIONS_H

#include "formats/reader.h"
#include "host/elfsections.h"

/* Keys: a class of host/elfsections.h, or why there is none. */
enum pt_section_key {
	PT_SECTION_NOT_ELF = PT_ELF_CLASSES, /* it is another kind of file */
	PT_SECTION_NO_FILE,                  /* the tape has no path, or the file is not there */
	PT_SECTION_CHANGED,                  /* the file there is another one by now */
	PT_SECTION_KEYS
};

struct pt_sections;

/* @r is borrowed until free. 0 or -ENOMEM. */
int pt_sections_new(const struct pt_reader *r, struct pt_sections **ret_s);
void pt_sections_free(struct pt_sections *s);

/* An enum pt_section_key, or -ENOMEM. */
int pt_sections_key(struct pt_sections *s, uint32_t file, uint64_t page);

/* "text", ..., "not ELF", "no file", "changed"; NULL for another key. */
const char *pt_sections_name(uint32_t key);

#endif
