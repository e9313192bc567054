// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of files that are ours, kept in the target itself. */
#include "replay/filelist.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "replay/beneath.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/outfile.h"
#include "util/textfile.h"

#define HEADING "# pagetape files 1"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int pt_filelist_add(struct pt_filelist *l, const char *path)
{
	char **v;

	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;

		v = reallocarray(l->v, cap, sizeof(*v));
		if (!v)
			return -ENOMEM;
		l->v = v;
		l->cap = cap;
	}
	l->v[l->n] = strdup(path);
	if (!l->v[l->n])
		return -ENOMEM;
	l->n++;
	return 0;
}

void pt_filelist_sort(struct pt_filelist *l)
{
	size_t kept = 0;

	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_name);
	for (size_t i = 0; i < l->n; i++)
		if (kept && strcmp(l->v[i], l->v[kept - 1]) == 0)
			free(l->v[i]);
		else
			l->v[kept++] = l->v[i];
	l->n = kept;
}

int pt_filelist_has(const struct pt_filelist *l, const char *path)
{
	return l->n && bsearch(&path, l->v, l->n, sizeof(*l->v), by_name) != NULL;
}

void pt_filelist_done(struct pt_filelist *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct pt_filelist){ 0 };
}

static int parse(char *text, struct pt_filelist *l)
{
	char *line = pt_text_line(&text);
	int r = 0;

	if (!line || strcmp(line, HEADING) != 0)
		return -EBADMSG;
	while (r == 0 && (line = pt_text_line(&text)))
		r = pt_filelist_add(l, line);
	pt_filelist_sort(l);
	return r;
}

int pt_filelist_load(int dirfd, const char *name, struct pt_filelist *ret_l, struct pt_diag *diag)
{
	auto_close int fd = pt_beneath_open(dirfd, name, O_RDONLY, 0);
	struct pt_filelist l = { 0 };
	auto_free char *text = NULL;
	struct stat st;
	int r;

	if (fd == -ENOENT) {
		*ret_l = l;
		return 0;
	}
	if (fd < 0)
		return pt_diag_errno(diag, fd, "cannot open %s", name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "%s is no list of files", name);
	r = pt_text_read_fd(fd, &text);
	if (r == 0)
		r = parse(text, &l);
	if (r < 0) {
		pt_filelist_done(&l);
		return r == -EBADMSG
			       ? pt_diag_set(diag, r, PT_NO_OFFSET,
					     "%s is no list of files that pagetape made", name)
			       : pt_diag_errno(diag, r, "cannot read %s", name);
	}
	*ret_l = l;
	return 0;
}

static int write_lines(int fd, const struct pt_filelist *l)
{
	struct pt_buf b = { 0 };
	int r = pt_buf_put(&b, HEADING "\n", strlen(HEADING) + 1);

	for (size_t i = 0; r == 0 && i < l->n; i++) {
		r = pt_buf_put(&b, l->v[i], strlen(l->v[i]));
		if (r == 0)
			r = pt_buf_put(&b, "\n", 1);
	}
	if (r == 0)
		r = pt_write_all(fd, b.data, b.len);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	pt_buf_done(&b);
	return r;
}

int pt_filelist_save(int dirfd, const char *name, const struct pt_filelist *l, struct pt_diag *diag)
{
	auto_free char *part = NULL;
	auto_close int fd = -1;
	int r;

	if (asprintf(&part, "%s.part", name) < 0) {
		part = NULL;
		return -ENOMEM;
	}
	(void)pt_beneath_unlink(dirfd, part);
	fd = pt_beneath_open(dirfd, part, O_WRONLY | O_CREAT | O_EXCL, 0644);
	r = fd < 0 ? fd : write_lines(fd, l);
	/* What we made must be known as ours after a power loss too, or it could not be replaced.
	 */
	if (r == 0 && (renameat(dirfd, part, dirfd, name) < 0 || fsync(dirfd) < 0))
		r = -errno;
	return r < 0 ? pt_diag_errno(diag, r, "cannot write %s", name) : 0;
}
