// SPDX-License-Identifier: GPL-2.0-or-later
/* DT_NEEDED, followed to the end: see sharedlibs.h. */
#include "replay/lab/sharedlibs.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/textfile.h"

#define CONF       "/etc/ld.so.conf"
#define CONF_DEPTH 8 /* of files that include files */

/* Where ld.so looks without any configuration, whatever the distribution. */
static const char *const system_dirs[] = {
	"/lib/x86_64-linux-gnu",
	"/usr/lib/x86_64-linux-gnu",
	"/lib64",
	"/usr/lib64",
	"/lib",
	"/usr/lib",
};

/* What one ELF file says. Texts are NUL-ended in the buffers. */
struct image {
	int is_elf;
	unsigned char class;
	uint16_t machine;
	char *interpreter;    /* NULL: none */
	struct pt_buf needed; /* texts, each ended by NUL */
	char *rpath, *runpath;
};

static void image_done(struct image *i)
{
	free(i->interpreter);
	free(i->rpath);
	free(i->runpath);
	pt_buf_done(&i->needed);
}

static int set_text(char **at, const char *s)
{
	free(*at);
	*at = s ? strdup(s) : NULL;
	if (!s)
		return -EBADMSG;
	return *at ? 0 : -ENOMEM;
}

static int read_dynamic(Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr, struct image *i)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	int err = data && shdr->sh_entsize ? 0 : -EBADMSG;

	for (int n = 0; !err && n < (int)(shdr->sh_size / shdr->sh_entsize); n++) {
		GElf_Dyn dyn;
		const char *text;

		if (!gelf_getdyn(data, n, &dyn) || dyn.d_tag == DT_NULL)
			break;
		if (dyn.d_tag != DT_NEEDED && dyn.d_tag != DT_RPATH && dyn.d_tag != DT_RUNPATH)
			continue;
		text = elf_strptr(elf, shdr->sh_link, dyn.d_un.d_val);
		if (!text)
			err = -EBADMSG;
		else if (dyn.d_tag == DT_NEEDED)
			err = pt_buf_put(&i->needed, text, strlen(text) + 1);
		else
			err = set_text(dyn.d_tag == DT_RPATH ? &i->rpath : &i->runpath, text);
	}
	return err;
}

static int read_sections(Elf *elf, struct image *i)
{
	Elf_Scn *scn = NULL;
	int err = 0;

	while (!err && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;

		if (!gelf_getshdr(scn, &shdr))
			return -EBADMSG;
		if (shdr.sh_type == SHT_DYNAMIC)
			err = read_dynamic(elf, scn, &shdr, i);
	}
	return err;
}

static int read_interpreter(Elf *elf, int fd, struct image *i)
{
	size_t n;

	if (elf_getphdrnum(elf, &n) < 0)
		return -EBADMSG;
	for (size_t k = 0; k < n; k++) {
		char text[PATH_MAX];
		GElf_Phdr phdr;

		if (!gelf_getphdr(elf, (int)k, &phdr))
			return -EBADMSG;
		if (phdr.p_type != PT_INTERP)
			continue;
		if (phdr.p_filesz < 2 || phdr.p_filesz > sizeof(text) ||
		    pread(fd, text, phdr.p_filesz, (off_t)phdr.p_offset) !=
			    (ssize_t)phdr.p_filesz ||
		    text[0] != '/' || text[phdr.p_filesz - 1] != '\0')
			return -EBADMSG;
		return set_text(&i->interpreter, text);
	}
	return 0;
}

/* Read @path to @i, all zero before. No ELF file is no failure. */
static int read_image(const char *path, struct image *i)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	GElf_Ehdr ehdr;
	int err = 0;
	Elf *elf;

	if (fd < 0)
		return -errno;
	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		i->is_elf = 1;
		err = gelf_getehdr(elf, &ehdr) ? 0 : -EBADMSG;
		if (!err) {
			i->class = ehdr.e_ident[EI_CLASS];
			i->machine = ehdr.e_machine;
			err = read_interpreter(elf, fd, i);
		}
		if (!err)
			err = read_sections(elf, i);
	}
	elf_end(elf);
	return err;
}

/* Append the folders of ld.so.conf, and of what it includes, each ended by NUL, to @b. */
static int read_conf(const char *path, unsigned int depth, struct pt_buf *b)
{
	auto_free char *text = NULL;
	char *rest, *line;
	int err = 0;

	if (depth > CONF_DEPTH || pt_text_read("", path, &text) < 0)
		return 0;
	rest = text;
	while (!err && (line = pt_text_line(&rest))) {
		char *word;

		line[strcspn(line, "#")] = '\0';
		word = pt_text_word(&line);
		if (word && strcmp(word, "include") == 0 && (word = pt_text_word(&line))) {
			glob_t g;

			if (glob(word, 0, NULL, &g) != 0)
				continue;
			for (size_t i = 0; !err && i < g.gl_pathc; i++)
				err = read_conf(g.gl_pathv[i], depth + 1, b);
			globfree(&g);
		} else if (word && word[0] == '/') {
			err = pt_buf_put(b, word, strlen(word) + 1);
		}
	}
	return err;
}

/* The search of one program. */
struct search {
	const struct image *program;
	struct pt_sharedlibs libs;
	struct pt_buf conf; /* folders, each ended by NUL */
};

/* Whether the file is a library for the program: of the same machine. */
static int fits(const struct search *s, const char *path)
{
	struct image i = { 0 };
	int good = access(path, R_OK) == 0 && read_image(path, &i) == 0 && i.is_elf &&
		   i.class == s->program->class && i.machine == s->program->machine;

	image_done(&i);
	return good;
}

static int try_dir(const struct search *s, const char *dir, size_t len, const char *name,
		   char **ret_path)
{
	auto_free char *path = NULL;

	if (len == 0 || asprintf(&path, "%.*s/%s", (int)len, dir, name) < 0)
		path = NULL;
	if (!path || !fits(s, path))
		return 0;
	*ret_path = steal_ptr(path);
	return 1;
}

/* RPATH or RUNPATH of @from: folders between colons, $ORIGIN being the file's own. */
static int try_paths(const struct search *s, const char *paths, const char *from, const char *name,
		     char **ret_path)
{
	static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(from, '/');
	int own_len = slash ? (int)(slash - from) : 1;
	const char *own = slash ? from : ".";

	for (; paths && *paths; paths += paths[0] == ':') {
		size_t len = strcspn(paths, ":"), skip = 0;
		auto_free char *dir = NULL;

		for (size_t i = 0; i < PT_ARRAY_SIZE(origins); i++)
			if (strncmp(paths, origins[i], strlen(origins[i])) == 0)
				skip = strlen(origins[i]);
		if (asprintf(&dir, "%.*s%.*s", skip ? own_len : 0, own, (int)(len - skip),
			     paths + skip) < 0) {
			dir = NULL;
			return 0;
		}
		if (try_dir(s, dir, strlen(dir), name, ret_path))
			return 1;
		paths += len;
	}
	return 0;
}

/* As ld.so does for what @from, whose image is @i, needs. 1 or 0. */
static int search_lib(const struct search *s, const struct image *i, const char *from,
		      const char *name, char **ret_path)
{
	if (strchr(name, '/'))
		return fits(s, name) && (*ret_path = strdup(name));
	if (!i->runpath && (try_paths(s, i->rpath, from, name, ret_path) ||
			    try_paths(s, s->program->rpath, from, name, ret_path)))
		return 1;
	if (try_paths(s, i->runpath, from, name, ret_path))
		return 1;
	for (size_t at = 0; at < s->conf.len;) {
		const char *dir = (const char *)s->conf.data + at;

		if (try_dir(s, dir, strlen(dir), name, ret_path))
			return 1;
		at += strlen(dir) + 1;
	}
	for (size_t k = 0; k < PT_ARRAY_SIZE(system_dirs); k++)
		if (try_dir(s, system_dirs[k], strlen(system_dirs[k]), name, ret_path))
			return 1;
	return 0;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int is_known(const struct search *s, const char *name)
{
	for (size_t i = 0; i < s->libs.n; i++)
		if (strcmp(base_of(s->libs.v[i].host), base_of(name)) == 0)
			return 1;
	return 0;
}

static int add_lib(struct search *s, char *stolen_host)
{
	struct pt_sharedlib *v;

	if (s->libs.n == PT_SHAREDLIBS_MAX) {
		free(stolen_host);
		return -E2BIG;
	}
	v = reallocarray(s->libs.v, s->libs.n + 1, sizeof(*v));
	if (!v) {
		free(stolen_host);
		return -ENOMEM;
	}
	s->libs.v = v;
	v[s->libs.n++] = (struct pt_sharedlib){ .host = stolen_host };
	return 0;
}

static int add_needed(struct search *s, const struct image *i, const char *from,
		      struct pt_diag *diag)
{
	int err = 0;

	for (size_t at = 0; !err && at < i->needed.len;) {
		const char *name = (const char *)i->needed.data + at;
		char *path;

		at += strlen(name) + 1;
		if (is_known(s, name))
			continue;
		if (!search_lib(s, i, from, name, &path))
			return pt_diag_set(diag, -ENOENT, PT_NO_OFFSET,
					   "there is no library %.100s, which %.100s needs", name,
					   from);
		err = add_lib(s, path);
	}
	return err;
}

static int is_system_dir(const char *path)
{
	size_t len = (size_t)(base_of(path) - path);

	for (size_t i = 0; len && i < PT_ARRAY_SIZE(system_dirs); i++)
		if (strlen(system_dirs[i]) == len - 1 &&
		    strncmp(system_dirs[i], path, len - 1) == 0)
			return 1;
	return 0;
}

/* A library of the system's folders stays there; others go where libc is, which ld.so looks at. */
static int place_all(struct search *s)
{
	const char *dir = "/lib";
	int dir_len = 4;

	for (size_t i = 0; i < s->libs.n; i++) {
		const char *host = s->libs.v[i].host;

		if (strncmp(base_of(host), "libc.so", 7) == 0 && is_system_dir(host)) {
			dir = host;
			dir_len = (int)(base_of(host) - host) - 1;
		}
	}
	for (size_t i = 0; i < s->libs.n; i++) {
		struct pt_sharedlib *l = &s->libs.v[i];
		int stays = is_system_dir(l->host) ||
			    (s->program->interpreter && !strcmp(l->host, s->program->interpreter));

		if ((stays ? asprintf(&l->guest, "%s", l->host)
			   : asprintf(&l->guest, "%.*s/%s", dir_len, dir, base_of(l->host))) < 0) {
			l->guest = NULL;
			return -ENOMEM;
		}
	}
	return 0;
}

/* Breadth first: what the libraries need in their turn is looked for when they are reached. */
static int find_all(struct search *s, const char *program, struct pt_diag *diag)
{
	char *interpreter = s->program->interpreter ? strdup(s->program->interpreter) : NULL;
	int err = interpreter ? add_lib(s, interpreter) : 0;

	if (!err)
		err = read_conf(CONF, 0, &s->conf);
	if (!err)
		err = add_needed(s, s->program, program, diag);
	for (size_t n = 0; !err && n < s->libs.n; n++) {
		struct image i = { 0 };

		err = read_image(s->libs.v[n].host, &i);
		if (err)
			pt_diag_errno(diag, err, "cannot read %.150s", s->libs.v[n].host);
		else
			err = add_needed(s, &i, s->libs.v[n].host, diag);
		image_done(&i);
	}
	return err ? err : place_all(s);
}

int pt_sharedlibs_find(const char *program, struct pt_sharedlibs *ret_s, struct pt_diag *diag)
{
	struct image i = { 0 };
	struct search s = { .program = &i };
	int err = read_image(program, &i);

	if (err == -EBADMSG)
		pt_diag_set(diag, err, PT_NO_OFFSET, "a malformed program");
	else if (err)
		pt_diag_errno(diag, err, "cannot read it");
	else if (i.is_elf)
		err = find_all(&s, program, diag);
	image_done(&i);
	pt_buf_done(&s.conf);
	if (err) {
		pt_sharedlibs_done(&s.libs);
		return pt_diag_file(diag, err, program);
	}
	*ret_s = s.libs;
	return 0;
}

void pt_sharedlibs_done(struct pt_sharedlibs *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].host);
		free(s->v[i].guest);
	}
	free(s->v);
	*s = (struct pt_sharedlibs){ 0 };
}
