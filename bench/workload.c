// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small workload for the demo and the privileged tests: files of really written data, and reads.
 *
 *   workload MODE --dir D [--files N] [--size BYTES] [--accesses N] [--threads N] [--theta X]
 *            [--seed N] [--make] [--drop]
 *
 * MODE is zipf (4 KiB reads, skewed), seq (all files front to back, accesses passes), preads (512 B
 * to 1 MiB anywhere) or mmap (one byte of a page, skewed). --make writes the files and ends; --drop
 * drops caches first (root). Sizes take K, M, G. Prints "THREAD FILE CALLS" lines for preads.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/parse.h"
#include "util/rng.h"

#define PAGE        4096u
#define CHUNK       (1u << 20)
#define FILES_MAX   256
#define THREADS_MAX 256

enum mode { ZIPF, SEQ, PREADS, MMAP };

struct workload {
	enum mode mode;
	const char *dir;
	uint64_t files, size, accesses, threads, seed;
	double theta;
	int make, drop;
	int fds[FILES_MAX];
	uint8_t *maps[FILES_MAX];
};

struct worker {
	pthread_t thread;
	struct workload *w;
	unsigned int id;
	int error;
	uint64_t calls[FILES_MAX];
};

static void path_of(const struct workload *w, uint64_t file, char *buf, size_t size)
{
	snprintf(buf, size, "%s/data.%" PRIu64, w->dir, file);
}

/* Random bytes, so that no file system can leave a block out. */
static int make_file(const struct workload *w, uint64_t file)
{
	auto_free uint64_t *chunk = malloc(CHUNK);
	auto_close int fd = -1;
	struct pt_rng rng;
	char path[4096];

	path_of(w, file, path, sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || !chunk)
		return fd < 0 ? -errno : -ENOMEM;
	pt_rng_init(&rng, w->seed ^ file);
	for (uint64_t at = 0; at < w->size;) {
		size_t n = w->size - at < CHUNK ? (size_t)(w->size - at) : CHUNK;

		for (size_t i = 0; i < CHUNK / sizeof(*chunk); i++)
			chunk[i] = pt_rng_u64(&rng);
		if (write(fd, chunk, n) != (ssize_t)n)
			return errno ? -errno : -ENOSPC;
		at += n;
	}
	/* Out of the cache again: who reads them is to begin cold. */
	if (fsync(fd) < 0)
		return -errno;
	return -posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static int open_files(struct workload *w)
{
	char path[4096];

	for (uint64_t i = 0; i < w->files; i++) {
		path_of(w, i, path, sizeof(path));
		w->fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (w->fds[i] < 0)
			return -errno;
		if (w->mode == ZIPF)
			(void)posix_fadvise(w->fds[i], 0, 0, POSIX_FADV_RANDOM);
		if (w->mode != MMAP)
			continue;
		w->maps[i] = mmap(NULL, w->size, PROT_READ, MAP_SHARED, w->fds[i], 0);
		if (w->maps[i] == MAP_FAILED)
			return -errno;
		(void)madvise(w->maps[i], w->size, MADV_RANDOM);
	}
	return 0;
}

static int read_all(int fd, void *buf, size_t len, uint64_t off)
{
	ssize_t n = pread(fd, buf, len, (off_t)off);

	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -ENODATA;
}

static int do_zipf(struct worker *me, struct pt_rng *rng, uint8_t *buf)
{
	struct workload *w = me->w;
	uint64_t pages = w->size / PAGE, total = pages * w->files;
	struct pt_zipf zipf;
	int r = 0;

	pt_zipf_init(&zipf, total, w->theta);
	for (uint64_t i = 0; i < w->accesses / w->threads && r == 0; i++) {
		/* Scatter the ranks: hot pages are no neighbours. */
		uint64_t page = pt_zipf_draw(&zipf, rng) * UINT64_C(2654435761) % total;

		if (w->mode == MMAP) {
			buf[0] ^= ((volatile uint8_t *)w->maps[page / pages])[page % pages * PAGE];
			continue;
		}
		r = read_all(w->fds[page / pages], buf, PAGE, page % pages * PAGE);
		me->calls[page / pages]++;
	}
	return r;
}

static int do_seq(struct worker *me, uint8_t *buf)
{
	struct workload *w = me->w;
	int r = 0;

	for (uint64_t pass = 0; pass < w->accesses; pass++)
		for (uint64_t f = me->id; f < w->files; f += w->threads)
			for (uint64_t at = 0; at < w->size && r == 0; at += CHUNK) {
				size_t n = w->size - at < CHUNK ? (size_t)(w->size - at) : CHUNK;

				r = read_all(w->fds[f], buf, n, at);
				me->calls[f]++;
			}
	return r;
}

/* Sizes of all magnitudes alike, at any byte. */
static int do_preads(struct worker *me, struct pt_rng *rng, uint8_t *buf)
{
	struct workload *w = me->w;
	int r = 0;

	for (uint64_t i = 0; i < w->accesses / w->threads && r == 0; i++) {
		uint64_t file = pt_rng_below(rng, w->files);
		uint64_t len = UINT64_C(512) << pt_rng_below(rng, 12);

		if (len > 512)
			len -= pt_rng_below(rng, len / 2);
		if (len > w->size)
			len = w->size;
		r = read_all(w->fds[file], buf, len, pt_rng_below(rng, w->size - len + 1));
		me->calls[file]++;
	}
	return r;
}

static void *work(void *ctx)
{
	struct worker *me = ctx;
	auto_free uint8_t *buf = malloc(CHUNK);
	struct pt_rng rng;

	pt_rng_init(&rng, me->w->seed + me->id);
	if (!buf)
		me->error = -ENOMEM;
	else if (me->w->mode == SEQ)
		me->error = do_seq(me, buf);
	else if (me->w->mode == PREADS)
		me->error = do_preads(me, &rng, buf);
	else
		me->error = do_zipf(me, &rng, buf);
	return NULL;
}

static int drop_caches(void)
{
	auto_close int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

	sync();
	return fd < 0 || write(fd, "3", 1) != 1 ? -errno : 0;
}

static int run_workers(struct workload *w)
{
	auto_free struct worker *workers = calloc(w->threads, sizeof(*workers));
	int r = 0;

	if (!workers)
		return -ENOMEM;
	for (unsigned int i = 0; i < w->threads; i++) {
		workers[i].w = w;
		workers[i].id = i;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
			abort(); /* a test's workload: nothing to save */
	}
	for (unsigned int i = 0; i < w->threads; i++) {
		pthread_join(workers[i].thread, NULL);
		if (workers[i].error)
			r = workers[i].error;
		for (uint64_t f = 0; w->mode == PREADS && f < w->files; f++)
			printf("%u %" PRIu64 " %" PRIu64 "\n", i, f, workers[i].calls[f]);
	}
	return r;
}

static int run(struct workload *w)
{
	int r = 0;

	for (uint64_t i = 0; w->make && i < w->files && r == 0; i++)
		r = make_file(w, i);
	if (w->make || r < 0)
		return r;
	r = open_files(w);
	if (r == 0 && w->drop)
		r = drop_caches();
	return r < 0 ? r : run_workers(w);
}

static int parse(struct workload *w, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "dir", required_argument, NULL, 'd' },
		{ "files", required_argument, NULL, 'f' },
		{ "size", required_argument, NULL, 's' },
		{ "accesses", required_argument, NULL, 'a' },
		{ "threads", required_argument, NULL, 't' },
		{ "theta", required_argument, NULL, 'x' },
		{ "seed", required_argument, NULL, 'r' },
		{ "make", no_argument, NULL, 'm' },
		{ "drop", no_argument, NULL, 'D' },
		{ 0 },
	};
	int c, r = 0;

	while (r == 0 && (c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'd')
			w->dir = optarg;
		else if (c == 'f')
			r = pt_parse_u64(optarg, &w->files);
		else if (c == 's')
			r = pt_parse_size(optarg, &w->size);
		else if (c == 'a')
			r = pt_parse_u64(optarg, &w->accesses);
		else if (c == 't')
			r = pt_parse_u64(optarg, &w->threads);
		else if (c == 'x')
			r = pt_parse_double(optarg, &w->theta);
		else if (c == 'r')
			r = pt_parse_u64(optarg, &w->seed);
		else if (c == 'm')
			w->make = 1;
		else if (c == 'D')
			w->drop = 1;
		else
			r = -EINVAL;
	}
	if (r == 0 && (!w->dir || !w->files || w->files > FILES_MAX || !w->threads ||
		       w->threads > THREADS_MAX || w->size < PAGE || optind + 1 != argc))
		r = -EINVAL;
	return r;
}

int main(int argc, char **argv)
{
	static const char *const modes[] = { "zipf", "seq", "preads", "mmap" };
	struct workload w = { .files = 2,
			      .size = 64u << 20,
			      .accesses = 10000,
			      .threads = 1,
			      .theta = 0.8,
			      .seed = 1 };
	int r = parse(&w, argc, argv);
	size_t m = PT_ARRAY_SIZE(modes);

	if (r == 0)
		for (m = 0; m < PT_ARRAY_SIZE(modes) && strcmp(modes[m], argv[optind]); m++)
			;
	if (m == PT_ARRAY_SIZE(modes)) {
		fputs("usage: workload zipf|seq|preads|mmap --dir D [--files N] [--size SIZE]\n"
		      "       [--accesses N] [--threads N] [--theta X] [--seed N]\n"
		      "       [--make] [--drop]\n",
		      stderr);
		return 2;
	}
	w.mode = (enum mode)m;
	r = run(&w);
	if (r < 0)
		fprintf(stderr, "workload: %s: %s\n", w.dir, strerror(-r));
	return r < 0;
}
