// SPDX-License-Identifier: GPL-2.0-or-later
/* host/knobs: names lead to their files and nowhere else; what was read can be restored. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host/knobs.h"
#include "tests/unit/tree.h"
#include "util/cleanup.h"

static int setup(void **state)
{
	char *root = tree_new();

	tree_put(root, "sys/kernel/mm/lru_gen/enabled", "0x0007\n");
	tree_put(root, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	tree_put(root, "proc/sys/vm/swappiness", "60\n");
	tree_put(root, "proc/sys/vm/lowmem_reserve_ratio", "256\t256\t32\n");
	tree_put(root, "proc/sys/vm/stat_refresh", "1\n");
	tree_put(root, "sys/block/vda/queue/read_ahead_kb", "128\n");
	tree_put(root, "sys/block/vda/queue/scheduler", "none [mq-deadline]\n");
	tree_put(root, "secret", "1\n");
	*state = root;
	return 0;
}

static int teardown(void **state)
{
	tree_remove(*state);
	return 0;
}

static struct pt_knob_place place_of(void **state)
{
	return (struct pt_knob_place){ .root = *state, .disk = "vda" };
}

static void check_value(const struct pt_knob_place *p, const char *name, const char *want)
{
	auto_free char *value = NULL;

	assert_int_equal(pt_knob_read(p, name, &value, NULL), 0);
	assert_string_equal(value, want);
}

static void values_are_what_can_be_written(void **state)
{
	struct pt_knob_place p = place_of(state);

	check_value(&p, "lru_gen.enabled", "0x0007");
	check_value(&p, "thp.enabled", "madvise");
	check_value(&p, "vm.swappiness", "60");
	check_value(&p, "vm.lowmem_reserve_ratio", "256\t256\t32");
	check_value(&p, "block.read_ahead_kb", "128");
	check_value(&p, "block.scheduler", "mq-deadline");
}

static void set_and_restored(void **state)
{
	struct pt_knob_place p = place_of(state);
	auto_free char *before = NULL;

	/* No kernel is behind these files: what is written covers the bytes that were there. */
	assert_int_equal(pt_knob_set(&p, "thp.enabled=[never]", &before, NULL), 0);
	assert_string_equal(before, "madvise");
	check_value(&p, "thp.enabled", "never");
	assert_int_equal(pt_knob_write(&p, "thp.enabled", "[madvise]", NULL), 0);
	check_value(&p, "thp.enabled", before);
	assert_int_equal(pt_knob_set(&p, "block.read_ahead_kb=064", NULL, NULL), 0);
	check_value(&p, "block.read_ahead_kb", "064");
}

static void check_refused(const struct pt_knob_place *p, const char *setting, int err,
			  const char *words)
{
	struct pt_diag d = PT_DIAG_INIT;
	char *before = NULL;

	assert_int_equal(pt_knob_set(p, setting, &before, &d), err);
	assert_non_null(strstr(d.text, words));
	assert_null(before);
}

static void refused_by_name(void **state)
{
	struct pt_knob_place p = place_of(state);

	check_refused(&p, "swappiness", -EINVAL, "'swappiness' is not NAME=VALUE");
	check_refused(&p, "=1", -EINVAL, "is not NAME=VALUE");
	check_refused(&p, "", -EINVAL, "is not NAME=VALUE");
	check_refused(&p, "swappiness=1", -EINVAL, "no knob 'swappiness'");
	check_refused(&p, "vm.=1", -EINVAL, "no knob 'vm.'");
	check_refused(&p, "vm.../../../secret=2", -EINVAL, "no knob");
	check_refused(&p, "vm/../secret=2", -EINVAL, "no knob");
	check_refused(&p, "v.swappiness=2", -EINVAL, "no knob");
	check_refused(&p, "vmx.swappiness=2", -EINVAL, "no knob");
	check_refused(&p, "lru_gen.min_ttl_ms=9", -ENOENT, "this kernel has no lru_gen.min_ttl_ms");
	check_refused(&p, "vm.nothing=9", -ENOENT, "this kernel has no vm.nothing");
	p.disk = NULL;
	check_refused(&p, "block.read_ahead_kb=4", -ENODEV, "there is no disk");
	p.disk = "../..";
	check_refused(&p, "block.read_ahead_kb=4", -ENODEV, "there is no disk");
}

static void long_names_and_values(void **state)
{
	struct pt_knob_place p = place_of(state);
	char setting[3 * PT_KNOB_VALUE_MAX];

	memset(setting, 'x', sizeof(setting));
	memcpy(setting, "vm.", 3);
	setting[sizeof(setting) - 1] = '\0';
	setting[1000] = '=';
	check_refused(&p, setting, -EINVAL, "is not NAME=VALUE");
	setting[1002] = '\0';
	check_refused(&p, setting, -EINVAL, "no knob");
}

static void all_that_there_are(void **state)
{
	struct pt_knob_place p = place_of(state);
	json_t *want = json_pack("{s:s, s:s, s:i, s:s, s:s, s:i}", "lru_gen.enabled", "0x0007",
				 "thp.enabled", "madvise", "block.read_ahead_kb", 128,
				 "block.scheduler", "mq-deadline", "vm.lowmem_reserve_ratio",
				 "256\t256\t32", "vm.swappiness", 60);
	json_t *got = pt_knobs_json(&p);

	assert_true(json_equal(got, want));
	json_decref(got);
	p = (struct pt_knob_place){ .root = "/nonexistent" };
	got = pt_knobs_json(&p);
	assert_int_equal(json_object_size(got), 0);
	json_decref(got);
	json_decref(want);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(values_are_what_can_be_written), T(set_and_restored),   T(refused_by_name),
		T(long_names_and_values),          T(all_that_there_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
