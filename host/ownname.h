/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directories of our own among those of others, in tracefs and cgroup hierarchies.
 *
 * They are called pagetape-PID-N, for people to see whose they are. Whether the owner still lives
 * is told by a lock on the directory, not by the pid: that may be of another pid namespace, or
 * reused.
 */
#ifndef PT_HOST_OWNNAME_H
#define PT_HOST_OWNNAME_H

/*
 * Make one in @parent with @mode. Returns 0, *ret_dir (its path, to be freed) and *ret_lock (a
 * descriptor that says that we live, to be closed after the directory is removed), or -errno as
 * mkdir() gives it.
 */
int pt_ownname_make(const char *parent, unsigned int mode, char **ret_dir, int *ret_lock);

/* Remove those in @parent whose owner is dead; what is still in use stays. Nothing is written to.
 */
void pt_ownname_sweep(const char *parent);

#endif
