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

int pt_transfer_send(struct pt_channel *c, int fd, uint64_t limit_ns, struct pt_diag *diag)
{
	auto_free uint8_t *part = malloc(PART);

	if (!part)
		return -ENOMEM;
	for (;;) {
		ssize_t n = read(fd, part, PART);
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pt_diag_errno(diag, -errno, "cannot read");
		err = pt_channel_send(c, n ? PT_FRAME_DATA : PT_FRAME_END, part, (size_t)n,
				      pt_now_ns() + limit_ns, diag);
		if (err || n == 0)
			return err;
	}
}

int pt_transfer_receive(struct pt_channel *c, int fd, uint64_t max_bytes, uint64_t limit_ns,
			uint64_t *ret_bytes, struct pt_diag *diag)
{
	uint64_t bytes = 0, deadline_ns = pt_now_ns() + limit_ns;
	int failed = 0;

	for (;;) {
		struct pt_frame f;
		int err = pt_channel_receive(c, deadline_ns, &f, diag);

		if (err < 0)
			return err;
		if (err == 0)
			return pt_diag_set(diag, -EPIPE, PT_NO_OFFSET, "cut short");
		if (f.type == PT_FRAME_FAIL)
			return pt_frame_failure(&f, diag);
		if (f.type == PT_FRAME_END)
			break;
		if (f.type == PT_FRAME_LOG)
			continue;
		if (f.type != PT_FRAME_DATA || f.len == 0)
			return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "%s inside a file",
					   pt_frame_name(f.type));
		deadline_ns = pt_now_ns() + limit_ns; /* that chatter does not move */
		bytes += f.len;
		if (!failed && bytes > max_bytes)
			failed = pt_diag_set(diag, -E2BIG, PT_NO_OFFSET, "more than %llu bytes",
					     (unsigned long long)max_bytes);
		if (!failed)
			failed = pt_write_all(fd, f.data, f.len);
	}
	if (failed)
		return pt_diag_errno(diag, failed, "cannot write");
	if (ret_bytes)
		*ret_bytes = bytes;
	return 0;
}
