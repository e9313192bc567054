/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lab's own folder in the user's cache: $XDG_CACHE_HOME/pagetape, else ~/.cache/pagetape. What
 * is in it can be removed at any time.
 */
#ifndef PT_REPLAY_LAB_CACHEDIR_H
#define PT_REPLAY_LAB_CACHEDIR_H

/*
 * The path of @name in it, to be freed; the folders on the way are made. Returns 0, -ENOENT (no
 * home either), -ENOMEM or -errno of making them.
 */
int pt_cachedir_file(const char *name, char **ret_path);

/* The same of a folder @name, which is made too. */
int pt_cachedir_folder(const char *name, char **ret_path);

/* Make the folder @path, and those above it that are missing. 0 or -errno. */
int pt_make_folders(const char *path);

#endif
