// SPDX-License-Identifier: GPL-2.0-or-later
/* The archive that a guest boots from: see initramfs.h. */
#include "replay/lab/initramfs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/lab/cpio.h"
#include "replay/lab/guest.h"
#include "replay/lab/sharedlibs.h"
#include "util/bytes.h"
#include "util/cleanup.h"

#define MODULE_FOLDER "/lab"

/* One of the user's files. */
struct extra {
	char *host;  /* as it is opened */
	char *guest; /* absolute */
};

static void extra_done(struct extra *e)
{
	free(e->host);
	free(e->guest);
}

static int add_open_file(struct pt_cpio *c, const char *host, const char *guest,
			 struct pt_diag *diag)
{
	auto_close int fd = open(host, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	int err;

	if (fd < 0 || fstat(fd, &st) < 0)
		err = pt_diag_errno(diag, -errno, "cannot read it");
	else if (!S_ISREG(st.st_mode))
		err = pt_diag_set(diag, -EOPNOTSUPP, PT_NO_OFFSET,
				  "neither a file, nor a folder, nor a link");
	else
		err = pt_cpio_file(c, guest, st.st_mode & 0777, fd, diag);
	return err ? pt_diag_file(diag, err, host) : 0;
}

/* 0 also of what is no ELF file at all. */
static int check_static(const char *program, struct pt_diag *diag)
{
	struct pt_sharedlibs libs = { 0 };
	int err = pt_sharedlibs_find(program, &libs, diag);
	size_t n = libs.n;

	pt_sharedlibs_done(&libs);
	if (err || !n)
		return err;
	pt_diag_set(diag, -EINVAL, PT_NO_OFFSET,
		    "it is not linked statically (meson -Dstatic_binary=true), so it cannot be a "
		    "guest's init");
	return pt_diag_file(diag, -EINVAL, program);
}

int pt_initramfs_check_program(const char *program, struct pt_diag *diag)
{
	auto_close int fd = open(program, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	uint8_t head[sizeof(Elf64_Ehdr)] = { 0 };

	if (fd < 0 || read(fd, head, sizeof(head)) < 0)
		return pt_diag_file(diag, pt_diag_errno(diag, -errno, "cannot read it"), program);
	if (memcmp(head, ELFMAG, SELFMAG) == 0 && head[EI_CLASS] == ELFCLASS64 &&
	    le16_get(head + offsetof(Elf64_Ehdr, e_machine)) == EM_X86_64)
		return check_static(program, diag);
	pt_diag_set(diag, -ENOEXEC, PT_NO_OFFSET, "it is no program for x86-64");
	return pt_diag_file(diag, -ENOEXEC, program);
}

static int add_program(struct pt_cpio *c, const char *program, struct pt_diag *diag)
{
	int err = check_static(program, diag);

	if (!err)
		err = add_open_file(c, program, PT_GUEST_INIT, diag);
	if (!err)
		err = pt_cpio_link(c, "/bin/pagetape", PT_GUEST_INIT, diag);
	return err;
}

static int add_modules(struct pt_cpio *c, const struct pt_modules *m, struct pt_diag *diag)
{
	auto_buf struct pt_buf list = { 0 };
	int err = 0;

	for (size_t i = 0; m && !err && i < pt_modules_count(m); i++) {
		const struct pt_module *one = pt_modules_at(m, i);
		auto_buf struct pt_buf file = { 0 };
		char name[NAME_MAX + sizeof(MODULE_FOLDER) + 8];
		int len = snprintf(name, sizeof(name), MODULE_FOLDER "/%s.ko", one->name);

		if (len >= (int)sizeof(name) || pt_buf_put(&list, name, (size_t)len) ||
		    pt_buf_put(&list, "\n", 1))
			return -ENOMEM;
		err = pt_module_read(one->path, &file, diag);
		if (!err)
			err = pt_cpio_bytes(c, name, 0644, file.data, file.len, diag);
	}
	if (err)
		return err;
	return pt_cpio_bytes(c, PT_INITRAMFS_MODULES, 0644, list.data, list.len, diag);
}

/* What was there before may be there again, where it is a library that two programs share. */
static int add_libraries(struct pt_cpio *c, const char *program, struct pt_diag *diag)
{
	struct pt_sharedlibs libs = { 0 };
	int err = pt_sharedlibs_find(program, &libs, diag);

	for (size_t i = 0; !err && i < libs.n; i++)
		if (!pt_cpio_has(c, libs.v[i].guest))
			err = add_open_file(c, libs.v[i].host, libs.v[i].guest, diag);
	pt_sharedlibs_done(&libs);
	return err;
}

/* A copy of @name as an absolute path: what the shell would open, links in it kept. */
static char *absolute_of(const char *name)
{
	auto_free char *dir = NULL, *copy = strdup(name);
	char *slash = copy ? strrchr(copy, '/') : NULL, *path;

	if (name[0] == '/' && !strstr(name, "/../") && !strstr(name, "/./") && !strstr(name, "//"))
		return steal_ptr(copy);
	if (slash)
		*slash = '\0';
	dir = realpath(slash ? (slash == copy ? "/" : copy) : ".", NULL);
	if (!dir || asprintf(&path, "%s/%s", strcmp(dir, "/") == 0 ? "" : dir,
			     slash ? slash + 1 : name) < 0)
		return NULL;
	return path;
}

/* A program by its name alone, found as the shell finds it; NULL: none. */
static char *find_in_path(const char *name)
{
	const char *paths = getenv("PATH");

	for (; paths && *paths; paths += paths[0] == ':') {
		size_t len = strcspn(paths, ":");
		char *path;

		if (len && asprintf(&path, "%.*s/%s", (int)len, paths, name) >= 0) {
			struct stat st;

			if (access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode))
				return path;
			free(path);
		}
		paths += len;
	}
	return NULL;
}

/* "/a/" and "/a" are the same folder. */
static void cut_slashes(char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
}

/* "HOST[:GUEST]" taken apart. */
static int parse_extra(const char *text, struct extra *ret_e, struct pt_diag *diag)
{
	const char *colon = strchr(text, ':');
	auto_free char *host = colon ? strndup(text, (size_t)(colon - text)) : strdup(text);
	struct extra e = { 0 };

	if (!host)
		return -ENOMEM;
	if (colon && colon[1] != '/')
		return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET,
				   "%.150s: '%.80s' is no absolute path", text, colon + 1);
	if (*host && access(host, F_OK) < 0 && !strchr(host, '/'))
		e.host = find_in_path(host);
	if (*host && !e.host)
		e.host = absolute_of(host);
	if (!e.host || access(e.host, F_OK) < 0) {
		pt_diag_set(diag, -ENOENT, PT_NO_OFFSET, "there is no such file or program");
		extra_done(&e);
		return pt_diag_file(diag, -ENOENT, host);
	}
	e.guest = strdup(colon ? colon + 1 : e.host);
	if (!e.guest) {
		extra_done(&e);
		return -ENOMEM;
	}
	cut_slashes(e.host);
	cut_slashes(e.guest);
	*ret_e = e;
	return 0;
}

static int add_link(struct pt_cpio *c, const char *host, const char *guest, struct pt_diag *diag)
{
	char target[PATH_MAX];
	ssize_t n = readlink(host, target, sizeof(target) - 1);

	if (n < 0)
		return pt_diag_errno(diag, -errno, "cannot read the link %s", host);
	target[n] = '\0';
	return pt_cpio_link(c, guest, target, diag);
}

static int add_walked(struct pt_cpio *c, const FTSENT *e, const char *guest, struct pt_diag *diag)
{
	switch (e->fts_info) {
	case FTS_D:
		return pt_cpio_folder(c, guest, e->fts_statp->st_mode & 0777, diag);
	case FTS_DP:
		return 0;
	case FTS_SL:
	case FTS_SLNONE:
		return add_link(c, e->fts_path, guest, diag);
	case FTS_F:
	case FTS_DEFAULT:
		return add_open_file(c, e->fts_path, guest, diag);
	default:
		pt_diag_errno(diag, -e->fts_errno, "cannot read it");
		return pt_diag_file(diag, -e->fts_errno, e->fts_path);
	}
}

/* All that is in the folder; programs in it bring their libraries once all files have their place.
 */
static int walk_tree(struct pt_cpio *c, const struct extra *x, int libraries, struct pt_diag *diag)
{
	char *paths[] = { x->host, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	size_t skip = strlen(x->host);
	int err = fts ? 0 : pt_diag_errno(diag, -errno, "cannot read %s", x->host);
	FTSENT *e;

	while (!err && (e = fts_read(fts))) {
		auto_free char *guest = NULL;

		if (libraries) {
			if (e->fts_info == FTS_F && e->fts_statp->st_mode & 0111)
				err = add_libraries(c, e->fts_path, diag);
			continue;
		}
		if (asprintf(&guest, "%s%s", x->guest, e->fts_path + skip) < 0) {
			guest = NULL;
			err = -ENOMEM;
		} else if (e->fts_level > 0 || strcmp(x->guest, "/") != 0) {
			err = add_walked(c, e, guest, diag);
		}
	}
	if (fts)
		fts_close(fts);
	return err;
}

static int add_extra(struct pt_cpio *c, const char *text, int libraries, struct pt_diag *diag)
{
	struct extra x = { 0 };
	struct stat st;
	int err = parse_extra(text, &x, diag);

	if (!err && stat(x.host, &st) < 0)
		err = pt_diag_errno(diag, -errno, "cannot read %s", x.host);
	if (!err && S_ISDIR(st.st_mode))
		err = walk_tree(c, &x, libraries, diag);
	else if (!err && libraries)
		err = add_libraries(c, x.host, diag);
	else if (!err)
		err = add_open_file(c, x.host, x.guest, diag);
	extra_done(&x);
	return err;
}

static int write_all(struct pt_cpio *c, const struct pt_initramfs_options *opt,
		     struct pt_diag *diag)
{
	/* Without it a kernel gives its init no descriptors. */
	int err = pt_cpio_node(c, "/dev/console", 0600, 5, 1, diag);

	if (!err)
		err = add_program(c, opt->program, diag);
	if (!err)
		err = add_modules(c, opt->modules, diag);
	for (int libraries = 0; libraries < 2; libraries++)
		for (size_t i = 0; !err && opt->extra && opt->extra[i]; i++)
			err = add_extra(c, opt->extra[i], libraries, diag);
	return err ? err : pt_cpio_finish(c, diag);
}

int pt_initramfs_write(const char *path, const struct pt_initramfs_options *opt,
		       struct pt_diag *diag)
{
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct pt_cpio *c = NULL;
	int err;

	if (fd < 0) {
		err = pt_diag_errno(diag, -errno, "cannot create it");
		return pt_diag_file(diag, err, path);
	}
	err = pt_cpio_new(fd, PT_INITRAMFS_MAX_BYTES, PT_INITRAMFS_MAX_FILES, &c);
	if (!err)
		err = write_all(c, opt, diag);
	pt_cpio_free(c);
	if (err)
		(void)unlink(path);
	return err;
}
