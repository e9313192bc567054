/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An output file that exists under its name only when it is whole.
 *
 * It is written as NAME.part in the same folder, synced, then renamed. A failed or killed run
 * leaves at most the .part, never a finished-looking NAME. An existing NAME is replaced only by
 * the rename, and only where it is a regular file: a folder, device, FIFO, socket or symbolic link
 * is refused. A link is refused rather than followed because tapes are written by root, often into
 * folders that others write to, and rather than replaced because nobody means that.
 */
#ifndef PT_UTIL_OUTFILE_H
#define PT_UTIL_OUTFILE_H

#include "util/diag.h"

#include <stddef.h>

struct pt_outfile {
	int fd; /* for the caller to write to; -1 when closed */
	char *path, *part;
};

#define PT_OUTFILE_INIT  \
	{                \
		.fd = -1 \
	}

/*
 * Create NAME.part with @mode (0600 for tapes, 0644 for results), refusing where another process
 * holds a lock on it (-EBUSY) and where pt_outfile_check() does; a stale one is replaced. Returns 0
 * or -errno with @diag filled.
 */
int pt_outfile_open(struct pt_outfile *o, const char *path, unsigned int mode,
		    struct pt_diag *diag);

/*
 * Refuse a NAME that could not be written later: something that is no regular file (-EISDIR,
 * -ELOOP for a symbolic link, -EOPNOTSUPP), or a folder that is missing or not writable. Returns 0
 * or -errno with @diag filled. Nothing is made.
 */
int pt_outfile_check(const char *path, struct pt_diag *diag);

/* Sync and rename to the final name. On failure the .part stays. Returns 0 or -errno. */
int pt_outfile_commit(struct pt_outfile *o, struct pt_diag *diag);

/* Close; remove the .part unless it was committed or @keep_part. Accepts a half-opened one. */
void pt_outfile_done(struct pt_outfile *o, int keep_part);

/* Write all of @len bytes at the descriptor's place. Returns 0 or -errno. */
int pt_write_all(int fd, const void *p, size_t len);

#endif
