/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of an ELF file on this machine are for.
 *
 * Sections are put into a few classes, by their flags and types more than by their names. What no
 * section covers (the ELF header, tables, padding) is a class too. The file may be anything.
 */
#ifndef PT_HOST_ELFSECTIONS_H
#define PT_HOST_ELFSECTIONS_H

#include <stddef.h>
#include <stdint.h>

enum pt_elf_class {
	PT_ELF_HEADERS = 0, /* in no section */
	PT_ELF_TEXT,        /* instructions */
	PT_ELF_RODATA,      /* other read-only data in memory */
	PT_ELF_DATA,        /* writable */
	PT_ELF_LINKING,     /* for the dynamic linker: its symbols, strings, relocations */
	PT_ELF_UNWIND,      /* .eh_frame and the like */
	PT_ELF_DEBUG,       /* not in memory */
	PT_ELF_SYMBOLS,     /* not in memory */
	PT_ELF_OTHER,       /* not in memory */
	PT_ELF_CLASSES
};

/* Bytes [first, end) of the file. */
struct pt_elf_range {
	uint64_t first, end;
	enum pt_elf_class class;
};

/* All zero is empty; release with pt_elfsections_done(). */
struct pt_elfsections {
	struct pt_elf_range *v; /* rising, none over another */
	size_t n;
	uint64_t size;     /* of the file */
	char build_id[65]; /* hex; "" where it has none */
};

/*
 * Read the regular file at @path. 0; -ENOEXEC: it is not ELF, or malformed, with @ret_s->size set;
 * -ENOMEM, or what opening it says. Symbolic links are followed, as the path is a name.
 */
int pt_elfsections_read(const char *path, struct pt_elfsections *ret_s);
void pt_elfsections_done(struct pt_elfsections *s);

/* The class of which most of the @len bytes at @off are; the earlier one where two are even. */
enum pt_elf_class pt_elfsections_at(const struct pt_elfsections *s, uint64_t off, uint64_t len);

/* "text", "rodata", ... */
const char *pt_elf_class_name(enum pt_elf_class class);

#endif
