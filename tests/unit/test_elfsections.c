// SPDX-License-Identifier: GPL-2.0-or-later
/* host/elfsections: this program's own sections, and files that are damaged in every way. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/elfsections.h"
#include "seed.h"
#include "tree.h"

#define SELF   "/proc/self/exe"
#define ROUNDS 400

static const char read_only[] = "a string that is read only";
static char writable[] = "and one that may change";

/* Where a thing in memory lies in this program's file, by its program headers. */
static uint64_t offset_of(const void *thing)
{
	extern const char __executable_start;
	uint64_t address = (uint64_t)(uintptr_t)thing - (uint64_t)(uintptr_t)&__executable_start;
	int fd = open(SELF, O_RDONLY | O_CLOEXEC);
	uint64_t offset = UINT64_MAX;
	GElf_Phdr h;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	for (int i = 0; gelf_getphdr(elf, i, &h); i++)
		if (h.p_type == PT_LOAD && address >= h.p_vaddr && address - h.p_vaddr < h.p_filesz)
			offset = address - h.p_vaddr + h.p_offset;
	elf_end(elf);
	close(fd);
	return offset;
}

static void needs_proc(void)
{
	if (access(SELF, R_OK) < 0)
		skip();
}

static void our_own_parts_are_known(void **state)
{
	struct pt_elfsections s = { 0 };

	(void)state;
	needs_proc();
	assert_int_equal(pt_elfsections_read(SELF, &s), 0);
	assert_int_equal(pt_elfsections_at(&s, 0, 16), PT_ELF_HEADERS);
	assert_int_equal(pt_elfsections_at(&s, offset_of((const void *)our_own_parts_are_known), 8),
			 PT_ELF_TEXT);
	assert_int_equal(pt_elfsections_at(&s, offset_of(read_only), 8), PT_ELF_RODATA);
	assert_int_equal(pt_elfsections_at(&s, offset_of(writable), 8), PT_ELF_DATA);
	assert_int_equal(pt_elfsections_at(&s, s.size + 5, 4096), PT_ELF_HEADERS);
	assert_int_equal(pt_elfsections_at(&s, UINT64_MAX, UINT64_MAX), PT_ELF_HEADERS);
	for (size_t i = 0; i < s.n; i++) {
		assert_true(s.v[i].first < s.v[i].end && s.v[i].end <= s.size);
		assert_true(!i || s.v[i - 1].end <= s.v[i].first);
	}
	pt_elfsections_done(&s);
}

static void the_larger_part_counts(void **state)
{
	struct pt_elf_range v[] = { { 100, 200, PT_ELF_TEXT }, { 200, 210, PT_ELF_DATA } };
	const struct pt_elfsections s = { .v = v, .n = 2, .size = 1000 };

	(void)state;
	assert_int_equal(pt_elfsections_at(&s, 0, 150), PT_ELF_HEADERS);
	assert_int_equal(pt_elfsections_at(&s, 60, 150), PT_ELF_TEXT);
	assert_int_equal(pt_elfsections_at(&s, 198, 10), PT_ELF_DATA);
	assert_int_equal(pt_elfsections_at(&s, 500, 4096), PT_ELF_HEADERS);
}

static void what_is_no_elf_file_is_refused(void **state)
{
	struct pt_elfsections s = { 0 };
	char *root = *state, *path = tree_path(root, "text");

	tree_put(root, "text", "no program\n");
	assert_int_equal(pt_elfsections_read(path, &s), -ENOEXEC);
	assert_int_equal(s.size, 11);
	assert_int_equal(pt_elfsections_read(root, &s), -ENOEXEC);
	assert_int_equal(pt_elfsections_read("/dev/null", &s), -ENOEXEC);
	free(path);
	path = tree_path(root, "none");
	assert_int_equal(pt_elfsections_read(path, &s), -ENOENT);
	free(path);
}

static void damage(struct pt_rng *g, uint8_t *copy, size_t n)
{
	size_t table = n - (n < 8192 ? n : 8192); /* section headers are at the end */

	for (uint64_t k = 1 + pt_rng_below(g, 30); k; k--) {
		size_t at = pt_rng_below(g, 2) ? pt_rng_below(g, 64)
					       : table + pt_rng_below(g, n - table);

		copy[at] = (uint8_t)pt_rng_below(g, 256);
	}
}

/* Whatever is read from it keeps to the file and to the order. */
static void damaged_files_do_no_harm(void **state)
{
	char *root = *state, *path;
	uint8_t *whole, *copy;
	struct pt_rng g;
	size_t n;
	FILE *f;

	needs_proc();
	path = tree_path(root, "damaged");
	f = fopen(SELF, "re");
	whole = malloc(8u << 20);
	copy = malloc(8u << 20);
	n = fread(whole, 1, 8u << 20, f);
	fclose(f);
	seed_rng(&g);
	for (int round = 0; round < ROUNDS; round++) {
		size_t len = pt_rng_below(&g, 4) ? n : 1 + pt_rng_below(&g, n);
		struct pt_elfsections s = { 0 };

		memcpy(copy, whole, n);
		damage(&g, copy, len);
		memcpy(copy, "\177ELF", len < 4 ? len : 4);
		f = fopen(path, "we");
		assert_int_equal(fwrite(copy, 1, len, f), len);
		fclose(f);
		if (pt_elfsections_read(path, &s) < 0)
			continue;
		for (size_t i = 0; i < s.n; i++) {
			assert_true(s.v[i].first < s.v[i].end && s.v[i].end <= len);
			assert_true(!i || s.v[i - 1].end <= s.v[i].first);
		}
		pt_elfsections_done(&s);
	}
	free(whole);
	free(copy);
	free(path);
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_own_parts_are_known),
		cmocka_unit_test(the_larger_part_counts),
		cmocka_unit_test_setup_teardown(what_is_no_elf_file_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_files_do_no_harm, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
