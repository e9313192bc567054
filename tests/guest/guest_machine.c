// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Real guests, emulated: one that does what it is told, and all the ways in which one does not come
 * up. Usage: guest_machine KERNEL PROGRAM [all]: the kernel's folder, the static pagetape; only
 * with `all` the failures too.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "replay/lab/kernels.h"
#include "replay/lab/machine.h"
#include "tests/unit/tree.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/outfile.h"
#include "util/textfile.h"

static char *kernel;
static const char *program;
static volatile sig_atomic_t stopped;

struct fixture {
	char *root, *dir; /* dir: the machine's */
	struct pt_image *image;
	struct pt_machine_options opt;
	struct pt_diag diag;
};

static struct pt_image *image_at(const char *path)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_image *image;

	if (pt_image_open(path, &image, &diag) < 0)
		fail_msg("%s: %s", diag.file, diag.text);
	return image;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->root = tree_new();
	tree_put(f->root, "machine", NULL);
	f->dir = tree_path(f->root, "machine");
	f->image = image_at(kernel);
	f->opt = (struct pt_machine_options){ .image = f->image,
					      .program = program,
					      .ram_bytes = UINT64_C(512) << 20,
					      .disk_bytes = UINT64_C(64) << 20,
					      .cpus = 2,
					      .nodes = 1,
					      .accel = PT_ACCEL_TCG,
					      .dir = f->dir,
					      .boot_limit_s = 240,
					      .stop = &stopped };
	stopped = 0;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	pt_image_free(f->image);
	tree_remove(f->root);
	free(f->dir);
	free(f);
	return 0;
}

/* No child, and no file but the console's log. */
static void expect_nothing_left(const struct fixture *f)
{
	DIR *dir = opendir(f->dir);
	struct dirent *d;

	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_non_null(dir);
	while ((d = readdir(dir)))
		if (d->d_name[0] != '.')
			assert_string_equal(d->d_name, "console.log");
	closedir(dir);
}

static struct pt_machine *booted(struct fixture *f)
{
	struct pt_machine *m;

	if (pt_machine_boot(&f->opt, &m, &f->diag) < 0)
		fail_msg("%s: %s", f->diag.file, f->diag.text);
	return m;
}

static void expect_failure(struct fixture *f, int err, const char *text)
{
	struct pt_machine *m;
	int r = pt_machine_boot(&f->opt, &m, &f->diag);

	if (r != err || !strstr(f->diag.text, text))
		fail_msg("%d (%s) instead of %d (%s)", r, f->diag.text, err, text);
	expect_nothing_left(f);
}

/* ---- What it does */

static void files_go_both_ways(struct pt_machine *m, const struct fixture *f)
{
	auto_free char *there = NULL, *back = tree_path(f->root, "back"), *a = NULL, *b = NULL;
	struct pt_diag diag = PT_DIAG_INIT;

	tree_put(f->root, "sent", "some text\n");
	there = tree_path(f->root, "sent");
	assert_int_equal(pt_machine_put(m, there, "/mnt/file", &diag), 0);
	assert_int_equal(pt_machine_get(m, "/mnt/file", back, 100, &diag), 0);
	assert_int_equal(pt_text_read("", there, &a), 0);
	assert_int_equal(pt_text_read("", back, &b), 0);
	assert_string_equal(a, b);
	assert_int_equal(pt_machine_get(m, "/mnt/file", back, 5, &diag), -E2BIG);
	diag = (struct pt_diag)PT_DIAG_INIT;
	assert_int_equal(pt_machine_get(m, "/nosuch", back, 100, &diag), -ENOENT);
	assert_string_equal(diag.file, "/nosuch");
}

static int run_in(struct pt_machine *m, const char *const *argv, int out_fd)
{
	const struct pt_machine_command c = {
		.argv = argv, .in_fd = -1, .out_fd = out_fd, .err_fd = -1, .limit_s = 240
	};
	int status = -1;

	assert_int_equal(pt_machine_run(m, &c, &status, NULL), 0);
	return status;
}

static void commands_run(struct pt_machine *m, const struct fixture *f)
{
	static const char *const version[] = { "pagetape", "--version", NULL };
	static const char *const usage[] = { "/bin/pagetape", "nosuch", NULL };
	static const char *const nosuch[] = { "/nosuch", NULL };
	const struct pt_machine_command none = {
		.argv = nosuch, .in_fd = -1, .out_fd = -1, .err_fd = -1, .limit_s = 240
	};
	auto_free char *path = tree_path(f->root, "out"), *text = NULL;
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int status;

	assert_true(fd >= 0);
	assert_int_equal(run_in(m, version, fd), 0);
	assert_int_equal(pt_text_read("", path, &text), 0);
	assert_memory_equal(text, "pagetape ", 9);
	status = run_in(m, usage, -1);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
	assert_int_equal(pt_machine_run(m, &none, &status, NULL), -ENOENT);
}

static void does_what_it_is_told(void **state)
{
	struct fixture *f = *state;
	struct pt_machine *m;
	json_t *now, *lru;

	f->opt.nodes = 2;
	f->opt.swap = (struct pt_lab_swap){ PT_LAB_SWAP_DISK, UINT64_C(32) << 20 };
	m = booted(f);
	assert_string_equal(json_string_value(json_object_get(pt_machine_hello(m), "release")),
			    f->image->release);
	assert_int_equal(json_array_size(json_object_get(pt_machine_hello(m), "nodes")), 2);
	files_go_both_ways(m, f);
	commands_run(m, f);
	assert_int_equal(pt_machine_knob(m, "lru_gen.enabled=0", NULL), 0);
	assert_int_equal(pt_machine_knob(m, "vm.nosuch=1", NULL), -ENOENT);
	assert_int_equal(pt_machine_state(m, &now, NULL), 0);
	lru = json_object_get(json_object_get(now, "lru"), "flavour");
	assert_string_equal(json_string_value(lru), "classic");
	json_decref(now);
	if (pt_machine_off(m, &f->diag) < 0)
		fail_msg("%s", f->diag.text);
	pt_machine_free(m);
	expect_nothing_left(f);
}

/* ---- How it fails */

static void panics(void **state)
{
	struct fixture *f = *state;

	f->opt.append = "rdinit=/nosuch";
	expect_failure(f, -ENOTRECOVERABLE, "the kernel panicked: VFS: Unable to mount root fs");
}

/* A copy of the kernel whose byte @off bytes behind the place of @mark is changed. */
static char *damaged_copy(const struct fixture *f, const char *mark, uint64_t off)
{
	auto_close int in = open(f->image->boot, O_RDONLY | O_CLOEXEC), out = -1;
	struct pt_buf b = { 0 };
	char *path = tree_path(f->root, "copy");
	uint8_t *at = NULL;
	ssize_t n = 1;

	tree_put(f->root, "copy", NULL);
	free(path);
	path = tree_path(f->root, "copy/vmlinuz");
	while (n > 0 && pt_buf_reserve(&b, 1 << 20) == 0) {
		n = read(in, b.data + b.len, 1 << 20);
		b.len += n > 0 ? (size_t)n : 0;
	}
	if (mark)
		at = memmem(b.data, b.len, mark, strlen(mark));
	if (at)
		at[off] ^= 1;
	assert_true(!mark || at);
	out = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(pt_write_all(out, b.data, b.len), 0);
	pt_buf_done(&b);
	return path;
}

static void boot_copy(struct fixture *f, const char *mark, uint64_t off)
{
	auto_free char *path = damaged_copy(f, mark, off);

	pt_image_free(f->image);
	f->image = image_at(path);
	f->opt.image = f->image;
}

/* What the boot code unpacks is damaged: it says so and halts. */
static void hangs(void **state)
{
	struct fixture *f = *state;

	boot_copy(f, "\x28\xb5\x2f\xfd", 4000000);
	f->opt.boot_limit_s = 5;
	expect_failure(f, -ETIMEDOUT, "the kernel hung");
}

static void is_another_kernel(void **state)
{
	struct fixture *f = *state;

	boot_copy(f, " (debian-kernel@", (uint64_t)-1);
	f->opt.disk_bytes = 0;
	expect_failure(f, -EBADMSG, "what ran is not this kernel: its release is ");
}

static void has_no_block_driver(void **state)
{
	struct fixture *f = *state;

	boot_copy(f, NULL, 0);
	f->opt.append = "pagetape.wait=3";
	expect_failure(f, -ENOTRECOVERABLE, "the guest gave up: ");
}

static void no_emulator(void **state)
{
	struct fixture *f = *state;
	const char *path = getenv("PATH");
	auto_free char *old = strdup(path ? path : "");
	auto_free char *only = tree_path(f->root, "bin");

	setenv("PATH", only, 1);
	f->opt.disk_bytes = 0;
	expect_failure(f, -ENOENT, "qemu-system-x86_64 is not installed: package ");
	setenv("PATH", old, 1);
}

static void no_space(void **state)
{
	struct fixture *f = *state;

	f->opt.disk_bytes = UINT64_C(1) << 45;
	expect_failure(f, -ENOSPC, "no room for a guest's disks of 32");
}

static void stop_it(int sig)
{
	(void)sig;
	stopped = 1;
}

static void interrupted(void **state)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 700000 } };
	struct fixture *f = *state;

	signal(SIGALRM, stop_it);
	setitimer(ITIMER_REAL, &soon, NULL);
	expect_failure(f, -EINTR, "interrupted");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(does_what_it_is_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(panics, set_up, tear_down),
		cmocka_unit_test_setup_teardown(hangs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(is_another_kernel, set_up, tear_down),
		cmocka_unit_test_setup_teardown(has_no_block_driver, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_emulator, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_space, set_up, tear_down),
		cmocka_unit_test_setup_teardown(interrupted, set_up, tear_down),
	};

	if (argc < 3)
		return 2;
	program = argv[2];
	if (pt_kernels_by_name(argv[1], &kernel) < 0) {
		printf("no kernel %s here: `pagetape lab fetch debian:%s` gets it\n", argv[1],
		       argv[1]);
		return 77;
	}
	signal(SIGPIPE, SIG_IGN);
	cmocka_set_test_filter(argc > 3 ? argv[3] : "does_what_it_is_told");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
