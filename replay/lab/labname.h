/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of a lab's candidates and tapes, which are folders, columns of tables, and words that
 * people type: letters, digits and "._+-", none of "-." in front.
 */
#ifndef PT_REPLAY_LAB_LABNAME_H
#define PT_REPLAY_LAB_LABNAME_H

#include <stdbool.h>
#include <stddef.h>

#define PT_LABNAME_SIZE 64 /* with the NUL */

bool pt_labname_is_valid(const char *s);

/* Make one out of any text: other characters become "-", what is too long is cut. Returns @buf. */
char *pt_labname_make(const char *text, char buf[PT_LABNAME_SIZE]);

/* Append @more likewise. */
char *pt_labname_append(char buf[PT_LABNAME_SIZE], const char *more);

/*
 * Make @buf different from the @n names @taken by a "-2", "-3", ... behind it.
 */
char *pt_labname_unique(char buf[PT_LABNAME_SIZE], const char *const *taken, size_t n);

#endif
