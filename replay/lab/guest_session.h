/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host asks of a guest, done one after another. */
#ifndef PT_REPLAY_LAB_GUEST_SESSION_H
#define PT_REPLAY_LAB_GUEST_SESSION_H

#include "host/knobs.h"
#include "replay/lab/channel.h"

/*
 * Say HELLO and obey frames until OFF, which is answered, or until the host closes: 0 both. What
 * cannot be done is answered with FAIL. Nonsense ends it: -EBADMSG. @sigchld is as in
 * guest_command.h.
 */
int pt_guest_session(struct pt_channel *c, const struct pt_knob_place *place, int sigchld,
		     struct pt_diag *diag);

#endif
