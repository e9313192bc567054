// SPDX-License-Identifier: GPL-2.0-or-later
/* A candidate kernel's files and identity: see image.h. */
#include "replay/lab/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/lab/bzimage.h"
#include "replay/lab/imagefiles.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/printable.h"

void pt_image_free(struct pt_image *i)
{
	if (!i)
		return;
	free(i->path);
	free(i->boot);
	free(i->modules);
	free(i->config);
	free(i->vmlinux);
	free(i->release);
	free(i->version);
	free(i->build_id);
	free(i);
}

/* ---- Finding */

static int several(const struct pt_paths *p, size_t dir_len, struct pt_diag *diag)
{
	char names[160] = "";
	size_t used = 0;

	for (size_t i = 0; i < p->n && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 p->v[i] + dir_len + 1);
	return pt_diag_set(diag, -E2BIG, PT_NO_OFFSET, "has several kernels, name one: %s", names);
}

static int find_boot(const char *path, char **ret_boot, struct pt_diag *diag)
{
	struct pt_paths p = { 0 };
	struct stat st;
	int r;

	if (stat(path, &st) < 0)
		return pt_diag_errno(diag, -errno, "no such kernel");
	if (!S_ISDIR(st.st_mode)) {
		*ret_boot = strdup(path);
		return *ret_boot ? 0 : -ENOMEM;
	}
	r = pt_imagefiles_boot(path, &p);
	if (r < 0)
		return pt_diag_errno(diag, r, "cannot look for a kernel in it");
	if (p.n == 1)
		*ret_boot = steal_ptr(p.v[0]);
	else if (p.n == 0)
		r = pt_diag_set(diag, -ENOENT, PT_NO_OFFSET,
				"has no kernel: neither vmlinuz nor arch/x86/boot/bzImage");
	else
		r = several(&p, strlen(path), diag);
	pt_paths_done(&p);
	return r;
}

static int read_identity(struct pt_image *i, struct pt_diag *diag)
{
	auto_close int fd = open(i->boot, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct pt_bzimage b;
	int r;

	if (fd < 0)
		return pt_diag_errno(diag, -errno, "cannot be read");
	r = pt_bzimage_read(fd, &b, diag);
	if (r < 0)
		return r;
	i->release = strdup(b.release);
	i->version = strdup(b.version);
	if (!i->release || !i->version)
		return -ENOMEM;
	r = pt_imagefiles_beside(i->boot, b.release, &i->modules, &i->config, &i->vmlinux);
	if (r < 0)
		return r;
	/* What is in the bzImage is what boots; the vmlinux beside it may be of another build. */
	r = pt_bzimage_build_id(fd, &b, &i->build_id);
	if (r < 0 && r != -ENOMEM && i->vmlinux)
		r = pt_elf_build_id(i->vmlinux, &i->build_id);
	return r == -ENOMEM ? r : 0;
}

int pt_image_open(const char *path, struct pt_image **ret_i, struct pt_diag *diag)
{
	struct pt_image *i = calloc(1, sizeof(*i));
	int r = i ? 0 : -ENOMEM;

	if (r == 0) {
		i->path = strdup(path);
		r = i->path ? find_boot(path, &i->boot, diag) : -ENOMEM;
	}
	if (r == 0) {
		r = read_identity(i, diag);
		if (r < 0)
			pt_diag_file(diag, r, i->boot);
	}
	if (r < 0)
		pt_image_free(i);
	else
		*ret_i = i;
	return r < 0 ? pt_diag_file(diag, r, path) : 0;
}

/* ---- Identity */

static int differs(const char *what, const char *meant, const json_t *hello, const char *key,
		   struct pt_diag *diag)
{
	const char *ran = json_string_value(json_object_get(hello, key));
	char a[96], b[96];

	if (!meant || !ran || strcmp(meant, ran) == 0)
		return 0;
	return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET,
			   "what ran is not this kernel: its %s is %s, the image's %s", what,
			   pt_printable(ran, a, sizeof(a)), pt_printable(meant, b, sizeof(b)));
}

int pt_image_check(const struct pt_image *i, const json_t *hello, struct pt_diag *diag)
{
	int r = 0;

	if (!json_is_string(json_object_get(hello, "release")))
		r = pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "what ran did not say its release");
	if (r == 0)
		r = differs("release", i->release, hello, "release", diag);
	if (r == 0)
		r = differs("version", i->version, hello, "version", diag);
	if (r == 0)
		r = differs("build-id", i->build_id, hello, "build_id", diag);
	return r < 0 ? pt_diag_file(diag, r, i->boot) : 0;
}

json_t *pt_image_json(const struct pt_image *i)
{
	json_t *o = json_object();

	pt_json_set_string(o, "image", i->boot);
	pt_json_set_string(o, "release", i->release);
	pt_json_set_string(o, "version", i->version);
	pt_json_set_string(o, "build_id", i->build_id);
	pt_json_set_string(o, "config", i->config);
	return o;
}
