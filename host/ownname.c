// SPDX-License-Identifier: GPL-2.0-or-later
/* Directories pagetape-PID-N, locked while their owner lives: see ownname.h. */
#include "host/ownname.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"

#define PREFIX    "pagetape-"
#define NAMES_MAX 1000 /* of one process in one place */
#define DIGITS    "0123456789"

static int is_ours(const char *name)
{
	size_t pid, n;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return 0;
	name += strlen(PREFIX);
	pid = strspn(name, DIGITS);
	if (!pid || name[pid] != '-')
		return 0;
	n = strspn(name + pid + 1, DIGITS);
	return n && name[pid + 1 + n] == '\0';
}

/* The lock on @dir as a descriptor, or -errno: -EWOULDBLOCK where another holds it. */
static int lock(const char *dir)
{
	auto_close int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	return steal_fd(&fd);
}

/* Whether @dir is still the directory that @fd is open on. */
static int is_there(const char *dir, int fd)
{
	struct stat opened, named;

	return fstat(fd, &opened) == 0 && lstat(dir, &named) == 0 &&
	       opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

int pt_ownname_make(const char *parent, unsigned int mode, char **ret_dir, int *ret_lock)
{
	for (int n = 0; n < NAMES_MAX; n++) {
		auto_free char *dir = NULL;
		auto_close int fd = -1;

		if (asprintf(&dir, "%s/" PREFIX "%d-%d", parent, (int)getpid(), n) < 0) {
			dir = NULL;
			return -ENOMEM;
		}
		if (mkdir(dir, mode) < 0) {
			if (errno == EEXIST)
				continue;
			return -errno;
		}
		/* Before we have the lock a sweep may take it for stale: then have another. */
		fd = lock(dir);
		if (fd < 0 || !is_there(dir, fd))
			continue;
		*ret_dir = steal_ptr(dir);
		*ret_lock = steal_fd(&fd);
		return 0;
	}
	return -EEXIST;
}

void pt_ownname_sweep(const char *parent)
{
	DIR *d = opendir(parent);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		auto_free char *dir = NULL;
		auto_close int fd = -1;

		if (!is_ours(e->d_name))
			continue;
		if (asprintf(&dir, "%s/%s", parent, e->d_name) < 0) {
			dir = NULL;
			break;
		}
		fd = lock(dir);
		if (fd >= 0)
			(void)rmdir(dir);
	}
	if (d)
		closedir(d);
}
