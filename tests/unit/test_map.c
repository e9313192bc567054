// SPDX-License-Identifier: GPL-2.0-or-later
/* util/map: random puts, gets and deletions against a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/seed.h"
#include "util/map.h"

#define KEYS  512
#define STEPS 200000

struct model {
	uint64_t value[KEYS];
	int present[KEYS];
	size_t used;
};

/* Few values in both words, so that keys differ in either alone. */
static struct pt_map_key key_of(size_t i)
{
	return (struct pt_map_key){ .hi = i / 32, .lo = i % 32 };
}

static size_t index_of(struct pt_map_key key)
{
	return key.hi * 32 + key.lo;
}

static void check_walk(const struct pt_map *m, const struct model *model)
{
	int seen[KEYS] = { 0 };
	struct pt_map_slot *slot;
	size_t pos = 0, n = 0;

	while (pt_map_next(m, &pos, &slot)) {
		size_t i = index_of(slot->key);

		assert_true(i < KEYS && !seen[i] && model->present[i]);
		assert_true(slot->value == model->value[i]);
		seen[i] = 1;
		n++;
	}
	assert_true(n == model->used);
}

static void one_step(struct pt_map *m, struct model *model, struct pt_rng *g)
{
	size_t i = pt_rng_below(g, KEYS);
	uint64_t fresh = pt_rng_u64(g);
	uint64_t *v;
	int added;

	switch (pt_rng_below(g, 3)) {
	case 0:
		v = pt_map_put(m, key_of(i), fresh, &added);
		assert_non_null(v);
		assert_int_equal(added, !model->present[i]);
		if (added)
			model->value[i] = fresh;
		model->used += (size_t)added;
		model->present[i] = 1;
		assert_true(*v == model->value[i]);
		break;
	case 1:
		assert_int_equal(pt_map_del(m, key_of(i)), model->present[i]);
		model->used -= (size_t)model->present[i];
		model->present[i] = 0;
		break;
	default:
		v = pt_map_get(m, key_of(i));
		assert_int_equal(v != NULL, model->present[i]);
		assert_true(!v || *v == model->value[i]);
	}
}

static void behaves_like_an_array(void **state)
{
	struct model model = { 0 };
	struct pt_rng g;
	struct pt_map m;

	(void)state;
	seed_rng(&g);
	pt_map_init(&m);
	for (int i = 0; i < STEPS; i++) {
		one_step(&m, &model, &g);
		assert_true(m.used == model.used);
		if (i % 1000 == 0)
			check_walk(&m, &model);
	}
	pt_map_done(&m);
}

/* Thousands of neighbours, then every other one gone: what is left must still be found. */
static void holes_hide_nothing(void **state)
{
	struct pt_map m;

	(void)state;
	pt_map_init(&m);
	for (uint64_t i = 0; i < 10000; i++)
		assert_non_null(pt_map_put(&m, (struct pt_map_key){ .lo = i }, i, NULL));
	for (uint64_t i = 0; i < 10000; i += 2)
		assert_int_equal(pt_map_del(&m, (struct pt_map_key){ .lo = i }), 1);
	for (uint64_t i = 0; i < 10000; i++) {
		uint64_t *v = pt_map_get(&m, (struct pt_map_key){ .lo = i });

		assert_true(i % 2 ? v && *v == i : !v);
	}
	pt_map_done(&m);
}

static void empty_ones(void **state)
{
	struct pt_map_key key = { .hi = 1, .lo = 2 };
	struct pt_map_slot *slot;
	struct pt_map m;
	size_t pos = 0;

	(void)state;
	pt_map_init(&m);
	assert_null(pt_map_get(&m, key));
	assert_int_equal(pt_map_del(&m, key), 0);
	assert_int_equal(pt_map_next(&m, &pos, &slot), 0);
	pt_map_clear(&m);
	assert_non_null(pt_map_put(&m, key, 3, NULL));
	pt_map_clear(&m);
	assert_null(pt_map_get(&m, key));
	pt_map_done(&m);
	assert_null(pt_map_get(&m, key));
	pt_map_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behaves_like_an_array),
		cmocka_unit_test(holes_hide_nothing),
		cmocka_unit_test(empty_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
