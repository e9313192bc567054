/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a lab that was killed left behind: half-made cells, each a folder NAME.part of files.
 */
#ifndef PT_REPLAY_LAB_LEFTOVERS_H
#define PT_REPLAY_LAB_LEFTOVERS_H

/* Remove the folder @dir and the files in it; other folders in it stay, and it then does. */
void pt_leftovers_remove_cell(const char *dir);

/*
 * Remove all CANDIDATE/TAPE/N.part below the lab @dir, which the caller holds the lock of. Links
 * are not followed; what cannot be removed stays.
 */
void pt_leftovers_sweep(const char *dir);

#endif
