/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random records of all kinds, and tapes made of them, for the tests of formats/.
 */
#ifndef PT_TESTS_UNIT_TAPE_SAMPLES_H
#define PT_TESTS_UNIT_TAPE_SAMPLES_H

#include "formats/writer.h"
#include "util/rng.h"

#define SAMPLE_FILES   40
#define SAMPLE_TASKS   9
#define SAMPLE_CGROUPS 5

/* What the records of a sample refer to. */
struct sample_keys {
	struct pt_file_key files[SAMPLE_FILES];
	struct pt_task_key tasks[SAMPLE_TASKS];
	uint64_t cgroups[SAMPLE_CGROUPS];
	uint32_t file_ids[SAMPLE_FILES], task_ids[SAMPLE_TASKS], cgroup_ids[SAMPLE_CGROUPS];
};

enum sample_style {
	SAMPLE_WILD,     /* every field anything, often extreme or unknown */
	SAMPLE_ORDERLY,  /* like a workload: walks through files, adds before accesses */
	SAMPLE_CONSTANT, /* all alike */
	SAMPLE_STYLES
};

/* Keys from @g, and their ids from @sink. */
void sample_keys_init(struct sample_keys *k, struct pt_rng *g, const struct pt_sink *sink);

/* The next record; @ts_ns moves on. Blobs point to static memory. */
struct pt_record sample_record(const struct sample_keys *k, struct pt_rng *g,
			       enum sample_style style, uint64_t *ts_ns);

/* Whether the fields that @a's kind has, kind and time are the same in @b. */
int sample_equal(const struct pt_record *a, const struct pt_record *b);

/* Write a tape with @n records, a block every hundred; the same @seed gives the same bytes. */
void sample_tape(const char *path, uint64_t seed, uint32_t n, enum sample_style style);

#endif
