/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames between the host and the program that runs as init in a guest, both ways over one byte
 * stream: a virtio-serial port in the guest, a Unix socket on the host.
 *
 * A frame is a little-endian u32 type, a u32 length (at most PT_FRAME_MAX) and that many bytes.
 * What each type carries is said below; replay/lab/request.h makes and reads the payloads that have
 * a shape of their own, replay/lab/transfer.h moves files. The guest speaks first: HELLO. Then the
 * host asks one thing at a time and waits for its answer. The peer is never trusted: what it sends
 * is checked, and nonsense is -EBADMSG.
 *
 * Neither end can block the other for ever: while a frame waits to be sent, what arrives is taken
 * in. SIGPIPE must be ignored by the program. Not thread-safe per channel.
 */
#ifndef PT_REPLAY_LAB_CHANNEL_H
#define PT_REPLAY_LAB_CHANNEL_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "util/diag.h"

#define PT_FRAME_MAX        (1u << 20) /* payload bytes */
#define PT_FRAME_HEADER     8          /* bytes before the payload */
#define PT_CHANNEL_PORT     "org.pagetape.lab"
#define PT_CHANNEL_PROTOCOL 1 /* HELLO's "protocol"; changes when a frame changes its sense */

enum pt_frame_type {
	/* Host to guest. */
	PT_FRAME_PUT = 1, /* u32 mode, path; DATA... END follow. -> DONE or FAIL */
	PT_FRAME_GET,     /* path -> DATA... END, or FAIL (also after some DATA) */
	PT_FRAME_RUN,     /* a request (request.h) -> OUT and ERR..., EXIT; or FAIL */
	PT_FRAME_SIGNAL,  /* u32 signal number, to the process group of what runs; no answer */
	PT_FRAME_IN,      /* bytes for the running command, none: end of its input; no answer */
	PT_FRAME_WINDOW,  /* u32 rows, u32 columns of the terminal it runs on; no answer */
	PT_FRAME_KNOB, /* "NAME=VALUE" (host/knobs.h) -> DONE (payload: the value before) or FAIL */
	PT_FRAME_STAT, /* empty -> STATE or FAIL */
	PT_FRAME_OFF,  /* empty -> DONE, and the guest powers off */

	/* Both ways. */
	PT_FRAME_DATA = 32, /* a part of a file, never empty */
	PT_FRAME_END,       /* no more DATA; empty */

	/* Guest to host. */
	PT_FRAME_HELLO = 64, /* JSON: what runs (guest_identity.h); once, first */
	PT_FRAME_LOG,        /* one line of text about what the guest does; at any time */
	PT_FRAME_STATE,      /* JSON: identity, knobs and counters as they are now */
	PT_FRAME_OUT,        /* bytes that the command wrote to stdout (or its terminal) */
	PT_FRAME_ERR,        /* the same of stderr */
	PT_FRAME_EXIT,       /* u32 wait status, as waitpid(2) gives it */
	PT_FRAME_DONE,       /* what was asked for is done */
	PT_FRAME_FAIL,       /* u32 errno, one line of text: it could not be done */
};

/* The payload is borrowed until the next call on the channel; a NUL stands behind it. */
struct pt_frame {
	uint32_t type; /* an enum pt_frame_type of any direction */
	uint32_t len;
	const uint8_t *data;
};

#define PT_NO_DEADLINE UINT64_MAX

struct pt_channel;

/*
 * Speak over @fd, which becomes the channel's (closed also on failure) and non-blocking. Where
 * @stop is not NULL, every wait ends with -EINTR once it is not 0. Returns 0 or -errno.
 */
int pt_channel_new(int fd, const volatile sig_atomic_t *stop, struct pt_channel **ret_c);
void pt_channel_free(struct pt_channel *c); /* closes; NULL is fine */

/* To poll for input beside others. It may have a whole frame already: pt_channel_pending(). */
int pt_channel_fd(const struct pt_channel *c);

/* Whether pt_channel_receive() would return without reading: 1 or 0. */
int pt_channel_pending(const struct pt_channel *c);

/*
 * Send a frame of @len bytes at @data (NULL where 0). It waits until all of it is written, at most
 * until @deadline_ns (CLOCK_MONOTONIC as of pt_now_ns(); PT_NO_DEADLINE). Returns 0, -E2BIG,
 * -ETIMEDOUT, -EINTR, -EPIPE (the peer is gone) or -errno; after a failure the channel is of no
 * further use.
 */
int pt_channel_send(struct pt_channel *c, enum pt_frame_type type, const void *data, size_t len,
		    uint64_t deadline_ns, struct pt_diag *diag);

/*
 * Receive the next frame, waiting as above. Returns 1 and *ret_f; 0 where the peer closed between
 * frames; -ENODATA where it closed inside one; -EBADMSG for a frame that cannot be (an unknown
 * type, a length above PT_FRAME_MAX); -ETIMEDOUT (receiving may go on), -EINTR or -errno.
 */
int pt_channel_receive(struct pt_channel *c, uint64_t deadline_ns, struct pt_frame *ret_f,
		       struct pt_diag *diag);

/* Send FAIL: @err (a negative errno) and what @d says, without waiting for ever. As
 * pt_channel_send(). */
int pt_channel_send_fail(struct pt_channel *c, int err, const struct pt_diag *d,
			 uint64_t deadline_ns);

/*
 * Read a FAIL frame into @diag. Returns its errno, negative (-EBADMSG where the frame is
 * malformed).
 */
int pt_frame_failure(const struct pt_frame *f, struct pt_diag *diag);

/* "RUN", "HELLO"..., for messages; "frame N" is not made: "?" for a type that is none. */
const char *pt_frame_name(uint32_t type);

#endif
