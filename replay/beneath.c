// SPDX-License-Identifier: GPL-2.0-or-later
/* Files below a directory: names that are safe, and opening them without ever leaving it. */
#include "replay/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "util/bytes.h"
#include "util/cleanup.h"

#define ALWAYS        (O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
#define COMPONENT_MAX 200  /* leaves room for '~' and a checksum below NAME_MAX, 255 */
#define NAME_LEN_MAX  3000 /* of PATH_MAX, 4096: the target's own path is in front in messages */
#define RESERVED      "dev-"
#define OWN           ".pagetape"

static int is_plain(const char *component, size_t len)
{
	return len > 0 && !(len == 1 && component[0] == '.') &&
	       !(len == 2 && component[0] == '.' && component[1] == '.');
}

/* Copy the component at *@path to @out, step behind it and its '/'. */
static int next_component(const char **path, char *out, size_t size)
{
	size_t len = strcspn(*path, "/");

	if (!is_plain(*path, len))
		return -EINVAL;
	if (len >= size)
		return -ENAMETOOLONG;
	memcpy(out, *path, len);
	out[len] = '\0';
	*path += len + ((*path)[len] == '/');
	return 0;
}

int pt_beneath_walk(int dirfd, const char *path, int flags, unsigned int mode)
{
	auto_close int dir = -1;
	char component[256];
	int fd, r;

	for (;;) {
		r = next_component(&path, component, sizeof(component));
		if (r < 0)
			return r;
		if (!*path)
			break;
		fd = openat(dir >= 0 ? dir : dirfd, component,
			    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		if (dir >= 0)
			close(dir);
		dir = fd;
	}
	fd = openat(dir >= 0 ? dir : dirfd, component, flags | ALWAYS, mode);
	return fd < 0 ? -errno : fd;
}

int pt_beneath_open(int dirfd, const char *path, int flags, unsigned int mode)
{
	static atomic_int too_old; /* openat2 came with Linux 5.6, and some sandboxes refuse it */
	struct open_how how = {
		/* openat2 refuses flags that mean nothing with O_PATH. */
		.flags = (uint64_t)(flags | (flags & O_PATH ? O_CLOEXEC | O_NOFOLLOW : ALWAYS)),
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	const char *rest = path;
	char component[256];
	long fd;

	while (*rest || rest == path) {
		int r = next_component(&rest, component, sizeof(component));

		if (r < 0)
			return r;
	}
	if (!atomic_load(&too_old)) {
		fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));
		if (fd >= 0)
			return (int)fd;
		if (errno != ENOSYS && errno != EPERM)
			return -errno;
		if (errno == ENOSYS)
			atomic_store(&too_old, 1);
	}
	return pt_beneath_walk(dirfd, path, flags, mode);
}

/* The directory that holds PATH, opened; *@ret_last is the last component. */
static int open_parent(int dirfd, const char *path, const char **ret_last)
{
	const char *slash = strrchr(path, '/');
	auto_free char *parent = NULL;
	int fd;

	*ret_last = slash ? slash + 1 : path;
	if (!is_plain(*ret_last, strlen(*ret_last)))
		return -EINVAL;
	if (!slash) {
		fd = fcntl(dirfd, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : fd;
	}
	parent = strndup(path, (size_t)(slash - path));
	if (!parent)
		return -ENOMEM;
	return pt_beneath_open(dirfd, parent, O_PATH | O_DIRECTORY, 0);
}

int pt_beneath_make_parents(int dirfd, const char *path)
{
	auto_close int dir = -1;
	char component[256];
	int fd, r;

	while (strchr(path, '/')) {
		r = next_component(&path, component, sizeof(component));
		if (r < 0)
			return r;
		fd = dir >= 0 ? dir : dirfd;
		if (mkdirat(fd, component, 0755) < 0 && errno != EEXIST)
			return -errno;
		fd = openat(fd, component, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		if (dir >= 0)
			close(dir);
		dir = fd;
	}
	return 0;
}

int pt_beneath_unlink(int dirfd, const char *path)
{
	const char *last;
	auto_close int dir = open_parent(dirfd, path, &last);

	if (dir < 0)
		return dir;
	return unlinkat(dir, last, 0) < 0 ? -errno : 0;
}

void pt_beneath_prune_parents(int dirfd, const char *path)
{
	auto_free char *at = strdup(path);
	char *slash;

	while (at && (slash = strrchr(at, '/'))) {
		const char *last;
		int dir, r;

		*slash = '\0';
		dir = open_parent(dirfd, at, &last);
		if (dir < 0)
			return;
		r = unlinkat(dir, last, AT_REMOVEDIR);
		close(dir);
		if (r < 0)
			return;
	}
}

static int put_byte(struct pt_buf *b, unsigned char c, int coded)
{
	char text[4];
	int len = snprintf(text, sizeof(text), coded ? "%%%02X" : "%c", c);

	return pt_buf_put(b, text, (size_t)len);
}

static int put_component(struct pt_buf *b, const char *s, size_t len, int first)
{
	size_t start = b->len;
	int own = first && ((len >= strlen(RESERVED) && !strncmp(s, RESERVED, strlen(RESERVED))) ||
			    (len >= strlen(OWN) && !strncmp(s, OWN, strlen(OWN))));
	char sum[16];
	int r = 0;

	for (size_t i = 0; r == 0 && i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		int coded =
			c < 0x20 || c == 0x7f || c == '%' || (own && i == 0) || !is_plain(s, len);

		r = put_byte(b, c, coded);
	}
	if (r == 0 && b->len - start > COMPONENT_MAX) {
		b->len = start + COMPONENT_MAX;
		snprintf(sum, sizeof(sum), "~%08x", pt_crc32(s, len));
		r = pt_buf_put(b, sum, strlen(sum));
	}
	return r;
}

char *pt_beneath_name(const char *recorded)
{
	struct pt_buf b = { 0 };
	int r = 0;

	while (r == 0 && *recorded && b.len <= NAME_LEN_MAX) {
		size_t len = strcspn(recorded, "/");

		if (len > 0) {
			int first = b.len == 0;

			r = first ? 0 : pt_buf_put(&b, "/", 1);
			if (r == 0)
				r = put_component(&b, recorded, len, first);
		}
		recorded += len + (recorded[len] == '/');
	}
	if (b.len > NAME_LEN_MAX)
		b.len = 0;
	if (r == 0)
		r = pt_buf_put(&b, "", 1);
	if (r < 0)
		pt_buf_done(&b);
	return (char *)b.data;
}
