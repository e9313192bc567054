// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape info: what is in a tape, and whether it is complete. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "cli/verbs.h"
#include "formats/reader.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"
#include "util/printable.h"
#include "util/table.h"

#define VERB "info"

struct opts {
	struct pt_common common;
};

/* What is counted by reading the accesses. */
struct accesses {
	uint64_t calls, faults, pages;
	int damaged; /* blocks that could not be read */
};

/* What both outputs show. */
struct info {
	const char *path;
	struct pt_reader *reader;
	const struct pt_head *head;
	struct pt_reader_summary sum;
	struct accesses accesses;
	uint32_t named;
};

static int count_accesses(const char *path, struct accesses *a)
{
	const struct pt_reader_options opt = { .flags = PT_READER_NO_TIME,
					       .kinds = 1u << PT_ACCESS };
	struct pt_record rec;
	struct pt_reader *r;
	int err = pt_reader_open(path, &opt, &r, NULL);

	if (err < 0)
		return err;
	while ((err = pt_reader_next(r, &rec)) == 1 || err == -EBADMSG) {
		if (err == -EBADMSG) {
			a->damaged = 1;
			pt_fail(VERB, err, pt_reader_diag(r));
			continue;
		}
		a->calls += rec.how == PT_HOW_READ;
		a->faults += rec.how != PT_HOW_READ;
		/* In a fault's window one page was touched, whichever it was. */
		a->pages += rec.how == PT_HOW_READ && rec.npages != PT_UNKNOWN ? rec.npages : 1;
	}
	pt_reader_close(r);
	return err == -ENODATA ? 0 : err;
}

static uint32_t count_named(const struct pt_reader *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < pt_reader_file_count(r); i++)
		n += pt_reader_file(r, i)->path != NULL;
	return n;
}

static uint64_t duration_of(const struct pt_reader_summary *s)
{
	return s->first_ns == PT_UNKNOWN ? PT_UNKNOWN : s->last_ns - s->first_ns;
}

static int is_complete(const struct info *in)
{
	return in->sum.complete && !in->accesses.damaged;
}

/* ---- JSON */

static json_t *events_json(const struct pt_reader_summary *s)
{
	json_t *o = json_object();

	pt_json_set_u64(o, "total", s->events);
	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		pt_json_set_u64(o, pt_kind_info(k)->name, s->counts[k]);
	return o;
}

static json_t *known_json(const struct pt_head *h)
{
	static const char *const what[] = { "open_files", "bytes", "cgroups",    "refaults",
					    "accesses",   "calls", "activations" };
	json_t *o = json_object();

	for (unsigned int i = 0; i < PT_ARRAY_SIZE(what); i++)
		pt_json_set_string(o, what[i], pt_known_name(pt_head_known(h, what[i])));
	return o;
}

static json_t *kernel_json(const struct pt_head *h)
{
	json_t *o = json_object(), *lru = json_object();

	pt_json_set_string(o, "release", pt_head_string(h, "kernel", "release", NULL));
	pt_json_set_string(o, "version", pt_head_string(h, "kernel", "version", NULL));
	pt_json_set_string(o, "build_id", pt_head_string(h, "kernel", "build_id", NULL));
	pt_json_set_string(o, "arch", pt_head_string(h, "kernel", "arch", NULL));
	pt_json_set_string(lru, "flavour", pt_head_string(h, "kernel", "lru", "flavour", NULL));
	pt_json_set(lru, "mask",
		    json_incref(json_object_get(
			    json_object_get(json_object_get(h->doc, "kernel"), "lru"), "mask")));
	pt_json_set(o, "lru", lru);
	return o;
}

static json_t *pair_json(const char *a, uint64_t va, const char *b, uint64_t vb)
{
	json_t *o = json_object();

	pt_json_set_u64(o, a, va);
	pt_json_set_u64(o, b, vb);
	return o;
}

static json_t *lost_json(const struct pt_reader_summary *s)
{
	/* Where a gap does not know its number, nobody knows the sum. */
	json_t *o =
		pair_json("events", s->unknown_gaps ? PT_UNKNOWN : s->lost_events, "gaps", s->gaps);

	pt_json_set_u64(o, "unknown_gaps", s->unknown_gaps);
	return o;
}

/* Recordings of kernels without events for accesses have none, and do not know of any. */
static int knows_accesses(const struct info *in)
{
	return in->accesses.calls || in->accesses.faults ||
	       pt_head_known(in->head, "accesses") != PT_KNOWN_UNAVAILABLE;
}

static json_t *accesses_json(const struct info *in)
{
	const struct accesses *a = &in->accesses;
	int known = knows_accesses(in);
	json_t *o = pair_json("calls", known ? a->calls : PT_UNKNOWN, "pages",
			      known ? a->pages : PT_UNKNOWN);

	pt_json_set_u64(o, "faults", known ? a->faults : PT_UNKNOWN);
	return o;
}

static int print_json(const struct info *in)
{
	const struct pt_reader_summary *s = &in->sum;
	json_t *doc = pt_json_document(VERB, pt_head_tape_id(in->head));
	int r;

	pt_json_set_string(doc, "tape", in->path);
	pt_json_set_string(doc, "version", pt_head_string(in->head, "version", NULL));
	pt_json_set_string(doc, "source", pt_head_string(in->head, "source", NULL));
	pt_json_set(doc, "kernel", kernel_json(in->head));
	pt_json_set_u64(doc, "page_size", pt_head_page_size(in->head));
	pt_json_set_string(doc, "clock", pt_head_string(in->head, "clock", NULL));
	pt_json_set_u64(doc, "start_ns", s->first_ns);
	pt_json_set(doc, "start_realtime_ns",
		    json_incref(json_object_get(in->head->doc, "start_realtime_ns")));
	pt_json_set(doc, "command", json_incref(json_object_get(in->head->doc, "command")));
	pt_json_set_u64(doc, "duration_ns", duration_of(s));
	pt_json_set(doc, "events", events_json(s));
	pt_json_set_u64(doc, "records", s->records);
	pt_json_set(doc, "accesses", accesses_json(in));
	pt_json_set(doc, "known", known_json(in->head));
	pt_json_set(doc, "lost", lost_json(s));
	pt_json_set_bool(doc, "finished", s->finished);
	pt_json_set_bool(doc, "complete", is_complete(in));
	pt_json_set(doc, "files",
		    pair_json("total", pt_reader_file_count(in->reader), "named", in->named));
	pt_json_set_u64(doc, "tasks", pt_reader_task_count(in->reader));
	pt_json_set_u64(doc, "cgroups", pt_reader_cgroup_count(in->reader));
	pt_json_set_u64(doc, "bytes", s->bytes);
	pt_json_set_double(doc, "bytes_per_event", (double)s->bytes / (double)s->events);
	pt_json_set(doc, "environment", json_incref(json_object_get(in->head->doc, "environment")));
	pt_json_set(doc, "kernel_counts",
		    json_incref(json_object_get(in->head->doc, "kernel_counts")));
	r = pt_json_write(doc, stdout);
	json_decref(doc);
	return r;
}

/* ---- CSV */

static struct pt_table *csv_new(void)
{
	static const char *const columns[] = { "tape",        "tape_id",     "kernel", "complete",
					       "duration_ns", "bytes",       "events", "records",
					       "lost_events", "calls",       "faults", "pages",
					       "files",       "files_named", "tasks",  "cgroups" };

	return pt_table_new_as(columns, PT_ARRAY_SIZE(columns), PT_TABLE_CSV);
}

static int csv_add(struct pt_table *t, const struct info *in)
{
	const struct pt_reader_summary *s = &in->sum;
	int known = knows_accesses(in), bad;

	bad = pt_table_text(t, in->path);
	bad |= pt_table_text(t, pt_head_tape_id(in->head));
	bad |= pt_table_text(t, pt_head_string(in->head, "kernel", "release", NULL));
	bad |= pt_table_text(t, is_complete(in) ? "1" : "0");
	bad |= pt_table_time(t, duration_of(s));
	bad |= pt_table_size(t, s->bytes);
	bad |= pt_table_count(t, s->events);
	bad |= pt_table_count(t, s->records);
	bad |= pt_table_count(t, s->unknown_gaps ? PT_UNKNOWN : s->lost_events);
	bad |= pt_table_count(t, known ? in->accesses.calls : PT_UNKNOWN);
	bad |= pt_table_count(t, known ? in->accesses.faults : PT_UNKNOWN);
	bad |= pt_table_count(t, known ? in->accesses.pages : PT_UNKNOWN);
	bad |= pt_table_count(t, pt_reader_file_count(in->reader));
	bad |= pt_table_count(t, in->named);
	bad |= pt_table_count(t, pt_reader_task_count(in->reader));
	return bad | pt_table_count(t, pt_reader_cgroup_count(in->reader));
}

/* ---- Text */

#define SHOWN_MAX 256 /* more of a name than this is not for a line of text */

static void print_line(const char *label, const char *text)
{
	char shown[SHOWN_MAX];

	printf("  %-12s %s\n", label, pt_printable(text, shown, sizeof(shown)));
}

static void print_where(const struct info *in)
{
	const struct pt_head *h = in->head;
	char a[SHOWN_MAX], b[SHOWN_MAX], c[SHOWN_MAX];

	print_line("tape id", pt_head_tape_id(h));
	printf("  %-12s %" PRIu64 ".%" PRIu64 ", by pagetape %s from %s\n", "format",
	       in->sum.version_major, in->sum.version_minor,
	       pt_printable(pt_head_string(h, "version", NULL), a, sizeof(a)),
	       pt_printable(pt_head_string(h, "source", NULL), b, sizeof(b)));
	printf("  %-12s %s %s, %s LRU\n", "kernel",
	       pt_printable(pt_head_string(h, "kernel", "release", NULL), a, sizeof(a)),
	       pt_printable(pt_head_string(h, "kernel", "arch", NULL), b, sizeof(b)),
	       pt_printable(pt_head_string(h, "kernel", "lru", "flavour", NULL), c, sizeof(c)));
}

/* When it began, by the clock of the wall, in this place's time. */
static void print_date(const struct pt_head *h)
{
	const json_t *ns = json_object_get(h->doc, "start_realtime_ns");
	time_t at = json_is_integer(ns) ? (time_t)(json_integer_value(ns) / 1000000000) : 0;
	struct tm tm;
	char text[64];

	if (at > 0 && localtime_r(&at, &tm) && strftime(text, sizeof(text), "%F %T %z", &tm))
		print_line("recorded", text);
}

static void print_command(const struct pt_head *h)
{
	const json_t *list = json_object_get(h->doc, "command"), *v;
	size_t i;

	if (!json_array_size(list))
		return;
	printf("  %-12s", "command");
	json_array_foreach(list, i, v)
	{
		putchar(' ');
		for (const char *s = json_string_value(v); s && *s; s++)
			putchar((unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s);
	}
	putchar('\n');
}

static void print_machine(const struct pt_head *h)
{
	const json_t *env = json_object_get(h->doc, "environment");
	const json_t *cpus = json_object_get(env, "cpus");
	const json_t *memory = json_object_get(env, "memory_bytes");
	char n[32];

	if (json_is_integer(cpus) && json_is_integer(memory) && json_integer_value(memory) > 0)
		printf("  %-12s %" JSON_INTEGER_FORMAT " CPUs, %s\n", "machine",
		       json_integer_value(cpus),
		       pt_format_size((uint64_t)json_integer_value(memory), n, sizeof(n)));
}

/* The memory limit of the cgroup in which the recorded command began. */
static void print_limit(const struct pt_reader *r)
{
	char n[32];

	for (uint32_t i = 0; i < pt_reader_task_count(r); i++) {
		const struct pt_task *t = pt_reader_task(r, i);
		uint64_t max;

		if (t->flags == PT_UNKNOWN32 || !(t->flags & PT_TASK_SUBJECT) ||
		    t->cgroup >= pt_reader_cgroup_count(r))
			continue;
		max = pt_reader_cgroup(r, t->cgroup)->max_bytes;
		if (max != PT_UNKNOWN)
			print_line("memory limit",
				   max == PT_NO_LIMIT ? "none" : pt_format_size(max, n, sizeof(n)));
		return;
	}
}

static void print_accesses(const struct info *in)
{
	char a[32];

	if (!knows_accesses(in)) {
		print_line("accesses", "not known: the kernel has no events for them");
		return;
	}
	printf("  %-12s %s read calls", "accesses",
	       pt_format_count(in->accesses.calls, a, sizeof(a)));
	printf(", %s faults", pt_format_count(in->accesses.faults, a, sizeof(a)));
	printf(", %s pages\n", pt_format_count(in->accesses.pages, a, sizeof(a)));
}

static void print_amounts(const struct info *in)
{
	const struct pt_reader_summary *s = &in->sum;
	char a[32], b[32];

	if (s->records)
		print_line("duration", pt_format_time(duration_of(s), a, sizeof(a)));
	printf("  %-12s %s", "size", pt_format_size(s->bytes, a, sizeof(a)));
	if (s->events)
		printf(" for %s events: %.2f bytes an event",
		       pt_format_count(s->events, b, sizeof(b)),
		       (double)s->bytes / (double)s->events);
	putchar('\n');
	printf("  %-12s %s, of which %s have a name\n", "files",
	       pt_format_count(pt_reader_file_count(in->reader), a, sizeof(a)),
	       pt_format_count(in->named, b, sizeof(b)));
	print_line("tasks", pt_format_count(pt_reader_task_count(in->reader), a, sizeof(a)));
	print_line("cgroups", pt_format_count(pt_reader_cgroup_count(in->reader), a, sizeof(a)));
	print_accesses(in);
	printf("  %-12s %s\n", "records", pt_format_count(s->records, a, sizeof(a)));
	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		if (s->counts[k])
			printf("    %-14s %14s\n", pt_kind_info(k)->name,
			       pt_format_count(s->counts[k], a, sizeof(a)));
}

static void print_known(const struct pt_head *h)
{
	static const char *const what[] = { "accesses", "bytes", "open_files", "cgroups",
					    "refaults" };

	printf("  %-12s", "known");
	for (unsigned int i = 0; i < PT_ARRAY_SIZE(what); i++)
		printf("%s %s %s", i ? "," : "", what[i], pt_known_name(pt_head_known(h, what[i])));
	putchar('\n');
}

static void print_completeness(const struct info *in)
{
	const struct pt_reader_summary *s = &in->sum;
	char n[32];

	if (!s->finished)
		print_line("complete", "NO: the tape is cut (recorder killed, or still recording)");
	else if (in->accesses.damaged)
		print_line("complete", "NO: parts of the tape are damaged");
	else if (s->gaps)
		printf("  %-12s NO: %s%s events lost in %" PRIu64 " gaps\n", "complete",
		       s->unknown_gaps ? "at least " : "",
		       pt_format_count(s->lost_events, n, sizeof(n)), s->gaps);
	else if (!s->complete)
		print_line("complete", "NO: the recorder does not vouch for it");
	else
		print_line("complete", "yes");
}

static int print_text(const struct info *in)
{
	printf("%s\n", in->path);
	print_where(in);
	print_date(in->head);
	print_command(in->head);
	print_machine(in->head);
	print_limit(in->reader);
	print_amounts(in);
	print_known(in->head);
	print_completeness(in);
	return 0;
}

static int print(const struct opts *o, const struct info *in, struct pt_table *csv)
{
	if (csv)
		return csv_add(csv, in) ? -ENOMEM : 0;
	return o->common.json ? print_json(in) : print_text(in);
}

/* @csv: where the rows go, NULL unless they are wanted. Returns an exit code. */
static int show(const struct opts *o, const char *path, struct pt_table *csv)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct info in = { .path = path };
	int status, r = pt_reader_open(path, NULL, &in.reader, &diag);

	if (r < 0)
		return pt_fail(VERB, r, &diag);
	in.head = pt_reader_head(in.reader);
	pt_reader_summary(in.reader, &in.sum);
	in.named = count_named(in.reader);
	r = count_accesses(path, &in.accesses);
	if (r == 0)
		r = print(o, &in, csv);
	if (r < 0)
		status = pt_fail(VERB, pt_diag_file(&diag, r, path), &diag);
	else
		status = is_complete(&in) ? PT_EXIT_DONE : pt_exit_incomplete(&o->common);
	pt_reader_close(in.reader);
	return status;
}

static int run(void *opts, int argc, char **argv)
{
	const struct opts *o = opts;
	struct pt_table *csv = NULL;
	int worst = PT_EXIT_DONE;

	if (argc < 1)
		return pt_usage(VERB, "expected a tape");
	if (o->common.csv && !(csv = csv_new()))
		return pt_fail(VERB, -ENOMEM, &(struct pt_diag)PT_DIAG_INIT);
	for (int i = 0; i < argc; i++) {
		int status = show(o, argv[i], csv);

		/* A failure counts more than an incomplete tape. */
		if (worst == PT_EXIT_DONE || status == PT_EXIT_FAILED)
			worst = status;
	}
	if (csv)
		pt_table_print(csv, stdout);
	pt_table_free(csv);
	return worst;
}

const struct pt_verb pt_verb_info = {
	.name = VERB,
	.help = "what is in a tape, and whether it is complete",
	.usage = "[options] TAPE...",
	.about = "Show what tapes hold: where they come from, how many records of which kind,\n"
		 "and whether anything is missing. A JSON document for each tape with --json.",
	.has_json = 1,
	.has_csv = 1,
	.opts_size = sizeof(struct opts),
	.run = run,
};
