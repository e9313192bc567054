// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any sequence of kernel events through the interpreter: eight bytes an event. Times never go back,
 * and what was added and deleted comes out as often.
 */
#include <stdlib.h>

#include "capture/interpreter.h"
#include "fuzz.h"

struct sums {
	uint64_t last_ns;
	uint32_t ids;
	long adds, deletes;
};

static int intern_file(void *ctx, const struct pt_file_key *key, uint32_t *ret_id)
{
	(void)key;
	*ret_id = ((struct sums *)ctx)->ids++;
	return 0;
}

static int intern_task(void *ctx, const struct pt_task_key *key, uint32_t *ret_id)
{
	(void)key;
	*ret_id = ((struct sums *)ctx)->ids++;
	return 0;
}

static int intern_cgroup(void *ctx, uint64_t id, uint32_t *ret_id)
{
	(void)ctx;
	*ret_id = (uint32_t)id;
	return 0;
}

static int record(void *ctx, const struct pt_record *r)
{
	struct sums *s = ctx;

	if (r->ts_ns < s->last_ns || !pt_kind_info(r->kind))
		abort();
	s->last_ns = r->ts_ns;
	s->adds -= r->kind == PT_ADD;
	s->deletes -= r->kind == PT_EVICT || r->kind == PT_REMOVE;
	return 0;
}

static struct pt_kevent event_of(const uint8_t *p, uint64_t ts_ns)
{
	return (struct pt_kevent){
		.ts_ns = ts_ns,
		.ino = p[1] & 3,
		.page = p[2],
		.value = { p[3], p[4], p[4], p[3] },
		.dev = 254u << 20,
		.pid = p[5] & 7u,
		.cpu = p[6] & 3,
		.type = (uint8_t)(1 + p[0] % (PT_KEV_TYPES - 1)),
		.how = p[1] >> 2 & 7,
		.order = p[7],
	};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pt_interpreter_options opt = { .page_size = 4096,
						    .announces_readahead = size & 1,
						    .memcg = { 1, 2, 3, 4 } };
	struct sums sums = { 0 };
	const struct pt_sink sink = { .ctx = &sums,
				      .intern_file = intern_file,
				      .intern_task = intern_task,
				      .intern_cgroup = intern_cgroup,
				      .record = record };
	struct pt_interpreter *in;
	uint64_t ts_ns = 0;

	if (pt_interpreter_new(&opt, &sink, &in) < 0)
		abort();
	for (; size >= 8; data += 8, size -= 8) {
		const struct pt_kevent ev = event_of(data, ts_ns += data[7]);

		int r = pt_interpreter_feed(in, &ev);

		if (r < 0)
			abort();
		sums.adds += r == 0 && ev.type == PT_KEV_ADD;
		sums.deletes += r == 0 && ev.type == PT_KEV_DELETE;
	}
	if (pt_interpreter_finish(in) < 0 || sums.adds || sums.deletes)
		abort();
	pt_interpreter_free(in);
	return 0;
}
