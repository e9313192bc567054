// SPDX-License-Identifier: GPL-2.0-or-later
/* The payloads of PUT and RUN: see request.h. */
#include "replay/lab/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

static size_t count_words(const char *const *v)
{
	size_t n = 0;

	while (v && v[n])
		n++;
	return n;
}

static int put_words(struct pt_buf *b, const char *const *v)
{
	int err = 0;

	for (size_t i = 0; !err && v && v[i]; i++)
		err = pt_buf_put(b, v[i], strlen(v[i]) + 1);
	return err;
}

int pt_run_request_format(const struct pt_run_request *r, struct pt_buf *b)
{
	size_t args = count_words(r->argv), start = b->len;
	const char *cwd = r->cwd ? r->cwd : "";

	if (args == 0)
		return -EINVAL;
	if (args > PT_RUN_WORDS || count_words(r->env) > PT_RUN_WORDS)
		return -E2BIG;
	if (pt_buf_put_le32(b, r->flags) || pt_buf_put_le32(b, (uint32_t)args) ||
	    pt_buf_put(b, cwd, strlen(cwd) + 1) || put_words(b, r->argv) || put_words(b, r->env))
		return -ENOMEM;
	return b->len - start > PT_FRAME_MAX ? -E2BIG : 0;
}

/* Cut the texts of a RUN frame: cwd, arguments and a NULL, variables and a NULL, into @words. */
static int cut_words(const char *p, const char *end, size_t args, char **words)
{
	size_t n = 0;

	for (size_t text = 0; p < end; text++) {
		if (text > args + PT_RUN_WORDS)
			return -E2BIG;
		if (text == 1 + args)
			words[n++] = NULL;
		words[n++] = (char *)p;
		p += strlen(p) + 1;
	}
	if (n < 1 + args)
		return -EBADMSG;
	words[n++] = NULL;
	if (n == 2 + args)
		words[n] = NULL; /* no variables */
	return 0;
}

int pt_run_request_parse(const struct pt_frame *f, struct pt_run_request *ret_r, char ***ret_words,
			 struct pt_diag *diag)
{
	auto_free char **words = NULL;
	uint32_t flags, args;
	int err;

	if (f->len < 8 || f->data[f->len - 1] != 0)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "malformed command");
	flags = le32_get(f->data);
	args = le32_get(f->data + 4);
	if (flags & ~(uint32_t)(PT_RUN_INPUT | PT_RUN_TTY) || args == 0)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "malformed command");
	if (args > PT_RUN_WORDS)
		return pt_diag_set(diag, -E2BIG, PT_NO_OFFSET, "%u arguments", args);
	words = calloc(1 + args + 1 + PT_RUN_WORDS + 1, sizeof(*words));
	if (!words)
		return -ENOMEM;
	err = cut_words((const char *)f->data + 8, (const char *)f->data + f->len, args, words);
	if (err)
		return pt_diag_set(diag, err, PT_NO_OFFSET, "malformed command");
	*ret_r = (struct pt_run_request){ .flags = flags,
					  .cwd = words[0],
					  .argv = (const char *const *)words + 1,
					  .env = (const char *const *)words + 1 + args + 1 };
	*ret_words = steal_ptr(words);
	return 0;
}

int pt_put_request_format(uint32_t mode, const char *path, struct pt_buf *b)
{
	if (path[0] != '/')
		return -EINVAL;
	if (pt_buf_put_le32(b, mode) || pt_buf_put(b, path, strlen(path)))
		return -ENOMEM;
	return 0;
}

static int parse_path(const char *path, size_t len, const char **ret_path, struct pt_diag *diag)
{
	if (len == 0 || path[0] != '/' || strlen(path) != len)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "no absolute path");
	*ret_path = path;
	return 0;
}

int pt_put_request_parse(const struct pt_frame *f, uint32_t *ret_mode, const char **ret_path,
			 struct pt_diag *diag)
{
	uint32_t mode;
	int err;

	if (f->len < 4)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "malformed PUT");
	mode = le32_get(f->data);
	if (mode & ~07777u)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "mode %o", mode);
	err = parse_path((const char *)f->data + 4, f->len - 4, ret_path, diag);
	if (!err)
		*ret_mode = mode;
	return err;
}

int pt_path_parse(const struct pt_frame *f, const char **ret_path, struct pt_diag *diag)
{
	return parse_path((const char *)f->data, f->len, ret_path, diag);
}
