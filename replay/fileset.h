/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that a replay plays on: named, sized and filled as the recorded ones, below one
 * directory and nowhere else.
 *
 * Recorded paths become paths below the target (replay/beneath.h); unnamed files, and those whose
 * path is taken by another file or needed as a directory, become dev-MAJOR:MINOR/ino-N. A list of
 * what we made stands in the target as ".pagetape-files": only files on it are ever replaced or
 * removed. A file set stays, and is used again where sizes still fit. Not thread-safe.
 */
#ifndef PT_REPLAY_FILESET_H
#define PT_REPLAY_FILESET_H

#include <signal.h>

#include "formats/record.h"
#include "util/diag.h"
#include "util/progress.h"

#define PT_FILESET_LIST ".pagetape-files"

/* A set larger than this, and than so many times what the tape touches, takes PT_FILESET_FORCE:
 * sizes in a tape are claims, and a bad one should not fill a disk unasked. */
#define PT_FILESET_SURE_BYTES  (1ull << 30)
#define PT_FILESET_SURE_FACTOR 16

enum pt_fileset_flags {
	PT_FILESET_SPARSE = 1 << 0, /* sizes only, no data: reads then do no I/O */
	PT_FILESET_FORCE = 1 << 1,
};

/* What is asked for, one entry a recorded file. */
struct pt_fileset_want {
	struct pt_file_key key;
	const char *path; /* as recorded, or NULL; borrowed while planning */
	uint64_t size;    /* bytes at the start of the replay */
	uint64_t reach;   /* bytes up to which the replay will get, writes included */
	int used;         /* 0: the replay does without it */
};

struct pt_fileset;

/*
 * Open the directory @target, made where it is missing, and lock it (-EBUSY: another replay has
 * it). Returns 0 or -errno with @diag.
 */
int pt_fileset_open(const char *target, struct pt_fileset **ret_fs, struct pt_diag *diag);
void pt_fileset_close(struct pt_fileset *fs);

/*
 * Choose names for @n files and check what they take: -E2BIG where sizes need PT_FILESET_FORCE or
 * are none, -ENOSPC where the file system has no room. Touches nothing.
 */
int pt_fileset_plan(struct pt_fileset *fs, const struct pt_fileset_want *want, size_t n,
		    unsigned int flags, struct pt_diag *diag);

/* What the plan takes: files and their bytes, and how many bytes must be written for it now. */
struct pt_fileset_cost {
	uint64_t files, bytes, missing_bytes, free_bytes;
};
void pt_fileset_cost(const struct pt_fileset *fs, struct pt_fileset_cost *ret_cost);

/*
 * Make what is missing or has another size than planned. -EEXIST: something that is not ours is in
 * the way. @progress may be NULL; *@stop not 0 ends the work with -EINTR.
 */
int pt_fileset_prepare(struct pt_fileset *fs, struct pt_progress *progress,
		       const volatile sig_atomic_t *stop, struct pt_diag *diag);

/* Write back and drop the pages of all files. 1: verified that none stayed; 0: some did. */
int pt_fileset_drop(struct pt_fileset *fs);

/* Read the first @bytes of file @i into the page cache. Returns 0 or -errno. */
int pt_fileset_warm(struct pt_fileset *fs, size_t i, uint64_t bytes);

/* Remove all files on the list, the directories that this empties, and the list. */
int pt_fileset_remove(struct pt_fileset *fs, struct pt_diag *diag);

/* The path of file @i below the target; NULL where it is not used. Valid until the next plan. */
const char *pt_fileset_path(const struct pt_fileset *fs, size_t i);
uint64_t pt_fileset_size(const struct pt_fileset *fs, size_t i);
int pt_fileset_dirfd(const struct pt_fileset *fs);

#endif
