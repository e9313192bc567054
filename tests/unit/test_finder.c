// SPDX-License-Identifier: GPL-2.0-or-later
/* capture/finder: names of files that a task of this machine has open or mapped. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "capture/finder.h"
#include "host/mountinfo.h"
#include "tests/unit/tree.h"

#define LOOKS_MAX 1000 /* one takes no more than its share of time */

struct bench {
	char *root;
	struct pt_finder *finder;
	struct pt_interpreter *in;
	struct pt_sink sink;
	char path[4096]; /* of the file defined last */
	uint32_t flags;
	unsigned int defined;
};

static int keep(void *ctx, const struct pt_file *def)
{
	struct bench *b = ctx;

	snprintf(b->path, sizeof(b->path), "%s", def->path ? def->path : "");
	b->flags = def->flags;
	b->defined++;
	return 0;
}

static int setup(void **state)
{
	const struct pt_interpreter_options opt = { .page_size = 4096 };
	struct bench *b = calloc(1, sizeof(*b));

	b->root = tree_new();
	b->sink = (struct pt_sink){ .ctx = b, .define_file = keep };
	b->finder = pt_finder_new();
	assert_non_null(b->finder);
	assert_int_equal(pt_interpreter_new(&opt, &b->sink, &b->in), 0);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	pt_finder_free(b->finder);
	pt_interpreter_free(b->in);
	tree_remove(b->root);
	free(b);
	return 0;
}

/* Names come from there; a bare chroot has none. */
static void needs_proc(void)
{
	if (access("/proc/self/mountinfo", F_OK) < 0)
		skip();
}

/* Note the file open as @fd, used by @pid, under the device that events would name. */
static void note(struct bench *b, int fd, uint32_t pid, uint32_t dev_off)
{
	struct pt_mounts mounts;
	struct pt_file_key key;
	struct statx st;
	const struct pt_mount_entry *m;

	assert_int_equal(statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_MNT_ID, &st), 0);
	needs_proc();
	assert_int_equal(pt_mounts_read("", &mounts), 0);
	m = st.stx_dev_major ? NULL : pt_mounts_by_id(&mounts, (uint32_t)st.stx_mnt_id);
	key = (struct pt_file_key){
		.ino = st.stx_ino,
		.dev = (m ? m->dev : st.stx_dev_major << 20 | st.stx_dev_minor) + dev_off,
	};
	pt_mounts_done(&mounts);
	assert_int_equal(pt_finder_note(b->finder, &key, pid), 0);
}

static int look(struct bench *b)
{
	for (int i = 0; i < LOOKS_MAX && !b->defined; i++)
		assert_int_equal(pt_finder_look(b->finder, &b->sink, b->in), 0);
	return b->defined != 0;
}

static int open_new(struct bench *b, const char *name)
{
	char *path = tree_path(b->root, name);
	int fd;

	tree_put(b->root, name, "text");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	free(path);
	return fd;
}

static void an_open_file_has_a_name(void **state)
{
	struct bench *b = *state;
	char *path = tree_path(b->root, "a");
	int fd = open_new(b, "a");

	note(b, fd, (uint32_t)getpid(), 0);
	assert_true(look(b));
	assert_string_equal(b->path, path);
	assert_int_equal(pt_finder_finish(b->finder, &b->sink), 0);
	assert_string_equal(b->path, path);
	assert_int_equal(b->flags & PT_FILE_DELETED, 0);
	close(fd);
	free(path);
}

static void a_file_whose_name_is_gone_is_deleted(void **state)
{
	struct bench *b = *state;
	char *path = tree_path(b->root, "a");
	int fd = open_new(b, "a");

	note(b, fd, (uint32_t)getpid(), 0);
	assert_true(look(b));
	unlink(path);
	tree_put(b->root, "a", "another");
	assert_int_equal(pt_finder_finish(b->finder, &b->sink), 0);
	assert_int_equal(b->flags & PT_FILE_DELETED, PT_FILE_DELETED);
	close(fd);
	free(path);
}

static void a_mapped_file_has_a_name(void **state)
{
	struct bench *b = *state;
	char *path = tree_path(b->root, "a");
	int fd = open_new(b, "a");
	void *p;

	if (geteuid() != 0)
		skip(); /* map_files takes root */
	note(b, fd, (uint32_t)getpid(), 0);
	p = mmap(NULL, 4, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	close(fd);
	assert_true(look(b));
	assert_string_equal(b->path, path);
	munmap(p, 4);
	free(path);
}

/* The inode number alone is not the file. */
static void a_file_of_another_device_is_another(void **state)
{
	struct bench *b = *state;
	int fd = open_new(b, "a");

	note(b, fd, (uint32_t)getpid(), 1);
	assert_false(look(b));
	close(fd);
}

/* In a mount namespace of its own: /ROOT/a on a file system that only it sees. */
static void live_in_a_container(struct bench *b, int ready, int over)
{
	char c;
	int fd;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", b->root, "tmpfs", 0, NULL) < 0)
		_exit(0);
	fd = open_new(b, "a");
	if (write(ready, &fd, sizeof(fd)) == sizeof(fd))
		(void)!read(over, &c, 1);
	_exit(0);
}

/* Here its name is another file's, there it lives. */
static void a_living_file_of_a_container_is_not_deleted(void **state)
{
	struct bench *b = *state;
	int ready[2], over[2], fd, theirs;
	char path[64];
	pid_t pid;

	needs_proc();
	tree_put(b->root, "a", "ours");
	assert_int_equal(pipe(ready) | pipe(over), 0);
	pid = fork();
	if (pid == 0) {
		close(over[1]);
		live_in_a_container(b, ready[1], over[0]);
	}
	close(ready[1]);
	if (read(ready[0], &theirs, sizeof(theirs)) != sizeof(theirs)) {
		waitpid(pid, NULL, 0);
		skip(); /* it takes root */
	}
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, theirs);
	fd = open(path, O_PATH | O_CLOEXEC);
	note(b, fd, (uint32_t)pid, 0);
	close(fd);
	assert_true(look(b));
	assert_int_equal(pt_finder_finish(b->finder, &b->sink), 0);
	assert_int_equal(b->flags & PT_FILE_DELETED, 0);
	close(over[1]);
	waitpid(pid, NULL, 0);
	close(over[0]);
	close(ready[0]);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(an_open_file_has_a_name),
		T(a_file_whose_name_is_gone_is_deleted),
		T(a_mapped_file_has_a_name),
		T(a_file_of_another_device_is_another),
		T(a_living_file_of_a_container_is_not_deleted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
