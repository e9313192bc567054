// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing cpio archives: see cpio.h. */
#include "replay/lab/cpio.h"

#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/outfile.h"

#define HEADER  110 /* bytes: a magic number and 13 fields of 8 hexadecimal digits */
#define PART    (256u << 10)
#define TRAILER "TRAILER!!!"

/* A name that was written, in a tree by name. */
struct written {
	int is_folder;
	char name[];
};

struct pt_cpio {
	int fd;
	void *entries;
	uint64_t bytes, files, max_bytes, max_files;
};

/* What a header says of one entry. */
struct header {
	const char *name;
	uint32_t mode, len;
	unsigned int major, minor;
};

static int compare_written(const void *a, const void *b)
{
	return strcmp(((const struct written *)a)->name, ((const struct written *)b)->name);
}

int pt_cpio_new(int fd, uint64_t max_bytes, uint64_t max_files, struct pt_cpio **ret_c)
{
	struct pt_cpio *c = malloc(sizeof(*c));

	if (!c)
		return -ENOMEM;
	*c = (struct pt_cpio){ .fd = fd, .max_bytes = max_bytes, .max_files = max_files };
	*ret_c = c;
	return 0;
}

void pt_cpio_free(struct pt_cpio *c)
{
	if (!c)
		return;
	tdestroy(c->entries, free);
	free(c);
}

/* A name without the slashes before it and behind it, or NULL with *ret_err. */
static struct written *make_written(const char *name, int *ret_err)
{
	const char *from = name + strspn(name, "/");
	size_t len = strlen(from);
	struct written *e;

	while (len && from[len - 1] == '/')
		len--;
	*ret_err = -EINVAL;
	if (len == 0 || len >= PATH_MAX || (len == strlen(TRAILER) && !strncmp(from, TRAILER, len)))
		return NULL;
	for (size_t i = 0, start = 0; i <= len; i++) {
		if (i < len && ((unsigned char)from[i] < ' ' || from[i] == 127))
			return NULL;
		if (i < len && from[i] != '/')
			continue;
		if (i == start || (i - start == 1 && from[start] == '.') ||
		    (i - start == 2 && strncmp(from + start, "..", 2) == 0))
			return NULL;
		start = i + 1;
	}
	e = malloc(sizeof(*e) + len + 1);
	*ret_err = -ENOMEM;
	if (!e)
		return NULL;
	memcpy(e->name, from, len);
	e->name[len] = '\0';
	return e;
}

static int write_counted(struct pt_cpio *c, const void *p, size_t len)
{
	if (len > c->max_bytes - c->bytes)
		return -E2BIG;
	c->bytes += len;
	return pt_write_all(c->fd, p, len);
}

/* Zeros up to a multiple of four bytes. */
static int pad(struct pt_cpio *c)
{
	return write_counted(c, "\0\0\0", (size_t)(-c->bytes & 3));
}

static int write_header(struct pt_cpio *c, const struct header *h)
{
	char text[HEADER + 1];
	size_t name_len = strlen(h->name) + 1;
	int err;

	snprintf(text, sizeof(text), "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
		 (unsigned int)c->files, h->mode, 0, 0, 1, 0, h->len, 0, 0, h->major, h->minor,
		 (unsigned int)name_len, 0);
	err = write_counted(c, text, HEADER);
	if (!err)
		err = write_counted(c, h->name, name_len);
	return err ? err : pad(c);
}

static int add_parents(struct pt_cpio *c, const char *name);

/* Note the name, make its folders, write its header. Returns 0, or 1 for a folder that is there. */
static int add_entry(struct pt_cpio *c, const char *name, struct header h)
{
	int err, is_folder = S_ISDIR(h.mode);
	struct written *e = make_written(name, &err), **at;

	if (!e)
		return err;
	e->is_folder = is_folder;
	err = add_parents(c, e->name);
	if (!err && c->files == c->max_files)
		err = -E2BIG;
	at = err ? NULL : tsearch(e, &c->entries, compare_written);
	if (!err && !at)
		err = -ENOMEM;
	if (err || *at != e) {
		if (!err)
			err = is_folder && (*at)->is_folder ? 1 : -EEXIST;
		free(e);
		return err;
	}
	c->files++;
	h.name = e->name;
	return write_header(c, &h);
}

static int add_parents(struct pt_cpio *c, const char *name)
{
	auto_free char *copy = strdup(name);
	char *slash = copy ? strrchr(copy, '/') : NULL;
	int err;

	if (!copy)
		return -ENOMEM;
	if (!slash)
		return 0;
	*slash = '\0';
	if (pt_cpio_has(c, copy) == 2)
		return 0;
	err = add_entry(c, copy, (struct header){ .mode = S_IFDIR | 0755 });
	return err < 0 ? err : 0;
}

static int told(struct pt_diag *diag, int err, const char *name)
{
	if (err == -EINVAL)
		return pt_diag_set(diag, err, PT_NO_OFFSET, "'%.200s' is no name for a file", name);
	if (err == -EEXIST)
		return pt_diag_set(diag, err, PT_NO_OFFSET, "there are two files %.200s", name);
	if (err == -E2BIG)
		return pt_diag_set(diag, err, PT_NO_OFFSET, "the initramfs becomes too large");
	return pt_diag_errno(diag, err, "cannot write %.200s to the initramfs", name);
}

int pt_cpio_folder(struct pt_cpio *c, const char *name, uint32_t mode, struct pt_diag *diag)
{
	int err = add_entry(c, name, (struct header){ .mode = S_IFDIR | (mode & 07777) });

	return err < 0 ? told(diag, err, name) : 0;
}

int pt_cpio_bytes(struct pt_cpio *c, const char *name, uint32_t mode, const void *data, size_t len,
		  struct pt_diag *diag)
{
	struct header h = { .mode = S_IFREG | (mode & 07777), .len = (uint32_t)len };
	int err = len > UINT32_MAX ? -E2BIG : add_entry(c, name, h);

	if (!err)
		err = write_counted(c, data, len);
	if (!err)
		err = pad(c);
	return err ? told(diag, err, name) : 0;
}

int pt_cpio_link(struct pt_cpio *c, const char *name, const char *target, struct pt_diag *diag)
{
	struct header h = { .mode = S_IFLNK | 0777, .len = (uint32_t)strlen(target) };
	int err = h.len == 0 || h.len >= PATH_MAX ? -EINVAL : add_entry(c, name, h);

	if (!err)
		err = write_counted(c, target, h.len);
	if (!err)
		err = pad(c);
	return err ? told(diag, err, name) : 0;
}

int pt_cpio_node(struct pt_cpio *c, const char *name, uint32_t mode, unsigned int major,
		 unsigned int minor, struct pt_diag *diag)
{
	struct header h = { .mode = S_IFCHR | (mode & 07777), .major = major, .minor = minor };
	int err = add_entry(c, name, h);

	return err ? told(diag, err, name) : 0;
}

static int copy_file(struct pt_cpio *c, int fd, uint64_t left)
{
	auto_free uint8_t *part = malloc(PART);
	int err = part ? 0 : -ENOMEM;

	while (!err && left) {
		ssize_t n = read(fd, part, left < PART ? (size_t)left : PART);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENODATA;
		err = write_counted(c, part, (size_t)n);
		left -= (uint64_t)n;
	}
	return err;
}

int pt_cpio_file(struct pt_cpio *c, const char *name, uint32_t mode, int fd, struct pt_diag *diag)
{
	struct header h = { .mode = S_IFREG | (mode & 07777) };
	struct stat st;
	int err = fstat(fd, &st) < 0 ? -errno : 0;

	if (!err && (uint64_t)st.st_size > c->max_bytes - c->bytes)
		err = -E2BIG;
	if (!err && (uint64_t)st.st_size > UINT32_MAX)
		err = -E2BIG;
	h.len = (uint32_t)st.st_size;
	if (!err)
		err = add_entry(c, name, h);
	if (!err)
		err = copy_file(c, fd, h.len);
	if (!err)
		err = pad(c);
	return err ? told(diag, err, name) : 0;
}

int pt_cpio_has(const struct pt_cpio *c, const char *name)
{
	int err;
	auto_free struct written *key = make_written(name, &err);
	struct written **at = key ? tfind(key, &c->entries, compare_written) : NULL;

	return at ? 1 + (*at)->is_folder : 0;
}

int pt_cpio_finish(struct pt_cpio *c, struct pt_diag *diag)
{
	int err = write_header(c, &(struct header){ .name = TRAILER });

	return err ? told(diag, err, TRAILER) : 0;
}
