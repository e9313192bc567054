// SPDX-License-Identifier: GPL-2.0-or-later
/* replay/lab/image: headers, good and hostile, and the folders that kernels come in. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <zstd.h>

#include "replay/lab/bzimage.h"
#include "replay/lab/image.h"
#include "replay/lab/kernels.h"
#include "tests/unit/tree.h"
#include "util/bytes.h"
#include "util/cleanup.h"

#define SECTORS 4
#define SETUP   ((SECTORS + 1) * 512)
#define VERSION "6.12.95-lab (me@host) #7 SMP PREEMPT Sat"

struct header {
	uint8_t bytes[SETUP + 64];
	size_t len;
};

/* A bzImage's head by the boot protocol, with a version and nothing packed in it. */
static struct header good(const char *version)
{
	struct header h = { .len = sizeof(h.bytes) };

	h.bytes[0x1f1] = SECTORS;
	le16_put(h.bytes + 0x1fe, 0xaa55);
	memcpy(h.bytes + 0x202, "HdrS", 4);
	le16_put(h.bytes + 0x206, 0x020f);
	le16_put(h.bytes + 0x20e, 0x400 - 0x200);
	h.bytes[0x211] = 1;
	h.bytes[0x236] = 1;
	le32_put(h.bytes + 0x248, 8);
	le32_put(h.bytes + 0x24c, 16);
	memcpy(h.bytes + 0x400, version, strlen(version) + 1);
	return h;
}

static void put_header(const char *root, const char *path, const struct header *h)
{
	auto_free char *full = tree_path(root, path);
	FILE *f;

	tree_put(root, path, "");
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(h->bytes, 1, h->len, f), h->len);
	fclose(f);
}

static void put_image(const char *root, const char *path, const char *version)
{
	struct header h = good(version);

	put_header(root, path, &h);
}

static struct pt_image *opened(const char *root, const char *path)
{
	auto_free char *full = tree_path(root, path);
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_image *i;

	if (pt_image_open(full, &i, &diag) < 0)
		fail_msg("%s: %s", diag.file, diag.text);
	return i;
}

static int open_fails(const char *root, const char *path, struct pt_diag *diag)
{
	auto_free char *full = tree_path(root, path);
	struct pt_image *i;

	*diag = (struct pt_diag)PT_DIAG_INIT;
	return pt_image_open(full, &i, diag);
}

/* Whether @path is ROOT/@below, both as the system sees them. */
static int is_below(const char *path, const char *root, const char *below)
{
	auto_free char *want = tree_path(root, below), *a = NULL, *b = NULL;

	a = path ? realpath(path, NULL) : NULL;
	b = realpath(want, NULL);
	return a && b && strcmp(a, b) == 0;
}

/* ---- Places */

static void unpacked_packages(void **state)
{
	char *root = tree_new();
	struct pt_image *i;

	(void)state;
	put_image(root, "old/boot/vmlinuz-6.12.95-lab", VERSION);
	tree_put(root, "old/boot/config-6.12.95-lab", "");
	tree_put(root, "old/lib/modules/6.12.95-lab/modules.order", "");
	i = opened(root, "old");
	assert_string_equal(i->release, "6.12.95-lab");
	assert_string_equal(i->version, "#7 SMP PREEMPT Sat");
	assert_null(i->build_id);
	assert_null(i->vmlinux);
	assert_true(is_below(i->modules, root, "old/lib/modules/6.12.95-lab"));
	assert_true(is_below(i->config, root, "old/boot/config-6.12.95-lab"));
	pt_image_free(i);

	put_image(root, "new/usr/lib/modules/6.12.95-lab/vmlinuz", VERSION);
	tree_put(root, "new/usr/lib/modules/6.12.95-lab/kernel/a.ko", "");
	tree_put(root, "new/usr/lib/modules/6.12.95-lab/modules.order", "");
	i = opened(root, "new");
	assert_true(is_below(i->modules, root, "new/usr/lib/modules/6.12.95-lab"));
	assert_null(i->config);
	pt_image_free(i);
	tree_remove(root);
}

static void a_build_tree(void **state)
{
	char *root = tree_new();
	struct pt_image *i;

	(void)state;
	put_image(root, "linux/arch/x86/boot/bzImage", VERSION);
	tree_put(root, "linux/.config", "");
	tree_put(root, "linux/modules.order", "");
	tree_put(root, "linux/vmlinux", "no ELF file");
	i = opened(root, "linux");
	assert_true(is_below(i->modules, root, "linux"));
	assert_true(is_below(i->config, root, "linux/.config"));
	assert_true(is_below(i->vmlinux, root, "linux/vmlinux"));
	assert_null(i->build_id);
	pt_image_free(i);
	i = opened(root, "linux/arch/x86/boot/bzImage");
	assert_true(is_below(i->modules, root, "linux"));
	pt_image_free(i);
	tree_remove(root);
}

static void one_of_several_must_be_named(void **state)
{
	char *root = tree_new();
	auto_free char *link = tree_path(root, "boot/vmlinuz");
	struct pt_kernels found = { 0 };
	struct pt_diag diag;
	struct pt_image *i;

	(void)state;
	put_image(root, "boot/vmlinuz-6.12.95-lab", VERSION);
	assert_int_equal(symlink("vmlinuz-6.12.95-lab", link), 0);
	i = opened(root, "boot");
	pt_image_free(i);
	put_image(root, "boot/vmlinuz-6.1.0", "6.1.0 (me@host) #1 SMP");
	assert_int_equal(open_fails(root, "boot", &diag), -E2BIG);
	assert_string_equal(diag.text, "has several kernels, name one: vmlinuz-6.12.95-lab, "
				       "vmlinuz-6.1.0");
	tree_put(root, "boot/vmlinuz-damaged", "no kernel");

	const char *const dirs[] = { root, NULL };

	assert_int_equal(pt_kernels_find(dirs, &found, NULL), 0);
	assert_int_equal(found.n, 2);
	assert_string_equal(found.v[0].name, "6.12.95-lab");
	assert_string_equal(found.v[1].name, "6.1.0");
	assert_int_equal(found.v[1].accesses, PT_KERNEL_ACCESSES_NO);
	pt_kernels_done(&found);
	tree_remove(root);
}

/* ---- Hostile headers */

static void no_kernels(void **state)
{
	char *root = tree_new();
	struct pt_diag diag;

	(void)state;
	tree_put(root, "empty", NULL);
	tree_put(root, "text", "some text");
	assert_int_equal(open_fails(root, "empty", &diag), -ENOENT);
	assert_int_equal(open_fails(root, "nosuch", &diag), -ENOENT);
	assert_int_equal(open_fails(root, "text", &diag), -EBADMSG);
	assert_string_equal(diag.text, "is not a bzImage");
	tree_remove(root);
}

static void expect_refused(const char *root, const struct header *h, int err, const char *text)
{
	struct pt_diag diag;

	put_header(root, "image", h);
	assert_int_equal(open_fails(root, "image", &diag), err);
	assert_string_equal(diag.text, text);
}

static void hostile_headers(void **state)
{
	static const char *const versions[] = { "",
						"6.12",
						" (me@host) #1",
						"../../etc (me@host) #1",
						"a/b (me@host) #1",
						"6.12 (me@host) \x1b[2J) #1",
						"6.12 me@host #1" };
	char *root = tree_new();
	struct header h;

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(versions); i++) {
		h = good(versions[i]);
		expect_refused(root, &h, -EBADMSG, "no version in its header");
	}
	h = good(VERSION);
	le16_put(h.bytes + 0x20e, 0xffff); /* outside of the setup code */
	expect_refused(root, &h, -EBADMSG, "no version in its header");
	h = good(VERSION);
	h.bytes[0x1f1] = 64; /* more setup code than the file has */
	expect_refused(root, &h, -EBADMSG, "no version in its header");
	h = good(VERSION);
	memset(h.bytes + 0x400, 'x', SETUP - 0x400); /* no end */
	expect_refused(root, &h, -EBADMSG, "no version in its header");
	h = good(VERSION);
	le32_put(h.bytes + 0x24c, 1 << 20);
	expect_refused(root, &h, -EBADMSG, "it is cut: its kernel ends outside of the file");
	h = good(VERSION);
	le32_put(h.bytes + 0x248, UINT32_MAX);
	expect_refused(root, &h, -EBADMSG, "it is cut: its kernel ends outside of the file");
	h = good(VERSION);
	h.bytes[0x236] = 0;
	expect_refused(root, &h, -EOPNOTSUPP, "is not an x86-64 kernel");
	for (size_t len = 0; len < 0x250; len += 0x20) {
		h = good(VERSION);
		h.len = len;
		expect_refused(root, &h, -EBADMSG, "is not a bzImage");
	}
	h = good(VERSION);
	memcpy(h.bytes + SETUP + 8, "\x28\xb5\x2f\xfd\xff\xff\xff\xff", 8); /* no zstd frame */
	put_header(root, "image", &h);
	pt_image_free(opened(root, "image"));
	tree_remove(root);
}

/* ---- What is packed in it */

#define NEEDLE "mm_filemap_fault"

/* What pt_bzimage_has() says of @unpacked bytes with NEEDLE at @at, packed in one frame, of which
 * @less bytes are missing and the one at @broken (0: none) is another. */
static int has(size_t unpacked, size_t at, size_t less, size_t broken)
{
	size_t cap = ZSTD_compressBound(unpacked);
	auto_free uint8_t *text = malloc(unpacked), *packed = malloc(cap + 4);
	struct pt_bzimage b = { 0 };
	auto_close int fd = memfd_create("image", MFD_CLOEXEC);
	size_t len;

	for (size_t i = 0; i < unpacked; i++)
		text[i] = (uint8_t)(i * 2654435761u >> 13); /* it does not pack well */
	memcpy(text + at, NEEDLE, strlen(NEEDLE));
	len = ZSTD_compress(packed, cap, text, unpacked, 1) - less;
	if (broken)
		packed[broken] ^= 0xff;
	le32_put(packed + len, (uint32_t)unpacked); /* as the kernel's build does */
	b.payload_len = len + (less ? 0 : 4);
	assert_int_equal(write(fd, packed, len + 4), len + 4);
	return pt_bzimage_has(fd, &b, NEEDLE);
}

static void all_of_the_kernel_is_searched(void **state)
{
	static const size_t sizes[] = { 300, 65536, 65537, 3 * 65536 + 100 };
	const size_t len = strlen(NEEDLE);

	(void)state;
	for (size_t i = 0; i < PT_ARRAY_SIZE(sizes); i++) {
		assert_int_equal(has(sizes[i], 0, 0, 0), 1);
		assert_int_equal(has(sizes[i], sizes[i] - len, 0, 0), 1);
	}
	assert_int_equal(has(3 * 65536, 65536 - 3, 0, 0), 1); /* across two pieces */
}

static void what_cannot_be_unpacked_is_no_answer(void **state)
{
	(void)state;
	assert_int_equal(has(3 * 65536, 3 * 65536 - 20, 100, 0), -EBADMSG);
	assert_int_equal(has(3 * 65536, 3 * 65536 - 20, 0, 6), -EBADMSG);
}

/* ---- What ran */

static void what_ran_is_compared(void **state)
{
	char release[] = "6.12.95-lab", version[] = "#7 SMP", id[] = "00ff", boot[] = "bzImage";
	const struct pt_image i = {
		.release = release, .version = version, .build_id = id, .boot = boot
	};
	static const struct {
		const char *hello;
		int r;
		const char *text;
	} cases[] = {
		{ "{\"release\": \"6.12.95-lab\"}", 0, "" },
		{ "{\"release\": \"6.12.95-lab\", \"version\": \"#7 SMP\", \"build_id\": \"00ff\"}",
		  0, "" },
		{ "{}", -EBADMSG, "what ran did not say its release" },
		{ "{\"release\": 6}", -EBADMSG, "what ran did not say its release" },
		{ "{\"release\": \"6.1\"}", -EBADMSG,
		  "what ran is not this kernel: its release is 6.1, the image's 6.12.95-lab" },
		{ "{\"release\": \"6.12.95-lab\", \"version\": \"#8 SMP\"}", -EBADMSG,
		  "what ran is not this kernel: its version is #8 SMP, the image's #7 SMP" },
		{ "{\"release\": \"6.12.95-lab\", \"build_id\": \"00fe\"}", -EBADMSG,
		  "what ran is not this kernel: its build-id is 00fe, the image's 00ff" },
	};

	(void)state;
	for (size_t n = 0; n < PT_ARRAY_SIZE(cases); n++) {
		json_t *hello = json_loads(cases[n].hello, 0, NULL);
		struct pt_diag diag = PT_DIAG_INIT;

		assert_int_equal(pt_image_check(&i, hello, &diag), cases[n].r);
		assert_string_equal(diag.text, cases[n].text);
		json_decref(hello);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unpacked_packages),
		cmocka_unit_test(a_build_tree),
		cmocka_unit_test(one_of_several_must_be_named),
		cmocka_unit_test(no_kernels),
		cmocka_unit_test(hostile_headers),
		cmocka_unit_test(all_of_the_kernel_is_searched),
		cmocka_unit_test(what_cannot_be_unpacked_is_no_answer),
		cmocka_unit_test(what_ran_is_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
