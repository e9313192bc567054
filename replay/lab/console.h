/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a guest's kernel says on its console, read for what went wrong as it grows.
 *
 * A panic ends the machine. A report of WARN, BUG, lockdep, KASAN, KCSAN, KFENCE, UBSAN, kmemleak,
 * a stall or a hung task means that what was measured is not to be believed. Other bad news at boot
 * ("failed to enable...", firmware bugs, a calibration that failed) is common and says nothing.
 * Whatever a guest prints is made printable before it is shown.
 */
#ifndef PT_REPLAY_LAB_CONSOLE_H
#define PT_REPLAY_LAB_CONSOLE_H

#include <stddef.h>
#include <stdint.h>

#define PT_CONSOLE_LINE 200 /* bytes of a line that are looked at and shown */

struct pt_console;

struct pt_console *pt_console_new(void);    /* NULL: no memory */
void pt_console_free(struct pt_console *c); /* NULL is fine */

/* The next @len bytes. */
void pt_console_feed(struct pt_console *c, const void *p, size_t len);

/* All that the file @fd has beyond what was fed, a few MiB a call. Returns 1 (there may be more), 0
 * or -errno. */
int pt_console_follow(struct pt_console *c, int fd);

/*
 * What it said so far, without time stamps; each is borrowed until the next feed.
 * NULL where there was no such thing; the last line is "" before the first.
 */
const char *pt_console_panic(
	const struct pt_console *c); /* behind "Kernel panic - not syncing: " */
const char *pt_console_complaint(const struct pt_console *c); /* the first report's first line */
const char *pt_console_failure(const struct pt_console *c);   /* what our own init could not do */
const char *pt_console_last_line(const struct pt_console *c);

/* Bytes heard in all. */
uint64_t pt_console_bytes(const struct pt_console *c);

/*
 * The lines to show: a panic with those that led to it, else the first report, else the last lines;
 * 40 at most, each with a newline. Borrowed until the next call on @c.
 */
const char *pt_console_excerpt(struct pt_console *c);

#endif
