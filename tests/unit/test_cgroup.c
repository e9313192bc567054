// SPDX-License-Identifier: GPL-2.0-or-later
/* Finding the memory hierarchy and making groups, on fake trees. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/cgroup.h"
#include "tests/unit/tree.h"

#define HYBRID                                                                   \
	"31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"    \
	"35 31 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cg rw,memory\n" \
	"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"

#define UNIFIED "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"

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

static void hybrid(const char *root)
{
	tree_put(root, "proc/self/mountinfo", HYBRID);
	tree_put(root, "proc/self/cgroup", "7:blkio:/\n4:cpu,memory:/jobs/one\n0::/\n");
	tree_put(root, "sys/fs/cgroup/unified/cgroup.controllers", "hugetlb\n");
	tree_put(root, "sys/fs/cgroup/memory/jobs/one", NULL);
}

static void unified(const char *root, const char *own_control)
{
	tree_put(root, "proc/self/mountinfo", UNIFIED);
	tree_put(root, "proc/self/cgroup", "0::/user/session\n");
	tree_put(root, "sys/fs/cgroup/cgroup.controllers", "cpu io memory pids\n");
	tree_put(root, "sys/fs/cgroup/cgroup.subtree_control", "cpu memory\n");
	tree_put(root, "sys/fs/cgroup/user/cgroup.subtree_control", "cpu memory\n");
	if (own_control)
		tree_put(root, "sys/fs/cgroup/user/session/cgroup.subtree_control", own_control);
	else
		tree_put(root, "sys/fs/cgroup/user/session", NULL);
}

static void version_1_where_2_lacks_memory(void **state)
{
	struct pt_cgroup_hierarchy h;
	struct pt_diag diag = PT_DIAG_INIT;

	hybrid(*state);
	assert_int_equal(pt_cgroup_find(*state, &h, &diag), 0);
	assert_int_equal(h.version, 1);
	assert_string_equal(h.mount + strlen(*state), "/sys/fs/cgroup/memory");
	assert_string_equal(h.own, "/jobs/one");
	pt_cgroup_hierarchy_done(&h);
}

static void version_2_where_it_has_memory(void **state)
{
	struct pt_cgroup_hierarchy h;
	struct pt_diag diag = PT_DIAG_INIT;

	unified(*state, "\n");
	assert_int_equal(pt_cgroup_find(*state, &h, &diag), 0);
	assert_int_equal(h.version, 2);
	assert_string_equal(h.own, "/user/session");
	pt_cgroup_hierarchy_done(&h);
}

static void a_bind_mounted_hierarchy_starts_at_its_base(void **state)
{
	struct pt_cgroup_hierarchy h;
	struct pt_diag diag = PT_DIAG_INIT;

	unified(*state, "\n");
	tree_put(*state, "proc/self/mountinfo",
		 "30 23 0:26 /user /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	assert_int_equal(pt_cgroup_find(*state, &h, &diag), 0);
	assert_string_equal(h.own, "/session");
	pt_cgroup_hierarchy_done(&h);
}

static void no_controller_is_said(void **state)
{
	struct pt_cgroup_hierarchy h;
	struct pt_diag diag = PT_DIAG_INIT;

	unified(*state, "\n");
	tree_put(*state, "sys/fs/cgroup/cgroup.controllers", "cpu memoryish\n");
	assert_int_equal(pt_cgroup_find(*state, &h, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "memory controller"));
}

static void a_group_is_made_below_our_own_and_removed(void **state)
{
	struct pt_cgroup_hierarchy h;
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_memcg *cg;
	char *dir;

	hybrid(*state);
	assert_int_equal(pt_cgroup_find(*state, &h, &diag), 0);
	assert_int_equal(pt_memcg_create(&h, PT_CGROUP_NO_LIMIT, &cg, &diag), 0);
	assert_int_equal(strncmp(pt_memcg_path(cg), "/jobs/one/pagetape-", 19), 0);
	dir = strdup(pt_memcg_dir(cg));
	assert_int_equal(access(dir, F_OK), 0);
	assert_int_equal(pt_memcg_remove(cg), 0);
	assert_int_equal(access(dir, F_OK), -1);
	free(dir);
	pt_cgroup_hierarchy_done(&h);
}

/* The fake group has no such file: the limit cannot be set, and nothing may be left behind. */
static void a_refused_limit_leaves_no_group(void **state)
{
	struct pt_cgroup_hierarchy h;
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_memcg *cg = NULL;
	char *own = tree_path(*state, "sys/fs/cgroup/memory/jobs/one");

	hybrid(*state);
	assert_int_equal(pt_cgroup_find(*state, &h, &diag), 0);
	assert_int_equal(pt_memcg_create(&h, 1 << 20, &cg, &diag), -ENOENT);
	assert_null(cg);
	assert_non_null(strstr(diag.text, "memory limit"));
	assert_int_equal(rmdir(own), 0); /* it is empty */
	free(own);
	pt_cgroup_hierarchy_done(&h);
}

/* Version 2: the own group hands nothing down and refuses to; its parent does already. */
static void an_ancestor_that_hands_memory_down_is_used(void **state)
{
	struct pt_cgroup_hierarchy h;
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_memcg *cg;

	unified(*state, NULL);
	assert_int_equal(pt_cgroup_find(*state, &h, &diag), 0);
	assert_int_equal(pt_memcg_create(&h, PT_CGROUP_NO_LIMIT, &cg, &diag), 0);
	assert_int_equal(strncmp(pt_memcg_path(cg), "/user/pagetape-", 15), 0);
	assert_int_equal(pt_memcg_remove(cg), 0);
	pt_cgroup_hierarchy_done(&h);
}

static void our_own_group_is_told_to_hand_memory_down(void **state)
{
	struct pt_cgroup_hierarchy h;
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_memcg *cg;
	char *control = tree_path(*state, "sys/fs/cgroup/user/session/cgroup.subtree_control");
	char text[16] = "";
	int fd;

	unified(*state, "");
	assert_int_equal(pt_cgroup_find(*state, &h, &diag), 0);
	assert_int_equal(pt_memcg_create(&h, PT_CGROUP_NO_LIMIT, &cg, &diag), 0);
	assert_int_equal(strncmp(pt_memcg_path(cg), "/user/session/pagetape-", 23), 0);
	fd = open(control, O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text) - 1), 7);
	assert_string_equal(text, "+memory");
	close(fd);
	free(control);
	assert_int_equal(pt_memcg_remove(cg), 0);
	pt_cgroup_hierarchy_done(&h);
}

static void a_stale_group_is_cleared_away(void **state)
{
	static const char stale[] = "sys/fs/cgroup/memory/jobs/one/pagetape-1-0";
	struct pt_cgroup_hierarchy h;
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_memcg *cg;

	hybrid(*state);
	tree_put(*state, stale, NULL);
	assert_int_equal(pt_cgroup_find(*state, &h, &diag), 0);
	assert_int_equal(pt_memcg_create(&h, PT_CGROUP_NO_LIMIT, &cg, &diag), 0);
	assert_false(tree_has(*state, stale));
	assert_int_equal(pt_memcg_remove(cg), 0);
	pt_cgroup_hierarchy_done(&h);
}

static void what_a_group_says_is_read(void **state)
{
	struct pt_cgroup_hierarchy h;
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_memcg *cg;
	uint64_t bytes = 0;

	hybrid(*state);
	assert_int_equal(pt_cgroup_find(*state, &h, &diag), 0);
	assert_int_equal(pt_memcg_create(&h, PT_CGROUP_NO_LIMIT, &cg, &diag), 0);
	assert_int_equal(pt_memcg_current(cg, &bytes), -ENOENT);
	assert_int_equal(pt_memcg_oom_kills(cg), 0);
	assert_int_equal(pt_memcg_limit_reached(cg), -ENOENT);
	tree_put(pt_memcg_dir(cg), "memory.max_usage_in_bytes", "60000000\n");
	tree_put(pt_memcg_dir(cg), "memory.usage_in_bytes", "12345678\n");
	tree_put(pt_memcg_dir(cg), "memory.oom_control",
		 "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
	assert_int_equal(pt_memcg_current(cg, &bytes), 0);
	assert_int_equal(bytes, 12345678);
	assert_int_equal(pt_memcg_oom_kills(cg), 2);
	assert_int_equal(pt_memcg_limit_reached(cg), 0); /* there is none */
	/* Real groups vanish with their files; this one does not, and says so. */
	assert_int_equal(pt_memcg_remove(cg), -ENOTEMPTY);
	pt_cgroup_hierarchy_done(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(version_1_where_2_lacks_memory),
		T(version_2_where_it_has_memory),
		T(a_bind_mounted_hierarchy_starts_at_its_base),
		T(no_controller_is_said),
		T(a_group_is_made_below_our_own_and_removed),
		T(a_refused_limit_leaves_no_group),
		T(an_ancestor_that_hands_memory_down_is_used),
		T(our_own_group_is_told_to_hand_memory_down),
		T(a_stale_group_is_cleared_away),
		T(what_a_group_says_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
