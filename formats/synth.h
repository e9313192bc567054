/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tapes without a workload: reads over a set of files, drawn from a distribution.
 *
 * The same settings give the same records and the same tape id on every machine.
 */
#ifndef PT_FORMATS_SYNTH_H
#define PT_FORMATS_SYNTH_H

#include "formats/head.h"
#include "formats/sink.h"

enum pt_synth_preset {
	PT_SYNTH_ZIPF,    /* the n-th most wanted block with probability ~ n^-theta */
	PT_SYNTH_UNIFORM, /* every block alike */
	PT_SYNTH_SEQ,     /* each task reads its files from begin to end, again and again */
};

struct pt_synth {
	enum pt_synth_preset preset;
	uint64_t files;       /* how many */
	uint64_t size_bytes;  /* of each file */
	uint64_t accesses;    /* how many reads, over all tasks in turn */
	uint64_t tasks;       /* how many */
	uint64_t io_bytes;    /* of each read */
	uint64_t interval_ns; /* from one read to the next */
	uint64_t seed;
	double theta; /* of zipf, >= 0 */
};

#define PT_SYNTH_PAGE_SIZE 4096u
#define PT_SYNTH_MAX_OPENS (1u << 22) /* files times tasks */

/* -EINVAL with @diag where the settings cannot be. */
int pt_synth_check(const struct pt_synth *s, struct pt_diag *diag);

/* A head that says what the settings were. Release with pt_head_done(). */
int pt_synth_head(const struct pt_synth *s, struct pt_head *ret_head);

/* Definitions and records of checked settings go to @sink. 0, or what the sink returned. */
int pt_synth_generate(const struct pt_synth *s, const struct pt_sink *sink);

/* The preset's name, and the preset by its name (-EINVAL). */
const char *pt_synth_name(enum pt_synth_preset preset);
int pt_synth_by_name(const char *name, enum pt_synth_preset *ret_preset);

/* A number in [0, n) for each @i in [0, n), each once: a fixed shuffle chosen by @key. */
uint64_t pt_synth_scatter(uint64_t i, uint64_t n, uint64_t key);

#endif
