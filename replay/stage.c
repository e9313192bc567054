// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory that a replay's parent and child share. */
#include "replay/stage.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "replay/fill.h"
#include "replay/futex.h"
#include "util/cleanup.h"

#define PAGE_MAX 65536 /* the largest page size in use: parts begin on pages of their own */

static size_t whole_pages(size_t bytes)
{
	return (bytes + PAGE_MAX - 1) & ~(size_t)(PAGE_MAX - 1);
}

/* What writes write must not compress to nothing. */
static int fill_buffers(struct pt_stage *s)
{
	auto_free void *chunk = pt_fill_chunk_new();

	if (!chunk)
		return 0;
	for (uint32_t i = 0; i < s->threads; i++)
		memcpy(s->workers[i].buffer, chunk, PT_STAGE_BUFFER);
	return 1;
}

struct pt_stage *pt_stage_new(uint32_t threads, uint32_t handles, uint32_t window)
{
	size_t head = whole_pages(sizeof(struct pt_stage));
	size_t workers = whole_pages(sizeof(struct pt_worker) * threads);
	size_t live = whole_pages(sizeof(struct pt_live_handle) * handles);
	size_t order = whole_pages(pt_order_bytes(window));
	size_t bytes = head + workers + live + order;
	uint8_t *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct pt_stage *s;

	if (base == MAP_FAILED)
		return NULL;
	s = (struct pt_stage *)(void *)base;
	s->bytes = bytes;
	s->threads = threads;
	s->handles = handles;
	s->workers = (struct pt_worker *)(void *)(base + head);
	s->live = (struct pt_live_handle *)(void *)(base + head + workers);
	s->order = (struct pt_order *)(void *)(base + head + workers + live);
	for (uint32_t i = 0; i < handles; i++)
		atomic_init(&s->live[i].fd, -1);
	pt_order_init(s->order, window);
	if (!fill_buffers(s)) {
		pt_stage_free(s);
		return NULL;
	}
	return s;
}

void pt_stage_free(struct pt_stage *s)
{
	if (s)
		munmap(s, s->bytes);
}

static uint64_t timeval_ns(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * 1000000000 + (uint64_t)tv.tv_usec * 1000;
}

struct pt_cpu_time pt_stage_cpu_time(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (struct pt_cpu_time){ timeval_ns(ru.ru_utime), timeval_ns(ru.ru_stime) };
}

void pt_stage_say(struct pt_stage *s, enum pt_go go)
{
	atomic_store(&s->go, go);
	pt_futex_wake(&s->go, PT_FUTEX_ANY);
}

enum pt_go pt_stage_await(struct pt_stage *s, enum pt_go seen)
{
	uint32_t go;

	while ((go = atomic_load(&s->go)) == seen)
		pt_futex_wait(&s->go, seen, PT_FUTEX_ANY, 0);
	return (enum pt_go)go;
}
