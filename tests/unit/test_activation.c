// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/activation: predictions and fits against trying every threshold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/activation.h"
#include "seed.h"

#define LRUVECS 2
#define EVENTS  120
#define LONGEST 40

static uint64_t count_wrong(const struct pt_refault_event *v, const uint8_t *activated, size_t n,
			    uint64_t threshold)
{
	uint64_t wrong = 0;

	for (size_t i = 0; i < n; i++)
		wrong += (v[i].age + 1 <= threshold) != activated[i];
	return wrong;
}

/* One period of one lruvec: every threshold there is. */
static uint64_t fit(const struct pt_refault_event *v, const uint8_t *activated, size_t n)
{
	uint64_t best = n;

	for (uint64_t t = 0; t <= LONGEST + 1; t++) {
		uint64_t wrong = count_wrong(v, activated, n, t);

		best = wrong < best ? wrong : best;
	}
	return best;
}

static void expect(struct pt_activation_counts *want, const struct pt_refault_event *v,
		   const uint8_t *activated, size_t n)
{
	struct pt_refault_event period[EVENTS];
	uint8_t truth[EVENTS];

	for (uint32_t l = 0; l < LRUVECS; l++) {
		for (uint64_t flushes = 0; flushes < EVENTS; flushes++) {
			size_t m = 0;

			for (size_t i = 0; i < n; i++) {
				if (v[i].lruvec != l || v[i].flushes != flushes || !v[i].dated ||
				    !v[i].sizes_known)
					continue;
				truth[m] = activated[i];
				period[m++] = v[i];
			}
			want->periods += m > 0;
			want->wrong_fitted += fit(period, truth, m);
			for (size_t i = 0; i < m; i++) {
				const struct pt_refault_event *e = &period[i];

				want->wrong += ((int64_t)e->age <=
						e->flushed.active + e->flushed.anon) != truth[i];
				want->wrong_live += ((int64_t)e->age <=
						     e->now.active + e->now.anon) != truth[i];
				want->activated += truth[i];
			}
			want->decisions += m;
		}
	}
	want->unknown = n - want->decisions;
}

/* @late: the kernel's word comes some refaults later, as pages wait in a CPU's batch. */
static void one_stream(struct pt_rng *g, int late)
{
	struct pt_activation_counts want = { 0 };
	struct pt_refault_event v[EVENTS] = { 0 };
	uint64_t flushes[LRUVECS] = { 0 }, ranks[LRUVECS] = { 0 };
	uint8_t activated[EVENTS];
	struct pt_activation *a;

	assert_int_equal(pt_activation_new(1, &a), 0);
	for (size_t i = 0; i < EVENTS; i++) {
		struct pt_refault_event *e = &v[i];

		e->lruvec = (uint32_t)pt_rng_below(g, LRUVECS);
		flushes[e->lruvec] += !late && !pt_rng_below(g, 8);
		e->flushes = flushes[e->lruvec];
		e->rank = ranks[e->lruvec] += 1 + pt_rng_below(g, 2);
		e->age = pt_rng_below(g, LONGEST);
		e->dated = pt_rng_below(g, 20) != 0;
		e->sizes_known = pt_rng_below(g, 20) != 0;
		e->now.active = (int64_t)pt_rng_below(g, LONGEST) - 2;
		e->flushed.active = (int64_t)pt_rng_below(g, LONGEST);
		e->flushed.anon = (int64_t)pt_rng_below(g, 3);
		if (e->now.active < 0)
			e->now.active = 0;
		activated[i] = (uint8_t)(e->age + pt_rng_below(g, 9) < 20);
		e->activated = late ? -1 : activated[i];
		assert_int_equal(pt_activation_refaulted(a, e), 0);
		if (late && i >= 5 && activated[i - 5])
			pt_activation_activated(a, v[i - 5].lruvec, v[i - 5].rank);
	}
	for (size_t i = EVENTS - 5; late && i < EVENTS; i++)
		if (activated[i])
			pt_activation_activated(a, v[i].lruvec, v[i].rank);
	expect(&want, v, activated, EVENTS);
	assert_memory_equal(pt_activation_finish(a), &want, sizeof(want));
	pt_activation_free(a);
}

static void counts_are_those_of_trying_every_threshold(void **state)
{
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int i = 0; i < 200; i++)
		one_stream(&g, i & 1);
}

/* A word on a refault of the period before the current one still counts. */
static void late_words_reach_back_a_period(void **state)
{
	struct pt_refault_event e = { .dated = 1, .sizes_known = 1, .activated = -1, .age = 3 };
	const struct pt_activation_counts *c;
	struct pt_activation *a;

	(void)state;
	assert_int_equal(pt_activation_new(0, &a), 0);
	for (e.rank = 0; e.rank < 2; e.rank++) {
		e.flushes = e.rank;
		assert_int_equal(pt_activation_refaulted(a, &e), 0);
	}
	pt_activation_activated(a, 0, 0);
	pt_activation_activated(a, 7, 0);
	c = pt_activation_finish(a);
	assert_int_equal(c->activated, 1);
	assert_int_equal(c->periods, 2);
	assert_int_equal(c->wrong, 1);
	pt_activation_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_those_of_trying_every_threshold),
		cmocka_unit_test(late_words_reach_back_a_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
