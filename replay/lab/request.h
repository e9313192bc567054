/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The payloads of PUT and RUN: what the host asks of a guest, as bytes and back.
 */
#ifndef PT_REPLAY_LAB_REQUEST_H
#define PT_REPLAY_LAB_REQUEST_H

#include "replay/lab/channel.h"
#include "util/bytes.h"

#define PT_RUN_WORDS 4096 /* arguments, and variables, of a command at most */

enum pt_run_flags {
	PT_RUN_INPUT = 1 << 0, /* IN frames are its stdin; else that is empty */
	PT_RUN_TTY = 1 << 1,   /* on a terminal of its own: IN are keys, all output comes as OUT */
};

/* u32 flags, u32 number of arguments, then NUL-ended texts: cwd, the arguments, the variables. */
struct pt_run_request {
	uint32_t flags;          /* PT_RUN_* */
	const char *cwd;         /* "" is "/" */
	const char *const *argv; /* NULL-ended, at least one; found by PATH where it has no slash */
	const char *const *env;  /* NULL-ended "NAME=VALUE" beside the guest's own; NULL: none */
};

/* Append the payload of RUN. Returns 0, -EINVAL (no argument), -E2BIG (PT_FRAME_MAX) or -ENOMEM. */
int pt_run_request_format(const struct pt_run_request *r, struct pt_buf *b);

/*
 * Read it. *ret_r points into the frame and to @ret_words, which is to be freed after use. Returns
 * 0, -EBADMSG (malformed, unknown flags, no arguments), -E2BIG (PT_RUN_WORDS) or -ENOMEM.
 */
int pt_run_request_parse(const struct pt_frame *f, struct pt_run_request *ret_r, char ***ret_words,
			 struct pt_diag *diag);

/* PUT: u32 permission bits, path. The path is absolute and without NUL. */
int pt_put_request_format(uint32_t mode, const char *path, struct pt_buf *b);
int pt_put_request_parse(const struct pt_frame *f, uint32_t *ret_mode, const char **ret_path,
			 struct pt_diag *diag);

/* A payload that is an absolute path and nothing else (GET). */
int pt_path_parse(const struct pt_frame *f, const char **ret_path, struct pt_diag *diag);

#endif
