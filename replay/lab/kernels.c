// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernels at hand: see kernels.h. */
#include "replay/lab/kernels.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/lab/bzimage.h"
#include "replay/lab/cachedir.h"
#include "replay/lab/imagefiles.h"
#include "util/cleanup.h"
#include "util/parse.h"

#define MAX_KERNELS  1024
#define ACCESS_EVENT "mm_filemap_get_pages"

void pt_kernels_done(struct pt_kernels *k)
{
	for (size_t i = 0; i < k->n; i++) {
		free(k->v[i].name);
		pt_image_free(k->v[i].image);
	}
	free(k->v);
	*k = (struct pt_kernels){ 0 };
}

/* ---- One kernel */

/* Linux 6.12 brought the events. */
static int is_older(const char *release)
{
	auto_free char *major = strndup(release, strcspn(release, "."));
	const char *rest = major ? release + strlen(major) : "";
	auto_free char *minor = *rest ? strndup(rest + 1, strspn(rest + 1, "0123456789")) : NULL;
	uint32_t a, b;

	return major && minor && pt_parse_u32(major, &a) == 0 && pt_parse_u32(minor, &b) == 0 &&
	       (a < 6 || (a == 6 && b < 12));
}

static enum pt_kernel_accesses accesses_of(const struct pt_image *image)
{
	auto_close int fd = open(image->boot, O_RDONLY | O_CLOEXEC);
	struct pt_bzimage b;
	int has = fd < 0 ? -errno : pt_bzimage_read(fd, &b, NULL);

	if (has == 0)
		has = pt_bzimage_has(fd, &b, ACCESS_EVENT);
	if (has < 0) /* packed by something else than zstd */
		return is_older(image->release) ? PT_KERNEL_ACCESSES_NO
						: PT_KERNEL_ACCESSES_UNKNOWN;
	return has ? PT_KERNEL_ACCESSES_YES : PT_KERNEL_ACCESSES_NO;
}

static int has_image(const struct pt_kernels *k, const char *boot)
{
	struct stat a, b;

	if (stat(boot, &a) < 0)
		return 0;
	for (size_t i = 0; i < k->n; i++)
		if (stat(k->v[i].image->boot, &b) == 0 && a.st_dev == b.st_dev &&
		    a.st_ino == b.st_ino)
			return 1;
	return 0;
}

/* Add the bzImage @boot under @name (NULL: its release). What is no kernel is none of ours. */
static int add_image(struct pt_kernels *k, const char *boot, const char *name)
{
	struct pt_image *image;
	struct pt_kernel *v;
	int r;

	if (has_image(k, boot) || k->n == MAX_KERNELS)
		return 0;
	r = pt_image_open(boot, &image, NULL);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	v = realloc(k->v, (k->n + 1) * sizeof(*v));
	if (v) {
		k->v = v;
		v[k->n] = (struct pt_kernel){ strdup(name ? name : image->release), image,
					      accesses_of(image) };
	}
	if (!v || !v[k->n].name) {
		pt_image_free(image);
		return -ENOMEM;
	}
	k->n++;
	return 0;
}

/* All images that the folder @dir has as image.h looks for them. */
static int add_folder(struct pt_kernels *k, const char *dir, const char *name)
{
	struct pt_paths p = { 0 };
	int r = pt_imagefiles_boot(dir, &p);

	for (size_t i = 0; r == 0 && i < p.n; i++)
		r = add_image(k, p.v[i], p.n == 1 ? name : NULL);
	pt_paths_done(&p);
	return r == -ENOMEM ? r : 0;
}

/* ---- Folders of them */

static int is_folder(const struct dirent *d)
{
	return d->d_name[0] != '.' && (d->d_type == DT_DIR || d->d_type == DT_UNKNOWN);
}

static int add_each_below(struct pt_kernels *k, const char *dir)
{
	struct dirent **v;
	int n = scandir(dir, &v, is_folder, versionsort), r = 0;

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		auto_free char *path = NULL;

		if (r == 0 && asprintf(&path, "%s/%s", dir, v[i]->d_name) < 0) {
			path = NULL;
			r = -ENOMEM;
		}
		if (r == 0)
			r = add_folder(k, path, v[i]->d_name);
		free(v[i]);
	}
	free(v);
	return r;
}

static int add_place(struct pt_kernels *k, const char *dir)
{
	size_t before = k->n;
	int r = add_folder(k, dir, NULL);

	/* A kernel's own folder has others in it, which hold its parts. */
	return r == 0 && k->n == before ? add_each_below(k, dir) : r;
}

/* The lab's own folders, the first of which may not be there. */
static int own_folders(struct pt_paths *p)
{
	const char *env = getenv("PAGETAPE_KERNELS");
	auto_free char *cache = NULL;
	int r = 0;

	if (env && *env) {
		r = pt_paths_add(p, strdup(env));
	} else {
		r = pt_cachedir_file("kernels", &cache);
		if (r == 0)
			r = pt_paths_add(p, steal_ptr(cache));
		else if (r != -ENOMEM) /* no home: there is the shared one */
			r = 0;
	}
	return r == 0 ? pt_paths_add(p, strdup(PT_KERNELS_SHARED)) : r;
}

static int add_standard(struct pt_kernels *k)
{
	struct pt_paths p = { 0 };
	int r = own_folders(&p);

	if (r == 0)
		r = pt_paths_add(&p, strdup("/boot"));
	if (r == 0)
		r = pt_paths_add(&p, strdup("/lib/modules"));
	for (size_t i = 0; r == 0 && i < p.n; i++) {
		r = add_place(k, p.v[i]);
		if (r < 0 && r != -ENOMEM)
			r = 0;
	}
	pt_paths_done(&p);
	return r;
}

int pt_kernels_find(const char *const *dirs, struct pt_kernels *ret_k, struct pt_diag *diag)
{
	struct pt_kernels k = { 0 };
	int r = 0;

	if (!dirs)
		r = add_standard(&k);
	for (size_t i = 0; r == 0 && dirs && dirs[i]; i++) {
		r = add_place(&k, dirs[i]);
		if (r < 0 && r != -ENOMEM)
			pt_diag_file(diag, pt_diag_errno(diag, r, "cannot look for kernels"),
				     dirs[i]);
	}
	if (r < 0)
		pt_kernels_done(&k);
	else
		*ret_k = k;
	return r;
}

/* ---- The lab's own */

int pt_kernels_folder(char **ret_path)
{
	const char *env = getenv("PAGETAPE_KERNELS");
	int r;

	if (!env || !*env)
		return pt_cachedir_folder("kernels", ret_path);
	r = pt_make_folders(env);
	if (r < 0)
		return r;
	*ret_path = strdup(env);
	return *ret_path ? 0 : -ENOMEM;
}

int pt_kernels_by_name(const char *name, char **ret_path)
{
	const char *version = strncmp(name, "debian:", 7) == 0 ? name + 7 : name;
	struct pt_paths p = { 0 };
	int r;

	if (!*version || *version == '.' || strchr(version, '/'))
		return -ENOENT;
	r = own_folders(&p);
	for (size_t i = 0; r == 0 && i < p.n; i++) {
		auto_free char *path = NULL;

		if (asprintf(&path, "%s/%s", p.v[i], version) < 0) {
			path = NULL;
			r = -ENOMEM;
		} else if (access(path, F_OK) == 0) {
			*ret_path = steal_ptr(path);
			pt_paths_done(&p);
			return 0;
		}
	}
	pt_paths_done(&p);
	return r < 0 ? r : -ENOENT;
}
