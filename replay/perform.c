// SPDX-License-Identifier: GPL-2.0-or-later
/* Doing one operation: preadv2, pwritev2, mapped pages, advice, and the rest. */
#include "replay/perform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "replay/beneath.h"
#include "util/cleanup.h"

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x80 /* Linux 6.14 */
#endif

/* Where a SIGBUS of this thread goes; NULL: nowhere, it is a fault of our own. A signal handler has
 * no other way to know. */
static __thread sigjmp_buf *volatile bus_return;

static const struct pt_plan_handle *handle_of(const struct pt_cast *cast, const struct pt_op *op)
{
	return pt_plan_handle(cast->plan, op->handle);
}

static int open_file(const struct pt_cast *cast, const struct pt_plan_handle *h)
{
	int flags = h->writes ? O_RDWR : O_RDONLY;
	int fd;

	if (h->kind == PT_HANDLE_DIRECT)
		flags |= O_DIRECT;
	fd = pt_beneath_open(pt_fileset_dirfd(cast->files), pt_fileset_path(cast->files, h->file),
			     flags, 0);
	/* O_NONBLOCK kept a planted FIFO from blocking us; io_uring and the like look at it. */
	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, flags & O_DIRECT);
	if (fd >= 0 && h->random && h->kind == PT_HANDLE_IO)
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	return fd;
}

static int prepare_descriptor(const struct pt_cast *cast, const struct pt_plan_handle *h,
			      struct pt_live_handle *live)
{
	int fd, none = -1;

	if (atomic_load_explicit(&live->fd, memory_order_acquire) >= 0)
		return 0;
	fd = open_file(cast, h);
	if (fd < 0)
		return fd;
	if (!atomic_compare_exchange_strong(&live->fd, &none, fd))
		close(fd); /* another thread was faster */
	return 1;
}

/*
 * Map @bytes of @fd so that fault-around finds the windows that it found while recording: they are
 * aligned in memory, so page window_page must lie at a multiple of the window's size.
 */
static uint8_t *map_aligned(const struct pt_cast *cast, const struct pt_plan_handle *h, int fd,
			    int prot, size_t bytes)
{
	size_t window = (size_t)h->window_pages * cast->page_size;
	size_t skew = (size_t)h->window_page * cast->page_size;
	uint8_t *room, *base;

	if (!window)
		return mmap(NULL, bytes, prot, MAP_SHARED, fd, 0);
	room = mmap(NULL, bytes + window, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		    -1, 0);
	if (room == MAP_FAILED)
		return MAP_FAILED;
	base = room + (window - ((uintptr_t)room + skew) % window) % window;
	if (mmap(base, bytes, prot, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
		munmap(room, bytes + window);
		return MAP_FAILED;
	}
	if (base > room)
		munmap(room, (size_t)(base - room));
	munmap(base + bytes, (size_t)(room + window - base));
	return base;
}

/*
 * Code is mapped as the loader maps it: reclaim spares mapped executable pages that were used, so
 * libraries that are only readable would be evicted where the recorded ones were not. A file system
 * mounted noexec takes it to be data.
 */
static uint8_t *map_file(const struct pt_cast *cast, const struct pt_plan_handle *h, int fd,
			 size_t bytes)
{
	const int prot = h->writes ? PROT_READ | PROT_WRITE : PROT_READ;
	uint8_t *map = MAP_FAILED;

	if (!h->writes && pt_plan_file(cast->plan, h->file)->is_code)
		map = map_aligned(cast, h, fd, prot | PROT_EXEC, bytes);
	return map == MAP_FAILED ? map_aligned(cast, h, fd, prot, bytes) : map;
}

static int prepare_mapping(const struct pt_cast *cast, const struct pt_plan_handle *h,
			   struct pt_live_handle *live, uint64_t need)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	auto_close int fd = -1;
	struct stat st;
	uint8_t *map;

	if (live->map && need < live->map_bytes)
		return 0;
	fd = open_file(cast, h);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (need >= (uint64_t)st.st_size)
		return -ENXIO; /* behind the end: there is no such page to touch */
	if (live->map)
		munmap(live->map, live->map_bytes);
	live->map = NULL;
	live->map_bytes = ((uint64_t)st.st_size + page - 1) & ~((uint64_t)page - 1);
	map = map_file(cast, h, fd, live->map_bytes);
	if (map == MAP_FAILED)
		return -errno;
	if (h->random)
		(void)madvise(map, live->map_bytes, MADV_RANDOM);
	live->map = map;
	return 1;
}

int pt_perform_prepare(const struct pt_cast *cast, const struct pt_op *op)
{
	const struct pt_plan_handle *h = handle_of(cast, op);
	struct pt_live_handle *live = &cast->stage->live[op->handle];

	switch (op->kind) {
	case PT_OP_LOAD:
	case PT_OP_STORE:
		return prepare_mapping(cast, h, live, op->off);
	case PT_OP_MADVISE:
		return prepare_mapping(cast, h, live, 0);
	case PT_OP_CLOSE:
		return 0;
	default:
		return prepare_descriptor(cast, h, live);
	}
}

/* @n pieces of the same buffer, @len bytes in all at most. Returns the bytes they cover. */
static size_t same_buffer(struct iovec *iov, int *ret_n, uint8_t *buffer, uint64_t len)
{
	size_t covered = 0;
	int n = 0;

	do {
		uint64_t left = len - covered;

		iov[n].iov_base = buffer;
		iov[n].iov_len = left < PT_STAGE_BUFFER ? (size_t)left : PT_STAGE_BUFFER;
		covered += iov[n++].iov_len;
	} while (n < IOV_MAX && covered < len);
	*ret_n = n;
	return covered;
}

typedef ssize_t (*vector_call)(int fd, const struct iovec *iov, int n, off_t off, int flags);

/* One recorded call is one call, up to 64 MiB; a short answer ends it, as it would have. */
static int64_t transfer(vector_call call, int fd, const struct pt_op *op, uint8_t *buffer)
{
	struct iovec iov[IOV_MAX];
	int flags = op->flags & PT_OP_DONTCACHE ? RWF_DONTCACHE : 0, n;
	uint64_t done = 0;

	do {
		size_t asked = same_buffer(iov, &n, buffer, op->len - done);
		ssize_t got = call(fd, iov, n, (off_t)(op->off + done), flags);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		done += (uint64_t)got;
		if ((size_t)got < asked)
			break;
	} while (done < op->len);
	return (int64_t)done;
}

static int64_t touch(const struct pt_live_handle *live, const struct pt_op *op)
{
	volatile uint8_t *byte = live->map + op->off;
	sigjmp_buf back;

	if (sigsetjmp(back, 0) != 0) {
		bus_return = NULL;
		return -PT_PERFORM_SIGBUS;
	}
	bus_return = &back;
	if (op->kind == PT_OP_STORE)
		*byte = 0x5a;
	else
		(void)*byte;
	bus_return = NULL;
	return 0;
}

static int64_t advise_mapping(const struct pt_live_handle *live, const struct pt_op *op)
{
	uint64_t off = op->off, len = op->len;

	if (len == 0 || off >= live->map_bytes)
		off = 0;
	if (len == 0 || len > live->map_bytes - off)
		len = live->map_bytes - off;
	return madvise(live->map + off, len, op->advice) < 0 ? -errno : 0;
}

/* The pages of a removed file go with its last user. Ours may stay open under other guessed
 * handles, so they are cut off here. */
static int64_t remove_file(const struct pt_cast *cast, const struct pt_op *op, int fd)
{
	const char *path = pt_fileset_path(cast->files, handle_of(cast, op)->file);
	int r = ftruncate(fd, 0) < 0 ? -errno : 0;

	return r < 0 ? r : pt_beneath_unlink(pt_fileset_dirfd(cast->files), path);
}

static int64_t as_error(int result)
{
	return result < 0 ? -errno : 0;
}

int64_t pt_perform(const struct pt_cast *cast, const struct pt_op *op, uint8_t *buffer)
{
	struct pt_live_handle *live = &cast->stage->live[op->handle];
	int fd = atomic_load_explicit(&live->fd, memory_order_acquire);

	switch (op->kind) {
	case PT_OP_READ:
		return transfer(preadv2, fd, op, buffer);
	case PT_OP_WRITE:
		return transfer(pwritev2, fd, op, buffer);
	case PT_OP_LOAD:
	case PT_OP_STORE:
		return touch(live, op);
	case PT_OP_FSYNC:
		return as_error(fsync(fd));
	case PT_OP_FDATASYNC:
		return as_error(fdatasync(fd));
	case PT_OP_SYNC_RANGE:
		return as_error(
			sync_file_range(fd, (off_t)op->off, (off_t)op->len, SYNC_FILE_RANGE_WRITE));
	case PT_OP_FADVISE:
		return -posix_fadvise(fd, (off_t)op->off, (off_t)op->len, op->advice);
	case PT_OP_MADVISE:
		return advise_mapping(live, op);
	case PT_OP_TRUNCATE:
		return as_error(ftruncate(fd, (off_t)op->len));
	case PT_OP_UNLINK:
		return remove_file(cast, op, fd);
	case PT_OP_CLOSE:
		fd = atomic_exchange(&live->fd, -1);
		return fd < 0 ? 0 : as_error(close(fd));
	default:
		return -EINVAL;
	}
}

static void on_sigbus(int sig)
{
	sigjmp_buf *back = bus_return;

	if (back)
		siglongjmp(*back, 1);
	signal(sig, SIG_DFL);
	raise(sig);
}

void pt_perform_catch_sigbus(void)
{
	struct sigaction sa = { .sa_handler = on_sigbus, .sa_flags = SA_NODEFER };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, NULL);
}
