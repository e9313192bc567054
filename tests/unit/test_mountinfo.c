// SPDX-License-Identifier: GPL-2.0-or-later
/* host/mountinfo on fake trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>

#include "host/mountinfo.h"
#include "tests/unit/tree.h"

#define DEV(major, minor) ((major) << 20 | (minor))

static int setup(void **state)
{
	*state = tree_new();
	return 0;
}

static int teardown(void **state)
{
	tree_remove(*state);
	return 0;
}

static void mounts_are_found_by_device_and_id(void **state)
{
	struct pt_mounts m;

	tree_put(*state, "proc/self/mountinfo",
		 "40 23 254:1 /sub /a\\040b rw - ext4 /dev/x rw\n"
		 "no mount at all\n"
		 "41 23 254:1 / /whole ro,noatime shared:3 master:1 - ext4 /dev/x rw\n");
	assert_int_equal(pt_mounts_read(*state, &m), 0);
	assert_int_equal(m.n, 2);
	assert_string_equal(m.v[0].point, "/a b");
	assert_string_equal(pt_mounts_of(&m, DEV(254, 1))->point, "/whole");
	assert_string_equal(pt_mounts_by_id(&m, 40)->root, "/sub");
	assert_string_equal(pt_mounts_by_id(&m, 41)->type, "ext4");
	assert_string_equal(pt_mounts_by_id(&m, 41)->options, "ro,noatime");
	assert_null(pt_mounts_of(&m, DEV(254, 2)));
	assert_null(pt_mounts_by_id(&m, 42));
	pt_mounts_done(&m);
}

/* btrfs: stat has a device of the subvolume's, events have the mount's. */
static void a_subvolume_is_on_its_mounts_device(void **state)
{
	const struct statx sub = { .stx_mask = STATX_MNT_ID, .stx_mnt_id = 40, .stx_dev_minor = 9 };
	const struct statx disk = {
		.stx_mask = STATX_MNT_ID, .stx_mnt_id = 40, .stx_dev_major = 8, .stx_dev_minor = 1
	};
	const struct statx unknown = { .stx_mnt_id = 40, .stx_dev_minor = 9 };
	struct pt_mounts m;

	tree_put(*state, "proc/self/mountinfo", "40 23 0:7 / /mnt rw - btrfs /dev/x rw\n");
	assert_int_equal(pt_mounts_read(*state, &m), 0);
	assert_int_equal(pt_mounts_dev(&m, &sub), DEV(0, 7));
	assert_int_equal(pt_mounts_dev(&m, &disk), DEV(8, 1));
	assert_int_equal(pt_mounts_dev(&m, &unknown), DEV(0, 9));
	pt_mounts_done(&m);
}

static void a_partition_has_its_disks_queue(void **state)
{
	char *link = tree_path(*state, "sys/dev/block/8:1");
	struct pt_blockdev d;

	tree_put(*state, "sys/dev/block", NULL);
	tree_put(*state, "sys/devices/sda/sda1/size", "16\n");
	tree_put(*state, "sys/devices/sda/queue/read_ahead_kb", "128\n");
	tree_put(*state, "sys/devices/sda/queue/scheduler", "mq-deadline [none]\n");
	assert_int_equal(symlink("../../devices/sda/sda1", link), 0);
	assert_int_equal(pt_blockdev_read(*state, DEV(8, 1), &d), 0);
	assert_string_equal(d.name, "sda1");
	assert_int_equal(d.size_bytes, 8192);
	assert_int_equal(d.read_ahead_kb, 128);
	assert_string_equal(d.scheduler, "none");
	assert_int_equal(d.rotational, UINT32_MAX);
	assert_int_not_equal(pt_blockdev_read(*state, DEV(8, 2), &d), 0);
	free(link);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(mounts_are_found_by_device_and_id),
		TEST(a_subvolume_is_on_its_mounts_device),
		TEST(a_partition_has_its_disks_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
