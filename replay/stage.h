/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a replay's parent and child share: rings, order, results, buffers and stacks.
 *
 * All of it is one shared mapping that the parent makes and touches before the fork, so that none
 * of it is charged to the cgroup in which the child is measured. Fields that one side writes are
 * read by the other only where the comments say.
 */
#ifndef PT_REPLAY_STAGE_H
#define PT_REPLAY_STAGE_H

#include <stdatomic.h>
#include <stdint.h>

#include "replay/opring.h"
#include "replay/order.h"
#include "util/log2hist.h"

#define PT_STAGE_BUFFER (64u << 10) /* a thread's; longer reads and writes use it repeatedly */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define PT_STAGE_STACK (2u << 20) /* sanitizers keep their own things there */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define PT_STAGE_STACK (2u << 20)
#endif
#endif
#ifndef PT_STAGE_STACK
#define PT_STAGE_STACK (128u << 10)
#endif
#define PT_STAGE_ERRORS 160 /* errno values; 0 stands for SIGBUS, the last for all others */

/* Latencies that are kept apart. A read is a miss where the thread had to sleep in the call. */
enum pt_latency {
	PT_LATENCY_READ_HIT = 0,
	PT_LATENCY_READ_MISS,
	PT_LATENCY_FAULT,
	PT_LATENCY_WRITE,
	PT_LATENCY_FSYNC,
	PT_LATENCY_COUNT
};

/* One thread of the child. Written by it alone; the parent reads results when all are finished.
 * Of operations with PT_OP_WARMUP only the errors are counted. */
struct pt_worker {
	_Atomic uint32_t tid; /* 0 until it runs */
	uint64_t ops, read_bytes, written_bytes;
	uint64_t stall_ns; /* waiting for the recorded order */
	uint64_t starved;  /* how often it found its ring empty */
	uint64_t errors[PT_STAGE_ERRORS];
	struct pt_log2hist latency_ns[PT_LATENCY_COUNT];
	struct pt_log2hist lateness_ns; /* empty where there is no pace */
	struct pt_opring ring;
	_Alignas(4096) uint8_t buffer[PT_STAGE_BUFFER];
	_Alignas(4096) uint8_t stack[PT_STAGE_STACK];
};

/* A descriptor or mapping, opened by the first operation that needs it. */
struct pt_live_handle {
	_Atomic int fd; /* -1: not open */
	uint8_t *map;   /* the one thread that has the mapping uses this */
	uint64_t map_bytes;
};

enum pt_go { PT_GO_WAIT = 0, PT_GO_RUN = 1, PT_GO_LEAVE = 2 };

/* Between the warm-up and what is measured: whoever ends the last operation of the warm-up reaches
 * it, all wait there, and the parent opens it when it has read the counters. Without a warm-up it
 * is open all along. */
enum pt_barrier { PT_BARRIER_OPEN = 0, PT_BARRIER_AHEAD = 1, PT_BARRIER_REACHED = 2 };

struct pt_cpu_time {
	uint64_t user_ns, system_ns;
};

struct pt_stage {
	size_t bytes;
	uint32_t threads, handles;
	_Atomic uint32_t ready;       /* the child's threads that wait for go */
	_Atomic uint32_t go;          /* enum pt_go */
	_Atomic uint32_t finished;    /* 1: all operations are done, results may be read */
	_Atomic uint32_t barrier;     /* enum pt_barrier */
	_Atomic uint64_t warmup_left; /* operations before the barrier that are not complete */
	_Atomic uint64_t begin_ns; /* due times count from here: go, later by the barrier's time */
	uint64_t measured_ns;      /* the parent's: when go was given, or the barrier opened */
	uint64_t warmup_ops;       /* before the barrier */
	uint64_t warmup_ns;        /* the parent's: from go to the barrier; 0: there was none */
	uint64_t reached_ns;       /* these two are read behind the barrier */
	struct pt_cpu_time warmup_cpu;
	uint64_t end_ns; /* the fields from here on are read once finished is 1 */
	uint64_t cpu_user_ns, cpu_system_ns;
	struct pt_worker *workers;
	struct pt_live_handle *live;
	struct pt_order *order;
};

/* NULL when there is no memory for it. */
struct pt_stage *pt_stage_new(uint32_t threads, uint32_t handles, uint32_t window);
void pt_stage_free(struct pt_stage *s);

/* Give go (PT_GO_RUN, PT_GO_LEAVE) to all who wait for it. */
void pt_stage_say(struct pt_stage *s, enum pt_go go);

/* The CPU time of the calling process. */
struct pt_cpu_time pt_stage_cpu_time(void);

/* Wait until go is other than @seen; returns what it is. */
enum pt_go pt_stage_await(struct pt_stage *s, enum pt_go seen);

#endif
