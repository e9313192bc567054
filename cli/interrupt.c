// SPDX-License-Identifier: GPL-2.0-or-later
/* The program's one signal flag: see interrupt.h. */
#include "cli/interrupt.h"

#include <stddef.h>

static volatile sig_atomic_t signal_seen;

const volatile sig_atomic_t *const pt_interrupted = &signal_seen;

static void on_signal(int sig)
{
	signal_seen = sig;
}

void pt_interrupt_catch(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}
