/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One record as a line of text, CSV or JSON, with names for ids.
 *
 * What a tape does not know is left out in text, empty in CSV and null in JSON.
 */
#ifndef PT_CLI_DUMP_PRINT_H
#define PT_CLI_DUMP_PRINT_H

#include <stdio.h>

#include "formats/reader.h"

struct pt_dump {
	const struct pt_reader *reader;
	FILE *out;
	uint64_t start_ns; /* of the tape: times are shown since then */
};

/* A file's path, or "MAJOR:MINOR/INODE" in @buf where it has none; control bytes shown as '?'. */
const char *pt_dump_file_name(const struct pt_file *f, char *buf, size_t size);

/* Each prints one line. Returns 0, or -errno where it could not be written. */
int pt_dump_text(const struct pt_dump *d, const struct pt_record *r);
int pt_dump_csv(const struct pt_dump *d, const struct pt_record *r);
int pt_dump_json(const struct pt_dump *d, const struct pt_record *r);

/* CSV's first line. */
int pt_dump_csv_header(const struct pt_dump *d);

#endif
