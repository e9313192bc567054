// SPDX-License-Identifier: GPL-2.0-or-later
/* A replay's plan and results for people. */
#include "cli/replay_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/fidelity_print.h"
#include "formats/record.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"
#include "util/table.h"

#define VERB "replay"

/* ---- Words */

static uint64_t number(const json_t *obj, const char *key)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_integer(v) ? (uint64_t)json_integer_value(v) : PT_UNKNOWN;
}

/* "1 read", "6,937 reads", in @buf; @one and @many as in a sentence. */
static const char *counted(uint64_t n, const char *one, const char *many, char *buf, size_t size)
{
	char text[32];

	snprintf(buf, size, "%s %s", pt_format_count(n, text, sizeof(text)), n == 1 ? one : many);
	return buf;
}

static const struct {
	const char *key, *one, *many;
} operations[] = {
	{ "read", "read", "reads" },
	{ "load", "load through a mapping", "loads through mappings" },
	{ "store", "store through a mapping", "stores through mappings" },
	{ "write", "write", "writes" },
	{ "fsync", "fsync", "fsyncs" },
	{ "fdatasync", "fdatasync", "fdatasyncs" },
	{ "sync_range", "sync_file_range", "sync_file_ranges" },
	{ "fadvise", "fadvise", "fadvises" },
	{ "madvise", "madvise", "madvises" },
	{ "truncate", "truncation", "truncations" },
	{ "unlink", "removal of a file", "removals of files" },
	{ "close", "close", "closes" },
};

static const char *why_skipped(const char *key)
{
	static const char *const reasons[][2] = {
		{ "metadata", "a block device's pages: file system metadata" },
		{ "no_file", "the file is not known, or not a regular one" },
		{ "no_range", "where in the file is not known" },
		{ "beyond_eof", "a mapped page behind the end of the file" },
		{ "advice", "it does not concern what is cached" },
	};

	for (size_t i = 0; i < PT_ARRAY_SIZE(reasons); i++)
		if (strcmp(reasons[i][0], key) == 0)
			return reasons[i][1];
	return "unknown";
}

/* As --memory takes it. */
static const char *size_option(uint64_t bytes, char *buf, size_t size)
{
	static const char units[] = "KMGT";
	size_t unit = 0;

	if (bytes % 1024)
		bytes += 1024 - bytes % 1024;
	for (bytes /= 1024; bytes % 1024 == 0 && units[unit + 1] && bytes; unit++)
		bytes /= 1024;
	snprintf(buf, size, "%" PRIu64 "%c", bytes, units[unit]);
	return buf;
}

/* ---- The plan */

static void print_operations(const json_t *plan)
{
	const json_t *ops = json_object_get(plan, "ops");
	uint64_t pages = number(plan, "guessed_pages"), lengths = number(plan, "guessed_lengths");
	char text[96], guesses[32];

	for (size_t i = 0; i < PT_ARRAY_SIZE(operations); i++) {
		const char *key = operations[i].key;

		if (number(ops, key) == PT_UNKNOWN)
			continue;
		printf("%s", counted(number(ops, key), operations[i].one, operations[i].many, text,
				     sizeof(text)));
		if (strcmp(key, "load") == 0 && pages)
			printf(", %s of them guessed (which page of a window)",
			       pt_format_count(pages, guesses, sizeof(guesses)));
		if (strcmp(key, "write") == 0 && lengths)
			printf(", %s of them of guessed length",
			       pt_format_count(lengths, guesses, sizeof(guesses)));
		putchar('\n');
	}
}

static void print_files(const json_t *plan)
{
	uint64_t resident = number(plan, "resident_files"), random = number(plan, "guessed_random");
	uint64_t missing = number(plan, "missing_bytes");
	char text[96], size[32];

	printf("by %s", counted(number(plan, "tasks"), "task", "tasks", text, sizeof(text)));
	if (number(plan, "threads") != number(plan, "tasks"))
		printf(" on %s",
		       counted(number(plan, "threads"), "thread", "threads", text, sizeof(text)));
	printf(" through %s",
	       counted(number(plan, "open_files"), "open file", "open files", text, sizeof(text)));
	if (random)
		printf(", %s told that access is random (guessed)",
		       pt_format_count(random, text, sizeof(text)));
	printf("\non %s", counted(number(plan, "files"), "file", "files", text, sizeof(text)));
	if (resident)
		printf(", %s of them read into the cache before",
		       pt_format_count(resident, text, sizeof(text)));
	printf("\n%s in all", pt_format_size(number(plan, "file_bytes"), size, sizeof(size)));
	if (missing)
		printf(", %s will be written", pt_format_size(missing, size, sizeof(size)));
	printf("\n%s at the recorded pace\n",
	       pt_format_time(number(plan, "duration_ns"), size, sizeof(size)));
}

static void print_left_out(const json_t *plan)
{
	uint64_t others = number(plan, "other_tasks"), damaged = number(plan, "damaged_blocks");
	const char *key;
	const json_t *v;
	char text[96];

	if (others)
		printf("left out: %s of other tasks\n",
		       counted(others, "record", "records", text, sizeof(text)));
	json_object_foreach((json_t *)json_object_get(plan, "skipped"), key, v) printf(
		"left out: %s, %s (%s)\n",
		counted((uint64_t)json_integer_value(v), "record", "records", text, sizeof(text)),
		key, why_skipped(key));
	if (damaged)
		printf("left out: %s of the tape\n",
		       counted(damaged, "damaged block", "damaged blocks", text, sizeof(text)));
}

void pt_replay_print_plan(const json_t *plan)
{
	uint64_t limit = number(plan, "recorded_memory_bytes");
	char size[32], option[32];

	print_operations(plan);
	print_files(plan);
	print_left_out(plan);
	if (limit != PT_UNKNOWN)
		printf("recorded under %s (--memory %s)\n",
		       pt_format_size(limit, size, sizeof(size)),
		       size_option(limit, option, sizeof(option)));
}

/* ---- Before one believes it */

static void warn_texts(const json_t *list)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v) pt_warn(VERB, "%s", json_string_value(v));
}

static void warn_limit(const json_t *entry)
{
	uint64_t recorded = number(entry, "recorded"), here = number(entry, "here");
	char size[32], option[32];

	if (recorded == PT_UNKNOWN) {
		pt_warn(VERB, "recorded without a limit; replayed under %s",
			pt_format_size(here, size, sizeof(size)));
		return;
	}
	size_option(recorded, option, sizeof(option));
	pt_format_size(recorded, size, sizeof(size));
	if (here == PT_UNKNOWN) {
		pt_warn(VERB, "recorded under %s; replayed without a limit: give --memory %s", size,
			option);
	} else {
		char other[32];

		pt_warn(VERB, "recorded under %s; replayed under %s: --memory %s is the same", size,
			pt_format_size(here, other, sizeof(other)), option);
	}
}

static void warn_differences(const struct pt_common *common, const json_t *doc)
{
	const json_t *list = json_object_get(json_object_get(doc, "settings"), "differs"), *v;
	size_t i;

	json_array_foreach(list, i, v)
	{
		const char *what = json_string_value(json_object_get(v, "what"));
		auto_free char *recorded =
			json_dumps(json_object_get(v, "recorded"), JSON_ENCODE_ANY);
		auto_free char *here = json_dumps(json_object_get(v, "here"), JSON_ENCODE_ANY);

		if (strcmp(what, "memory_limit_bytes") == 0)
			warn_limit(v);
		else
			pt_say(common, "differs: %s: recorded %s, here %s", what,
			       recorded ? recorded : "?", here ? here : "?");
	}
}

static void warn_skipped(const json_t *doc)
{
	const json_t *skipped = json_object_get(json_object_get(doc, "plan"), "skipped"), *v;
	const char *key;
	char text[96];

	json_object_foreach((json_t *)skipped, key, v)
		pt_warn(VERB, "%s not replayed: %s (%s)",
			counted((uint64_t)json_integer_value(v), "record was", "records were", text,
				sizeof(text)),
			key, why_skipped(key));
}

/* ---- The runs */

static uint64_t sum_of(const json_t *obj)
{
	const char *key;
	const json_t *v;
	uint64_t sum = 0;

	json_object_foreach((json_t *)obj, key, v) sum += (uint64_t)json_integer_value(v);
	return sum;
}

/* The counts of the cgroup where there was one, else the machine's; *@ret_whose says which. */
static const json_t *counters_of(const json_t *run, const char **ret_whose)
{
	const json_t *counters = json_object_get(run, "counters");
	const json_t *cgroup = json_object_get(counters, "cgroup");

	*ret_whose = json_is_object(cgroup) ? "cgroup" : "machine";
	return json_object_get(counters, *ret_whose);
}

static uint64_t refaults_of(const json_t *run)
{
	const char *whose;

	return number(counters_of(run, &whose), "workingset_refault_file");
}

static void add_row(struct pt_table *t, size_t i, const json_t *run)
{
	const json_t *latency = json_object_get(run, "latency_ns");
	(void)pt_table_cell(t, "%zu", i + 1);
	(void)pt_table_time(t, number(run, "wall_ns"));
	(void)pt_table_count(t, number(run, "ops"));
	(void)pt_table_count(t, (uint64_t)json_real_value(json_object_get(run, "ops_per_s")));
	(void)pt_table_count(t, refaults_of(run));
	(void)pt_table_time(t, number(json_object_get(latency, "read_hit"), "p50"));
	(void)pt_table_time(t, number(json_object_get(latency, "read_miss"), "p50"));
	(void)pt_table_time(t, number(json_object_get(latency, "read_miss"), "p99"));
	(void)pt_table_time(t, number(json_object_get(run, "lateness_ns"), "p99"));
	(void)pt_table_time(t, number(run, "stall_ns"));
	(void)pt_table_count(t, sum_of(json_object_get(run, "errors")));
}

/* Where operations wait for their recorded time, their rate is the workload's, not the kernel's. */
static int is_paced(const json_t *doc)
{
	return json_is_real(json_object_get(json_object_get(doc, "settings"), "pace"));
}

/* With --csv that is all that goes to stdout. */
static int print_table(const json_t *doc, enum pt_table_style style)
{
	const char *columns[] = {
		">run",
		">time|wall_ns",
		">ops",
		is_paced(doc) ? ">ops/s (paced)|ops_per_s" : ">ops/s|ops_per_s",
		">refaults",
		">hit p50|read_hit_p50_ns",
		">miss p50|read_miss_p50_ns",
		">miss p99|read_miss_p99_ns",
		">late p99|lateness_p99_ns",
		">stalled|stall_ns",
		">errors",
	};
	struct pt_table *t = pt_table_new_as(columns, PT_ARRAY_SIZE(columns), style);
	const json_t *run;
	size_t i;

	if (!t)
		return -ENOMEM;
	json_array_foreach(json_object_get(doc, "runs"), i, run) add_row(t, i, run);
	pt_table_print(t, stdout);
	pt_table_free(t);
	return 0;
}

/* ---- How it compares with the recording */

static void print_guesses(const json_t *plan)
{
	const json_t *ops = json_object_get(plan, "ops");
	uint64_t loads = number(ops, "load"), stores = number(ops, "store");
	uint64_t guessed = number(plan, "guessed_pages");
	char a[32], b[32];

	loads = (loads == PT_UNKNOWN ? 0 : loads) + (stores == PT_UNKNOWN ? 0 : stores);
	if (guessed)
		printf("%s of %s faults guessed (windows)\n",
		       pt_format_count(guessed, a, sizeof(a)),
		       pt_format_count(loads, b, sizeof(b)));
}

static void print_warmup(const json_t *doc)
{
	const json_t *run = json_array_get(json_object_get(doc, "runs"), 0);
	const json_t *warmup = json_object_get(run, "warmup");
	char text[96], time[32];

	if (!json_is_object(warmup))
		return;
	printf("warm-up: %s, %s in run 1: not measured (the recorded refaults are of everything)\n",
	       counted(number(warmup, "ops"), "operation", "operations", text, sizeof(text)),
	       pt_format_time(number(warmup, "ns"), time, sizeof(time)));
}

/* The least and the most of all runs. 0, or -ENOENT where a run does not know. */
static int refault_range(const json_t *runs, uint64_t *ret_least, uint64_t *ret_most)
{
	const json_t *run;
	size_t i;

	*ret_least = PT_UNKNOWN;
	*ret_most = 0;
	json_array_foreach(runs, i, run)
	{
		uint64_t n = refaults_of(run);

		if (n == PT_UNKNOWN)
			return -ENOENT;
		*ret_least = n < *ret_least ? n : *ret_least;
		*ret_most = n > *ret_most ? n : *ret_most;
	}
	return json_array_size(runs) ? 0 : -ENOENT;
}

static void print_refaults(const json_t *doc)
{
	const json_t *recorded = json_object_get(doc, "recorded");
	const json_t *runs = json_object_get(doc, "runs");
	const char *of = json_string_value(json_object_get(recorded, "refaults_of")), *whose;
	uint64_t least, most;
	char text[32];

	if (!of || refault_range(runs, &least, &most) < 0)
		return;
	printf("refaults: recorded %s (%s), ",
	       pt_format_count(number(recorded, "refaults"), text, sizeof(text)), of);
	(void)counters_of(json_array_get(runs, 0), &whose);
	printf("replayed %s", pt_format_count(least, text, sizeof(text)));
	if (most != least)
		printf(" to %s", pt_format_count(most, text, sizeof(text)));
	printf(" (%s)\n", whose);
}

static int print_fidelity(const json_t *doc)
{
	const json_t *fidelity = json_object_get(doc, "fidelity");
	char title[64];

	if (!json_is_object(fidelity))
		return 0;
	snprintf(title, sizeof(title), "fidelity of run %" PRIu64, number(fidelity, "run"));
	putchar('\n');
	return pt_fidelity_print(title, fidelity);
}

static void print_verdict(const json_t *doc)
{
	const json_t *list = json_object_get(doc, "diverged"), *v;
	size_t i;

	if (json_array_size(list) == 0) {
		printf("verdict: every recorded access was replayed%s\n",
		       json_is_object(json_object_get(doc, "fidelity"))
			       ? ", and 99% of them are in its recording"
			       : "");
		return;
	}
	printf("verdict: diverged: ");
	json_array_foreach(list, i, v) printf("%s%s", i ? "; " : "", json_string_value(v));
	putchar('\n');
}

int pt_replay_print(const json_t *doc, const struct pt_common *common)
{
	int r;

	warn_differences(common, doc);
	warn_skipped(doc);
	warn_texts(json_object_get(doc, "distorted"));
	r = print_table(doc, common->csv ? PT_TABLE_CSV : PT_TABLE_TEXT);
	if (common->csv)
		return r;
	if (r == 0)
		r = print_fidelity(doc);
	if (r < 0)
		return r;
	putchar('\n');
	print_guesses(json_object_get(doc, "plan"));
	print_warmup(doc);
	print_refaults(doc);
	print_verdict(doc);
	return 0;
}
