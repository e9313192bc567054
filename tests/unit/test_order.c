// SPDX-License-Identifier: GPL-2.0-or-later
/* The window over recorded order and the rings, under random schedules of real threads. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/opring.h"
#include "replay/order.h"
#include "tests/unit/seed.h"
#include "util/rng.h"

#define THREADS 4
#define OPS     20000

struct scene {
	struct pt_order *order;
	uint32_t window;
	uint8_t owner[OPS]; /* which thread does it */
	_Atomic uint8_t complete[OPS];
	_Atomic uint32_t violations;
	uint64_t seed;
};

struct actor {
	struct scene *scene;
	unsigned int id;
};

/* Everything at least a window before @i must be complete when @i begins. */
static void check_begin(struct scene *s, uint32_t i)
{
	if (i >= s->window && !atomic_load(&s->complete[i - s->window]))
		atomic_fetch_add(&s->violations, 1);
}

static void *act(void *arg)
{
	struct actor *a = arg;
	struct scene *s = a->scene;
	struct pt_rng rng;

	pt_rng_init(&rng, s->seed + a->id);
	for (uint32_t i = 0; i < OPS; i++) {
		if (s->owner[i] != a->id)
			continue;
		pt_order_enter(s->order, i);
		if (s->window)
			check_begin(s, i);
		if (pt_rng_below(&rng, 8) == 0)
			sched_yield();
		atomic_store(&s->complete[i], 1);
		pt_order_leave(s->order, i);
	}
	return NULL;
}

static void run_schedule(uint32_t window, uint64_t seed)
{
	struct scene *s = calloc(1, sizeof(*s));
	struct actor actors[THREADS];
	pthread_t threads[THREADS];
	struct pt_rng rng;

	s->order = aligned_alloc(64, (pt_order_bytes(window) + 63) / 64 * 64);
	pt_order_init(s->order, window);
	s->window = window;
	s->seed = seed;
	pt_rng_init(&rng, seed);
	for (uint32_t i = 0; i < OPS; i++)
		s->owner[i] = (uint8_t)pt_rng_below(&rng, THREADS);
	for (unsigned int t = 0; t < THREADS; t++) {
		actors[t] = (struct actor){ s, t };
		assert_int_equal(pthread_create(&threads[t], NULL, act, &actors[t]), 0);
	}
	for (unsigned int t = 0; t < THREADS; t++)
		assert_int_equal(pthread_join(threads[t], NULL), 0);
	assert_int_equal(atomic_load(&s->violations), 0);
	for (uint32_t i = 0; i < OPS; i++)
		assert_int_equal(atomic_load(&s->complete[i]), 1);
	free(s->order);
	free(s);
}

static void never_further_than_the_window(void **state)
{
	static const uint32_t windows[] = { 0, 1, 2, 3, 32, 64, 65, 1000 };
	uint64_t seed = seed_new();

	(void)state;
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++)
		run_schedule(windows[i], seed + i);
}

static void an_operation_waits_for_the_one_a_window_before(void **state)
{
	struct pt_order *o = aligned_alloc(64, (pt_order_bytes(2) + 63) / 64 * 64);

	(void)state;
	pt_order_init(o, 2);
	assert_int_equal(pt_order_enter(o, 0), 0);
	assert_int_equal(pt_order_enter(o, 1), 0); /* would hang if it had to wait */
	pt_order_leave(o, 1);
	assert_int_equal(atomic_load(&o->low), 0);
	pt_order_leave(o, 0);
	assert_int_equal(atomic_load(&o->low), 2);
	assert_int_equal(pt_order_enter(o, 3), 0);
	free(o);
}

static void *drain(void *arg)
{
	struct pt_opring *ring = arg;
	uint64_t wrong = 0;
	int slept = 0;

	for (uint64_t i = 0;; i++) {
		const struct pt_op *op = pt_opring_peek(ring, &slept);

		if (op->kind == PT_OP_END)
			return (void *)(uintptr_t)(wrong + (i != OPS));
		wrong += op->off != i;
		if (i % 1000 == 0)
			sched_yield();
		pt_opring_pop(ring);
	}
}

static void a_ring_hands_on_all_in_order(void **state)
{
	struct pt_opring *ring = aligned_alloc(64, sizeof(*ring));
	pthread_t consumer;
	void *wrong;

	(void)state;
	memset(ring, 0, sizeof(*ring));
	assert_int_equal(pthread_create(&consumer, NULL, drain, ring), 0);
	for (uint64_t i = 0; i <= OPS; i++) {
		struct pt_op op = { .off = i, .kind = i == OPS ? PT_OP_END : PT_OP_READ };

		while (!pt_opring_put(ring, &op, 1000000000))
			continue;
	}
	assert_int_equal(pthread_join(consumer, &wrong), 0);
	assert_null(wrong);
	free(ring);
}

static void a_full_ring_says_so(void **state)
{
	struct pt_opring *ring = aligned_alloc(64, sizeof(*ring));
	const struct pt_op op = { .kind = PT_OP_READ };
	int slept = 0;

	(void)state;
	memset(ring, 0, sizeof(*ring));
	for (int i = 0; i < PT_OPRING_OPS; i++)
		assert_int_equal(pt_opring_put(ring, &op, 1), 1);
	assert_int_equal(pt_opring_put(ring, &op, 1), 0);
	(void)pt_opring_peek(ring, &slept);
	pt_opring_pop(ring);
	assert_int_equal(slept, 0);
	assert_int_equal(pt_opring_put(ring, &op, 1), 1);
	free(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(never_further_than_the_window),
		cmocka_unit_test(an_operation_waits_for_the_one_a_window_before),
		cmocka_unit_test(a_ring_hands_on_all_in_order),
		cmocka_unit_test(a_full_ring_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
