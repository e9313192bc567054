/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out what the files, devices and mounts of a live recording are called.
 *
 * A file is looked for among what its first user has open or mapped, soon after it was first seen;
 * what is left at the end by its inode number, where the file system allows that, and by a walk of
 * its mount that gives up after a while. Not thread-safe.
 */
#ifndef PT_CAPTURE_FINDER_H
#define PT_CAPTURE_FINDER_H

#include "capture/interpreter.h"
#include "formats/sink.h"

struct pt_finder;

/* Release with pt_finder_free(). NULL when out of memory. */
struct pt_finder *pt_finder_new(void);
void pt_finder_free(struct pt_finder *n);

/* A new file, used by @pid. 0 or -ENOMEM. */
int pt_finder_note(struct pt_finder *n, const struct pt_file_key *key, uint32_t pid);

/*
 * Look for the files noted since the last call; define what was found in @sink and tell @in the
 * sizes. It takes a few milliseconds at most and asks no server: the next call goes on where this
 * one stopped. 0, or what the sink returned below 0.
 */
int pt_finder_look(struct pt_finder *n, const struct pt_sink *sink, struct pt_interpreter *in);

/* The end: the rest of the names, all sizes anew, the mounts and devices concerned. */
int pt_finder_finish(struct pt_finder *n, const struct pt_sink *sink);

#endif
