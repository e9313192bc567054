// SPDX-License-Identifier: GPL-2.0-or-later
/* cli/hist_fleet, and mrc's reading ahead: threads make no difference to what comes out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/tape_mrc.h"
#include "cli/hist_fleet.h"
#include "seed.h"
#include "tape_samples.h"
#include "util/cleanup.h"

#define TAPES   5
#define RECORDS 4000 /* a block every hundred */

static char folder[] = "/tmp/pagetape-fleet-XXXXXX";
static char *paths[TAPES];

static int make_tapes(void **state)
{
	uint64_t seed = seed_new();

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < TAPES; i++) {
		assert_true(asprintf(&paths[i], "%s/%d.ptape", folder, i) > 0);
		sample_tape(paths[i], seed + (uint64_t)i, RECORDS, SAMPLE_ORDERLY);
	}
	return 0;
}

static int remove_tapes(void **state)
{
	(void)state;
	for (int i = 0; i < TAPES; i++) {
		unlink(paths[i]);
		free(paths[i]);
	}
	return rmdir(folder);
}

/* What hist makes of all of them. */
static char *hist(unsigned int threads)
{
	const struct pt_hist_fleet f = { .by = PT_BY_FILE, .by_name = "file", .threads = threads };
	struct pt_diag diag = PT_DIAG_INIT;
	json_t *doc = NULL;
	int complete;
	char *text;

	assert_int_equal(pt_hist_fleet_read(&f, paths, TAPES, &doc, &complete, &diag), 0);
	text = json_dumps(doc, 0);
	assert_non_null(text);
	json_decref(doc);
	return text;
}

/* What mrc makes of one of them. */
static char *mrc(const char *path, unsigned int threads)
{
	const struct pt_reader_options ropt = { .flags = PT_READER_NO_TIME,
						.kinds = PT_MRC_KINDS,
						.fields = pt_mrc_fields,
						.threads = threads };
	const struct pt_mrc_options opt = { .by = PT_BY_FILE };
	struct pt_reader *r;
	struct pt_walk walk;
	struct pt_mrc *m;
	json_t *doc;
	char *text;

	assert_int_equal(pt_reader_open(path, &ropt, &r, NULL), 0);
	assert_int_equal(pt_tape_mrc(r, &opt, &m, &walk, NULL), 0);
	doc = pt_mrc_document(r, m, opt.by, pt_walk_complete(&walk, r));
	text = json_dumps(doc, 0);
	assert_non_null(text);
	json_decref(doc);
	pt_mrc_free(m);
	pt_reader_close(r);
	return text;
}

static void test_hist(void **state)
{
	auto_free char *alone = hist(1);

	(void)state;
	for (unsigned int threads = 2; threads <= 3 * TAPES; threads *= 2) {
		auto_free char *many = hist(threads);

		assert_string_equal(many, alone);
	}
}

static void test_mrc(void **state)
{
	(void)state;
	for (int i = 0; i < TAPES; i++) {
		auto_free char *alone = mrc(paths[i], 1), *many = mrc(paths[i], 4);

		assert_string_equal(many, alone);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hist),
		cmocka_unit_test(test_mrc),
	};

	return cmocka_run_group_tests(tests, make_tapes, remove_tapes);
}
