/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGINT, SIGTERM and SIGHUP as a flag, for verbs that end what they are at by themselves.
 */
#ifndef PT_CLI_INTERRUPT_H
#define PT_CLI_INTERRUPT_H

#include <signal.h>

/* The last of them that came since pt_interrupt_catch(); 0: none. Borrowed for ever. */
extern const volatile sig_atomic_t *const pt_interrupted;

/* Catch them from now on: system calls end with EINTR. */
void pt_interrupt_catch(void);

#endif
