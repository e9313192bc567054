// SPDX-License-Identifier: GPL-2.0-or-later
/* The lab's cache: see cachedir.h. */
#include "replay/lab/cachedir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/cleanup.h"

int pt_make_folders(const char *path)
{
	auto_free char *p = strdup(path);

	if (!p)
		return -ENOMEM;
	for (char *slash = p + 1; *p && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(p, 0777) < 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return mkdir(p, 0777) < 0 && errno != EEXIST ? -errno : 0;
}

/* $XDG_CACHE_HOME must be absolute to count, by its specification. */
static int base_folder(char **ret_path)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *path;
	int n;

	if (xdg && xdg[0] == '/')
		n = asprintf(&path, "%s/pagetape", xdg);
	else if (home && home[0] == '/')
		n = asprintf(&path, "%s/.cache/pagetape", home);
	else
		return -ENOENT;
	if (n < 0)
		return -ENOMEM;
	*ret_path = path;
	return 0;
}

int pt_cachedir_file(const char *name, char **ret_path)
{
	auto_free char *base = NULL;
	char *path;
	int r = base_folder(&base);

	if (r == 0)
		r = pt_make_folders(base);
	if (r < 0)
		return r;
	if (asprintf(&path, "%s/%s", base, name) < 0)
		return -ENOMEM;
	*ret_path = path;
	return 0;
}

int pt_cachedir_folder(const char *name, char **ret_path)
{
	auto_free char *path = NULL;
	int r = pt_cachedir_file(name, &path);

	if (r == 0)
		r = pt_make_folders(path);
	if (r == 0)
		*ret_path = steal_ptr(path);
	return r;
}
