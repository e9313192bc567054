// SPDX-License-Identifier: GPL-2.0-or-later
/* What the benchmarks share: see bench.h. */
#include "bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "formats/writer.h"
#include "util/cleanup.h"
#include "util/rng.h"

#define LOADS   4000000u
#define THETA   0.8
#define SCATTER 7919u /* a prime: ranks go to pages one to one, unless it divides their number */
#define BATCH   32u   /* SWAP_CLUSTER_MAX */
#define STEP_NS 700u

_Noreturn void bench_die(const char *what)
{
	fprintf(stderr, "bench: %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
	exit(1);
}

double bench_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

char *bench_temporary(void)
{
	const char *tmp = getenv("TMPDIR");
	char *path = NULL;
	int fd;

	if (asprintf(&path, "%s/pagetape-bench-XXXXXX", tmp ? tmp : "/var/tmp") < 0)
		bench_die("out of memory");
	fd = mkstemp(path);
	if (fd < 0)
		bench_die("cannot make a temporary file");
	close(fd);
	return path;
}

/* ---- Costs */

static double time_ns(const struct timeval *t)
{
	return (double)t->tv_sec * 1e9 + (double)t->tv_usec * 1e3;
}

struct bench_cost bench_run(void (*fn)(const void *arg), const void *arg)
{
	struct rusage u;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		bench_die("cannot fork");
	if (pid == 0) {
		fn(arg);
		_exit(0);
	}
	if (wait4(pid, &status, 0, &u) != pid || status != 0)
		bench_die("a round failed");
	return (struct bench_cost){ time_ns(&u.ru_utime) + time_ns(&u.ru_stime),
				    (uint64_t)u.ru_maxrss * 1024 };
}

struct bench_cost bench_best(void (*fn)(const void *arg), const void *arg)
{
	struct bench_cost best = bench_run(fn, arg);

	for (int i = 1; i < BENCH_ROUNDS; i++) {
		struct bench_cost c = bench_run(fn, arg);

		if (c.cpu_ns < best.cpu_ns)
			best = c;
	}
	return best;
}

/* ---- Yardsticks */

/* A single cycle through all places (Sattolo 1986). */
static void shuffle(uint32_t *table, uint32_t places)
{
	struct pt_rng g;

	pt_rng_init(&g, 2);
	for (uint32_t i = 0; i < places; i++)
		table[i] = i;
	for (uint32_t i = places - 1; i > 0; i--) {
		uint32_t k = (uint32_t)pt_rng_below(&g, i), x = table[i];

		table[i] = table[k];
		table[k] = x;
	}
}

double bench_random_load_ns(uint32_t places)
{
	auto_free uint32_t *table = calloc(places, sizeof(*table));
	double best = 0;

	if (!table)
		bench_die("out of memory");
	shuffle(table, places);
	for (int round = 0; round < BENCH_ROUNDS; round++) {
		double ns = bench_cpu_ns();
		uint32_t p = 0;

		for (uint32_t i = 0; i < LOADS; i++)
			p = table[p];
		ns = (bench_cpu_ns() - ns) / LOADS;
		if (p == UINT32_MAX)
			puts("never"); /* keeps the loop */
		if (!best || ns < best)
			best = ns;
	}
	return best;
}

static void decompress(const void *arg)
{
	const char *path = arg;
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t room = ZSTD_DStreamOutSize();
	auto_free void *out = malloc(room);
	ZSTD_DCtx *z = ZSTD_createDCtx();
	ZSTD_inBuffer in = { 0 };
	struct stat st;

	if (!out || !z || fd < 0 || fstat(fd, &st) < 0)
		bench_die("cannot decompress");
	in.size = (size_t)st.st_size;
	in.src = mmap(NULL, in.size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (in.src == MAP_FAILED)
		bench_die("cannot map a tape");
	while (in.pos < in.size) {
		ZSTD_outBuffer o = { out, room, 0 };

		if (ZSTD_isError(ZSTD_decompressStream(z, &o, &in)))
			bench_die("cannot decompress");
	}
	ZSTD_freeDCtx(z);
}

double bench_zstd_ns(const char *path)
{
	return bench_best(decompress, path).cpu_ns;
}

/* ---- Tapes */

void bench_synth_tape(const char *path, const struct pt_synth *s)
{
	struct pt_diag diag = PT_DIAG_INIT;
	struct pt_writer *w = NULL;
	struct pt_head head;

	if (pt_synth_head(s, &head) < 0 || pt_writer_new(path, &head, NULL, &w, &diag) < 0 ||
	    pt_synth_generate(s, pt_writer_sink(w)) < 0 || pt_writer_finish(w, NULL, 1) < 0)
		bench_die(diag.text[0] ? diag.text : "cannot make a tape");
	pt_head_done(&head);
	pt_writer_free(w);
}

/* A first-in first-out cache that writes what happens to it. */
struct cache {
	const struct pt_sink *sink;
	uint64_t records, ts_ns;
	uint32_t *fifo;
	uint8_t *cached;
	uint32_t n, oldest, limit;
	uint32_t task, file;
};

static void put(struct cache *c, struct pt_record *r)
{
	c->ts_ns += STEP_NS + c->records % 13;
	c->records++;
	r->ts_ns = c->ts_ns;
	r->task = c->task;
	if (c->sink->record(c->sink->ctx, r) < 0)
		bench_die("cannot write a tape");
}

static void put_page(struct cache *c, uint8_t kind, uint32_t page, uint8_t how)
{
	struct pt_record r = PT_RECORD_INIT(kind);

	r.file = c->file;
	r.page = page;
	r.how = how;
	r.npages = kind == PT_ACCESS ? 1 : PT_UNKNOWN;
	r.order = kind == PT_ACCESS ? PT_UNKNOWN8 : 0;
	r.flags = kind == PT_ACCESS ? 0 : PT_UNKNOWN32;
	r.node = kind == PT_ACCESS ? PT_UNKNOWN16 : 0;
	put(c, &r);
}

static void reclaim(struct cache *c)
{
	struct pt_record begin = PT_RECORD_INIT(PT_RECLAIM_BEGIN);
	struct pt_record scan = PT_RECORD_INIT(PT_SCAN);
	struct pt_record end = PT_RECORD_INIT(PT_RECLAIM_END);

	begin.how = PT_RECLAIM_MEMCG;
	put(c, &begin);
	for (uint32_t i = 0; i < BATCH; i++) {
		uint32_t page = c->fifo[c->oldest];

		put_page(c, PT_EVICT, page, PT_RECLAIM_MEMCG);
		c->cached[page] = 0;
		c->oldest = (c->oldest + 1) % c->limit;
		c->n--;
	}
	scan.how = PT_SCAN_INACTIVE;
	scan.node = 0;
	scan.value[0] = scan.value[1] = BATCH;
	scan.value[2] = scan.value[3] = 0;
	put(c, &scan);
	end.npages = BATCH;
	put(c, &end);
}

static void read_page(struct cache *c, uint32_t page)
{
	if (!c->cached[page]) {
		if (c->n == c->limit)
			reclaim(c);
		put_page(c, PT_ADD, page, PT_CAUSE_DEMAND);
		c->fifo[(c->oldest + c->n++) % c->limit] = page;
		c->cached[page] = 1;
	}
	put_page(c, PT_ACCESS, page, PT_HOW_READ);
}

void bench_cache_tape(const char *path, uint64_t records, uint32_t pages, uint32_t cached)
{
	const struct pt_file_key file = { 12, 3, 0 };
	const struct pt_task_key task = { 100, 0 };
	struct pt_writer *w = NULL;
	struct pt_head head;
	struct cache c = { .limit = cached };
	struct pt_zipf zipf;
	struct pt_rng g;

	if (pt_head_init(&head, PT_SYNTH_PAGE_SIZE, "mono") < 0 ||
	    pt_head_set_known(&head, "refaults", PT_KNOWN_DERIVED) < 0 ||
	    pt_writer_new(path, &head, NULL, &w, NULL) < 0)
		bench_die("cannot write a tape");
	pt_head_done(&head);
	c.sink = pt_writer_sink(w);
	c.fifo = calloc(cached, sizeof(*c.fifo));
	c.cached = calloc(pages, 1);
	if (!c.fifo || !c.cached || c.sink->intern_file(c.sink->ctx, &file, &c.file) < 0 ||
	    c.sink->intern_task(c.sink->ctx, &task, &c.task) < 0)
		bench_die("out of memory");
	pt_rng_init(&g, 1);
	pt_zipf_init(&zipf, pages, THETA);
	while (c.records < records)
		read_page(&c, (uint32_t)(pt_zipf_draw(&zipf, &g) * SCATTER % pages));
	if (pt_writer_finish(w, NULL, 1) < 0)
		bench_die("cannot write a tape");
	pt_writer_free(w);
	free(c.fifo);
	free(c.cached);
}
