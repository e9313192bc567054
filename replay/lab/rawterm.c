// SPDX-License-Identifier: GPL-2.0-or-later
/* The user's terminal without its own line editing: see rawterm.h. */
#include "replay/lab/rawterm.h"

void pt_rawterm_start(struct pt_rawterm *t, int fd)
{
	struct termios raw;

	t->fd = -1;
	if (tcgetattr(fd, &t->before) < 0)
		return;
	raw = t->before;
	cfmakeraw(&raw);
	if (tcsetattr(fd, TCSADRAIN, &raw) == 0)
		t->fd = fd;
}

void pt_rawterm_stop(struct pt_rawterm *t)
{
	if (t->fd >= 0)
		(void)tcsetattr(t->fd, TCSADRAIN, &t->before);
	t->fd = -1;
}
