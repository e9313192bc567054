// SPDX-License-Identifier: GPL-2.0-or-later
/* Small text files: whole reads, one-shot writes, lines and words. */
#include "util/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "util/bytes.h"
#include "util/cleanup.h"

#define CHUNK 16384

/* Files of /proc have no size, and some change between reads: read until the end. */
static int read_all(int fd, struct pt_buf *b)
{
	ssize_t n;

	do {
		if (b->len > PT_TEXT_MAX)
			return -E2BIG;
		if (pt_buf_reserve(b, CHUNK + 1) < 0)
			return -ENOMEM;
		n = read(fd, b->data + b->len, CHUNK);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			b->len += (size_t)n;
	} while (n != 0);
	b->data[b->len] = '\0';
	return 0;
}

int pt_text_read_fd(int fd, char **ret_text)
{
	struct pt_buf b = { 0 };
	int r = read_all(fd, &b);

	if (r < 0) {
		pt_buf_done(&b);
		return r;
	}
	*ret_text = (char *)b.data;
	return 0;
}

int pt_text_read(const char *root, const char *path, char **ret_text)
{
	auto_free char *full = NULL;
	auto_close int fd = -1;

	if (asprintf(&full, "%s%s", root, path) < 0) {
		full = NULL;
		return -ENOMEM;
	}
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : pt_text_read_fd(fd, ret_text);
}

int pt_text_write(const char *path, const char *text)
{
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return -errno;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

char *pt_text_line(char **rest)
{
	return *rest && **rest ? strsep(rest, "\n") : NULL;
}

char *pt_text_word(char **rest)
{
	char *word;

	do {
		word = *rest ? strsep(rest, " \t\n") : NULL;
	} while (word && !*word);
	return word;
}
