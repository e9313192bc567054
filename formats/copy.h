/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records and definitions of a reader into a sink, whose ids are its own.
 */
#ifndef PT_FORMATS_COPY_H
#define PT_FORMATS_COPY_H

#include "formats/reader.h"
#include "formats/sink.h"

struct pt_copy {
	const struct pt_reader *reader; /* borrowed */
	const struct pt_sink *sink;     /* borrowed */
	struct pt_copy_ids {
		uint32_t *ids; /* the sink's, one more, by the reader's; 0: not asked for yet */
		uint32_t n;
	} files, tasks, cgroups;
};

/* All zero but reader and sink is a fresh one. */
void pt_copy_done(struct pt_copy *c);

/* Everything that the reader's tape defines. 0, or what the sink returned. */
int pt_copy_definitions(struct pt_copy *c);

/* One record out of the reader. 0, -ENOMEM, or what the sink returned. */
int pt_copy_record(struct pt_copy *c, const struct pt_record *rec);

#endif
