// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape dump: a tape's records as text, CSV or JSON lines. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cli/dump_print.h"
#include "cli/verbs.h"
#include "util/cleanup.h"
#include "util/parse.h"

#define VERB "dump"

struct opts {
	struct pt_common common;
	int csv;
	uint64_t from_ns, to_ns; /* since the tape's start */
	const char *file, *task;
	struct pt_strings kinds;
};

static const struct pt_option options[] = {
	{ "csv", 0, NULL, "comma-separated values with a header line", PT_OPT_FLAG,
	  offsetof(struct opts, csv), 0 },
	{ "json", 0, NULL, "a JSON object a line", PT_OPT_FLAG,
	  offsetof(struct opts, common) + offsetof(struct pt_common, json), 0 },
	{ "from", 0, "TIME", "records from this time since the tape's start", PT_OPT_TIME,
	  offsetof(struct opts, from_ns), 0 },
	{ "to", 0, "TIME", "records before this time since the tape's start", PT_OPT_TIME,
	  offsetof(struct opts, to_ns), 0 },
	{ "file", 0, "GLOB", "records of files with such a path", PT_OPT_STRING,
	  offsetof(struct opts, file), 0 },
	{ "task", 0, "PID|COMM", "records of this task", PT_OPT_STRING, offsetof(struct opts, task),
	  0 },
	{ "kind", 0, "KIND", "records of this kind; may be given several times", PT_OPT_LIST,
	  offsetof(struct opts, kinds), 0 },
	{ "allow-incomplete", 0, NULL, "exit 0 where it would be 3", PT_OPT_FLAG,
	  offsetof(struct opts, common) + offsetof(struct pt_common, allow_incomplete), 0 },
	{ 0 },
};

/* What is selected beyond times and kinds, which the reader does. */
struct selection {
	const struct opts *o;
	uint64_t pid; /* PT_UNKNOWN: o->task is a comm, or not given */
};

static int parse_kinds(const struct opts *o, uint64_t *ret_kinds)
{
	for (size_t i = 0; i < o->kinds.n; i++) {
		unsigned int kind = pt_kind_by_name(o->kinds.v[i]);

		if (!kind)
			return pt_usage(VERB, "--kind %s: no such kind (see pagetape-tape(5))",
					o->kinds.v[i]);
		*ret_kinds |= UINT64_C(1) << kind;
	}
	return -1;
}

static int file_matches(const struct pt_reader *rd, const char *glob, const struct pt_record *r)
{
	const struct pt_file *f;
	char name[4200];

	if (!(pt_kind_info(r->kind)->fields & 1u << PT_F_FILE) || r->file == PT_UNKNOWN32)
		return 0;
	f = pt_reader_file(rd, r->file);
	if (f->path && fnmatch(glob, f->path, 0) == 0)
		return 1;
	return fnmatch(glob, pt_dump_file_name(f, name, sizeof(name)), 0) == 0;
}

static int task_matches(const struct pt_reader *rd, const struct selection *s,
			const struct pt_record *r)
{
	const struct pt_task *t;

	if (!(pt_kind_info(r->kind)->fields & 1u << PT_F_TASK) || r->task == PT_UNKNOWN32)
		return 0;
	t = pt_reader_task(rd, r->task);
	return t->key.pid == s->pid || (t->comm && strcmp(t->comm, s->o->task) == 0);
}

static int is_selected(const struct pt_reader *rd, const struct selection *s,
		       const struct pt_record *r)
{
	return (!s->o->file || file_matches(rd, s->o->file, r)) &&
	       (!s->o->task || task_matches(rd, s, r));
}

/* Print all. Returns an exit code. */
static int dump(const struct opts *o, struct pt_reader *rd, uint64_t start_ns)
{
	const struct pt_dump d = { .reader = rd, .out = stdout, .start_ns = start_ns };
	int (*print)(const struct pt_dump *, const struct pt_record *) = o->common.json
										 ? pt_dump_json
									 : o->csv ? pt_dump_csv
										  : pt_dump_text;
	struct selection s = { .o = o, .pid = PT_UNKNOWN };
	struct pt_record rec;
	int damaged = 0, r = o->csv ? pt_dump_csv_header(&d) : 0;

	if (o->task && pt_parse_u64(o->task, &s.pid) < 0)
		s.pid = PT_UNKNOWN;
	while (r == 0) {
		int got = pt_reader_next(rd, &rec);

		if (got == 1) {
			r = is_selected(rd, &s, &rec) ? print(&d, &rec) : 0;
		} else if (got == -EBADMSG) {
			damaged = 1;
			pt_fail(VERB, got, pt_reader_diag(rd));
		} else if (got == -ENODATA) {
			pt_fail(VERB, got, pt_reader_diag(rd));
			return pt_exit_incomplete(&o->common);
		} else if (got < 0) {
			return pt_fail(VERB, got, pt_reader_diag(rd));
		} else {
			return damaged ? pt_exit_incomplete(&o->common) : PT_EXIT_DONE;
		}
	}
	/* What stdout did not take is told when the program ends. */
	return r == -ENOMEM ? pt_fail(VERB, r, &(struct pt_diag)PT_DIAG_INIT) : PT_EXIT_DONE;
}

/* Times since the tape's start to times of its clock. */
static int find_times(const char *path, const struct opts *o, struct pt_reader_options *ro,
		      struct pt_diag *diag)
{
	struct pt_reader_summary sum;
	struct pt_reader *rd;
	int r = pt_reader_open(path, NULL, &rd, diag);

	if (r < 0)
		return r;
	pt_reader_summary(rd, &sum);
	pt_reader_close(rd);
	/* A time beyond all clocks selects no record, or none less. */
	if (__builtin_add_overflow(sum.first_ns, o->from_ns, &ro->from_ns))
		ro->from_ns = UINT64_MAX;
	if (o->to_ns && __builtin_add_overflow(sum.first_ns, o->to_ns, &ro->to_ns))
		ro->to_ns = 0;
	return 0;
}

static int run(void *opts, int argc, char **argv)
{
	const struct opts *o = opts;
	struct pt_reader_options ro = { 0 };
	struct pt_reader_summary sum;
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_reader *rd;
	int status, r = 0;

	if (argc != 1)
		return pt_usage(VERB, "expected one tape");
	if (o->csv && o->common.json)
		return pt_usage(VERB, "--csv and --json: only one of them");
	status = parse_kinds(o, &ro.kinds);
	if (status >= 0)
		return status;
	if (o->from_ns || o->to_ns)
		r = find_times(argv[0], o, &ro, &diag);
	if (r == 0)
		r = pt_reader_open(argv[0], &ro, &rd, &diag);
	if (r < 0)
		return pt_fail(VERB, r, &diag);
	pt_reader_summary(rd, &sum);
	status = dump(o, rd, sum.first_ns);
	pt_reader_close(rd);
	return status;
}

const struct pt_verb pt_verb_dump = {
	.name = VERB,
	.help = "the records of a tape as text, CSV or JSON lines",
	.usage = "[options] TAPE",
	.about = "Print a tape's records, one a line, with names for files, tasks and cgroups.",
	.options = options,
	.opts_size = sizeof(struct opts),
	.run = run,
};
