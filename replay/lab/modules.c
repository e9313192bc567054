// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel modules and their order: see modules.h. */
#include "replay/lab/modules.h"

#include <errno.h>
#include <fts.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "replay/lab/compressed.h"
#include "util/cleanup.h"
#include "util/textfile.h"

#define FOUND_MAX 100000 /* modules of a kernel: a distribution's largest has 7000 */
#define DEPTH_MAX 64     /* of modules that need modules */

enum state { UNSEEN, VISITING, WANTED };

struct found {
	struct pt_module module;
	enum state state;
};

struct names {
	char **v;
	size_t n;
};

struct pt_modules {
	struct found *found; /* by name */
	size_t n_found;
	struct names builtin; /* by name */
	int knows_builtin;    /* the kernel came with the list */
	size_t *wanted;       /* indices of found, in order */
	size_t n_wanted;
};

/* The module's name of a file "a-b.ko.xz" or of "a-b": "a_b"; NULL: no memory. */
static char *name_of(const char *path)
{
	const char *base = strrchr(path, '/'), *end;
	char *name;

	base = base ? base + 1 : path;
	end = strstr(base, ".ko");
	name = end ? strndup(base, (size_t)(end - base)) : strdup(base);
	for (char *p = name; p && *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

static int is_module_file(const char *name)
{
	static const char *const ends[] = { ".ko", ".ko.xz", ".ko.zst", ".ko.gz" };
	const char *at = strstr(name, ".ko");

	for (size_t i = 0; at && i < PT_ARRAY_SIZE(ends); i++)
		if (strcmp(at, ends[i]) == 0)
			return 1;
	return 0;
}

/* @v, which has @n of @size bytes, with room for one more; NULL: no memory, @v stays. */
static void *grown(void *v, size_t n, size_t size)
{
	if (n & (n - 1) || (n && n < 16)) /* room is made at 0, 16, 32, 64... */
		return v;
	return reallocarray(v, n ? 2 * n : 16, size);
}

static int add_found(struct pt_modules *m, const char *path)
{
	struct pt_module one = { 0 };
	struct found *found;

	if (m->n_found == FOUND_MAX)
		return -E2BIG;
	found = grown(m->found, m->n_found, sizeof(*found));
	if (!found)
		return -ENOMEM;
	m->found = found;
	one.name = name_of(path);
	one.path = strdup(path);
	if (!one.name || !one.path) {
		free(one.name);
		free(one.path);
		return -ENOMEM;
	}
	m->found[m->n_found++] = (struct found){ .module = one };
	return 0;
}

static int add_builtin(struct names *names, const char *path)
{
	char **v = grown(names->v, names->n, sizeof(*v));

	if (!v)
		return -ENOMEM;
	names->v = v;
	v[names->n] = name_of(path);
	if (!v[names->n])
		return -ENOMEM;
	names->n++;
	return 0;
}

/* Lines of "kernel/fs/ext4/ext4.ko". */
static int read_builtin(struct pt_modules *m, const char *path)
{
	auto_free char *text = NULL;
	char *rest, *line;
	int err = pt_text_read("", path, &text);

	rest = text;
	while (!err && (line = pt_text_line(&rest)))
		err = add_builtin(&m->builtin, line);
	m->knows_builtin |= !err;
	return err;
}

/* One entry of the walk. */
static int look_at(struct pt_modules *m, const FTSENT *e)
{
	if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
		return -e->fts_errno;
	if (e->fts_info == FTS_F && is_module_file(e->fts_name))
		return add_found(m, e->fts_path);
	if (e->fts_info == FTS_F && strcmp(e->fts_name, "modules.builtin") == 0)
		return read_builtin(m, e->fts_path);
	return 0;
}

static int walk(struct pt_modules *m, const char *dir)
{
	char *paths[] = { (char *)dir, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *e;
	int err = fts ? 0 : -errno;

	while (!err && (e = fts_read(fts)))
		err = e->fts_level == 0 && e->fts_info == FTS_NS ? -e->fts_errno : look_at(m, e);
	if (fts)
		fts_close(fts);
	return err;
}

/* By name, and of one name by path, so that the order of a folder decides nothing. */
static int compare_found(const void *a, const void *b)
{
	const struct pt_module *x = &((const struct found *)a)->module;
	const struct pt_module *y = &((const struct found *)b)->module;
	int by_name = strcmp(x->name, y->name);

	return by_name ? by_name : strcmp(x->path, y->path);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int pt_modules_open(const char *dir, struct pt_modules **ret_m, struct pt_diag *diag)
{
	struct pt_modules *m = calloc(1, sizeof(*m));
	int err = m ? 0 : -ENOMEM;

	if (!err && dir)
		err = walk(m, dir);
	if (err) {
		pt_modules_free(m);
		pt_diag_errno(diag, err, "cannot look for modules");
		return pt_diag_file(diag, err, dir ? dir : "");
	}
	if (m->n_found)
		qsort(m->found, m->n_found, sizeof(*m->found), compare_found);
	if (m->builtin.n)
		qsort(m->builtin.v, m->builtin.n, sizeof(*m->builtin.v), compare_names);
	*ret_m = m;
	return 0;
}

void pt_modules_free(struct pt_modules *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n_found; i++) {
		free(m->found[i].module.name);
		free(m->found[i].module.path);
	}
	for (size_t i = 0; i < m->builtin.n; i++)
		free(m->builtin.v[i]);
	free(m->found);
	free(m->builtin.v);
	free(m->wanted);
	free(m);
}

/* The first module of that name; NULL: none. */
static struct found *find(const struct pt_modules *m, const char *name)
{
	size_t lo = 0, hi = m->n_found;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(m->found[mid].module.name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->n_found && strcmp(m->found[lo].module.name, name) == 0 ? &m->found[lo]
									      : NULL;
}

static int is_builtin(const struct pt_modules *m, const char *name)
{
	return m->builtin.n &&
	       bsearch(&name, m->builtin.v, m->builtin.n, sizeof(*m->builtin.v), compare_names);
}

/* Append the section .modinfo, texts ended by NUL, to @b. */
static int copy_modinfo(Elf *elf, struct pt_buf *b)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &strings) < 0)
		return -EBADMSG;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr))
			return -EBADMSG;
		name = elf_strptr(elf, strings, shdr.sh_name);
		if (!name || strcmp(name, ".modinfo") != 0)
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || (data->d_size && !data->d_buf))
			return -EBADMSG;
		return pt_buf_put(b, data->d_buf, data->d_size) || pt_buf_put(b, "", 1) ? -ENOMEM
											: 0;
	}
	return -EBADMSG;
}

static int read_modinfo(const char *path, struct pt_buf *b, struct pt_diag *diag)
{
	auto_buf struct pt_buf file = { 0 };
	int err = pt_module_read(path, &file, diag);
	Elf *elf;

	if (err)
		return err;
	(void)elf_version(EV_CURRENT);
	elf = elf_memory((char *)file.data, file.len);
	err = elf ? copy_modinfo(elf, b) : -EBADMSG;
	elf_end(elf);
	if (err == -EBADMSG)
		pt_diag_set(diag, err, PT_NO_OFFSET, "it is no kernel module");
	return err ? pt_diag_file(diag, err, path) : 0;
}

static int want(struct pt_modules *m, const char *name, unsigned int depth, struct pt_diag *diag);

/* "depends=a,b": all must be there. */
static int want_all(struct pt_modules *m, char *list, unsigned int depth, struct pt_diag *diag)
{
	char *name;
	int err = 0;

	while (!err && (name = strsep(&list, ",")))
		if (*name)
			err = want(m, name, depth, diag);
	return err;
}

/* "softdep=pre: a b post: c": those before, where they are there. */
static int want_soft(struct pt_modules *m, char *list, unsigned int depth, struct pt_diag *diag)
{
	int before = 0, err = 0;
	char *word;

	while (!err && (word = pt_text_word(&list))) {
		size_t len = strlen(word);

		if (len && word[len - 1] == ':') {
			before = strcmp(word, "pre:") == 0;
		} else if (before) {
			err = want(m, word, depth, NULL);
			err = err == -ENOENT ? 0 : err;
		}
	}
	return err ? pt_diag_errno(diag, err, "cannot read a module that is asked for") : 0;
}

static int want_needed(struct pt_modules *m, const struct found *f, unsigned int depth,
		       struct pt_diag *diag)
{
	auto_buf struct pt_buf info = { 0 };
	int err = read_modinfo(f->module.path, &info, diag);

	for (size_t at = 0; !err && at < info.len;) {
		char *entry = (char *)info.data + at;

		at += strlen(entry) + 1;
		if (strncmp(entry, "depends=", 8) == 0)
			err = want_all(m, entry + 8, depth, diag);
		else if (strncmp(entry, "softdep=", 8) == 0)
			err = want_soft(m, entry + 8, depth, diag);
	}
	return err;
}

static int want_found(struct pt_modules *m, struct found *f, unsigned int depth,
		      struct pt_diag *diag)
{
	size_t *wanted;
	int err;

	if (f->state == WANTED)
		return 0;
	if (f->state == VISITING || depth > DEPTH_MAX)
		return pt_diag_set(diag, -ELOOP, PT_NO_OFFSET, "the module %s needs itself",
				   f->module.name);
	f->state = VISITING;
	err = want_needed(m, f, depth + 1, diag);
	f->state = UNSEEN;
	if (err)
		return err;
	wanted = grown(m->wanted, m->n_wanted, sizeof(*wanted));
	if (!wanted)
		return -ENOMEM;
	m->wanted = wanted;
	wanted[m->n_wanted++] = (size_t)(f - m->found);
	f->state = WANTED;
	return 0;
}

static int want(struct pt_modules *m, const char *name, unsigned int depth, struct pt_diag *diag)
{
	auto_free char *plain = name_of(name);
	struct found *f;

	if (!plain)
		return -ENOMEM;
	f = find(m, plain);
	if (f)
		return want_found(m, f, depth, diag);
	if (!m->knows_builtin || is_builtin(m, plain))
		return 0;
	return pt_diag_set(diag, -ENOENT, PT_NO_OFFSET,
			   "the kernel has no %s, neither as a module nor built in", name);
}

int pt_modules_want(struct pt_modules *m, const char *name, struct pt_diag *diag)
{
	return want(m, name, 0, diag);
}

/* With what it is for, since "virtio_blk" says little to those who never built a kernel. */
static int need(struct pt_modules *m, const char *name, const char *what, struct pt_diag *diag)
{
	struct pt_diag own = PT_DIAG_INIT;
	int err = pt_modules_want(m, name, &own);

	if (err == -ENOENT)
		return pt_diag_set(diag, err, PT_NO_OFFSET,
				   "the kernel has no %s: %s is neither a module nor built in",
				   what, name);
	if (err && diag && !diag->text[0])
		*diag = own;
	return err;
}

/*
 * What the kernel would ask a helper program for while it runs, and a guest has none: checksums of
 * file systems, zram's compressors.
 */
static int want_if_there(struct pt_modules *m, const char *const *names, struct pt_diag *diag)
{
	int err = 0;

	for (; !err && *names; names++) {
		err = pt_modules_want(m, *names, NULL);
		err = err == -ENOENT ? 0 : err;
		if (err)
			pt_diag_errno(diag, err, "cannot read the module %s", *names);
	}
	return err;
}

int pt_modules_need(struct pt_modules *m, const char *fs, unsigned int needs, struct pt_diag *diag)
{
	static const char *const checksums[] = { "crc32c_generic", "crc32_generic", NULL };
	static const char *const compressors[] = { "lzo_rle", "lzo", "lz4", "zstd", NULL };
	int err = need(m, "virtio_pci", "PCI transport", diag);

	if (!err)
		err = need(m, "virtio_console", "channel driver", diag);
	if (!err && needs & PT_NEED_DISK)
		err = need(m, "virtio_blk", "block driver", diag);
	if (!err && needs & PT_NEED_RAMDISK)
		err = need(m, "brd", "ramdisk", diag);
	if (!err && fs)
		err = want_if_there(m, checksums, diag);
	if (!err && fs)
		err = need(m, fs, "such file system", diag);
	if (!err && needs & PT_NEED_ZRAM)
		err = want_if_there(m, compressors, diag);
	if (!err && needs & PT_NEED_ZRAM)
		err = need(m, "zram", "zram", diag);
	return err;
}

size_t pt_modules_count(const struct pt_modules *m)
{
	return m->n_wanted;
}

const struct pt_module *pt_modules_at(const struct pt_modules *m, size_t i)
{
	return &m->found[m->wanted[i]].module;
}

int pt_module_read(const char *path, struct pt_buf *b, struct pt_diag *diag)
{
	return pt_compressed_read(path, PT_MODULE_MAX_BYTES, b, diag);
}
