/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope-bound release of memory, file descriptors and streams.
 *
 * Each auto_* attribute releases its variable when it leaves scope; NULL and -1 are fine.
 * steal_ptr() and steal_fd() hand the value on and disarm the variable.
 */
#ifndef PT_UTIL_CLEANUP_H
#define PT_UTIL_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void pt_free_p(void *p)
{
	free(*(void **)p);
}

static inline void pt_close_p(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void pt_fclose_p(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define auto_free   __attribute__((cleanup(pt_free_p)))
#define auto_close  __attribute__((cleanup(pt_close_p)))
#define auto_fclose __attribute__((cleanup(pt_fclose_p)))

#define steal_ptr(p)                           \
	({                                     \
		__typeof__(p) *pt_pp = &(p);   \
		__typeof__(p) pt_val = *pt_pp; \
		*pt_pp = NULL;                 \
		pt_val;                        \
	})

static inline int steal_fd(int *fd)
{
	int val = *fd;

	*fd = -1;
	return val;
}

#define PT_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
