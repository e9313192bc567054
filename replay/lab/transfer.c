// SPDX-License-Identifier: GPL-2.0-or-later
/* Files over a channel: see transfer.h. */
#include "replay/lab/transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/outfile.h"
#include "util/progress.h"

#define PART (256u << 10)

int pt_transfer_send_part(struct pt_channel *c, int fd, uint64_t deadline_ns, struct pt_diag *diag)
{
	auto_free uint8_t *part = malloc(PART);
	ssize_t n;
	int err;

	if (!part)
		return -ENOMEM;
	do
		n = read(fd, part, PART);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return pt_diag_errno(diag, -errno, "cannot read");
	err = pt_channel_send(c, n ? PT_FRAME_DATA : PT_FRAME_END, part, (size_t)n, deadline_ns,
			      diag);
	return err ? err : n > 0;
}

int pt_transfer_send(struct pt_channel *c, int fd, uint64_t limit_ns, struct pt_diag *diag)
{
	int r;

	do
		r = pt_transfer_send_part(c, fd, pt_now_ns() + limit_ns, diag);
	while (r > 0);
	return r;
}

int pt_transfer_take(struct pt_transfer *t, const struct pt_frame *f, struct pt_diag *diag)
{
	if (f->type == PT_FRAME_FAIL)
		return pt_frame_failure(f, diag);
	if (f->type == PT_FRAME_END)
		return t->failed ? pt_diag_errno(diag, t->failed, "cannot write") : 1;
	if (f->type != PT_FRAME_DATA || f->len == 0)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "%s inside a file",
				   pt_frame_name(f->type));
	t->bytes += f->len;
	if (!t->failed && t->bytes > t->max_bytes)
		t->failed = pt_diag_set(diag, -E2BIG, PT_NO_OFFSET, "more than %llu bytes",
					(unsigned long long)t->max_bytes);
	if (!t->failed)
		t->failed = pt_write_all(t->fd, f->data, f->len);
	return 0;
}

int pt_transfer_receive(struct pt_channel *c, int fd, uint64_t max_bytes, uint64_t limit_ns,
			uint64_t *ret_bytes, struct pt_diag *diag)
{
	struct pt_transfer t = { .fd = fd, .max_bytes = max_bytes };
	uint64_t deadline_ns = pt_now_ns() + limit_ns;
	int r;

	do {
		struct pt_frame f;

		r = pt_channel_receive(c, deadline_ns, &f, diag);
		if (r < 0)
			return r;
		if (r == 0)
			return pt_diag_set(diag, -EPIPE, PT_NO_OFFSET, "cut short");
		r = 0;
		if (f.type == PT_FRAME_LOG)
			continue;
		deadline_ns = pt_now_ns() + limit_ns; /* that chatter does not move */
		r = pt_transfer_take(&t, &f, diag);
	} while (r == 0);
	if (r < 0)
		return r;
	if (ret_bytes)
		*ret_bytes = t.bytes;
	return 0;
}
