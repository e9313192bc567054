// SPDX-License-Identifier: GPL-2.0-or-later
/* Copying and making devices: see blockdev.h. */
#include "replay/lab/blockdev.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/outfile.h"

#define PART     (1u << 20)
#define PIECE    4096 /* zero or not: what brd allocates at a time */
#define SWAP_MIN 10   /* pages, as mkswap has it */

static int open_device(const char *path, int flags, uint64_t *ret_bytes, struct pt_diag *diag)
{
	auto_close int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, BLKGETSIZE64, ret_bytes) < 0)
		return pt_diag_errno(diag, -errno, "cannot open %s", path);
	return steal_fd(&fd);
}

static int is_zero(const uint8_t *p, size_t len)
{
	return p[0] == 0 && memcmp(p, p + 1, len - 1) == 0;
}

/* Write the pieces of @p that hold anything. */
static int write_pieces(int fd, const uint8_t *p, size_t len, uint64_t at)
{
	for (size_t i = 0; i < len; i += PIECE) {
		size_t n = len - i < PIECE ? len - i : PIECE;
		ssize_t written;

		if (is_zero(p + i, n))
			continue;
		written = pwrite(fd, p + i, n, (off_t)(at + i));
		if (written != (ssize_t)n)
			return written < 0 ? -errno : -EIO;
	}
	return 0;
}

static int copy_parts(int in, int out, uint8_t *part)
{
	uint64_t at = 0;
	ssize_t n;

	while ((n = pread(in, part, PART, (off_t)at)) > 0) {
		int err = write_pieces(out, part, (size_t)n, at);

		if (err)
			return err;
		at += (uint64_t)n;
	}
	return n < 0 ? -errno : 0;
}

int pt_blockdev_copy(const char *from, const char *to, struct pt_diag *diag)
{
	auto_free void *part = NULL;
	auto_close int in = -1, out = -1;
	uint64_t have, room;
	int err;

	in = open_device(from, O_RDONLY | O_DIRECT, &have, diag);
	if (in < 0)
		return in;
	out = open_device(to, O_WRONLY | O_DIRECT, &room, diag);
	if (out < 0)
		return out;
	if (room < have)
		return pt_diag_set(diag, -ENOSPC, PT_NO_OFFSET, "%s has %llu bytes, %s %llu", to,
				   (unsigned long long)room, from, (unsigned long long)have);
	if (posix_memalign(&part, PIECE, PART))
		return -ENOMEM;
	err = copy_parts(in, out, part);
	return err ? pt_diag_errno(diag, err, "cannot copy %s to %s", from, to) : 0;
}

int pt_blockdev_make_swap(const char *device, struct pt_diag *diag)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	auto_free uint8_t *head = calloc(1, page);
	auto_close int fd = -1;
	uint64_t bytes;
	int err;

	if (!head)
		return -ENOMEM;
	fd = open_device(device, O_WRONLY, &bytes, diag);
	if (fd < 0)
		return fd;
	if (bytes / page < SWAP_MIN || bytes / page - 1 > UINT32_MAX)
		return pt_diag_set(diag, -ENOSPC, PT_NO_OFFSET, "%s has no size for swap", device);
	/* union swap_header of linux/swap.h: version, last page, number of bad pages. */
	le32_put(head + 1024, 1);
	le32_put(head + 1028, (uint32_t)(bytes / page - 1));
	memcpy(head + page - 10, "SWAPSPACE2", 10);
	err = pt_write_all(fd, head, page);
	if (!err && fsync(fd) < 0)
		err = -errno;
	return err ? pt_diag_errno(diag, err, "cannot make swap of %s", device) : 0;
}
