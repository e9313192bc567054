// SPDX-License-Identifier: GPL-2.0-or-later
/* Removing cells: see leftovers.h. */
#include "replay/lab/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"

/* The folder @name of @at, or NULL where it is none, or a link. */
static DIR *open_folder(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

static int is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void remove_cell(int at, const char *name)
{
	DIR *d = open_folder(at, name);
	const struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d)))
		if (!is_dots(e->d_name))
			(void)unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	(void)unlinkat(at, name, AT_REMOVEDIR);
}

void pt_leftovers_remove_cell(const char *dir)
{
	remove_cell(AT_FDCWD, dir);
}

/* "3.part" */
static int is_part(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits && strcmp(name + digits, ".part") == 0;
}

/* @depth folders lie between this one and the cells. */
static void sweep(int at, const char *name, int depth)
{
	DIR *d = open_folder(at, name);
	const struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d))) {
		if (is_dots(e->d_name))
			continue;
		if (depth)
			sweep(dirfd(d), e->d_name, depth - 1);
		else if (is_part(e->d_name))
			remove_cell(dirfd(d), e->d_name);
	}
	closedir(d);
}

void pt_leftovers_sweep(const char *dir)
{
	sweep(AT_FDCWD, dir, 2);
}
