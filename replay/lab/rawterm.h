/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user's terminal while a program in a guest has it: each key goes through, Ctrl-C too, and the
 * guest's own terminal echoes them.
 */
#ifndef PT_REPLAY_LAB_RAWTERM_H
#define PT_REPLAY_LAB_RAWTERM_H

#include <termios.h>

struct pt_rawterm {
	int fd; /* -1: nothing to restore */
	struct termios before;
};

/* Take the terminal @fd; what is no terminal stays as it is. */
void pt_rawterm_start(struct pt_rawterm *t, int fd);

/* Restore it, once what was written has been shown. Accepts one that was never a terminal. */
void pt_rawterm_stop(struct pt_rawterm *t);

#endif
