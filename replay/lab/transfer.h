/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files over a channel: DATA frames and END, for PUT one way and GET the other.
 */
#ifndef PT_REPLAY_LAB_TRANSFER_H
#define PT_REPLAY_LAB_TRANSFER_H

#include "replay/lab/channel.h"

/*
 * Send all of @fd from where it stands, then END. Every frame has a limit of its own: @limit_ns of
 * silence. Returns 0; -errno of reading the file, no END sent then (the caller sends FAIL); or what
 * pt_channel_send() says.
 */
int pt_transfer_send(struct pt_channel *c, int fd, uint64_t limit_ns, struct pt_diag *diag);

/*
 * Send the next part of it, or END, until @deadline_ns. Returns 1 where more is to come, 0 after
 * END, or what the above does.
 */
int pt_transfer_send_part(struct pt_channel *c, int fd, uint64_t deadline_ns, struct pt_diag *diag);

/* A file that is on its way to us. */
struct pt_transfer {
	int fd;
	uint64_t max_bytes;
	uint64_t bytes; /* so far */
	int failed;     /* of the file, to be told at END */
};

/*
 * Take the next frame but LOG. Returns 0, and 1 at END. How long that may take is the caller's
 * matter; failures are those below.
 */
int pt_transfer_take(struct pt_transfer *t, const struct pt_frame *f, struct pt_diag *diag);

/*
 * Write DATA to @fd until END, from a peer that is trusted to come to it: every frame has a limit,
 * their number has none. After a failure of the file (-ENOSPC; -E2BIG beyond @max_bytes) the
 * rest is taken in and dropped, so that the channel stays of use. Returns 0 and *ret_bytes (may be
 * NULL); what the peer's FAIL says; -EBADMSG for any other frame; -EPIPE where it closed; or
 * -errno.
 */
int pt_transfer_receive(struct pt_channel *c, int fd, uint64_t max_bytes, uint64_t limit_ns,
			uint64_t *ret_bytes, struct pt_diag *diag);

#endif
