// SPDX-License-Identifier: GPL-2.0-or-later
/* capture/ring, on a fake tracefs instance with pages made by hand. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/ring.h"
#include "formats/record.h"
#include "util/bytes.h"
#include "util/cleanup.h"

#define PAGE 4096

/* What was handed on, as text: "CPU@TIME:BYTE " for events, "gap CPU@TIME:LOST " for gaps. */
struct log {
	char text[1024];
	size_t len;
};

static int on_event(void *ctx, uint16_t cpu, uint64_t ts_ns, const void *data, uint32_t len)
{
	struct log *log = ctx;

	assert_true(len >= 4);
	log->len +=
		(size_t)snprintf(log->text + log->len, sizeof(log->text) - log->len, "%u@%llu:%u ",
				 cpu, (unsigned long long)ts_ns, ((const uint8_t *)data)[0]);
	return 0;
}

static int on_gap(void *ctx, uint16_t cpu, uint64_t ts_ns, uint64_t lost)
{
	struct log *log = ctx;

	log->len += (size_t)snprintf(log->text + log->len, sizeof(log->text) - log->len,
				     "gap %u@%llu:%lld ", cpu, (unsigned long long)ts_ns,
				     (long long)lost);
	return 0;
}

/* A page that begins at @ts_ns, with @n events of one word each, a nanosecond apart. */
static void make_page(uint8_t *page, uint64_t ts_ns, uint8_t first, unsigned int n)
{
	memset(page, 0, PAGE);
	le64_put(page, ts_ns);
	le64_put(page + 8, 8 * n);
	for (unsigned int i = 0; i < n; i++) {
		/* type_len 1: one word of data; 27 bits of time since the one before */
		le32_put(page + 16 + 8 * i, 1 | (i ? 1u << 5 : 0));
		le32_put(page + 20 + 8 * i, first + i);
	}
}

struct tree {
	char dir[64];
};

static void make_file(const char *path, const void *data, size_t len)
{
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0 && write(fd, data, len) == (ssize_t)len);
}

static void tree_init(struct tree *t)
{
	char path[128];

	snprintf(t->dir, sizeof(t->dir), "%s", "ring-XXXXXX");
	assert_non_null(mkdtemp(t->dir));
	snprintf(path, sizeof(path), "%s/per_cpu", t->dir);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void add_cpu(const struct tree *t, int cpu, const void *pages, size_t n, const char *stats)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d", t->dir, cpu);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", t->dir, cpu);
	make_file(path, pages, n * PAGE);
	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/stats", t->dir, cpu);
	make_file(path, stats, strlen(stats));
}

static void tree_done(const struct tree *t)
{
	static const char *const names[] = { "cpu0/trace_pipe_raw",
					     "cpu0/stats",
					     "cpu0",
					     "cpu1/trace_pipe_raw",
					     "cpu1/stats",
					     "cpu1",
					     "cpu300/trace_pipe_raw",
					     "cpu300/stats",
					     "cpu300",
					     "" };
	char path[128];

	for (size_t i = 0; i < PT_ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/per_cpu/%s", t->dir, names[i]);
		(void)remove(path);
	}
	(void)rmdir(t->dir);
}

static void cpus_are_merged_by_time(void **state)
{
	static uint8_t zero[2 * PAGE], one[PAGE];
	struct log log = { 0 };
	const struct pt_ring_handler h = { on_event, on_gap, &log };
	struct pt_ring *ring;
	uint64_t horizon;
	struct tree t;

	(void)state;
	if (sysconf(_SC_NPROCESSORS_CONF) < 2)
		skip();
	make_page(zero, 100, 1, 2);        /* 100, 101 */
	make_page(zero + PAGE, 300, 3, 1); /* 300 */
	make_page(one, 101, 10, 2);        /* 101, 102 */
	tree_init(&t);
	add_cpu(&t, 0, zero, 2, "overrun: 0\n");
	add_cpu(&t, 1, one, 1, "overrun: 0\n");
	assert_int_equal(pt_ring_open(t.dir, &ring, NULL), 0);
	assert_int_equal(pt_ring_read(ring, 2000200, &h, &horizon), 3);
	assert_string_equal(log.text, "0@100:1 0@101:2 1@101:10 1@102:11 ");
	assert_int_equal(horizon, 200); /* what is newer has to wait */
	assert_int_equal(pt_ring_read(ring, UINT64_MAX, &h, &horizon), 0);
	assert_string_equal(log.text, "0@100:1 0@101:2 1@101:10 1@102:11 0@300:3 ");
	pt_ring_close(ring);
	tree_done(&t);
}

static void losses_are_told_where_they_are(void **state)
{
	static uint8_t pages[3 * PAGE];
	struct log log = { 0 };
	const struct pt_ring_handler h = { on_event, on_gap, &log };
	uint64_t horizon, lost, reported;
	struct pt_ring *ring;
	struct tree t;

	(void)state;
	make_page(pages, 100, 1, 1);
	make_page(pages + PAGE, 200, 2, 1);
	le64_put(pages + PAGE + 8, 8 | UINT64_C(3) << 30); /* lost some, and how many */
	le64_put(pages + PAGE + 24, 55);
	make_page(pages + 2 * PAGE, 300, 3, 1);
	le64_put(pages + 2 * PAGE + 8, 8 | UINT64_C(1) << 31);
	tree_init(&t);
	add_cpu(&t, 0, pages, 3, "entries: 1\noverrun: 60\ncommit overrun: 2\ndropped events: 1\n");
	assert_int_equal(pt_ring_open(t.dir, &ring, NULL), 0);
	assert_int_equal(pt_ring_read(ring, UINT64_MAX, &h, &horizon), 3);
	assert_string_equal(log.text, "0@100:1 gap 0@200:55 0@200:2 gap 0@300:-1 0@300:3 ");
	assert_int_equal(pt_ring_lost(ring, &lost, &reported), 0);
	assert_int_equal(lost, 63);
	assert_int_equal(reported, 55);
	pt_ring_close(ring);
	tree_done(&t);
}

/* A full CPU and an empty one: reading goes on until nothing is left. */
static void much_is_read_to_the_end(void **state)
{
	const size_t n = 500;
	auto_free uint8_t *pages = calloc(n, PAGE);
	struct log log = { 0 };
	const struct pt_ring_handler h = { on_event, on_gap, &log };
	struct pt_ring *ring;
	uint64_t horizon;
	struct tree t;

	(void)state;
	assert_non_null(pages);
	for (size_t i = 0; i < n; i++)
		make_page(pages + i * PAGE, 100 + i, 1, i + 1 == n);
	tree_init(&t);
	add_cpu(&t, 0, pages, n, "overrun: 0\n");
	assert_int_equal(pt_ring_open(t.dir, &ring, NULL), 0);
	assert_int_equal(pt_ring_read(ring, UINT64_MAX, &h, &horizon), (int)n);
	assert_string_equal(log.text, "0@599:1 ");
	pt_ring_close(ring);
	tree_done(&t);
}

static void a_page_that_lies_is_refused(void **state)
{
	static uint8_t page[PAGE];
	struct log log = { 0 };
	const struct pt_ring_handler h = { on_event, on_gap, &log };
	struct pt_ring *ring;
	uint64_t horizon;
	struct tree t;

	(void)state;
	make_page(page, 100, 1, 1);
	le64_put(page + 8, 5000);
	tree_init(&t);
	add_cpu(&t, 0, page, 1, "");
	assert_int_equal(pt_ring_open(t.dir, &ring, NULL), 0);
	assert_int_equal(pt_ring_read(ring, UINT64_MAX, &h, &horizon), -EBADMSG);
	pt_ring_close(ring);
	tree_done(&t);
}

/* Their numbers may have holes, and be above the number of CPUs. */
static void all_cpus_with_a_ring_are_read(void **unused)
{
	uint8_t page[PAGE];
	struct log log = { .len = 0 };
	const struct pt_ring_handler handler = { .event = on_event, .gap = on_gap, .ctx = &log };
	struct pt_ring *ring;
	struct tree t;
	uint64_t horizon;

	(void)unused;
	tree_init(&t);
	make_page(page, 1000, 7, 1);
	add_cpu(&t, 300, page, 1, "");
	assert_int_equal(pt_ring_open(t.dir, &ring, NULL), 0);
	assert_true(pt_ring_read(ring, UINT64_MAX, &handler, &horizon) >= 0);
	assert_string_equal(log.text, "300@1000:7 ");
	pt_ring_close(ring);
	tree_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_merged_by_time),
		cmocka_unit_test(losses_are_told_where_they_are),
		cmocka_unit_test(much_is_read_to_the_end),
		cmocka_unit_test(a_page_that_lies_is_refused),
		cmocka_unit_test(all_cpus_with_a_ring_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
