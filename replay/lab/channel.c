// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames over a byte stream: see channel.h. */
#include "replay/lab/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/printable.h"
#include "util/progress.h"

#define READ_STEP    (64u << 10)
#define TAKE_IN_MAX  (4u << 20) /* kept while a frame waits to be sent */
#define STOP_POLL_MS 100        /* how soon a stop is noticed that came just before poll(2) */

struct pt_channel {
	int fd;
	const volatile sig_atomic_t *stop;
	struct pt_buf in; /* received; @done bytes of it were handed out */
	size_t done;
	int closed; /* the peer sends no more */
	int broken; /* a negative errno: what made sending fail for good */
};

static const struct {
	uint32_t type;
	const char *name;
} names[] = {
	{ PT_FRAME_PUT, "PUT" },       { PT_FRAME_GET, "GET" },     { PT_FRAME_RUN, "RUN" },
	{ PT_FRAME_SIGNAL, "SIGNAL" }, { PT_FRAME_IN, "IN" },       { PT_FRAME_WINDOW, "WINDOW" },
	{ PT_FRAME_KNOB, "KNOB" },     { PT_FRAME_STAT, "STAT" },   { PT_FRAME_OFF, "OFF" },
	{ PT_FRAME_DATA, "DATA" },     { PT_FRAME_END, "END" },     { PT_FRAME_HELLO, "HELLO" },
	{ PT_FRAME_LOG, "LOG" },       { PT_FRAME_STATE, "STATE" }, { PT_FRAME_OUT, "OUT" },
	{ PT_FRAME_ERR, "ERR" },       { PT_FRAME_EXIT, "EXIT" },   { PT_FRAME_DONE, "DONE" },
	{ PT_FRAME_FAIL, "FAIL" },
};

const char *pt_frame_name(uint32_t type)
{
	for (size_t i = 0; i < PT_ARRAY_SIZE(names); i++)
		if (names[i].type == type)
			return names[i].name;
	return "?";
}

int pt_channel_new(int fd, const volatile sig_atomic_t *stop, struct pt_channel **ret_c)
{
	auto_close int own = fd;
	int flags = fcntl(fd, F_GETFL);
	struct pt_channel *c;

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->fd = steal_fd(&own);
	c->stop = stop;
	*ret_c = c;
	return 0;
}

void pt_channel_free(struct pt_channel *c)
{
	if (!c)
		return;
	close(c->fd);
	pt_buf_done(&c->in);
	free(c);
}

int pt_channel_fd(const struct pt_channel *c)
{
	return c->fd;
}

/* Milliseconds until @deadline_ns, rounded up, at most a step that notices a stop; -1: for ever. */
static int wait_ms(const struct pt_channel *c, uint64_t deadline_ns)
{
	uint64_t now = pt_now_ns(), ms = c->stop ? STOP_POLL_MS : UINT64_MAX;

	if (deadline_ns != PT_NO_DEADLINE) {
		uint64_t left = deadline_ns > now ? (deadline_ns - now + 999999) / 1000000 : 0;

		ms = left < ms ? left : ms;
	}
	if (ms == UINT64_MAX)
		return -1;
	return ms > 1000000 ? 1000000 : (int)ms;
}

/* Wait for any of @events. Returns 0 and *ret_seen, -EINTR, -ETIMEDOUT or -errno. */
static int wait_for(const struct pt_channel *c, short events, uint64_t deadline_ns, short *ret_seen)
{
	for (;;) {
		struct pollfd p = { .fd = c->fd, .events = events };
		int n;

		if (c->stop && *c->stop)
			return -EINTR;
		n = poll(&p, 1, wait_ms(c, deadline_ns));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			*ret_seen = p.revents;
			return 0;
		}
		if (n == 0 && deadline_ns != PT_NO_DEADLINE && pt_now_ns() >= deadline_ns)
			return -ETIMEDOUT;
	}
}

/* Read once what there is. Returns 0 (perhaps nothing came, or the peer closed) or -errno. */
static int take_in(struct pt_channel *c)
{
	ssize_t n;

	if (c->done) {
		memmove(c->in.data, c->in.data + c->done, c->in.len - c->done);
		c->in.len -= c->done;
		c->done = 0;
	}
	if (pt_buf_reserve(&c->in, READ_STEP + 1))
		return -ENOMEM;
	n = read(c->fd, c->in.data + c->in.len, READ_STEP);
	if (n < 0)
		switch (errno) {
		case EAGAIN:
		case EINTR:
			return 0;
		case ECONNRESET:
			n = 0;
			break;
		default:
			return -errno;
		}
	c->in.len += (size_t)n;
	if (n == 0)
		c->closed = 1;
	return 0;
}

/* Write what goes, taking in what comes. *@sent moves. Returns 0 or -errno. */
static int send_some(struct pt_channel *c, const uint8_t *p, size_t len, size_t *sent,
		     uint64_t deadline_ns)
{
	int may_take = !c->closed && c->in.len - c->done < TAKE_IN_MAX;
	ssize_t n;
	short seen;
	int err;

	n = write(c->fd, p + *sent, len - *sent);
	if (n >= 0) {
		*sent += (size_t)n;
		return 0;
	}
	if (errno != EAGAIN && errno != EINTR)
		return -errno;
	err = wait_for(c, (short)(POLLOUT | (may_take ? POLLIN : 0)), deadline_ns, &seen);
	if (err)
		return err;
	if (seen & POLLIN)
		return take_in(c);
	/* A virtio port whose host went away takes no bytes and reports no error but this. */
	return seen & (POLLHUP | POLLERR) ? -EPIPE : 0;
}

static int send_bytes(struct pt_channel *c, const uint8_t *p, size_t len, uint64_t deadline_ns)
{
	size_t sent = 0;
	int err = c->broken;

	while (!err && sent < len)
		err = send_some(c, p, len, &sent, deadline_ns);
	c->broken = err;
	return err;
}

int pt_channel_send(struct pt_channel *c, enum pt_frame_type type, const void *data, size_t len,
		    uint64_t deadline_ns, struct pt_diag *diag)
{
	uint8_t header[PT_FRAME_HEADER];
	int err;

	if (len > PT_FRAME_MAX)
		return pt_diag_set(diag, -E2BIG, PT_NO_OFFSET,
				   "a %s frame of %zu bytes is too long", pt_frame_name(type), len);
	le32_put(header, type);
	le32_put(header + 4, (uint32_t)len);
	err = send_bytes(c, header, sizeof(header), deadline_ns);
	if (!err)
		err = send_bytes(c, data, len, deadline_ns);
	if (err)
		return pt_diag_errno(diag, err, "cannot send %s", pt_frame_name(type));
	return 0;
}

/* Whether a whole frame stands in the buffer: 1 and *ret_f; 0: not yet; -EBADMSG. */
static int next_frame(const struct pt_channel *c, struct pt_frame *ret_f, struct pt_diag *diag)
{
	size_t have = c->in.len - c->done;
	const uint8_t *p;
	uint32_t type, len;

	if (have < PT_FRAME_HEADER)
		return 0;
	p = c->in.data + c->done;
	type = le32_get(p);
	len = le32_get(p + 4);
	if (strcmp(pt_frame_name(type), "?") == 0 || len > PT_FRAME_MAX)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET,
				   "the other end sent no frame: type %u, %u bytes", type, len);
	if (have - PT_FRAME_HEADER < len)
		return 0;
	*ret_f = (struct pt_frame){ .type = type, .len = len, .data = p + PT_FRAME_HEADER };
	return 1;
}

int pt_channel_pending(const struct pt_channel *c)
{
	struct pt_frame f;

	return c->closed || next_frame(c, &f, NULL) != 0;
}

/*
 * Hand the frame out with a NUL behind it. That byte may be the next frame's first, so the frame is
 * moved down over its own header, which nobody needs any more.
 */
static void hand_out(struct pt_channel *c, struct pt_frame *f)
{
	uint8_t *p = c->in.data + c->done;

	memmove(p, p + PT_FRAME_HEADER, f->len);
	p[f->len] = 0;
	f->data = p;
	c->done += PT_FRAME_HEADER + f->len;
}

int pt_channel_receive(struct pt_channel *c, uint64_t deadline_ns, struct pt_frame *ret_f,
		       struct pt_diag *diag)
{
	short seen;

	for (;;) {
		int err = next_frame(c, ret_f, diag);

		if (err > 0)
			hand_out(c, ret_f);
		if (err)
			return err;
		if (c->closed && c->in.len == c->done)
			return 0;
		if (c->closed)
			return pt_diag_set(diag, -ENODATA, PT_NO_OFFSET,
					   "the other end closed inside a frame");
		err = wait_for(c, POLLIN, deadline_ns, &seen);
		if (!err)
			err = take_in(c);
		if (err)
			return pt_diag_errno(diag, err, "cannot receive");
	}
}

int pt_channel_send_fail(struct pt_channel *c, int err, const struct pt_diag *d,
			 uint64_t deadline_ns)
{
	struct pt_diag empty = PT_DIAG_INIT;
	uint8_t payload[4 + 600];
	char *text = (char *)payload + 4;

	le32_put(payload, (uint32_t)-err);
	pt_diag_format(d ? d : &empty, err, text, sizeof(payload) - 4);
	return pt_channel_send(c, PT_FRAME_FAIL, payload, 4 + strlen(text), deadline_ns, NULL);
}

int pt_frame_failure(const struct pt_frame *f, struct pt_diag *diag)
{
	uint32_t err = f->len >= 4 ? le32_get(f->data) : 0;
	char text[256];

	if (err == 0 || err > 4095) /* the kernel's MAX_ERRNO */
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "the guest failed unintelligibly");
	pt_printable((const char *)f->data + 4, text, sizeof(text));
	return pt_diag_set(diag, -(int)err, PT_NO_OFFSET, "%s", text);
}
