// SPDX-License-Identifier: GPL-2.0-or-later
/* replay/lab/channel, request, transfer: frames both ways, whatever the other end sends. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "replay/lab/channel.h"
#include "replay/lab/request.h"
#include "replay/lab/transfer.h"
#include "tests/unit/seed.h"
#include "util/cleanup.h"
#include "util/outfile.h"
#include "util/progress.h"

static const uint64_t at_once = 0, for_ever = PT_NO_DEADLINE;

/* A channel, and the bare descriptor of its other end. */
static struct pt_channel *channel_and_peer(int *ret_peer)
{
	struct pt_channel *c;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_int_equal(pt_channel_new(fds[0], NULL, &c), 0);
	*ret_peer = fds[1];
	return c;
}

static void two_channels(struct pt_channel *c[2])
{
	int peer;

	c[0] = channel_and_peer(&peer);
	assert_int_equal(pt_channel_new(peer, NULL, &c[1]), 0);
}

/* The one frame that @bytes make, as the other end would give it; the channel keeps its bytes. */
static struct pt_frame frame_of(uint32_t type, const void *bytes, size_t len)
{
	static uint8_t copy[4096];

	assert_true(len < sizeof(copy));
	memcpy(copy, bytes, len);
	copy[len] = 0;
	return (struct pt_frame){ .type = type, .len = (uint32_t)len, .data = copy };
}

static void both_ways(void **state)
{
	struct pt_channel *c[2];
	struct pt_frame f;

	(void)state;
	two_channels(c);
	assert_int_equal(pt_channel_send(c[0], PT_FRAME_KNOB, "a=1", 3, for_ever, NULL), 0);
	assert_int_equal(pt_channel_send(c[0], PT_FRAME_OFF, NULL, 0, for_ever, NULL), 0);
	assert_int_equal(pt_channel_send(c[1], PT_FRAME_HELLO, "{}", 2, for_ever, NULL), 0);
	assert_int_equal(pt_channel_receive(c[1], for_ever, &f, NULL), 1);
	assert_int_equal(f.type, PT_FRAME_KNOB);
	assert_int_equal(f.len, 3);
	assert_string_equal((const char *)f.data, "a=1"); /* the NUL, though OFF follows */
	assert_int_equal(pt_channel_pending(c[1]), 1);
	assert_int_equal(pt_channel_receive(c[1], at_once, &f, NULL), 1);
	assert_int_equal(f.type, PT_FRAME_OFF);
	assert_int_equal(f.len, 0);
	assert_int_equal(pt_channel_pending(c[1]), 0);
	assert_int_equal(pt_channel_receive(c[0], for_ever, &f, NULL), 1);
	assert_string_equal((const char *)f.data, "{}");
	pt_channel_free(c[0]);
	assert_int_equal(pt_channel_receive(c[1], for_ever, &f, NULL), 0);
	assert_int_equal(pt_channel_receive(c[1], for_ever, &f, NULL), 0);
	assert_int_equal(pt_channel_send(c[1], PT_FRAME_DONE, NULL, 0, for_ever, NULL), -EPIPE);
	pt_channel_free(c[1]);
	pt_channel_free(NULL);
}

static void byte_by_byte(void **state)
{
	static const uint8_t bytes[] = { PT_FRAME_OUT, 0, 0, 0, 2, 0, 0, 0, 'h', 'i',
					 PT_FRAME_END, 0, 0, 0, 0, 0, 0, 0 };
	int peer, got = 0;
	struct pt_channel *c = channel_and_peer(&peer);
	struct pt_frame f;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		int n;

		assert_int_equal(write(peer, bytes + i, 1), 1);
		n = pt_channel_receive(c, at_once, &f, NULL);
		assert_int_equal(n, i == 9 || i == 17 ? 1 : -ETIMEDOUT);
		got += n == 1;
		if (i == 9)
			assert_string_equal((const char *)f.data, "hi");
	}
	assert_int_equal(got, 2);
	close(peer);
	pt_channel_free(c);
}

static int receive_bytes(const void *bytes, size_t len, struct pt_diag *d)
{
	int peer, err;
	struct pt_channel *c = channel_and_peer(&peer);
	struct pt_frame f;

	assert_int_equal(pt_write_all(peer, bytes, len), 0);
	close(peer);
	do
		err = pt_channel_receive(c, for_ever, &f, d);
	while (err > 0);
	pt_channel_free(c);
	return err;
}

static void nonsense(void **state)
{
	static const uint8_t unknown[] = { 31, 0, 0, 0, 0, 0, 0, 0 };
	static const uint8_t too_long[] = { PT_FRAME_OUT, 0, 0, 0, 1, 0, 16, 0 };
	static const uint8_t cut[] = { PT_FRAME_OUT, 0, 0, 0, 3, 0, 0, 0, 'a' };
	struct pt_diag d = PT_DIAG_INIT;

	(void)state;
	assert_int_equal(receive_bytes(unknown, 8, &d), -EBADMSG);
	assert_string_equal(d.text, "the other end sent no frame: type 31, 0 bytes");
	assert_int_equal(receive_bytes(too_long, 8, NULL), -EBADMSG);
	assert_int_equal(receive_bytes("HTTP/1.1 400", 12, NULL), -EBADMSG);
	for (size_t n = 1; n <= sizeof(cut); n++)
		assert_int_equal(receive_bytes(cut, n, NULL), -ENODATA);
	assert_int_equal(receive_bytes("", 0, NULL), 0);
}

static void random_bytes(void **state)
{
	struct pt_rng g;

	(void)state;
	seed_rng(&g);
	for (int round = 0; round < 2000; round++) {
		uint8_t bytes[64];
		size_t n = pt_rng_below(&g, sizeof(bytes));

		for (size_t i = 0; i < n; i++)
			bytes[i] = (uint8_t)(pt_rng_below(&g, 2) ? 0 : pt_rng_below(&g, 80));
		assert_in_set(receive_bytes(bytes, n, NULL),
			      ((const uintmax_t[]){ 0, (uintmax_t)-EBADMSG, (uintmax_t)-ENODATA }),
			      3);
	}
}

static void too_long_to_send(void **state)
{
	int peer;
	struct pt_channel *c = channel_and_peer(&peer);
	struct pt_diag d = PT_DIAG_INIT;

	(void)state;
	assert_int_equal(pt_channel_send(c, PT_FRAME_DATA, "", PT_FRAME_MAX + 1, for_ever, &d),
			 -E2BIG);
	assert_string_equal(d.text, "a DATA frame of 1048577 bytes is too long");
	assert_int_equal(pt_channel_send(c, PT_FRAME_END, NULL, 0, for_ever, NULL), 0);
	close(peer);
	pt_channel_free(c);
}

static void nobody_listens(void **state)
{
	auto_free uint8_t *big = calloc(1, PT_FRAME_MAX);
	int peer, err;
	struct pt_channel *c = channel_and_peer(&peer);

	(void)state;
	do
		err = pt_channel_send(c, PT_FRAME_DATA, big, PT_FRAME_MAX, at_once, NULL);
	while (!err);
	assert_int_equal(err, -ETIMEDOUT);
	/* Half a frame was sent: what follows would be taken for its rest. */
	assert_int_equal(pt_channel_send(c, PT_FRAME_END, NULL, 0, for_ever, NULL), -ETIMEDOUT);
	close(peer);
	pt_channel_free(c);
}

static void stopped(void **state)
{
	static volatile sig_atomic_t stop;
	struct pt_channel *c;
	struct pt_frame f;
	int fds[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_int_equal(pt_channel_new(fds[0], &stop, &c), 0);
	assert_int_equal(pt_channel_receive(c, at_once, &f, NULL), -ETIMEDOUT);
	stop = 1;
	assert_int_equal(pt_channel_receive(c, for_ever, &f, NULL), -EINTR);
	close(fds[1]);
	pt_channel_free(c);
}

#define CROWD \
	3 /* frames of full size: more than a socket takes, less than is taken in while sending */

static void *send_crowd(void *arg)
{
	auto_free uint8_t *big = calloc(1, PT_FRAME_MAX);
	intptr_t err = 0;

	for (int i = 0; !err && i < CROWD; i++) {
		big[0] = (uint8_t)i;
		err = pt_channel_send(arg, PT_FRAME_OUT, big, PT_FRAME_MAX, PT_NO_DEADLINE, NULL);
	}
	for (int i = 0; !err && i < CROWD; i++) {
		struct pt_frame f;

		err = pt_channel_receive(arg, PT_NO_DEADLINE, &f, NULL) == 1 && f.data[0] == i ? 0
											       : -1;
	}
	return (void *)err;
}

static void both_send_at_once(void **state)
{
	struct pt_channel *c[2];
	pthread_t other;
	void *err;

	(void)state;
	two_channels(c);
	assert_int_equal(pthread_create(&other, NULL, send_crowd, c[1]), 0);
	assert_null(send_crowd(c[0]));
	pthread_join(other, &err);
	assert_null(err);
	pt_channel_free(c[0]);
	pt_channel_free(c[1]);
}

static void failures(void **state)
{
	struct pt_diag sent = PT_DIAG_INIT, d = PT_DIAG_INIT;
	struct pt_channel *c[2];
	struct pt_frame f;

	(void)state;
	two_channels(c);
	pt_diag_errno(&sent, -ENOENT, "cannot open");
	pt_diag_file(&sent, -ENOENT, "/a\033b");
	assert_int_equal(pt_channel_send_fail(c[0], -ENOENT, &sent, for_ever), 0);
	assert_int_equal(pt_channel_send_fail(c[0], -EIO, NULL, for_ever), 0);
	assert_int_equal(pt_channel_receive(c[1], for_ever, &f, NULL), 1);
	assert_int_equal(f.type, PT_FRAME_FAIL);
	assert_int_equal(pt_frame_failure(&f, &d), -ENOENT);
	assert_string_equal(d.text, "/a?b: cannot open: No such file or directory");
	assert_int_equal(pt_channel_receive(c[1], for_ever, &f, NULL), 1);
	d = (struct pt_diag)PT_DIAG_INIT;
	assert_int_equal(pt_frame_failure(&f, &d), -EIO);
	assert_string_equal(d.text, "Input/output error");
	f = frame_of(PT_FRAME_FAIL, "\0\0\0\0x", 5);
	assert_int_equal(pt_frame_failure(&f, NULL), -EBADMSG);
	f = frame_of(PT_FRAME_FAIL, "\5\0\0\200x", 5);
	assert_int_equal(pt_frame_failure(&f, NULL), -EBADMSG);
	f = frame_of(PT_FRAME_FAIL, "\5", 1);
	assert_int_equal(pt_frame_failure(&f, NULL), -EBADMSG);
	pt_channel_free(c[0]);
	pt_channel_free(c[1]);
}

static void run_requests(void **state)
{
	const char *argv[] = { "sh", "-c", "", NULL }, *env[] = { "A=1", "B=", NULL };
	struct pt_run_request r = { .flags = PT_RUN_TTY, .cwd = "/mnt", .argv = argv, .env = env };
	auto_buf struct pt_buf b = { 0 };
	auto_free char **words = NULL, **none = NULL;
	struct pt_frame f;

	(void)state;
	assert_int_equal(pt_run_request_format(&r, &b), 0);
	f = frame_of(PT_FRAME_RUN, b.data, b.len);
	r = (struct pt_run_request){ 0 };
	assert_int_equal(pt_run_request_parse(&f, &r, &words, NULL), 0);
	assert_int_equal(r.flags, PT_RUN_TTY);
	assert_string_equal(r.cwd, "/mnt");
	for (int i = 0; i < 3; i++)
		assert_string_equal(r.argv[i], argv[i]);
	assert_null(r.argv[3]);
	assert_string_equal(r.env[0], "A=1");
	assert_string_equal(r.env[1], "B=");
	assert_null(r.env[2]);

	r = (struct pt_run_request){ .argv = (const char *const[]){ "x", NULL } };
	b.len = 0;
	assert_int_equal(pt_run_request_format(&r, &b), 0);
	f = frame_of(PT_FRAME_RUN, b.data, b.len);
	assert_int_equal(pt_run_request_parse(&f, &r, &none, NULL), 0);
	assert_string_equal(r.cwd, "");
	assert_string_equal(r.argv[0], "x");
	assert_null(r.argv[1]);
	assert_null(r.env[0]);
	r.argv++;
	assert_int_equal(pt_run_request_format(&r, &b), -EINVAL);
}

static void check_bad_run(const void *bytes, size_t len, int expected)
{
	struct pt_frame f = frame_of(PT_FRAME_RUN, bytes, len);
	struct pt_run_request r;
	char **words = NULL;

	assert_int_equal(pt_run_request_parse(&f, &r, &words, NULL), expected);
	assert_null(words);
}

static void bad_run_requests(void **state)
{
	(void)state;
	check_bad_run("", 0, -EBADMSG);
	check_bad_run("\0\0\0\0\1\0\0", 7, -EBADMSG);
	check_bad_run("\0\0\0\0\1\0\0\0", 8, -EBADMSG);       /* no text at all */
	check_bad_run("\0\0\0\0\1\0\0\0\0", 9, -EBADMSG);     /* no argument */
	check_bad_run("\0\0\0\0\1\0\0\0\0x", 10, -EBADMSG);   /* not ended */
	check_bad_run("\0\0\0\0\0\0\0\0\0x\0", 11, -EBADMSG); /* none announced */
	check_bad_run("\4\0\0\0\1\0\0\0\0x\0", 11, -EBADMSG); /* an unknown flag */
	check_bad_run("\0\0\0\0\2\0\0\0\0x\0", 11, -EBADMSG); /* fewer than announced */
	check_bad_run("\0\0\0\0\xff\xff\xff\xff\0x\0", 11, -E2BIG);
}

static void too_many_words(void **state)
{
	static uint8_t bytes[8 + 2 + PT_RUN_WORDS + 2];
	struct pt_frame f = { .type = PT_FRAME_RUN, .len = sizeof(bytes) - 1, .data = bytes };
	struct pt_run_request r;
	char **words = NULL;

	(void)state;
	bytes[4] = 1; /* one argument, all the rest variables, all empty */
	f.len = 8 + 2 + PT_RUN_WORDS;
	assert_int_equal(pt_run_request_parse(&f, &r, &words, NULL), 0);
	assert_string_equal(r.env[PT_RUN_WORDS - 1], "");
	assert_null(r.env[PT_RUN_WORDS]);
	free(words);
	f.len++;
	assert_int_equal(pt_run_request_parse(&f, &r, &words, NULL), -E2BIG);
}

static void put_requests(void **state)
{
	auto_buf struct pt_buf b = { 0 };
	const char *path = NULL;
	struct pt_frame f;
	uint32_t mode;

	(void)state;
	assert_int_equal(pt_put_request_format(0644, "relative", &b), -EINVAL);
	assert_int_equal(pt_put_request_format(0644, "/tmp/x", &b), 0);
	f = frame_of(PT_FRAME_PUT, b.data, b.len);
	assert_int_equal(pt_put_request_parse(&f, &mode, &path, NULL), 0);
	assert_int_equal(mode, 0644);
	assert_string_equal(path, "/tmp/x");
	f = frame_of(PT_FRAME_PUT, "\0\0\1\0/x", 6); /* no permission bits */
	assert_int_equal(pt_put_request_parse(&f, &mode, &path, NULL), -EBADMSG);
	f = frame_of(PT_FRAME_PUT, "\0\0\0\0/x\0y", 8);
	assert_int_equal(pt_put_request_parse(&f, &mode, &path, NULL), -EBADMSG);
	f = frame_of(PT_FRAME_PUT, "\0\0\0\0", 4);
	assert_int_equal(pt_put_request_parse(&f, &mode, &path, NULL), -EBADMSG);
	f = frame_of(PT_FRAME_PUT, "\0\0", 2);
	assert_int_equal(pt_put_request_parse(&f, &mode, &path, NULL), -EBADMSG);
	f = frame_of(PT_FRAME_GET, "x", 1);
	assert_int_equal(pt_path_parse(&f, &path, NULL), -EBADMSG);
	f = frame_of(PT_FRAME_GET, "/x", 2);
	assert_int_equal(pt_path_parse(&f, &path, NULL), 0);
	assert_string_equal(path, "/x");
}

#define FILE_BYTES (3u << 20 | 17)

static int filled_memfd(void)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	for (uint32_t at = 0; at < FILE_BYTES; at += 17) {
		uint8_t bytes[17] = { (uint8_t)at, (uint8_t)(at >> 8), (uint8_t)(at >> 16) };

		assert_int_equal(
			pt_write_all(fd, bytes, FILE_BYTES - at < 17 ? FILE_BYTES - at : 17), 0);
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void *send_file(void *arg)
{
	auto_close int fd = filled_memfd();

	return (void *)(intptr_t)pt_transfer_send(arg, fd, UINT32_MAX * UINT64_C(1000), NULL);
}

static int receive_file(int fd, uint64_t max, uint64_t *ret_bytes, struct pt_diag *d)
{
	struct pt_channel *c[2];
	pthread_t other;
	void *sent;
	int err;

	two_channels(c);
	assert_int_equal(pthread_create(&other, NULL, send_file, c[1]), 0);
	err = pt_transfer_receive(c[0], fd, max, UINT32_MAX * UINT64_C(1000), ret_bytes, d);
	pthread_join(other, &sent);
	assert_null(sent);
	assert_int_equal(pt_channel_pending(c[0]), 0); /* all of it was taken in */
	pt_channel_free(c[0]);
	pt_channel_free(c[1]);
	return err;
}

static void files(void **state)
{
	auto_close int fd = memfd_create("copy", MFD_CLOEXEC), full = open("/dev/full", O_WRONLY);
	auto_close int original = filled_memfd();
	struct pt_diag d = PT_DIAG_INIT;
	uint64_t bytes = 0;
	uint8_t *a, *b;

	(void)state;
	assert_int_equal(receive_file(fd, FILE_BYTES, &bytes, NULL), 0);
	assert_int_equal(bytes, FILE_BYTES);
	a = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	b = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, original, 0);
	assert_memory_equal(a, b, FILE_BYTES);
	munmap(a, FILE_BYTES);
	munmap(b, FILE_BYTES);
	assert_int_equal(receive_file(full, FILE_BYTES, NULL, &d), -ENOSPC);
	assert_string_equal(d.text, "cannot write: No space left on device");
	assert_int_equal(receive_file(fd, FILE_BYTES - 1, NULL, NULL), -E2BIG);
}

static int receive_frames(const void *bytes, size_t len)
{
	auto_close int fd = memfd_create("copy", MFD_CLOEXEC);
	int peer, err;
	struct pt_channel *c = channel_and_peer(&peer);

	assert_int_equal(pt_write_all(peer, bytes, len), 0);
	close(peer);
	err = pt_transfer_receive(c, fd, 100, UINT32_MAX * UINT64_C(1000), NULL, NULL);
	pt_channel_free(c);
	return err;
}

static void broken_files(void **state)
{
	static const uint8_t data[] = { PT_FRAME_DATA, 0, 0, 0, 1, 0, 0, 0, 'x' };
	static const uint8_t empty[] = { PT_FRAME_DATA, 0, 0, 0, 0, 0, 0, 0 };
	static const uint8_t other[] = { PT_FRAME_EXIT, 0, 0, 0, 0, 0, 0, 0 };
	static const uint8_t fail[] = { PT_FRAME_FAIL, 0, 0, 0, 4, 0, 0, 0, ENOENT, 0, 0, 0 };

	(void)state;
	assert_int_equal(receive_frames(data, sizeof(data)), -EPIPE);
	assert_int_equal(receive_frames(data, sizeof(data) - 1), -ENODATA);
	assert_int_equal(receive_frames(empty, sizeof(empty)), -EBADMSG);
	assert_int_equal(receive_frames(other, sizeof(other)), -EBADMSG);
	assert_int_equal(receive_frames(fail, sizeof(fail)), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),        cmocka_unit_test(byte_by_byte),
		cmocka_unit_test(nonsense),         cmocka_unit_test(random_bytes),
		cmocka_unit_test(too_long_to_send), cmocka_unit_test(nobody_listens),
		cmocka_unit_test(stopped),          cmocka_unit_test(both_send_at_once),
		cmocka_unit_test(failures),         cmocka_unit_test(run_requests),
		cmocka_unit_test(bad_run_requests), cmocka_unit_test(too_many_words),
		cmocka_unit_test(put_requests),     cmocka_unit_test(files),
		cmocka_unit_test(broken_files),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
