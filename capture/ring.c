// SPDX-License-Identifier: GPL-2.0-or-later
/* Per-CPU ring buffer pages, merged by time: see ring.h. */
#include "capture/ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <kbuffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/record.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/parse.h"
#include "util/textfile.h"

#define PAGES_KEPT 64    /* a CPU, between two merges */
#define PAGE_MIN   4096u /* of the ring, not of memory */
#define PAGE_MAX   (1u << 20)
#define HEADER_LEN 16u      /* time, commit */
#define SETTLE_NS  2000000u /* an event may show up this much after its time was taken */

/* A page's commit field. */
#define COMMIT_MASK   ((UINT64_C(1) << 20) - 1)
#define MISSED_EVENTS (UINT64_C(1) << 31)
#define MISSED_STORED (UINT64_C(1) << 30)

struct cpu {
	int fd;
	uint16_t id;
	int drained; /* the last read found nothing more */
	struct kbuffer *kbuf;
	uint8_t *pages; /* PAGES_KEPT of them */
	unsigned int first, count;
	int loaded;               /* the first page is in kbuf, standing at an event */
	unsigned long long ts_ns; /* of that event */
	void *data;
};

struct pt_ring {
	char *dir;
	uint32_t page_size;
	struct cpu *cpus;
	unsigned int count;
	uint64_t reported;
};

/* The data size of a ring page and its header, as events/header_page says. */
static uint32_t page_size_of(const char *dir)
{
	auto_free char *text = NULL;
	uint64_t kb;
	char *rest, *word;

	/* Of the instance where the kernel has it; older ones use one page of memory. */
	if (pt_text_read(dir, "/buffer_subbuf_size_kb", &text) < 0)
		return (uint32_t)sysconf(_SC_PAGESIZE);
	rest = text;
	word = pt_text_word(&rest);
	if (!word || pt_parse_u64(word, &kb) < 0 || kb << 10 < PAGE_MIN || kb << 10 > PAGE_MAX)
		return (uint32_t)sysconf(_SC_PAGESIZE);
	return (uint32_t)kb << 10;
}

static int open_cpu(struct pt_ring *ring, unsigned int id)
{
	struct cpu *c = &ring->cpus[ring->count];
	char path[512];

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", ring->dir, id);
	*c = (struct cpu){ .id = (uint16_t)id };
	c->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (c->fd < 0)
		return errno == ENOENT ? 0 : -errno; /* it went offline */
	ring->count++;
	c->kbuf = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	c->pages = malloc((size_t)PAGES_KEPT * ring->page_size);
	return c->kbuf && c->pages ? 0 : -ENOMEM;
}

static int is_cpu(const struct dirent *e)
{
	uint32_t id;

	return strncmp(e->d_name, "cpu", 3) == 0 && pt_parse_u32(e->d_name + 3, &id) == 0 &&
	       id < PT_UNKNOWN16;
}

/* The CPUs that the kernel has rings for: their numbers may have holes. */
static int open_cpus(struct pt_ring *ring)
{
	auto_free char *path = NULL;
	struct dirent **found;
	uint32_t id;
	int n, r = 0;

	if (asprintf(&path, "%s/per_cpu", ring->dir) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	n = scandir(path, &found, is_cpu, versionsort);
	if (n < 0)
		return -errno;
	ring->cpus = calloc((size_t)n + 1, sizeof(*ring->cpus));
	if (!ring->cpus)
		r = -ENOMEM;
	for (int i = 0; i < n; i++) {
		if (r == 0 && pt_parse_u32(found[i]->d_name + 3, &id) == 0)
			r = open_cpu(ring, id);
		free(found[i]);
	}
	free(found);
	return r == 0 && !ring->count ? -ENOENT : r;
}

int pt_ring_open(const char *dir, struct pt_ring **ret_ring, struct pt_diag *diag)
{
	struct pt_ring *ring = calloc(1, sizeof(*ring));
	int r;

	if (!ring)
		return -ENOMEM;
	ring->dir = strdup(dir);
	ring->page_size = page_size_of(dir);
	r = ring->dir ? open_cpus(ring) : -ENOMEM;
	if (r < 0) {
		pt_ring_close(ring);
		return pt_diag_errno(diag, r, "cannot open the ring in %s", dir);
	}
	*ret_ring = ring;
	return 0;
}

void pt_ring_close(struct pt_ring *ring)
{
	if (!ring)
		return;
	for (unsigned int i = 0; i < ring->count; i++) {
		close(ring->cpus[i].fd);
		kbuffer_free(ring->cpus[i].kbuf);
		free(ring->cpus[i].pages);
	}
	free(ring->cpus);
	free(ring->dir);
	free(ring);
}

static uint8_t *page_at(const struct pt_ring *ring, const struct cpu *c, unsigned int n)
{
	return c->pages + (size_t)((c->first + n) % PAGES_KEPT) * ring->page_size;
}

/* Fill the CPU's pages. Returns how many, or -errno. */
static int fill(struct pt_ring *ring, struct cpu *c)
{
	int got = 0;

	c->drained = 0;
	while (c->count < PAGES_KEPT) {
		ssize_t n = read(c->fd, page_at(ring, c, c->count), ring->page_size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return -errno;
		/* A read gives one page, its header at least. */
		if (n < (ssize_t)HEADER_LEN) {
			c->drained = 1;
			break;
		}
		c->count++;
		got++;
	}
	return got;
}

/* Whether the page's own length fits: kbuffer believes it. */
static int is_sound(const struct pt_ring *ring, const uint8_t *page)
{
	return (le64_get(page + 8) & COMMIT_MASK) <= ring->page_size - HEADER_LEN;
}

/*
 * Events lost before the page: a flag, and a number where there was room for it. (kbuffer tells
 * only where the page begins with an event, and not with a time stamp.)
 */
static int tell_missed(struct pt_ring *ring, struct cpu *c, const struct pt_ring_handler *h)
{
	const uint8_t *page = page_at(ring, c, 0);
	uint64_t commit = le64_get(page + 8), used = HEADER_LEN + (commit & COMMIT_MASK);
	uint64_t lost = PT_UNKNOWN;

	if (!(commit & MISSED_EVENTS))
		return 0;
	if (commit & MISSED_STORED && used + 8 <= ring->page_size) {
		lost = le64_get(page + used);
		ring->reported += lost;
	}
	return h->gap(h->ctx, c->id, c->ts_ns, lost);
}

/* Stand at the CPU's next event, loading pages as needed. 1, 0 where there is none, below 0. */
static int stand(struct pt_ring *ring, struct cpu *c, const struct pt_ring_handler *h)
{
	int r;

	while (c->count && !c->loaded) {
		uint8_t *page = page_at(ring, c, 0);

		if (is_sound(ring, page) && kbuffer_load_subbuffer(c->kbuf, page) == 0)
			c->data = kbuffer_read_event(c->kbuf, &c->ts_ns);
		else
			return -EBADMSG;
		if (c->data) {
			c->loaded = 1;
			r = tell_missed(ring, c, h);
			if (r < 0)
				return r;
			break;
		}
		c->first = (c->first + 1) % PAGES_KEPT;
		c->count--;
	}
	return c->loaded;
}

static void step(struct cpu *c)
{
	c->data = kbuffer_next_event(c->kbuf, &c->ts_ns);
	if (c->data)
		return;
	c->loaded = 0;
	c->first = (c->first + 1) % PAGES_KEPT;
	c->count--;
}

/* No CPU will come with anything older than this. */
static uint64_t horizon(const struct pt_ring *ring, uint64_t now_ns)
{
	uint64_t safe = now_ns == UINT64_MAX ? now_ns : now_ns - SETTLE_NS;

	for (unsigned int i = 0; i < ring->count; i++) {
		const struct cpu *c = &ring->cpus[i];
		uint64_t newest;

		if (c->drained || !c->count)
			continue;
		/* More is waiting: only what is older than its last page began is sure. */
		newest = le64_get(page_at(ring, c, c->count - 1));
		if (newest < safe)
			safe = newest;
	}
	return safe;
}

/* The CPU with the oldest event before @safe; *ret_next: the time of the one behind it. */
static struct cpu *oldest(struct pt_ring *ring, uint64_t safe, uint64_t *ret_next)
{
	struct cpu *best = NULL;
	uint64_t next = safe;

	for (unsigned int i = 0; i < ring->count; i++) {
		struct cpu *c = &ring->cpus[i];

		if (!c->loaded || c->ts_ns >= safe)
			continue;
		if (!best || c->ts_ns < best->ts_ns) {
			if (best && best->ts_ns < next)
				next = best->ts_ns;
			best = c;
		} else if (c->ts_ns < next) {
			next = c->ts_ns;
		}
	}
	*ret_next = next;
	return best;
}

/* Hand on what is older than @safe. 0, or below 0. */
static int merge(struct pt_ring *ring, uint64_t safe, const struct pt_ring_handler *h)
{
	struct cpu *c;
	uint64_t next;
	int r;

	for (unsigned int i = 0; i < ring->count; i++) {
		r = stand(ring, &ring->cpus[i], h);
		if (r < 0)
			return r;
	}
	while ((c = oldest(ring, safe, &next))) {
		/* Stay with it as long as it is the oldest: the others need not be looked at. */
		while (c->loaded && c->ts_ns <= next && c->ts_ns < safe) {
			r = h->event(h->ctx, c->id, c->ts_ns, c->data,
				     (uint32_t)kbuffer_event_size(c->kbuf));
			if (r < 0)
				return r;
			step(c);
			r = c->loaded ? 1 : stand(ring, c, h);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* Whether a CPU has more to read, and room for it: what is too new to hand on stays and takes it.
 */
static int can_read_on(const struct pt_ring *ring)
{
	for (unsigned int i = 0; i < ring->count; i++)
		if (!ring->cpus[i].drained && ring->cpus[i].count < PAGES_KEPT)
			return 1;
	return 0;
}

int pt_ring_read(struct pt_ring *ring, uint64_t now_ns, const struct pt_ring_handler *handler,
		 uint64_t *ret_horizon)
{
	int pages = 0, r;

	do {
		for (unsigned int i = 0; i < ring->count; i++) {
			r = fill(ring, &ring->cpus[i]);
			if (r < 0)
				return r;
			pages += r;
		}
		*ret_horizon = horizon(ring, now_ns);
		r = merge(ring, *ret_horizon, handler);
		if (r < 0)
			return r;
	} while (can_read_on(ring));
	return pages;
}

/* The number behind "@label: " in a statistics file. */
static uint64_t statistic(char *text, const char *label)
{
	size_t n = strlen(label);
	uint64_t v;
	char *line;

	while ((line = pt_text_line(&text)))
		if (strncmp(line, label, n) == 0 && strncmp(line + n, ": ", 2) == 0 &&
		    pt_parse_u64(line + n + 2, &v) == 0)
			return v;
	return 0;
}

int pt_ring_lost(struct pt_ring *ring, uint64_t *ret_lost, uint64_t *ret_reported)
{
	static const char *const labels[] = { "overrun", "commit overrun", "dropped events" };
	uint64_t lost = 0;

	for (unsigned int i = 0; i < ring->count; i++) {
		char path[64];
		int r;

		snprintf(path, sizeof(path), "/per_cpu/cpu%u/stats", ring->cpus[i].id);
		for (size_t l = 0; l < PT_ARRAY_SIZE(labels); l++) {
			auto_free char *text = NULL;

			r = pt_text_read(ring->dir, path, &text);
			if (r < 0)
				return r;
			lost += statistic(text, labels[l]);
		}
	}
	*ret_lost = lost;
	*ret_reported = ring->reported;
	return 0;
}
