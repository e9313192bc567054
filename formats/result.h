/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of replays as files: a JSON document (schema 1, kind "replay") with one entry a run.
 *
 * Written by replay, read by compare and report. A result is its jansson document, checked at
 * load; metrics are looked up by dotted names ("ops_per_s", "latency_ns.read_miss.p99",
 * "counters.cgroup.workingset_refault_file").
 */
#ifndef PT_FORMATS_RESULT_H
#define PT_FORMATS_RESULT_H

#include <jansson.h>
#include <stddef.h>

#include "util/diag.h"

struct pt_result {
	json_t *doc; /* owned */
	char *name;  /* the file's base name, for tables */
};

/* What is known of a metric that comparisons show. */
struct pt_metric {
	const char *name; /* as in a table and in the JSON */
	const char *path; /* dotted, below a run */
	const char *unit;
	const char *better; /* "less" or "more" */
	int primary;        /* decides --fail-if defaults and comes first */
};

/* The metrics in the order of tables; NULL name ends. */
extern const struct pt_metric pt_metrics[];

/* Whether there is a metric of that name. */
int pt_metric_exists(const char *name);

/* Load and check: -EBADMSG with @diag (line) where it is no such document. */
int pt_result_load(const char *path, struct pt_result *ret_res, struct pt_diag *diag);

/* The same for a document in memory; @name is copied. */
int pt_result_parse(const char *text, size_t len, const char *name, struct pt_result *ret_res,
		    struct pt_diag *diag);

/* Write @doc as a whole file or none. */
int pt_result_save(const char *path, const json_t *doc, struct pt_diag *diag);
void pt_result_done(struct pt_result *res);

size_t pt_result_runs(const struct pt_result *res);

/*
 * Why run @run measured something else than was meant, an array of strings: said of the run, or,
 * where nobody asked that of single runs, of its whole result. NULL where nothing is. Borrowed.
 */
const json_t *pt_result_distorted(const struct pt_result *res, size_t run);

/* The number at @path in run @run: 1, or 0 where it is absent or null. */
int pt_result_value(const struct pt_result *res, size_t run, const char *path, double *ret_v);

#endif
