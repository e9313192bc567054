// SPDX-License-Identifier: GPL-2.0-or-later
/* replay/lab/modules, compressed: made modules in a made folder, their order, and broken ones. */
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "replay/lab/compressed.h"
#include "replay/lab/modules.h"
#include "tests/unit/tree.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/outfile.h"

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

static void put_bytes(const char *root, const char *path, const void *p, size_t len)
{
	auto_free char *full = tree_path(root, path);
	auto_close int fd = -1;

	tree_put(root, path, "");
	fd = open(full, O_WRONLY | O_TRUNC);
	assert_int_equal(pt_write_all(fd, p, len), 0);
}

static void get_bytes(const char *root, const char *path, struct pt_buf *b)
{
	auto_free char *full = tree_path(root, path);

	assert_int_equal(pt_compressed_read(full, 1 << 20, b, NULL), 0);
}

/* A section, whose name is at @name in the names' section. */
static void add_section(Elf *elf, uint32_t type, uint32_t name, const void *p, size_t len)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = elf_newdata(scn);
	Elf64_Shdr *shdr = elf64_getshdr(scn);

	data->d_buf = (void *)p;
	data->d_size = len;
	data->d_align = 1;
	shdr->sh_type = type;
	shdr->sh_name = name;
}

/* A module that says @info (of @len bytes, texts ended by NUL); NULL: one without .modinfo. */
static void put_module(const char *root, const char *path, const char *info, size_t len)
{
	static const char names[] = "\0.shstrtab\0.modinfo";
	auto_free char *full = tree_path(root, path);
	auto_close int fd = -1;
	Elf64_Ehdr *ehdr;
	Elf *elf;

	tree_put(root, path, "");
	fd = open(full, O_RDWR | O_TRUNC);
	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	ehdr = elf64_newehdr(elf);
	ehdr->e_ident[EI_DATA] = ELFDATA2LSB;
	ehdr->e_type = ET_REL;
	ehdr->e_machine = EM_X86_64;
	ehdr->e_shstrndx = 1;
	add_section(elf, SHT_STRTAB, 1, names, sizeof(names));
	if (info)
		add_section(elf, SHT_PROGBITS, 11, info, len);
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
}

#define MODULE(root, path, info) put_module(root, path, info, sizeof(info))

/* Compress the file @path to PATH.xz, .zst or .gz, and remove it. */
static void compress_file(const char *root, const char *path, const char *end)
{
	auto_free char *full = tree_path(root, path), *name = NULL;
	auto_buf struct pt_buf in = { 0 };
	uint8_t out[8192];
	size_t n = 0;

	get_bytes(root, path, &in);
	if (strcmp(end, ".xz") == 0) {
		assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, in.data, in.len,
							 out, &n, sizeof(out)),
				 LZMA_OK);
	} else if (strcmp(end, ".zst") == 0) {
		n = ZSTD_compress(out, sizeof(out), in.data, in.len, 3);
		assert_false(ZSTD_isError(n));
	} else {
		z_stream s = { .next_in = in.data,
			       .avail_in = (uInt)in.len,
			       .next_out = out,
			       .avail_out = sizeof(out) };

		assert_int_equal(deflateInit2(&s, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, 0), Z_OK);
		assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
		n = sizeof(out) - s.avail_out;
		deflateEnd(&s);
	}
	assert_true(asprintf(&name, "%s%s", path, end) > 0);
	put_bytes(root, name, out, n);
	unlink(full);
}

/* What is wanted, in order, between blanks. */
static void check_order(const struct pt_modules *m, const char *want)
{
	char got[512] = "";

	for (size_t i = 0; i < pt_modules_count(m); i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "",
			 pt_modules_at(m, i)->name);
	assert_string_equal(got, want);
}

static struct pt_modules *open_modules(const char *root)
{
	struct pt_modules *m;

	assert_int_equal(pt_modules_open(root, &m, NULL), 0);
	return m;
}

static void what_one_needs_comes_first(void **state)
{
	char *root = *state;
	struct pt_modules *m;

	MODULE(root, "kernel/a/top-most.ko", "license=GPL\0depends=left,right-hand");
	MODULE(root, "kernel/left.ko", "depends=base");
	MODULE(root, "kernel/deep/er/right_hand.ko", "depends=base,left\0softdep=pre: soft none");
	MODULE(root, "kernel/base.ko", "depends=");
	MODULE(root, "extra/soft.ko", "softdep=post: base");
	compress_file(root, "kernel/left.ko", ".xz");
	compress_file(root, "kernel/base.ko", ".zst");
	compress_file(root, "extra/soft.ko", ".gz");
	tree_put(root, "modules.builtin", "kernel/fs/ext4/ext4.ko\nkernel/lib/crc-x.ko\n");
	m = open_modules(root);
	assert_int_equal(pt_modules_want(m, "ext4", NULL), 0);
	assert_int_equal(pt_modules_want(m, "crc_x", NULL), 0);
	check_order(m, "");
	assert_int_equal(pt_modules_want(m, "left", NULL), 0);
	check_order(m, "base left");
	assert_int_equal(pt_modules_want(m, "top_most", NULL), 0);
	assert_int_equal(pt_modules_want(m, "base", NULL), 0);
	check_order(m, "base left soft right_hand top_most");
	pt_modules_free(m);
	pt_modules_free(NULL);
}

static void missing_ones_have_a_name(void **state)
{
	struct pt_diag d = PT_DIAG_INIT;
	struct pt_modules *m;

	MODULE(*state, "a.ko", "depends=gone");
	tree_put(*state, "modules.builtin", "kernel/b.ko\n");
	m = open_modules(*state);
	assert_int_equal(pt_modules_want(m, "a", &d), -ENOENT);
	assert_string_equal(d.text, "the kernel has no gone, neither as a module nor built in");
	check_order(m, "");
	pt_modules_free(m);
}

static void a_guest_needs(void **state)
{
	char *root = *state;
	struct pt_diag d = PT_DIAG_INIT;
	struct pt_modules *m;

	MODULE(root, "virtio_pci.ko", "depends=virtio");
	MODULE(root, "virtio.ko", "depends=");
	MODULE(root, "zram.ko", "depends=");
	MODULE(root, "lz4.ko", "depends=");
	MODULE(root, "xfs.ko", "depends=");
	tree_put(root, "modules.builtin", "kernel/virtio_console.ko\n");
	m = open_modules(root);
	assert_int_equal(pt_modules_need(m, "xfs", PT_NEED_ZRAM, &d), 0);
	check_order(m, "virtio virtio_pci xfs lz4 zram");
	assert_int_equal(pt_modules_need(m, "xfs", PT_NEED_DISK, &d), -ENOENT);
	assert_string_equal(d.text,
			    "the kernel has no block driver: virtio_blk is neither a module "
			    "nor built in");
	d = (struct pt_diag)PT_DIAG_INIT;
	assert_int_equal(pt_modules_need(m, "f2fs", 0, &d), -ENOENT);
	assert_string_equal(d.text, "the kernel has no such file system: f2fs is neither a module "
				    "nor built in");
	pt_modules_free(m);
}

static void without_a_list_it_may_be_built_in(void **state)
{
	struct pt_modules *m = open_modules(*state);

	assert_int_equal(pt_modules_need(m, "ext4", PT_NEED_DISK, NULL), 0);
	check_order(m, "");
	pt_modules_free(m);
	assert_int_equal(pt_modules_open(NULL, &m, NULL), 0);
	assert_int_equal(pt_modules_want(m, "ext4", NULL), 0);
	pt_modules_free(m);
}

static void broken_modules(void **state)
{
	char *root = *state;
	struct pt_diag d = PT_DIAG_INIT;
	struct pt_modules *m;

	MODULE(root, "one.ko", "depends=two");
	MODULE(root, "two.ko", "depends=one");
	MODULE(root, "self.ko", "depends=self");
	put_module(root, "no-info.ko", NULL, 0);
	tree_put(root, "text.ko", "no ELF file at all");
	tree_put(root, "empty.ko", "");
	put_bytes(root, "wild.ko", "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\1\0\76\0\1\0\0\0", 24);
	put_bytes(root, "cut.ko.xz",
		  "\xfd"
		  "7zXZ\0\0\1",
		  8);
	m = open_modules(root);
	assert_int_equal(pt_modules_want(m, "one", &d), -ELOOP);
	assert_string_equal(d.text, "the module one needs itself");
	assert_int_equal(pt_modules_want(m, "self", NULL), -ELOOP);
	assert_int_equal(pt_modules_want(m, "no_info", NULL), -EBADMSG);
	assert_int_equal(pt_modules_want(m, "text", NULL), -EBADMSG);
	assert_int_equal(pt_modules_want(m, "empty", NULL), -EBADMSG);
	assert_int_equal(pt_modules_want(m, "wild", NULL), -EBADMSG);
	assert_int_equal(pt_modules_want(m, "cut", NULL), -ENODATA);
	check_order(m, "");
	pt_modules_free(m);
	assert_int_equal(pt_modules_open("/nonexistent", &m, NULL), -ENOENT);
}

static void damaged_elf_files(void **state)
{
	char *root = *state;
	auto_buf struct pt_buf whole = { 0 };

	MODULE(root, "m.ko", "license=GPL\0depends=a,b,c");
	get_bytes(root, "m.ko", &whole);
	for (size_t i = 0; i < 8 * whole.len; i++) {
		struct pt_modules *m;

		whole.data[i / 8] ^= (uint8_t)(1 << i % 8);
		put_bytes(root, "m.ko", whole.data, whole.len);
		whole.data[i / 8] ^= (uint8_t)(1 << i % 8);
		m = open_modules(root);
		assert_in_range(-pt_modules_want(m, "m", NULL), 0, EBADMSG);
		pt_modules_free(m);
	}
}

static void check_compressed(const char *root, const char *path, size_t max, int err, size_t len)
{
	auto_free char *full = tree_path(root, path);
	auto_buf struct pt_buf b = { 0 };

	assert_int_equal(pt_compressed_read(full, max, &b, NULL), err);
	if (!err)
		assert_int_equal(b.len, len);
}

static void compressed_files(void **state)
{
	static const char *const ends[] = { ".xz", ".zst", ".gz" };
	auto_free char *text = malloc(1000001);
	char *root = *state;

	memset(text, 'x', 1000000);
	text[1000000] = '\0';
	for (size_t i = 0; i < PT_ARRAY_SIZE(ends); i++) {
		char name[16];
		auto_free char *full = NULL;
		auto_close int fd = -1;

		tree_put(root, "f", text);
		compress_file(root, "f", ends[i]);
		snprintf(name, sizeof(name), "f%s", ends[i]);
		check_compressed(root, name, 1000000, 0, 1000000);
		check_compressed(root, name, 999999, -E2BIG, 0);
		check_compressed(root, name, 20, -E2BIG, 0);
		full = tree_path(root, name);
		fd = open(full, O_RDWR);
		assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - 20), 0);
		check_compressed(root, name, 1000000, -ENODATA, 0);
		assert_int_equal(pwrite(fd, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10, 8), 10);
		check_compressed(root, name, 1000000, -EBADMSG, 0);
	}
	check_compressed(root, "none", 10, -ENOENT, 0);
	tree_put(root, "plain", "0123456789");
	check_compressed(root, "plain", 10, 0, 10);
	check_compressed(root, "plain", 9, -E2BIG, 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_one_needs_comes_first),
		T(missing_ones_have_a_name),
		T(a_guest_needs),
		T(without_a_list_it_may_be_built_in),
		T(broken_modules),
		T(damaged_elf_files),
		T(compressed_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
