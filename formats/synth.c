// SPDX-License-Identifier: GPL-2.0-or-later
/* Drawn workloads: see synth.h. */
#include "formats/synth.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/json.h"
#include "util/rng.h"

#define FIRST_PID 1000u
#define START_NS  UINT64_C(1000000000)

static const char *const names[] = {
	[PT_SYNTH_ZIPF] = "zipf",
	[PT_SYNTH_UNIFORM] = "uniform",
	[PT_SYNTH_SEQ] = "seq",
};

const char *pt_synth_name(enum pt_synth_preset preset)
{
	return names[preset];
}

int pt_synth_by_name(const char *name, enum pt_synth_preset *ret_preset)
{
	for (unsigned int i = 0; i < PT_ARRAY_SIZE(names); i++) {
		if (strcmp(name, names[i]) == 0) {
			*ret_preset = (enum pt_synth_preset)i;
			return 0;
		}
	}
	return -EINVAL;
}

int pt_synth_check(const struct pt_synth *s, struct pt_diag *diag)
{
	uint64_t opens, blocks, ns;

	if (!s->files || !s->tasks || !s->io_bytes)
		return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET,
				   "files, tasks and io must be at least 1");
	if (s->size_bytes < s->io_bytes || s->size_bytes > INT64_MAX)
		return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET,
				   "size must be at least io (and below 8 EiB)");
	if (__builtin_mul_overflow(s->files, s->tasks, &opens) || opens > PT_SYNTH_MAX_OPENS)
		return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET,
				   "files times tasks must be at most %u", PT_SYNTH_MAX_OPENS);
	if (__builtin_mul_overflow(s->size_bytes / s->io_bytes, s->files, &blocks) ||
	    blocks > INT64_MAX)
		return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "too many blocks");
	if (__builtin_mul_overflow(s->accesses, s->interval_ns, &ns) || ns > INT64_MAX)
		return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "accesses times interval too long");
	if (!(s->theta >= 0 && s->theta <= 100))
		return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "theta must be from 0 to 100");
	return 0;
}

int pt_synth_head(const struct pt_synth *s, struct pt_head *ret_head)
{
	static const char *const known[] = { "accesses", "calls", "bytes", "open_files" };
	json_t *synth = json_object();
	auto_free char *text = NULL;
	int r = pt_head_init(ret_head, PT_SYNTH_PAGE_SIZE, "synth");

	if (r < 0) {
		json_decref(synth);
		return r;
	}
	pt_json_set_string(synth, "preset", names[s->preset]);
	pt_json_set_u64(synth, "files", s->files);
	pt_json_set_u64(synth, "size_bytes", s->size_bytes);
	pt_json_set_u64(synth, "accesses", s->accesses);
	pt_json_set_u64(synth, "tasks", s->tasks);
	pt_json_set_u64(synth, "io_bytes", s->io_bytes);
	pt_json_set_u64(synth, "interval_ns", s->interval_ns);
	pt_json_set_u64(synth, "seed", s->seed);
	pt_json_set_double(synth, "theta", s->theta);
	text = synth ? json_dumps(synth, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	pt_json_set(ret_head->doc, "synth", synth);
	pt_json_set_string(ret_head->doc, "source", "synth");
	for (unsigned int i = 0; i < PT_ARRAY_SIZE(known) && r == 0; i++)
		r = pt_head_set_known(ret_head, known[i], PT_KNOWN_KNOWN);
	if (r == 0)
		r = text ? pt_head_derive_id(ret_head, text, strlen(text)) : -ENOMEM;
	if (r < 0)
		pt_head_done(ret_head);
	return r;
}

/* One round of a Feistel network on two halves of @bits bits each. */
static uint64_t feistel(uint64_t v, unsigned int bits, uint64_t key)
{
	uint64_t mask = (UINT64_C(1) << bits) - 1;
	uint64_t left = v >> bits, right = v & mask;

	for (unsigned int round = 0; round < 4; round++) {
		uint64_t x = (right + key + round) * UINT64_C(0x9e3779b97f4a7c15);
		uint64_t next = left ^ ((x ^ x >> 29) >> 11 & mask);

		left = right;
		right = next;
	}
	return left << bits | right;
}

uint64_t pt_synth_scatter(uint64_t i, uint64_t n, uint64_t key)
{
	unsigned int bits = 1;

	while (bits < 32 && n > UINT64_C(1) << (2 * bits))
		bits++;
	/* A permutation of a power of four; those outside go round again until inside. */
	do {
		i = feistel(i, bits, key);
	} while (i >= n);
	return i;
}

/* A generator at work. */
struct synth {
	const struct pt_synth *s;
	const struct pt_sink *sink;
	uint32_t *file_ids, *task_ids;
	uint64_t *positions; /* by task, of seq: blocks read so far */
	uint64_t blocks;     /* of each file */
	struct pt_rng rng;
	struct pt_zipf zipf;
};

static int define_files(struct synth *y)
{
	const struct pt_sink *sink = y->sink;
	int r = 0;

	for (uint64_t i = 0; i < y->s->files && r == 0; i++) {
		char path[64];
		struct pt_file def = {
			.key = { .ino = i + 1 },
			.size = y->s->size_bytes,
			.blocks_512 = (y->s->size_bytes + 511) / 512,
			.type = PT_FILE_REGULAR,
			.mount = PT_UNKNOWN32,
			.path = path,
			.stands_for = { PT_UNKNOWN, PT_UNKNOWN32, PT_UNKNOWN32 },
		};

		snprintf(path, sizeof(path), "/synth/file-%04" PRIu64, i);
		r = sink->intern_file(sink->ctx, &def.key, &y->file_ids[i]);
		if (r == 0 && sink->define_file)
			r = sink->define_file(sink->ctx, &def);
	}
	return r;
}

static int define_opens(struct synth *y, uint64_t task)
{
	const struct pt_sink *sink = y->sink;
	int r = 0;

	for (uint64_t i = 0; i < y->s->files && sink->define_open && r == 0; i++) {
		struct pt_openfile def = {
			.id = (uint32_t)(task * y->s->files + i),
			.file = y->file_ids[i],
		};

		r = sink->define_open(sink->ctx, &def);
	}
	return r;
}

static int define_tasks(struct synth *y)
{
	const struct pt_sink *sink = y->sink;
	int r = 0;

	for (uint64_t i = 0; i < y->s->tasks && r == 0; i++) {
		char comm[32];
		struct pt_task def = {
			.key = { .pid = (uint32_t)(FIRST_PID + i) },
			.tgid = (uint32_t)(FIRST_PID + i),
			.parent_pid = PT_UNKNOWN32,
			.cgroup = PT_UNKNOWN32,
			.flags = PT_TASK_SUBJECT,
			.comm = comm,
			.stands_for_pid = PT_UNKNOWN32,
			.stands_for_incarnation = PT_UNKNOWN32,
		};

		snprintf(comm, sizeof(comm), "synth-%" PRIu64, i);
		r = sink->intern_task(sink->ctx, &def.key, &y->task_ids[i]);
		if (r == 0 && sink->define_task)
			r = sink->define_task(sink->ctx, &def);
		if (r == 0)
			r = define_opens(y, i);
	}
	return r;
}

/* The next block of all files' blocks, for @task. */
static uint64_t draw(struct synth *y, uint64_t task)
{
	uint64_t all = y->blocks * y->s->files, position;

	switch (y->s->preset) {
	case PT_SYNTH_ZIPF:
		return pt_synth_scatter(pt_zipf_draw(&y->zipf, &y->rng), all, y->s->seed);
	case PT_SYNTH_UNIFORM:
		return pt_rng_below(&y->rng, all);
	default:
		/* Task t's files are t, t + tasks, t + 2 tasks, ... round and round. */
		position = y->positions[task]++;
		return (task + position / y->blocks * y->s->tasks) % y->s->files * y->blocks +
		       position % y->blocks;
	}
}

static int emit(struct synth *y, uint64_t i)
{
	uint64_t task = i % y->s->tasks, block = draw(y, task);
	uint64_t file = block / y->blocks, off = block % y->blocks * y->s->io_bytes;
	struct pt_record r = PT_RECORD_INIT(PT_ACCESS);

	r.ts_ns = START_NS + i * y->s->interval_ns;
	r.task = y->task_ids[task];
	r.file = y->file_ids[file];
	r.open = (uint32_t)(task * y->s->files + file);
	r.page = off / PT_SYNTH_PAGE_SIZE;
	r.npages = (off + y->s->io_bytes - 1) / PT_SYNTH_PAGE_SIZE - r.page + 1;
	r.off_bytes = off;
	r.len_bytes = y->s->io_bytes;
	r.how = PT_HOW_READ;
	r.flags = 0;
	return y->sink->record(y->sink->ctx, &r);
}

static int generate(struct synth *y)
{
	int r = define_files(y);

	if (r == 0)
		r = define_tasks(y);
	for (uint64_t i = 0; i < y->s->accesses && r == 0; i++)
		r = emit(y, i);
	return r;
}

int pt_synth_generate(const struct pt_synth *s, const struct pt_sink *sink)
{
	auto_free uint32_t *file_ids = calloc(s->files, sizeof(*file_ids));
	auto_free uint32_t *task_ids = calloc(s->tasks, sizeof(*task_ids));
	auto_free uint64_t *positions = calloc(s->tasks, sizeof(*positions));
	struct synth y = { .s = s, .sink = sink, .file_ids = file_ids, .task_ids = task_ids };

	if (!file_ids || !task_ids || !positions)
		return -ENOMEM;
	y.positions = positions;
	y.blocks = s->size_bytes / s->io_bytes;
	pt_rng_init(&y.rng, s->seed);
	pt_zipf_init(&y.zipf, y.blocks * s->files, s->theta);
	return generate(&y);
}
