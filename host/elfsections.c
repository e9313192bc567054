// SPDX-License-Identifier: GPL-2.0-or-later
/* Classes of ELF sections: see elfsections.h. */
#include "host/elfsections.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"

#define MAX_SECTIONS 65536
#define MAX_BUILD_ID 32 /* bytes; SHA-1 has 20 */

static const char *const names[PT_ELF_CLASSES] = {
	[PT_ELF_HEADERS] = "headers", [PT_ELF_TEXT] = "text",       [PT_ELF_RODATA] = "rodata",
	[PT_ELF_DATA] = "data",       [PT_ELF_LINKING] = "linking", [PT_ELF_UNWIND] = "unwind",
	[PT_ELF_DEBUG] = "debug",     [PT_ELF_SYMBOLS] = "symbols", [PT_ELF_OTHER] = "other",
};

const char *pt_elf_class_name(enum pt_elf_class class)
{
	return names[class];
}

void pt_elfsections_done(struct pt_elfsections *s)
{
	free(s->v);
	*s = (struct pt_elfsections){ 0 };
}

static int begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

static enum pt_elf_class class_in_memory(const GElf_Shdr *h, const char *name)
{
	if (h->sh_flags & SHF_EXECINSTR)
		return PT_ELF_TEXT;
	if (begins(name, ".eh_frame") || begins(name, ".gcc_except_table"))
		return PT_ELF_UNWIND;
	switch (h->sh_type) {
	case SHT_DYNSYM:
	case SHT_STRTAB:
	case SHT_REL:
	case SHT_RELA:
	case SHT_HASH:
	case SHT_GNU_HASH:
	case SHT_GNU_verdef:
	case SHT_GNU_verneed:
	case SHT_GNU_versym:
	case SHT_DYNAMIC:
		return PT_ELF_LINKING;
	default:
		return h->sh_flags & SHF_WRITE ? PT_ELF_DATA : PT_ELF_RODATA;
	}
}

static enum pt_elf_class class_of(const GElf_Shdr *h, const char *name)
{
	if (h->sh_flags & SHF_ALLOC)
		return class_in_memory(h, name);
	if (begins(name, ".debug") || begins(name, ".zdebug") || begins(name, ".gdb_index") ||
	    begins(name, ".gnu_debug"))
		return PT_ELF_DEBUG;
	return h->sh_type == SHT_SYMTAB || h->sh_type == SHT_STRTAB ? PT_ELF_SYMBOLS : PT_ELF_OTHER;
}

/* Notes are read by libelf, which holds them against the file's size. */
static void read_build_id(Elf_Scn *scn, char *build_id, size_t size)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;

	while (data && data->d_buf && (next = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const uint8_t *id = (const uint8_t *)data->d_buf + desc;
		const char *owner = (const char *)data->d_buf + name;

		at = next;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp(owner, "GNU", sizeof("GNU")) != 0 || note.n_descsz > MAX_BUILD_ID)
			continue;
		for (size_t i = 0; i < note.n_descsz && 2 * i + 2 < size; i++)
			snprintf(build_id + 2 * i, 3, "%02x", id[i]);
		return;
	}
}

static int by_first(const void *x, const void *y)
{
	const struct pt_elf_range *a = x, *b = y;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/* Order them, and cut what lies over another (which only malformed files have). */
static void put_in_order(struct pt_elfsections *s)
{
	uint64_t end = 0;
	size_t n = 0;

	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_first);
	for (size_t i = 0; i < s->n; i++) {
		struct pt_elf_range r = s->v[i];

		if (r.first < end)
			r.first = end;
		if (r.first >= r.end)
			continue;
		s->v[n++] = r;
		end = r.end;
	}
	s->n = n;
}

static void add_section(struct pt_elfsections *s, Elf *elf, size_t names_index, Elf_Scn *scn)
{
	const char *name;
	GElf_Shdr h;

	if (!gelf_getshdr(scn, &h) || h.sh_type == SHT_NULL || h.sh_type == SHT_NOBITS)
		return;
	name = elf_strptr(elf, names_index, h.sh_name);
	if (h.sh_type == SHT_NOTE && !s->build_id[0])
		read_build_id(scn, s->build_id, sizeof(s->build_id));
	if (h.sh_offset >= s->size)
		return;
	if (h.sh_size > s->size - h.sh_offset)
		h.sh_size = s->size - h.sh_offset;
	s->v[s->n++] = (struct pt_elf_range){ h.sh_offset, h.sh_offset + h.sh_size,
					      class_of(&h, name ? name : "") };
}

static int read_sections(Elf *elf, struct pt_elfsections *s)
{
	size_t count, names_index;
	Elf_Scn *scn = NULL;

	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrnum(elf, &count) < 0 ||
	    elf_getshdrstrndx(elf, &names_index) < 0 || count > MAX_SECTIONS)
		return -ENOEXEC;
	s->v = calloc(count + 1, sizeof(*s->v));
	if (!s->v)
		return -ENOMEM;
	while (s->n < count && (scn = elf_nextscn(elf, scn)))
		add_section(s, elf, names_index, scn);
	put_in_order(s);
	return 0;
}

int pt_elfsections_read(const char *path, struct pt_elfsections *ret_s)
{
	auto_close int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct pt_elfsections s = { 0 };
	struct stat st;
	Elf *elf;
	int err;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	ret_s->size = s.size = (uint64_t)st.st_size;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL); /* no mapping: the file may be cut meanwhile */
	if (!elf)
		return -ENOEXEC;
	err = read_sections(elf, &s);
	elf_end(elf);
	if (err < 0) {
		pt_elfsections_done(&s);
		return err;
	}
	*ret_s = s;
	return 0;
}

/* The first range that ends behind @off. */
static size_t find(const struct pt_elfsections *s, uint64_t off)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->v[mid].end <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

enum pt_elf_class pt_elfsections_at(const struct pt_elfsections *s, uint64_t off, uint64_t len)
{
	uint64_t bytes[PT_ELF_CLASSES] = { 0 };
	uint64_t end = len < UINT64_MAX - off ? off + len : UINT64_MAX, covered = 0;
	unsigned int best = PT_ELF_HEADERS;

	if (end > s->size)
		end = s->size > off ? s->size : off;
	for (size_t i = find(s, off); i < s->n && s->v[i].first < end; i++) {
		const struct pt_elf_range *r = &s->v[i];
		uint64_t from = r->first > off ? r->first : off, to = r->end < end ? r->end : end;

		bytes[r->class] += to - from;
		covered += to - from;
	}
	bytes[PT_ELF_HEADERS] = end - off - covered;
	for (unsigned int c = 0; c < PT_ELF_CLASSES; c++)
		if (bytes[c] > bytes[best])
			best = c;
	return best;
}
