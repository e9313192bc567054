// SPDX-License-Identifier: GPL-2.0-or-later
/* Sample records and tapes: see tape_samples.h. */
#include "tape_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static char blob[5000];

void sample_keys_init(struct sample_keys *k, struct pt_rng *g, const struct pt_sink *sink)
{
	for (int i = 0; i < SAMPLE_FILES; i++) {
		k->files[i] = (struct pt_file_key){ pt_rng_u64(g), (uint32_t)pt_rng_u64(g),
						    (uint32_t)pt_rng_below(g, 3) };
		assert_int_equal(sink->intern_file(sink->ctx, &k->files[i], &k->file_ids[i]), 0);
	}
	for (int i = 0; i < SAMPLE_TASKS; i++) {
		k->tasks[i] =
			(struct pt_task_key){ (uint32_t)i * 7 + 1, (uint32_t)pt_rng_below(g, 3) };
		assert_int_equal(sink->intern_task(sink->ctx, &k->tasks[i], &k->task_ids[i]), 0);
	}
	for (int i = 0; i < SAMPLE_CGROUPS; i++) {
		k->cgroups[i] = pt_rng_u64(g) >> 20;
		assert_int_equal(sink->intern_cgroup(sink->ctx, k->cgroups[i], &k->cgroup_ids[i]),
				 0);
	}
	for (size_t i = 0; i < sizeof(blob); i++)
		blob[i] = (char)pt_rng_u64(g);
}

static uint64_t wild(struct pt_rng *g)
{
	switch (pt_rng_below(g, 6)) {
	case 0:
		return PT_UNKNOWN;
	case 1:
		return PT_UNKNOWN - 1 - pt_rng_below(g, 3);
	case 2:
		return pt_rng_below(g, 3);
	default:
		return pt_rng_u64(g) >> pt_rng_below(g, 64);
	}
}

static uint32_t one_of(struct pt_rng *g, const uint32_t *ids, uint32_t n)
{
	uint32_t i = (uint32_t)pt_rng_below(g, n + 1);

	return i < n ? ids[i] : PT_UNKNOWN32;
}

static struct pt_record wild_record(const struct sample_keys *k, struct pt_rng *g)
{
	struct pt_record r = PT_RECORD_INIT((uint8_t)(1 + pt_rng_below(g, PT_KIND_COUNT - 1)));

	if (pt_rng_below(g, 10) == 0)
		return r; /* all unknown */
	r.page = wild(g);
	r.npages = wild(g);
	r.off_bytes = wild(g);
	r.len_bytes = wild(g);
	r.duration_ns = wild(g);
	for (int i = 0; i < 4; i++)
		r.value[i] = wild(g);
	r.task = one_of(g, k->task_ids, SAMPLE_TASKS);
	r.file = one_of(g, k->file_ids, SAMPLE_FILES);
	r.cgroup = one_of(g, k->cgroup_ids, SAMPLE_CGROUPS);
	r.target = one_of(g, k->cgroup_ids, SAMPLE_CGROUPS);
	r.open = (uint32_t)wild(g);
	r.open_from = (uint32_t)wild(g);
	r.flags = (uint32_t)wild(g);
	r.node = (uint16_t)wild(g);
	r.cpu = (uint16_t)wild(g);
	r.how = (uint8_t)wild(g);
	r.order = (uint8_t)wild(g);
	if (pt_rng_below(g, 3)) {
		r.blob = blob;
		r.blob_len = (uint32_t)pt_rng_below(g, sizeof(blob));
	}
	return r;
}

static struct pt_record orderly_record(const struct sample_keys *k, struct pt_rng *g)
{
	static const uint8_t kinds[] = {
		PT_ACCESS, PT_ADD, PT_ACCESS, PT_EVICT, PT_WRITE, PT_DIRTY
	};
	struct pt_record r = PT_RECORD_INIT(kinds[pt_rng_below(g, sizeof(kinds))]);
	uint32_t task = (uint32_t)pt_rng_below(g, SAMPLE_TASKS);

	r.task = k->task_ids[task];
	r.file = k->file_ids[task * 3 + pt_rng_below(g, 2)];
	r.page = pt_rng_below(g, 4) ? task * 1000 + pt_rng_below(g, 64) : pt_rng_below(g, 1 << 20);
	r.npages = 1 + pt_rng_below(g, 4);
	r.off_bytes = r.page * 4096 + pt_rng_below(g, 2) * 512;
	r.len_bytes = 4096;
	r.order = (uint8_t)pt_rng_below(g, 3);
	r.open = r.file;
	r.how = 0;
	r.flags = (uint32_t)pt_rng_below(g, 2);
	return r;
}

struct pt_record sample_record(const struct sample_keys *k, struct pt_rng *g,
			       enum sample_style style, uint64_t *ts_ns)
{
	struct pt_record r = PT_RECORD_INIT(PT_ACCESS);

	if (style == SAMPLE_WILD)
		r = wild_record(k, g);
	else if (style == SAMPLE_ORDERLY)
		r = orderly_record(k, g);
	*ts_ns += pt_rng_below(g, 1000) ? pt_rng_below(g, 2000) : pt_rng_below(g, 3000000000u);
	r.ts_ns = *ts_ns;
	return r;
}

int sample_equal(const struct pt_record *a, const struct pt_record *b)
{
	uint32_t fields = pt_kind_info(a->kind)->fields;

	if (a->kind != b->kind || a->ts_ns != b->ts_ns)
		return 0;
	for (unsigned int f = 1; f < PT_F_COUNT; f++)
		if (fields & 1u << f && pt_record_get(a, f) != pt_record_get(b, f))
			return 0;
	if (!(fields & 1u << PT_F_BLOB))
		return 1;
	return !a->blob == !b->blob && a->blob_len == b->blob_len &&
	       (!a->blob || memcmp(a->blob, b->blob, a->blob_len) == 0);
}

void sample_tape(const char *path, uint64_t seed, uint32_t n, enum sample_style style)
{
	struct pt_writer_options opt = { .zstd_level = 3 };
	struct pt_head head;
	struct pt_writer *w;
	struct sample_keys keys;
	struct pt_rng g;
	uint64_t ts_ns = 1000000;
	const struct pt_sink *sink;

	pt_rng_init(&g, seed);
	assert_int_equal(pt_head_init(&head, 4096, "mono"), 0);
	assert_int_equal(pt_head_derive_id(&head, &seed, sizeof(seed)), 0);
	assert_int_equal(pt_writer_new(path, &head, &opt, &w, NULL), 0);
	sink = pt_writer_sink(w);
	sample_keys_init(&keys, &g, sink);
	for (uint32_t i = 0; i < n; i++) {
		struct pt_record r = sample_record(&keys, &g, style, &ts_ns);

		assert_int_equal(sink->record(sink->ctx, &r), 0);
		pt_writer_count_events(w, 2);
		if (i % 100 == 99)
			assert_int_equal(pt_writer_flush(w), 0);
	}
	assert_int_equal(pt_writer_finish(w, NULL, 1), 0);
	pt_writer_free(w);
	pt_head_done(&head);
}
