// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernels of the distribution: see fetch.h. */
#include "replay/lab/fetch.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "replay/lab/apt.h"
#include "replay/lab/cachedir.h"
#include "replay/lab/child.h"
#include "util/cleanup.h"

#define UNPACK_S     600
#define SERVED_SHOWN 160

struct fetch {
	const struct pt_fetch_options *opt;
	const char *version; /* asked for */
	struct pt_apt *apt;
	char *target, *part;
	int lock; /* on the folder of all; -1: none */
};

static void say(const struct fetch *f, const char *what, const char *name)
{
	char line[200];

	if (!f->opt->say)
		return;
	snprintf(line, sizeof(line), "%s %s", what, name);
	f->opt->say(f->opt->arg, line);
}

/* ---- Which package */

/* Whether a package's version is of the series, or is the version, that was asked for. */
static int fits(const char *package_version, const char *asked)
{
	size_t len = strlen(asked);

	return strncmp(package_version, asked, len) == 0 &&
	       !isdigit((unsigned char)package_version[len]);
}

/*
 * A kernel's own package: linux-image-ABI, or linux-binary-ABI with linux-modules-ABI beside it;
 * "cloud" ones are small and have all that a guest needs. Others (real-time, unsigned, debugging)
 * do not end in the plain architecture behind their version.
 */
static int rank(const char *name)
{
	static const struct {
		const char *begin, *end;
		int rank;
	} kinds[] = {
		{ "linux-binary-", "-cloud-amd64", 4 },
		{ "linux-image-", "-cloud-amd64", 3 },
		{ "linux-binary-", "-amd64", 2 },
		{ "linux-image-", "-amd64", 1 },
	};
	size_t len = strlen(name);

	for (size_t i = 0; i < PT_ARRAY_SIZE(kinds); i++) {
		size_t b = strlen(kinds[i].begin), e = strlen(kinds[i].end);
		const char *abi = name + b;

		if (len <= b + e || strncmp(name, kinds[i].begin, b) != 0 ||
		    strcmp(name + len - e, kinds[i].end) != 0 || !isdigit((unsigned char)*abi))
			continue;
		/* "6.1.0-50-rt" and the like: letters only behind a plus, as in "+deb13" */
		for (const char *p = abi; p < name + len - e; p++)
			if (isalpha((unsigned char)*p) && !memchr(abi, '+', (size_t)(p - abi)))
				return 0;
		return kinds[i].rank;
	}
	return 0;
}

/* The newest that fits, and of these the best kind. NULL: none. */
static const struct pt_apt_package *choose(const struct pt_apt_list *l, const char *asked)
{
	const struct pt_apt_package *best = NULL;

	for (size_t i = 0; i < l->n; i++) {
		const struct pt_apt_package *p = &l->v[i];
		int newer;

		if (!rank(p->name) || !fits(p->version, asked))
			continue;
		newer = best ? strverscmp(p->version, best->version) : 1;
		if (newer > 0 || (newer == 0 && rank(p->name) > rank(best->name)))
			best = p;
	}
	return best;
}

/* ---- What is served instead */

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* The upstream part, "6.12.95" of "6.12.95-1~bpo12+1". */
static char *upstream(const char *version)
{
	return strndup(version, strcspn(version, "-~+"));
}

/* Whether both are of one series, "6.12". */
static int same_series(const char *a, const char *b)
{
	const char *dot = strchr(a, '.');
	size_t len = dot ? (size_t)(dot - a) + 1 + strspn(dot + 1, "0123456789") : strlen(a);

	return strncmp(a, b, len) == 0 && !isdigit((unsigned char)b[len]);
}

/* The newest of each series, in their order, as far as there is room. */
static void list_newest(char *const *v, size_t n, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		if ((i + 1 < n && same_series(v[i], v[i + 1])) || used + strlen(v[i]) + 3 > size)
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", v[i]);
	}
}

static int none_served(const struct fetch *f, const struct pt_apt_list *l, struct pt_diag *diag)
{
	auto_free char **v = calloc(l->n + 1, sizeof(*v));
	char served[SERVED_SHOWN];
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < l->n; i++)
		if (rank(l->v[i].name) && (v[n] = upstream(l->v[i].version)))
			n++;
	qsort(v, n, sizeof(*v), by_version);
	list_newest(v, n, served, sizeof(served));
	for (size_t i = 0; i < n; i++)
		free(v[i]);
	return pt_diag_set(diag, -ENOENT, PT_NO_OFFSET, "no kernel %s is served; there are %s",
			   f->version, served[0] ? served : "none");
}

/* ---- Unpacking */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	(void)remove(path);
	return 0;
}

static void remove_tree(const char *path)
{
	(void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int unpack(const struct fetch *f, const struct pt_apt_package *p, struct pt_diag *diag)
{
	auto_free char *file = NULL;
	const char *argv[] = { "dpkg", "-x", NULL, f->part, NULL };
	const struct pt_child_command c = {
		.argv = argv, .log_fd = -1, .limit_s = UNPACK_S, .stop = f->opt->stop
	};
	int r;

	say(f, "fetching", p->name);
	r = pt_apt_download(f->apt, p, &file, diag);
	if (r < 0)
		return r;
	argv[2] = file;
	r = pt_child_run(&c, NULL, diag);
	(void)unlink(file);
	return r;
}

/* Its modules, where they are in a package of their own. */
static int unpack_modules(const struct fetch *f, const struct pt_apt_list *l,
			  const struct pt_apt_package *kernel, struct pt_diag *diag)
{
	static const char binary[] = "linux-binary-";
	char name[160];

	if (strncmp(kernel->name, binary, sizeof(binary) - 1) != 0)
		return 0;
	snprintf(name, sizeof(name), "linux-modules-%s", kernel->name + sizeof(binary) - 1);
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i].name, name) == 0 &&
		    strcmp(l->v[i].version, kernel->version) == 0)
			return unpack(f, &l->v[i], diag);
	return pt_diag_set(diag, -ENOENT, PT_NO_OFFSET, "%.100s is served without its modules",
			   kernel->name);
}

static int unpack_kernel(const struct fetch *f, const struct pt_apt_list *l,
			 const struct pt_apt_package *kernel, struct pt_diag *diag)
{
	int r;

	remove_tree(f->part);
	r = pt_make_folders(f->part);
	if (r == 0)
		r = unpack(f, kernel, diag);
	if (r == 0)
		r = unpack_modules(f, l, kernel, diag);
	if (r == 0 && rename(f->part, f->target) < 0)
		r = -errno;
	if (r < 0)
		remove_tree(f->part);
	return r;
}

/* ---- All of it */

/* One at a time in a folder: they share apt's lists, and the part that is being unpacked. */
static int lock(struct fetch *f, struct pt_diag *diag)
{
	int r = pt_make_folders(f->opt->dir);

	if (r == 0) {
		f->lock = open(f->opt->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		r = f->lock < 0 ? -errno : 0;
	}
	if (r == 0 && flock(f->lock, LOCK_EX | LOCK_NB) < 0)
		r = errno == EWOULDBLOCK ? pt_diag_set(diag, -EBUSY, PT_NO_OFFSET,
						       "another fetches kernels into it")
					 : -errno;
	return r < 0 ? pt_diag_file(diag, pt_diag_errno(diag, r, "cannot use it"), f->opt->dir) : 0;
}

static int fetch(struct fetch *f, struct pt_diag *diag)
{
	const struct pt_apt_package *kernel = NULL;
	struct pt_apt_list l = { 0 };
	int r = 0;

	/* What is small to ask for first: backports and security updates have most kernels. */
	for (int all = 0; r == 0 && !kernel && all < 2; all++) {
		pt_apt_list_done(&l);
		say(f, "asking for", all ? "all suites' lists" : "lists");
		r = pt_apt_update(f->apt, all, diag);
		if (r == 0)
			r = pt_apt_packages(f->apt, "linux-", &l, diag);
		kernel = r == 0 ? choose(&l, f->version) : NULL;
	}
	if (r == 0)
		r = kernel ? unpack_kernel(f, &l, kernel, diag) : none_served(f, &l, diag);
	pt_apt_list_done(&l);
	return r;
}

static int fetch_missing(struct fetch *f, struct pt_diag *diag)
{
	int r = lock(f, diag);

	if (r == 0 && access(f->target, F_OK) == 0) /* by another, just now */
		return 0;
	if (r == 0)
		r = pt_apt_new("", f->opt->dir, f->opt->stop, &f->apt, diag);
	return r < 0 ? r : fetch(f, diag);
}

static int check_name(const char *what, const char **ret_version, struct pt_diag *diag)
{
	static const char debian[] = "debian:";
	const char *v = what + sizeof(debian) - 1;

	if (strncmp(what, debian, sizeof(debian) - 1) != 0) {
		if (strchr(what, ':'))
			return pt_diag_set(diag, -EOPNOTSUPP, PT_NO_OFFSET,
					   "%s: only debian:VERSION is known", what);
		return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "%s: not of the form debian:6.12",
				   what);
	}
	/* A digit, then digits and single dots; it becomes a folder's name. */
	if (!isdigit((unsigned char)*v) || strspn(v, "0123456789.") != strlen(v) ||
	    strstr(v, "..") || v[strlen(v) - 1] == '.' || strlen(v) > 32)
		return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "%s: not a version, as 6.12 is",
				   what);
	*ret_version = v;
	return 0;
}

int pt_fetch_kernel(const struct pt_fetch_options *opt, char **ret_path, struct pt_diag *diag)
{
	struct fetch f = { .opt = opt, .lock = -1 };
	int r = check_name(opt->what, &f.version, diag);

	if (r < 0)
		return r;
	if (asprintf(&f.target, "%s/%s", opt->dir, f.version) < 0)
		f.target = NULL;
	if (!f.target || asprintf(&f.part, "%s.part", f.target) < 0)
		f.part = NULL;
	r = f.part ? 0 : -ENOMEM;
	if (r == 0 && access(f.target, F_OK) < 0)
		r = fetch_missing(&f, diag);
	if (r == 0)
		*ret_path = steal_ptr(f.target);
	pt_apt_free(f.apt);
	if (f.lock >= 0)
		close(f.lock);
	free(f.target);
	free(f.part);
	return r;
}
