// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape verify: check every frame of a tape, and make a whole tape of what is good. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/verbs.h"
#include "formats/check.h"
#include "formats/copy.h"
#include "formats/writer.h"
#include "util/cleanup.h"
#include "util/json.h"

#define VERB "verify"

struct opts {
	struct pt_common common;
	const char *repair;
};

static const struct pt_option options[] = {
	{ "repair", 0, "OUT", "write a whole tape of all that is good", PT_OPT_OUTPUT,
	  offsetof(struct opts, repair), 0 },
	{ 0 },
};

static void complain(void *ctx, int err, const struct pt_diag *what)
{
	(void)ctx;
	pt_fail(VERB, err, what);
}

/* ---- Repair */

/* Nobody can say how much was in a place that cannot be read: that is a gap, its number unknown. */
static int mark_gap(const struct pt_sink *sink, uint64_t ts_ns)
{
	struct pt_record gap = PT_RECORD_INIT(PT_GAP);

	gap.ts_ns = ts_ns;
	gap.how = PT_GAP_SOURCE;
	return sink->record(sink->ctx, &gap);
}

/* All definitions and all records that can be read. */
static int copy_good(struct pt_reader *rd, struct pt_writer *w)
{
	struct pt_copy copy = { .reader = rd, .sink = pt_writer_sink(w) };
	struct pt_record rec;
	uint64_t last_ns = 0;
	int r = pt_copy_definitions(&copy), got = 1;

	while (r == 0 && got) {
		got = pt_reader_next(rd, &rec);
		if (got == 1) {
			last_ns = rec.ts_ns;
			r = pt_copy_record(&copy, &rec);
		} else if (got == -EBADMSG) {
			r = mark_gap(copy.sink, last_ns);
		} else if (got == -ENODATA) {
			got = 0;
		} else if (got < 0) {
			r = got;
		}
	}
	pt_copy_done(&copy);
	return r;
}

static int write_good(struct pt_reader *rd, const char *out, int complete, struct pt_diag *diag)
{
	struct pt_reader_summary sum;
	struct pt_writer *w;
	int r = pt_writer_new(out, pt_reader_head(rd), NULL, &w, diag);

	if (r < 0)
		return r;
	pt_reader_summary(rd, &sum);
	pt_writer_count_events(w, sum.events);
	r = copy_good(rd, w);
	if (r == 0)
		r = pt_writer_finish(w, NULL, complete);
	if (r < 0)
		*diag = pt_writer_diag(w)->text[0] ? *pt_writer_diag(w) : *pt_reader_diag(rd);
	pt_writer_free(w);
	return r;
}

static int same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

/*
 * The name to write under until it is whole. A writer uses OUT.part, which may be what is read:
 * then it is OUT.repaired. NULL: no memory.
 */
static char *working_name(const char *in, const char *out)
{
	auto_free char *part = NULL;
	char *name;

	if (asprintf(&part, "%s.part", out) < 0) {
		part = NULL;
		return NULL;
	}
	if (!same_file(in, part))
		return strdup(out);
	return asprintf(&name, "%s.repaired", out) < 0 ? NULL : name;
}

/* Returns an exit code. */
static int repair(const char *in, const char *out, int complete)
{
	auto_free char *name = working_name(in, out);
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_reader *rd;
	int r;

	if (!name)
		return pt_fail(VERB, -ENOMEM, &diag);
	if (same_file(in, out))
		return pt_usage(VERB, "--repair %s: would overwrite what is read", out);
	r = pt_reader_open(in, NULL, &rd, &diag);
	if (r < 0)
		return pt_fail(VERB, r, &diag);
	r = write_good(rd, name, complete, &diag);
	pt_reader_close(rd);
	if (r == 0 && strcmp(name, out) != 0 && rename(name, out) < 0) {
		r = pt_diag_errno(&diag, -errno, "cannot rename to %s", out);
		pt_diag_file(&diag, r, name);
	}
	return r < 0 ? pt_fail(VERB, r, &diag) : PT_EXIT_DONE;
}

/* ---- Result */

static int print_json(const struct pt_check *c, const char *path, const char *tape_id,
		      const struct opts *o)
{
	json_t *doc = pt_json_document(VERB, tape_id);
	int r;

	pt_json_set_string(doc, "tape", path);
	pt_json_set_u64(doc, "blocks", c->summary.blocks);
	pt_json_set_u64(doc, "records", c->records);
	pt_json_set_u64(doc, "faults", c->faults);
	pt_json_set_bool(doc, "finished", c->finished);
	pt_json_set_bool(doc, "complete", c->complete);
	pt_json_set_string(doc, "repaired", o->repair);
	r = pt_json_write(doc, stdout);
	json_decref(doc);
	return r;
}

static void print_text(const struct pt_check *c, const char *path, const struct opts *o)
{
	printf("%s: %" PRIu64 " records in %" PRIu64 " blocks, %" PRIu64
	       " damaged places, %s, %s\n",
	       path, c->records, c->summary.blocks, c->faults,
	       c->finished ? "closed" : "without its closing index",
	       c->complete ? "complete" : "INCOMPLETE");
	if (o->repair)
		printf("%s: written\n", o->repair);
}

static int print(const struct pt_check *c, const char *path, const struct opts *o)
{
	struct pt_reader *rd;
	int r;

	if (!o->common.json) {
		print_text(c, path, o);
		return 0;
	}
	r = pt_reader_open(path, NULL, &rd, NULL);
	if (r < 0)
		return r;
	r = print_json(c, path, pt_head_tape_id(pt_reader_head(rd)), o);
	pt_reader_close(rd);
	return r;
}

static int run(void *opts, int argc, char **argv)
{
	const struct opts *o = opts;
	struct pt_check check = { .complain = complain };
	struct pt_diag diag = PT_DIAG_INIT;
	int r;

	if (argc != 1)
		return pt_usage(VERB, "expected one tape");
	r = pt_check_tape(&check, argv[0], &diag);
	if (r < 0)
		return pt_fail(VERB, r, &diag);
	if (o->repair) {
		int status = repair(argv[0], o->repair, check.complete);

		if (status != PT_EXIT_DONE)
			return status;
	}
	r = print(&check, argv[0], o);
	if (r < 0)
		return pt_fail(VERB, r, &diag);
	return check.complete ? PT_EXIT_DONE : pt_exit_incomplete(&o->common);
}

const struct pt_verb pt_verb_verify = {
	.name = VERB,
	.help = "check every frame of a tape; repair a cut one",
	.usage = "[options] TAPE",
	.about = "Check every frame, record, index and table of a tape, and say what is wrong.\n"
		 "With --repair, write a whole tape of all blocks that are good.",
	.options = options,
	.has_json = 1,
	.opts_size = sizeof(struct opts),
	.run = run,
};
