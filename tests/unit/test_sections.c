// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/sections: pages of ELF files made here, good ones, changed ones, and hostile ones. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/sections.h"
#include "formats/writer.h"
#include "tree.h"

#define PAGE     4096
#define SECTIONS 6 /* of which the first is none and the last the names */
#define FILES    12
#define NAMES    "\0.text\0.rodata\0.data\0.debug_info\0.names"

/* Six pages: headers, text twice, rodata, data, debug; behind them the names and section headers.
 */
struct made {
	uint8_t bytes[8 * PAGE];
	Elf64_Ehdr *e;
	Elf64_Shdr *s;
};

static void section(struct made *m, int i, uint32_t name, uint64_t flags, uint64_t page,
		    uint64_t pages)
{
	m->s[i] = (Elf64_Shdr){ .sh_name = name,
				.sh_type = SHT_PROGBITS,
				.sh_flags = flags,
				.sh_offset = page * PAGE,
				.sh_size = pages * PAGE,
				.sh_addralign = 1 };
}

static struct made *make(void)
{
	struct made *m = calloc(1, sizeof(*m));

	m->e = (Elf64_Ehdr *)(void *)m->bytes;
	m->s = (Elf64_Shdr *)(void *)(m->bytes + 7 * PAGE);
	memcpy(m->e->e_ident, ELFMAG, SELFMAG);
	m->e->e_ident[EI_CLASS] = ELFCLASS64;
	m->e->e_ident[EI_DATA] = ELFDATA2LSB;
	m->e->e_ident[EI_VERSION] = EV_CURRENT;
	m->e->e_type = ET_DYN;
	m->e->e_machine = EM_X86_64;
	m->e->e_version = EV_CURRENT;
	m->e->e_ehsize = sizeof(*m->e);
	m->e->e_shoff = 7 * PAGE;
	m->e->e_shentsize = sizeof(*m->s);
	m->e->e_shnum = SECTIONS;
	m->e->e_shstrndx = SECTIONS - 1;
	section(m, 1, 1, SHF_ALLOC | SHF_EXECINSTR, 1, 2);
	section(m, 2, 7, SHF_ALLOC, 3, 1);
	section(m, 3, 15, SHF_ALLOC | SHF_WRITE, 4, 1);
	section(m, 4, 21, 0, 5, 1);
	section(m, 5, 33, 0, 6, 0);
	m->s[5].sh_type = SHT_STRTAB;
	m->s[5].sh_size = sizeof(NAMES);
	memcpy(m->bytes + 6 * PAGE, NAMES, sizeof(NAMES));
	return m;
}

/* What a test looks at: a tape of FILES files below a folder, whatever is there. */
struct scene {
	char *root, *tape, *paths[FILES];
	uint64_t sizes[FILES]; /* as the tape has them */
	struct pt_reader *reader;
	struct pt_sections *sections;
};

static void put(struct scene *s, int file, const struct made *m, size_t len)
{
	char name[16];
	FILE *f;

	snprintf(name, sizeof(name), "f%d", file);
	s->paths[file] = tree_path(s->root, name);
	s->sizes[file] = len;
	if (!m)
		return;
	f = fopen(s->paths[file], "we");
	assert_non_null(f);
	assert_int_equal(fwrite(m->bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void write_tape(struct scene *s)
{
	struct pt_diag diag = PT_DIAG_INIT;
	const struct pt_sink *sink;
	struct pt_writer *w;
	struct pt_head head;

	assert_int_equal(pt_head_init(&head, PAGE, "mono"), 0);
	assert_int_equal(pt_writer_new(s->tape, &head, NULL, &w, &diag), 0);
	sink = pt_writer_sink(w);
	for (uint32_t i = 0; i < FILES; i++) {
		struct pt_record rec = PT_RECORD_INIT(PT_ADD);
		const struct pt_file def = { .key = { .ino = i + 1, .dev = 1 },
					     .size = s->sizes[i],
					     .blocks_512 = PT_UNKNOWN,
					     .type = PT_FILE_REGULAR,
					     .mount = PT_UNKNOWN32,
					     .path = s->paths[i],
					     .stands_for = { .ino = PT_UNKNOWN } };

		assert_int_equal(sink->intern_file(sink->ctx, &def.key, &rec.file), 0);
		assert_int_equal(rec.file, i);
		assert_int_equal(sink->define_file(sink->ctx, &def), 0);
		rec.ts_ns = i;
		assert_int_equal(sink->record(sink->ctx, &rec), 0);
	}
	assert_int_equal(pt_writer_finish(w, &head, 1), 0);
	pt_writer_free(w);
	pt_head_done(&head);
}

static void open_tape(struct scene *s)
{
	struct pt_diag diag = PT_DIAG_INIT;

	write_tape(s);
	assert_int_equal(
		pt_reader_open(s->tape, &(struct pt_reader_options){ 0 }, &s->reader, &diag), 0);
	assert_int_equal(pt_sections_new(s->reader, &s->sections), 0);
}

static void check_pages(struct scene *s, uint32_t file, const int want[8])
{
	for (uint64_t page = 0; page < 8; page++)
		assert_int_equal(pt_sections_key(s->sections, file, page), want[page]);
}

static int setup(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->root = tree_new();
	s->tape = tree_path(s->root, "t.ptape");
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct scene *s = *state;

	pt_sections_free(s->sections);
	pt_reader_close(s->reader);
	for (int i = 0; i < FILES; i++)
		free(s->paths[i]);
	free(s->tape);
	tree_remove(s->root);
	free(s);
	return 0;
}

static void pages_are_in_their_sections(void **state)
{
	static const int whole[8] = {
		PT_ELF_HEADERS, PT_ELF_TEXT,  PT_ELF_TEXT,    PT_ELF_RODATA,
		PT_ELF_DATA,    PT_ELF_DEBUG, PT_ELF_HEADERS, PT_ELF_HEADERS
	};
	static const int none[8] = { 0 }; /* PT_ELF_HEADERS */
	struct scene *s = *state;
	struct made *m = make();

	put(s, 0, m, sizeof(m->bytes));
	put(s, 1, m, sizeof(m->bytes));
	s->sizes[1]--; /* the tape's was another */
	put(s, 2, NULL, 1);
	m->e->e_shnum = m->e->e_shstrndx = 0; /* stripped of its section headers */
	m->e->e_shoff = 0;
	put(s, 3, m, sizeof(m->bytes));
	memcpy(m->bytes, "#!/bin/sh", 9);
	put(s, 4, m, sizeof(m->bytes));
	open_tape(s);
	check_pages(s, 0, whole);
	check_pages(s, 3, none);
	assert_int_equal(pt_sections_key(s->sections, 1, 1), PT_SECTION_CHANGED);
	assert_int_equal(pt_sections_key(s->sections, 2, 1), PT_SECTION_NO_FILE);
	assert_int_equal(pt_sections_key(s->sections, 4, 1), PT_SECTION_NOT_ELF);
	assert_int_equal(pt_sections_key(s->sections, 5, 1), PT_SECTION_NO_FILE); /* no path */
	assert_int_equal(pt_sections_key(s->sections, FILES, 0), PT_SECTION_NO_FILE);
	assert_int_equal(pt_sections_key(s->sections, 0, 1u << 30), PT_ELF_HEADERS);
	assert_int_equal(pt_sections_key(s->sections, 0, UINT64_MAX), PT_ELF_HEADERS);
	free(m);
}

/* Put a file whose section @i is so. */
static void put_odd(struct scene *s, int file, int i, uint64_t offset, uint64_t size)
{
	struct made *m = make();

	m->s[i].sh_offset = offset;
	m->s[i].sh_size = size;
	put(s, file, m, sizeof(m->bytes));
	free(m);
}

static void hostile_files_are_cut_to_size(void **state)
{
	struct scene *s = *state;
	struct made *m;

	put_odd(s, 0, 1, UINT64_MAX - PAGE, 2 * PAGE); /* beyond the file, and around */
	put_odd(s, 1, 1, PAGE, UINT64_MAX);            /* over all that follows */
	put_odd(s, 2, 2, PAGE, 3 * PAGE);              /* over the text */
	put_odd(s, 3, 3, 4 * PAGE, 0);                 /* empty */
	put_odd(s, 4, 1, 20 * PAGE, PAGE);             /* where nothing is */
	m = make();
	m->e->e_shnum = 0xfeff; /* more than there are */
	put(s, 5, m, sizeof(m->bytes));
	m->e->e_shnum = 0; /* the count is in the first section's size */
	m->s[0].sh_size = UINT64_MAX / 2;
	put(s, 6, m, sizeof(m->bytes));
	free(m);
	m = make();
	m->e->e_shoff = UINT64_MAX - 8;
	put(s, 7, m, sizeof(m->bytes));
	free(m);
	m = make();
	m->e->e_shstrndx = 99; /* no names */
	m->s[4].sh_name = UINT32_MAX;
	put(s, 8, m, sizeof(m->bytes));
	put(s, 9, m, 40); /* cut within its header */
	free(m);
	open_tape(s);
	assert_int_equal(pt_sections_key(s->sections, 0, 1), PT_ELF_HEADERS);
	assert_int_equal(pt_sections_key(s->sections, 0, 3), PT_ELF_RODATA);
	assert_int_equal(pt_sections_key(s->sections, 1, 7), PT_ELF_TEXT);
	assert_int_equal(pt_sections_key(s->sections, 3, 4), PT_ELF_HEADERS);
	assert_int_equal(pt_sections_key(s->sections, 4, 1), PT_ELF_HEADERS);
	assert_int_equal(pt_sections_key(s->sections, 4, 20), PT_ELF_HEADERS);
	assert_int_equal(pt_sections_key(s->sections, 6, 1), PT_SECTION_NOT_ELF);
	for (uint32_t file = 0; file < FILES; file++) {
		for (uint64_t page = 0; page < 32; page++) {
			int key = pt_sections_key(s->sections, file, page);

			assert_true(key >= 0 && key < PT_SECTION_KEYS);
			assert_non_null(pt_sections_name((uint32_t)key));
		}
	}
}

static void every_key_has_a_name(void **state)
{
	(void)state;
	for (uint32_t key = 0; key < PT_SECTION_KEYS; key++)
		assert_non_null(pt_sections_name(key));
	assert_null(pt_sections_name(PT_SECTION_KEYS));
	assert_null(pt_sections_name(UINT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pages_are_in_their_sections, setup, teardown),
		cmocka_unit_test_setup_teardown(hostile_files_are_cut_to_size, setup, teardown),
		cmocka_unit_test(every_key_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
