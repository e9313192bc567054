// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a kernel's files lie: see imagefiles.h. */
#include "replay/lab/imagefiles.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/text.h"

#define MAX_PATHS 4096

void pt_paths_done(struct pt_paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i]);
	free(p->v);
	*p = (struct pt_paths){ 0 };
}

int pt_paths_add(struct pt_paths *p, char *stolen)
{
	char **v = stolen && p->n < MAX_PATHS ? realloc(p->v, (p->n + 1) * sizeof(*v)) : NULL;

	if (!v) {
		int r = stolen && p->n >= MAX_PATHS ? -E2BIG : -ENOMEM;

		free(stolen);
		return r;
	}
	p->v = v;
	v[p->n++] = stolen;
	return 0;
}

static int is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static int is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- Boot images */

/* Add the file @path, unless it is none, or the list has it under another name already. */
static int add_file(struct pt_paths *p, char *stolen)
{
	auto_free char *path = stolen;
	struct stat st, other;

	if (!path)
		return -ENOMEM;
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	for (size_t i = 0; i < p->n; i++)
		if (stat(p->v[i], &other) == 0 && other.st_dev == st.st_dev &&
		    other.st_ino == st.st_ino)
			return 0;
	return pt_paths_add(p, steal_ptr(path));
}

static int is_boot_name(const struct dirent *d)
{
	return strncmp(d->d_name, "vmlinuz", 7) == 0 || strcmp(d->d_name, "bzImage") == 0;
}

static int is_release(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/*
 * For each name in @dir that @pick takes, add DIR/NAME, or DIR/NAME/@below. Names with a version
 * come before "vmlinuz", so that a link by that name is what is left out.
 */
static int add_each(struct pt_paths *p, const char *dir, int (*pick)(const struct dirent *),
		    const char *below)
{
	struct dirent **v;
	int n = scandir(dir, &v, pick, versionsort), r = 0;

	if (n < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	for (int i = n; i-- > 0;) {
		auto_free char *path = pt_text_path(dir, v[i]->d_name);

		if (r == 0)
			r = add_file(p,
				     path && below ? pt_text_path(path, below) : steal_ptr(path));
		free(v[i]);
	}
	free(v);
	return r;
}

static int add_below(struct pt_paths *p, const char *dir, const char *sub,
		     int (*pick)(const struct dirent *), const char *below)
{
	auto_free char *full = pt_text_path(dir, sub);

	return full ? add_each(p, full, pick, below) : -ENOMEM;
}

int pt_imagefiles_boot(const char *dir, struct pt_paths *ret_p)
{
	struct pt_paths p = { 0 };
	int r = access(dir, R_OK | X_OK) < 0 ? -errno : 0;

	if (r == 0)
		r = add_file(&p, pt_text_path(dir, "arch/x86/boot/bzImage"));
	if (r == 0)
		r = add_each(&p, dir, is_boot_name, NULL);
	if (r == 0)
		r = add_below(&p, dir, "boot", is_boot_name, NULL);
	if (r == 0)
		r = add_below(&p, dir, "usr/lib/modules", is_release, "vmlinuz");
	if (r == 0)
		r = add_below(&p, dir, "lib/modules", is_release, "vmlinuz");
	if (r < 0)
		pt_paths_done(&p);
	else
		*ret_p = p;
	return r;
}

/* ---- What belongs to one */

/* A place relative to the bzImage's folder, the release in it as %s. */
struct place {
	const char *format;
	int (*is)(const char *path);
};

/* The first of @v that is there. *ret_path is NULL where none is. */
static int first_of(const struct place *v, size_t n, const char *dir, const char *release,
		    char **ret_path)
{
	*ret_path = NULL;
	for (size_t i = 0; i < n; i++) {
		const char *hole = strstr(v[i].format, "%s");
		size_t before = hole ? (size_t)(hole - v[i].format) : strlen(v[i].format);
		auto_free char *path = NULL;

		if (asprintf(&path, "%s/%.*s%s%s", dir, (int)before, v[i].format,
			     hole ? release : "", hole ? hole + 2 : "") < 0) {
			path = NULL;
			return -ENOMEM;
		}
		if (v[i].is(path)) {
			*ret_path = realpath(path, NULL); /* without its ".." */
			return *ret_path ? 0 : -errno;
		}
	}
	return 0;
}

/* Whether @path is a modules folder by itself: that of an installed kernel, or a build tree. */
static int is_modules(const char *path)
{
	auto_free char *order = pt_text_path(path, "modules.order"),
		       *kernel = pt_text_path(path, "kernel");

	return (order && is_file(order)) || (kernel && is_dir(kernel) && order);
}

static const struct place modules_places[] = {
	{ "../lib/modules/%s", is_dir },       { "../usr/lib/modules/%s", is_dir },
	{ "lib/modules/%s", is_dir },          { "../../../modules.order", is_file },
	{ "../../../lib/modules/%s", is_dir },
};

static const struct place config_places[] = {
	{ "config-%s", is_file },
	{ "config", is_file },
	{ "../boot/config-%s", is_file },
	{ "../../../../boot/config-%s", is_file }, /* usr/lib/modules/RELEASE/vmlinuz */
	{ "../../../.config", is_file },           /* arch/x86/boot/bzImage */
	{ ".config", is_file },
};

static const struct place vmlinux_places[] = {
	{ "vmlinux-%s", is_file },
	{ "vmlinux", is_file },
	{ "../usr/lib/debug/boot/vmlinux-%s", is_file },
	{ "../../../../usr/lib/debug/boot/vmlinux-%s", is_file },
	{ "../../../vmlinux", is_file },
};

static int find_modules(const char *dir, const char *release, char **ret_path)
{
	const char *base = strrchr(dir, '/');
	char *end;
	int r;

	/* usr/lib/modules/RELEASE/vmlinuz, in newer packages */
	if (strcmp(base ? base + 1 : dir, release) == 0 && is_modules(dir)) {
		*ret_path = strdup(dir);
		return *ret_path ? 0 : -ENOMEM;
	}
	r = first_of(modules_places, PT_ARRAY_SIZE(modules_places), dir, release, ret_path);
	end = r == 0 && *ret_path ? strstr(*ret_path, "/modules.order") : NULL;
	if (end) /* a build tree: its modules lie beside their sources */
		*end = '\0';
	return r;
}

int pt_imagefiles_beside(const char *boot, const char *release, char **ret_modules,
			 char **ret_config, char **ret_vmlinux)
{
	auto_free char *real = realpath(boot, NULL);
	auto_free char *modules = NULL, *config = NULL, *vmlinux = NULL;
	char *slash = real ? strrchr(real, '/') : NULL;
	int r;

	if (!slash)
		return errno == ENOMEM ? -ENOMEM : -errno;
	*slash = '\0';
	r = find_modules(real, release, &modules);
	if (r == 0)
		r = first_of(config_places, PT_ARRAY_SIZE(config_places), real, release, &config);
	if (r == 0 && !config && modules) { /* Fedora keeps it among the modules */
		static const struct place in_modules = { "config", is_file };

		r = first_of(&in_modules, 1, modules, release, &config);
	}
	if (r == 0)
		r = first_of(vmlinux_places, PT_ARRAY_SIZE(vmlinux_places), real, release,
			     &vmlinux);
	if (r < 0)
		return r;
	*ret_modules = steal_ptr(modules);
	*ret_config = steal_ptr(config);
	*ret_vmlinux = steal_ptr(vmlinux);
	return 0;
}
