// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages by ELF section: see sections.h. */
#include "analysis/sections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

struct file {
	struct pt_elfsections sections;
	int key; /* PT_SECTION_KEYS: look into the sections; -1: not looked at yet */
};

struct pt_sections {
	const struct pt_reader *reader;
	struct file *files;
	uint32_t n, page_size;
};

int pt_sections_new(const struct pt_reader *r, struct pt_sections **ret_s)
{
	struct pt_sections *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->reader = r;
	s->n = pt_reader_file_count(r);
	s->page_size = pt_head_page_size(pt_reader_head(r));
	s->files = calloc((size_t)s->n + 1, sizeof(*s->files));
	if (!s->files) {
		free(s);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < s->n; i++)
		s->files[i].key = -1;
	*ret_s = s;
	return 0;
}

void pt_sections_free(struct pt_sections *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		pt_elfsections_done(&s->files[i].sections);
	free(s->files);
	free(s);
}

static int is_same(const struct pt_file *f, const struct pt_elfsections *s)
{
	if (f->build_id && s->build_id[0])
		return strcmp(f->build_id, s->build_id) == 0;
	return f->size != PT_UNKNOWN && f->size == s->size;
}

static int look(const struct pt_file *f, struct pt_elfsections *s)
{
	int err = f->path ? pt_elfsections_read(f->path, s) : -ENOENT;

	if (err == -ENOMEM)
		return err;
	if (err == -ENOEXEC)
		return PT_SECTION_NOT_ELF;
	if (err < 0)
		return PT_SECTION_NO_FILE;
	return is_same(f, s) ? PT_SECTION_KEYS : PT_SECTION_CHANGED;
}

int pt_sections_key(struct pt_sections *s, uint32_t file, uint64_t page)
{
	struct file *f;

	if (file >= s->n)
		return PT_SECTION_NO_FILE;
	f = &s->files[file];
	if (f->key < 0)
		f->key = look(pt_reader_file(s->reader, file), &f->sections);
	if (f->key != PT_SECTION_KEYS)
		return f->key;
	if (page > UINT64_MAX / s->page_size - 1)
		return PT_ELF_HEADERS;
	return (int)pt_elfsections_at(&f->sections, page * s->page_size, s->page_size);
}

const char *pt_sections_name(uint32_t key)
{
	static const char *const why[] = { "not ELF", "no file", "changed" };

	if (key < PT_ELF_CLASSES)
		return pt_elf_class_name(key);
	return key < PT_SECTION_KEYS ? why[key - PT_SECTION_NOT_ELF] : NULL;
}
