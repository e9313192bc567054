// SPDX-License-Identifier: GPL-2.0-or-later
/* replay/lab/initramfs, cpio, sharedlibs: what is in an archive, and what must never be. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "replay/lab/cpio.h"
#include "replay/lab/initramfs.h"
#include "replay/lab/sharedlibs.h"
#include "tests/unit/tree.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/outfile.h"
#include "util/parse.h"
#include "util/textfile.h"

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

/* A reader of our own, by the letter of the format: entries as "MODE NAME CONTENT-LENGTH". */
static uint32_t field(const char *p, int n)
{
	char digits[9];
	uint64_t v = 0;

	memcpy(digits, p + 6 + 8 * n, 8);
	digits[8] = '\0';
	assert_int_equal(pt_parse_hex(digits, &v), 0);
	return (uint32_t)v;
}

struct entry_seen {
	char name[200], content[64];
	uint32_t mode, len;
};

/* Read the archive @path; returns how many entries there are before the end's. */
static size_t read_archive(const char *path, struct entry_seen *v, size_t max)
{
	auto_close int fd = open(path, O_RDONLY);
	off_t size = lseek(fd, 0, SEEK_END);
	char *p = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	size_t at = 0, n = 0;

	assert_true(p != MAP_FAILED);
	for (;;) {
		uint32_t len, name_len;
		struct entry_seen *e = &v[n];

		assert_true(n < max && at + 110 <= (size_t)size);
		assert_memory_equal(p + at, "070701", 6);
		len = field(p + at, 6);
		name_len = field(p + at, 11);
		e->mode = field(p + at, 1);
		e->len = len;
		assert_true(name_len <= sizeof(e->name));
		memcpy(e->name, p + at + 110, name_len);
		assert_int_equal(e->name[name_len - 1], 0);
		at = (at + 110 + name_len + 3) & ~(size_t)3;
		snprintf(e->content, sizeof(e->content), "%.*s", len < 63 ? (int)len : 63, p + at);
		at = (at + len + 3) & ~(size_t)3;
		assert_true(at <= (size_t)size);
		if (strcmp(e->name, "TRAILER!!!") == 0)
			break;
		n++;
	}
	assert_int_equal(at, size);
	munmap(p, (size_t)size);
	return n;
}

static const struct entry_seen *entry_of(const struct entry_seen *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(v[i].name, name) == 0)
			return &v[i];
	return NULL;
}

static void check_entry(const struct entry_seen *v, size_t n, const char *name, uint32_t mode,
			const char *content)
{
	const struct entry_seen *e = entry_of(v, n, name);

	assert_non_null(e);
	assert_int_equal(e->mode, mode);
	if (content)
		assert_string_equal(e->content, content);
}

static int write_initramfs(const char *root, const char *const *extra, struct pt_diag *d)
{
	auto_free char *path = tree_path(root, "out"), *program = tree_path(root, "program");
	struct pt_initramfs_options o = { .program = program, .extra = extra };

	(void)unlink(path);
	return pt_initramfs_write(path, &o, d);
}

static void what_a_guest_finds(void **state)
{
	char *root = *state;
	auto_free struct entry_seen *v = calloc(64, sizeof(*v));
	auto_free char *out = tree_path(root, "out"), *link = tree_path(root, "tree/link");
	auto_free char *file = NULL, *tree = NULL, *top = NULL;
	const char *extra[4] = { 0 };
	size_t n;

	tree_put(root, "program", "not ELF, so static enough");
	tree_put(root, "file", "hello");
	tree_put(root, "tree/deep/er/leaf", "leaf");
	tree_put(root, "tree/empty", NULL);
	assert_int_equal(symlink("../no such: place", link), 0);
	assert_true(asprintf(&file, "%s/file:/etc/here", root) > 0);
	assert_true(asprintf(&tree, "%s/tree/:/data//", root) > 0);
	assert_true(asprintf(&top, "%s/tree:/", root) > 0);
	extra[0] = file;
	extra[1] = tree;
	extra[2] = top;
	assert_int_equal(write_initramfs(root, extra, NULL), 0);
	n = read_archive(out, v, 64);
	check_entry(v, n, "dev/console", 0020600, "");
	check_entry(v, n, "init", 0100644, "not ELF, so static enough");
	check_entry(v, n, "bin/pagetape", 0120777, "/init");
	check_entry(v, n, "lab/modules", 0100644, "");
	check_entry(v, n, "etc", 0040755, "");
	check_entry(v, n, "etc/here", 0100644, "hello");
	check_entry(v, n, "data/deep/er/leaf", 0100644, "leaf");
	check_entry(v, n, "data/empty", 0040755, "");
	check_entry(v, n, "data/link", 0120777, "../no such: place");
	check_entry(v, n, "deep/er/leaf", 0100644, "leaf");
	check_entry(v, n, "link", 0120777, NULL);
}

static void check_refused(const char *root, const char *extra, const char *more, int err,
			  const char *words)
{
	const char *list[] = { extra, more, NULL };
	struct pt_diag d = PT_DIAG_INIT;

	assert_int_equal(write_initramfs(root, list, &d), err);
	assert_non_null(strstr(d.text, words));
	assert_false(tree_has(root, "out"));
}

static void extras_that_cannot_be(void **state)
{
	char *root = *state;
	auto_free char *up = NULL, *file = NULL, *relative = NULL, *socket = NULL;

	tree_put(root, "program", "x");
	tree_put(root, "file", "hello");
	assert_true(asprintf(&file, "%s/file:/init", root) > 0);
	check_refused(root, file, NULL, -EEXIST, "two files /init");
	free(file);
	assert_true(asprintf(&file, "%s/file:/x", root) > 0);
	check_refused(root, file, file, -EEXIST, "two files /x");
	free(file);
	assert_true(asprintf(&file, "%s/file:/init/x", root) > 0);
	check_refused(root, file, NULL, -EEXIST, "two files");
	assert_true(asprintf(&up, "%s/file:/a/../../b", root) > 0);
	check_refused(root, up, NULL, -EINVAL, "'/a/../../b' is no name for a file");
	assert_true(asprintf(&relative, "%s/file:b", root) > 0);
	check_refused(root, relative, NULL, -EINVAL, "'b' is no absolute path");
	check_refused(root, "/nonexistent", NULL, -ENOENT, "no such file or program");
	check_refused(root, "no-such-program", NULL, -ENOENT, "no such file or program");
	check_refused(root, "", NULL, -ENOENT, "no such file or program");
	assert_true(asprintf(&socket, "%s/fifo", root) > 0);
	assert_int_equal(mkfifo(socket, 0600), 0);
	check_refused(root, socket, NULL, -EOPNOTSUPP, "neither a file, nor a folder, nor a link");
}

static struct pt_cpio *open_cpio(uint64_t max_bytes, uint64_t max_files)
{
	struct pt_cpio *c;

	assert_int_equal(pt_cpio_new(memfd_create("cpio", MFD_CLOEXEC), max_bytes, max_files, &c),
			 0);
	return c;
}

static void hostile_names(void **state)
{
	static const char *const bad[] = { "",           "/",    "..",  "a/..",  "../a",
					   "a/../b",     ".",    "./a", "a/.",   "a//b",
					   "TRAILER!!!", "a\nb", "\1",  "a/\177" };
	static char long_name[PATH_MAX + 1];
	struct pt_cpio *c = open_cpio(1 << 20, 100);

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(bad); i++) {
		assert_int_equal(pt_cpio_bytes(c, bad[i], 0644, "", 0, NULL), -EINVAL);
		assert_int_equal(pt_cpio_folder(c, bad[i], 0755, NULL), -EINVAL);
	}
	memset(long_name, 'x', PATH_MAX);
	assert_int_equal(pt_cpio_bytes(c, long_name, 0644, "", 0, NULL), -EINVAL);
	assert_int_equal(pt_cpio_link(c, "l", long_name, NULL), -EINVAL);
	assert_int_equal(pt_cpio_link(c, "l", "", NULL), -EINVAL);
	long_name[PATH_MAX - 1] = '\0';
	assert_int_equal(pt_cpio_bytes(c, long_name, 0644, "", 0, NULL), 0);
	assert_int_equal(pt_cpio_bytes(c, "...", 0644, "", 0, NULL), 0);
	assert_int_equal(pt_cpio_has(c, "/..."), 1);
	pt_cpio_free(c);
}

static void deep_names(void **state)
{
	static char name[PATH_MAX];
	struct pt_cpio *c = open_cpio(1 << 24, 10000);

	(void)state;
	for (size_t i = 0; i + 2 < sizeof(name); i += 2)
		memcpy(name + i, "d/", 2);
	assert_int_equal(pt_cpio_folder(c, name, 0755, NULL), 0);
	assert_int_equal(pt_cpio_folder(c, "d/d", 0755, NULL), 0);
	assert_int_equal(pt_cpio_has(c, "d/d"), 2);
	assert_int_equal(pt_cpio_has(c, "d/x"), 0);
	assert_int_equal(pt_cpio_bytes(c, "d/d", 0644, "", 0, NULL), -EEXIST);
	pt_cpio_free(c);
}

static void limits(void **state)
{
	struct pt_cpio *c = open_cpio(1000, 3);
	char big[1000] = "";
	struct pt_diag d = PT_DIAG_INIT;

	(void)state;
	assert_int_equal(pt_cpio_bytes(c, "a", 0644, "x", 1, NULL), 0);
	assert_int_equal(pt_cpio_bytes(c, "b", 0644, big, 1000, &d), -E2BIG);
	assert_string_equal(d.text, "the initramfs becomes too large");
	pt_cpio_free(c);
	c = open_cpio(100000, 3);
	assert_int_equal(pt_cpio_bytes(c, "a/b/c", 0644, "x", 1, NULL), 0);
	assert_int_equal(pt_cpio_bytes(c, "d", 0644, "x", 1, NULL), -E2BIG);
	pt_cpio_free(c);
}

static void needs_proc(void)
{
	if (access("/proc/self/exe", R_OK) < 0)
		skip();
}

/* Every library that this very program has mapped must be found, without running anything. */
static void libraries_of_this_program(void **state)
{
	auto_free char *maps = NULL;
	struct pt_sharedlibs libs = { 0 };
	char *rest, *line;

	(void)state;
	needs_proc();
	assert_int_equal(pt_sharedlibs_find("/proc/self/exe", &libs, NULL), 0);
	if (libs.n == 0) {
		print_message("linked statically\n");
		skip();
	}
	assert_int_equal(pt_text_read("", "/proc/self/maps", &maps), 0);
	rest = maps;
	while ((line = pt_text_line(&rest))) {
		char *path = strchr(line, '/'), *base;
		int found = 0;

		if (!path || !strstr(path, ".so"))
			continue;
		base = strrchr(path, '/') + 1;
		for (size_t i = 0; i < libs.n; i++) {
			auto_free char *real = realpath(libs.v[i].host, NULL);

			found |= real && strcmp(strrchr(real, '/') + 1, base) == 0;
		}
		if (!found)
			print_message("not found: %s\n", path);
		assert_true(found);
	}
	for (size_t i = 0; i < libs.n; i++)
		assert_int_equal(libs.v[i].guest[0], '/');
	pt_sharedlibs_done(&libs);
}

/* An ELF header and a program header that says an interpreter's name of @len bytes follows. */
static void put_header(const char *path, uint64_t len)
{
	static const uint8_t start[] = { 127, 'E', 'L', 'F', 2, 1, 1, 0,  0, 0, 0,
					 0,   0,   0,   0,   0, 2, 0, 62, 0, 1 };
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	uint8_t head[64 + 56] = { 0 };

	memcpy(head, start, sizeof(start));
	le64_put(head + 32, 64); /* where the program headers are */
	le16_put(head + 52, 64);
	le16_put(head + 54, 56);
	le16_put(head + 56, 1);
	le32_put(head + 64, 3); /* PT_INTERP */
	le64_put(head + 64 + 8, sizeof(head));
	le64_put(head + 64 + 32, len);
	assert_int_equal(pt_write_all(fd, head, sizeof(head)), 0);
}

static void programs_that_need_nothing(void **state)
{
	char *root = *state;
	auto_free char *script = tree_path(root, "script"), *bad = tree_path(root, "bad");
	struct pt_sharedlibs libs = { 0 };

	tree_put(root, "script", "#!/bin/sh\n");
	assert_int_equal(pt_sharedlibs_find(script, &libs, NULL), 0);
	assert_int_equal(libs.n, 0);
	put_header(bad, 0);
	assert_int_equal(pt_sharedlibs_find(bad, &libs, NULL), -EBADMSG);
	put_header(bad, PATH_MAX + 1);
	assert_int_equal(pt_sharedlibs_find(bad, &libs, NULL), -EBADMSG);
	put_header(bad, 20); /* behind the end of the file */
	assert_int_equal(pt_sharedlibs_find(bad, &libs, NULL), -EBADMSG);
	assert_int_equal(pt_sharedlibs_find("/nonexistent", &libs, NULL), -ENOENT);
}

/* Any byte of the first and last pages wrong: refused or not, but in bounds. */
static void damaged_programs(void **state)
{
	char *root = *state;
	auto_close int in = -1, out = -1;
	auto_free char *path = NULL;
	off_t size;
	uint8_t *p;

	needs_proc();
	path = tree_path(root, "damaged");
	in = open("/proc/self/exe", O_RDONLY);
	size = lseek(in, 0, SEEK_END);
	p = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE, in, 0);
	tree_put(root, "damaged", "");
	out = open(path, O_RDWR);
	for (off_t i = 0; i < size; i += i < 1024 || i > size - 1024 ? 3 : 997) {
		struct pt_sharedlibs libs = { 0 };
		uint8_t was = p[i];

		if (i == 0)
			assert_int_equal(pwrite(out, p, (size_t)size, 0), size);
		p[i] = (uint8_t)(was ^ 0x55);
		assert_int_equal(pwrite(out, p + i, 1, i), 1);
		if (pt_sharedlibs_find(path, &libs, NULL) == 0)
			pt_sharedlibs_done(&libs);
		p[i] = was;
		assert_int_equal(pwrite(out, p + i, 1, i), 1);
	}
	munmap(p, (size_t)size);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_a_guest_finds),           T(extras_that_cannot_be),
		cmocka_unit_test(hostile_names), cmocka_unit_test(deep_names),
		cmocka_unit_test(limits),        cmocka_unit_test(libraries_of_this_program),
		T(programs_that_need_nothing),   T(damaged_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
