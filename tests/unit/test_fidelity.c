// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/fidelity: tapes against themselves, and against copies that differ in one known thing.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/fidelity.h"
#include "formats/writer.h"
#include "tree.h"

#define STEPS 500
#define TASKS 3
#define FILES 2
#define PAGES 64
#define LAG   20 /* a page is evicted so many adds after its own */

/* What a copy of the workload leaves out or does otherwise. */
struct variant {
	int stands_for;       /* other keys, which say what they stand for */
	int skip_access;      /* this access is left out; -1: none */
	int swap_with_next;   /* this access and the next one change places; -1: none */
	int flip_miss;        /* this access misses where it hit, or hits; -1: none */
	int shift_page;       /* this access goes elsewhere; -1: none */
	int no_folios;        /* accesses only, as a tape of applications' calls has them */
	int no_accesses;      /* folios only, as a kernel without access events gives */
	uint32_t not_subject; /* a task that is no subject; PT_UNKNOWN32: none is marked */
};

#define SAME                                     \
	((struct variant){ .skip_access = -1,    \
			   .swap_with_next = -1, \
			   .flip_miss = -1,      \
			   .shift_page = -1,     \
			   .not_subject = PT_UNKNOWN32 })

static char *folder;

static int set_up(void **state)
{
	(void)state;
	folder = tree_new();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tree_remove(folder);
	return 0;
}

static void define_names(const struct pt_sink *s, const struct variant *v, uint32_t *files,
			 uint32_t *tasks)
{
	for (uint32_t i = 0; i < FILES; i++) {
		struct pt_file f = { .key = { .ino = 100 + i, .dev = 1, .gen = 0 },
				     .stands_for = { .ino = PT_UNKNOWN } };

		if (v->stands_for) {
			f.stands_for = f.key;
			f.key.ino = 900 - i;
		}
		assert_int_equal(s->intern_file(s->ctx, &f.key, &files[i]), 0);
		assert_int_equal(s->define_file(s->ctx, &f), 0);
	}
	for (uint32_t i = 0; i < TASKS; i++) {
		struct pt_task t = { .key = { .pid = 10 + i },
				     .tgid = PT_UNKNOWN32,
				     .parent_pid = PT_UNKNOWN32,
				     .cgroup = PT_UNKNOWN32,
				     .comm = "worker",
				     .stands_for_pid = PT_UNKNOWN32,
				     .stands_for_incarnation = PT_UNKNOWN32 };

		if (v->not_subject != PT_UNKNOWN32 && i != v->not_subject)
			t.flags = PT_TASK_SUBJECT;
		if (v->stands_for) {
			t.stands_for_pid = t.key.pid;
			t.stands_for_incarnation = 0;
			t.key.pid = 70 - i;
			t.comm = "player";
		}
		assert_int_equal(s->intern_task(s->ctx, &t.key, &tasks[i]), 0);
		assert_int_equal(s->define_task(s->ctx, &t), 0);
	}
}

struct access {
	uint32_t task, file;
	uint64_t page;
	int miss;
};

/* The same accesses every time, no two neighbours alike. */
static void make_accesses(struct access *a)
{
	for (uint32_t i = 0; i < STEPS; i++)
		a[i] = (struct access){ i % TASKS, i / 7 % FILES, (i * 37 + i / 50) % PAGES,
					i % 5 == 0 };
}

static void apply(struct access *a, const struct variant *v)
{
	struct access first;

	if (v->swap_with_next >= 0) {
		first = a[v->swap_with_next];
		a[v->swap_with_next] = a[v->swap_with_next + 1];
		a[v->swap_with_next + 1] = first;
	}
	if (v->flip_miss >= 0)
		a[v->flip_miss].miss ^= 1;
	if (v->shift_page >= 0)
		a[v->shift_page].page = 5000;
}

/* A page comes, is accessed, is evicted after a while and comes back. */
static void write_step(const struct pt_sink *s, const struct variant *v, const struct access *a,
		       const uint32_t *files, const uint32_t *tasks, uint32_t i)
{
	struct pt_record rec = PT_RECORD_INIT(PT_ACCESS);

	rec.ts_ns = 1000 * (uint64_t)i;
	rec.task = tasks[a->task];
	rec.file = files[a->file];
	rec.page = a->page;
	rec.npages = 1;
	rec.how = PT_HOW_READ;
	rec.flags = a->miss ? PT_IO_MISS : 0;
	if (!v->no_accesses)
		assert_int_equal(s->record(s->ctx, &rec), 0);
	if (v->no_folios)
		return;
	rec = (struct pt_record)PT_RECORD_INIT(i % 2 ? PT_EVICT : PT_ADD);
	rec.ts_ns = 1000 * (uint64_t)i;
	rec.task = tasks[a->task];
	rec.file = files[0];
	rec.page = (i / 2 + (i % 2 ? PAGES - LAG : 0)) * 7 % PAGES;
	rec.order = 0;
	rec.how = i % 2 ? PT_RECLAIM_MEMCG : PT_CAUSE_DEMAND;
	assert_int_equal(s->record(s->ctx, &rec), 0);
}

static struct pt_reader *make_tape(const char *name, const struct variant *v)
{
	char *path = tree_path(folder, name);
	uint32_t files[FILES], tasks[TASKS];
	struct access accesses[STEPS];
	const struct pt_sink *s;
	struct pt_reader *r;
	struct pt_writer *w;
	struct pt_head head;

	assert_int_equal(pt_head_init(&head, 4096, "mono"), 0);
	assert_int_equal(pt_writer_new(path, &head, NULL, &w, NULL), 0);
	s = pt_writer_sink(w);
	define_names(s, v, files, tasks);
	make_accesses(accesses);
	apply(accesses, v);
	for (uint32_t i = 0; i < STEPS; i++)
		if ((int)i != v->skip_access)
			write_step(s, v, &accesses[i], files, tasks, i);
	assert_int_equal(pt_writer_finish(w, NULL, 1), 0);
	pt_writer_free(w);
	pt_head_done(&head);
	assert_int_equal(pt_reader_open(path, &(struct pt_reader_options){ 0 }, &r, NULL), 0);
	free(path);
	return r;
}

static struct pt_fidelity compare(const struct variant *va, const struct variant *vb)
{
	struct pt_reader *a = make_tape("a.ptape", va), *b = make_tape("b.ptape", vb);
	struct pt_fidelity f;
	int complete;

	assert_int_equal(pt_fidelity_measure(a, b, &f, &complete, NULL), 0);
	assert_true(complete);
	assert_true(f.access_match_exact);
	pt_reader_close(a);
	pt_reader_close(b);
	return f;
}

static void test_itself(void **state)
{
	struct variant renamed = SAME;

	(void)state;
	renamed.stands_for = 1;
	for (int i = 0; i < 2; i++) {
		struct pt_fidelity f = compare(&SAME, i ? &renamed : &SAME);

		assert_true(f.access_match == 1 && f.order_match == 1 && f.miss_match == 1);
		assert_true(f.evict_overlap == 1 && f.residency_jaccard == 1);
		assert_true(f.refault_ratio == 1 && f.hist_ks == 0);
		assert_true(isnan(f.file_budget_error));
		assert_int_equal(f.accesses[0], STEPS);
		assert_true(f.refaults[0] > 0);
	}
}

static void test_one_access_less(void **state)
{
	struct variant v = SAME;
	struct pt_fidelity f;

	(void)state;
	v.skip_access = 200; /* its add goes too: even steps add */
	f = compare(&SAME, &v);
	assert_true(f.access_match == (STEPS - 1.0) / STEPS);
	assert_true(f.order_match == (STEPS - 3.0) / (STEPS - 1)); /* it had two neighbours */
	assert_true(f.miss_match == 1);
	v = SAME;
	v.shift_page = 10;
	f = compare(&SAME, &v);
	assert_true(f.access_match == (STEPS - 1.0) / STEPS);
	assert_true(f.evict_overlap == 1);
}

static void test_order(void **state)
{
	struct variant v = SAME;
	struct pt_fidelity f;

	(void)state;
	v.swap_with_next = 100;
	f = compare(&SAME, &v);
	assert_true(f.access_match == 1); /* in each task's own order nothing changed */
	assert_true(f.order_match == (STEPS - 2.0) / (STEPS - 1));
}

static void test_misses(void **state)
{
	struct variant v = SAME;
	struct pt_fidelity f;

	(void)state;
	v.flip_miss = 42;
	f = compare(&SAME, &v);
	assert_true(f.access_match == 1);
	assert_true(f.miss_match == (STEPS - 1.0) / STEPS);
}

static void test_subjects(void **state)
{
	struct variant v = SAME, other = SAME;
	struct pt_fidelity f;

	(void)state;
	v.not_subject = 1;
	other.stands_for = 1;
	other.shift_page = 1; /* by the task that does not count */
	f = compare(&v, &other);
	assert_int_equal(f.accesses[0], STEPS - STEPS / TASKS - 1);
	assert_true(f.access_match == 1);
}

/* A tape that does not speak of folios has evicted an unknown number of them, not none. */
static void test_unknown_folios(void **state)
{
	struct variant v = SAME;
	struct pt_fidelity f;

	(void)state;
	v.no_folios = 1;
	f = compare(&v, &SAME);
	assert_true(f.access_match == 1);
	assert_true(isnan(f.evict_overlap) && isnan(f.residency_jaccard));
	assert_true(isnan(f.refault_ratio) && isnan(f.hist_ks));
	assert_true(f.evictions[0] == PT_UNKNOWN && f.refaults[0] == PT_UNKNOWN);
	assert_true(f.evictions[1] > 0 && f.evictions[1] != PT_UNKNOWN);
}

/* A kernel that cannot tell of accesses has not left them out. */
static void test_unknown_accesses(void **state)
{
	struct variant v = SAME;
	struct pt_fidelity f;

	(void)state;
	v.no_accesses = 1;
	f = compare(&SAME, &v);
	assert_true(isnan(f.access_match) && isnan(f.order_match) && isnan(f.miss_match));
	assert_int_equal(f.accesses[0], STEPS);
	assert_true(f.accesses[1] == PT_UNKNOWN && f.matched == PT_UNKNOWN);
	assert_true(f.refaults[0] > 0 && f.refaults[1] == f.refaults[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_itself),
		cmocka_unit_test(test_one_access_less),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_misses),
		cmocka_unit_test(test_subjects),
		cmocka_unit_test(test_unknown_folios),
		cmocka_unit_test(test_unknown_accesses),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
