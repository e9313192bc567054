// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole files or none: see outfile.h. */
#include "util/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"

/*
 * Lock what was opened as @part. Between open and lock its writer may have finished: then it has
 * its final name now, and must not be touched. The same goes for a file with another name.
 */
static int claim(int fd, const char *part)
{
	struct stat opened, named;

	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (fstat(fd, &opened) < 0)
		return -errno;
	if (!S_ISREG(opened.st_mode) || opened.st_nlink > 1)
		return -EEXIST;
	if (lstat(part, &named) < 0 || named.st_ino != opened.st_ino ||
	    named.st_dev != opened.st_dev)
		return -EBUSY;
	return 0;
}

static int open_part(const char *part, unsigned int mode)
{
	auto_close int fd = open(part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
	int r;

	if (fd < 0)
		return -errno;
	r = claim(fd, part);
	if (r < 0)
		return r;
	if (ftruncate(fd, 0) < 0 || fchmod(fd, mode) < 0)
		return -errno;
	return steal_fd(&fd);
}

/* The folder that @path is in; NULL: no memory. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

static int check_folder_of(const char *path)
{
	auto_free char *dir = folder_of(path);

	if (!dir)
		return -ENOMEM;
	return access(dir, W_OK | X_OK) < 0 ? -errno : 0;
}

/* Better refused now than after hours, by the rename. */
int pt_outfile_check(const char *path, struct pt_diag *diag)
{
	struct stat st;
	int r;

	if (lstat(path, &st) < 0 || S_ISREG(st.st_mode)) {
		r = check_folder_of(path);
		if (r == 0)
			return 0;
		pt_diag_errno(diag, r, "cannot create");
	} else if (S_ISDIR(st.st_mode)) {
		r = pt_diag_errno(diag, -EISDIR, "cannot create");
	} else if (S_ISLNK(st.st_mode)) {
		r = pt_diag_set(diag, -ELOOP, PT_NO_OFFSET,
				"is a symbolic link: name the file itself");
	} else {
		r = pt_diag_set(diag, -EOPNOTSUPP, PT_NO_OFFSET,
				"is no regular file, and is not replaced by one");
	}
	return pt_diag_file(diag, r, path);
}

int pt_outfile_open(struct pt_outfile *o, const char *path, unsigned int mode, struct pt_diag *diag)
{
	int r;

	*o = (struct pt_outfile)PT_OUTFILE_INIT;
	o->path = strdup(path);
	if (!o->path || asprintf(&o->part, "%s.part", path) < 0) {
		o->part = NULL;
		pt_outfile_done(o, 0);
		return -ENOMEM;
	}
	r = pt_outfile_check(path, diag);
	if (r == 0)
		r = open_part(o->part, mode);
	if (r < 0) {
		pt_diag_errno(diag, r, r == -EBUSY ? "another run is writing it" : "cannot create");
		pt_diag_file(diag, r, o->part);
		free(o->part); /* not ours: done() must not remove it */
		o->part = NULL;
		pt_outfile_done(o, 0);
		return r;
	}
	o->fd = r;
	return 0;
}

static int sync_folder_of(const char *path)
{
	auto_free char *dir = folder_of(path);
	int fd, r = 0;

	if (!dir)
		return -ENOMEM;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fsync(fd) < 0 && errno != EINVAL)
		r = -errno;
	close(fd);
	return r;
}

int pt_outfile_commit(struct pt_outfile *o, struct pt_diag *diag)
{
	int r = 0;

	if (fsync(o->fd) < 0 || rename(o->part, o->path) < 0)
		r = -errno;
	else
		(void)sync_folder_of(o->path); /* the file is whole either way */
	if (r < 0) {
		pt_diag_errno(diag, r, "cannot finish");
		return pt_diag_file(diag, r, o->path);
	}
	free(o->part);
	o->part = NULL;
	return 0;
}

void pt_outfile_done(struct pt_outfile *o, int keep_part)
{
	if (o->part && !keep_part)
		unlink(o->part);
	if (o->fd >= 0)
		close(o->fd);
	free(o->path);
	free(o->part);
	*o = (struct pt_outfile)PT_OUTFILE_INIT;
}

int pt_write_all(int fd, const void *p, size_t len)
{
	const char *at = p;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}
