/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a tracefs instance's ring buffers, all CPUs merged by time.
 *
 * Pages are read raw, one CPU after the other; an event is handed on once no CPU can still come
 * with an older one. What the kernel overwrote before it was read is reported where it was, to the
 * event. Nothing is allocated after opening. Not thread-safe.
 */
#ifndef PT_CAPTURE_RING_H
#define PT_CAPTURE_RING_H

#include <stdint.h>

#include "util/diag.h"

struct pt_ring;

struct pt_ring_handler {
	/* An event's raw @data of @len bytes, valid during the call. Negative stops. */
	int (*event)(void *ctx, uint16_t cpu, uint64_t ts_ns, const void *data, uint32_t len);
	/* @lost events (PT_UNKNOWN: not counted) of @cpu are missing before @ts_ns. */
	int (*gap)(void *ctx, uint16_t cpu, uint64_t ts_ns, uint64_t lost);
	void *ctx;
};

/* Open the per-CPU buffers below @dir. 0, -errno with @diag. Release with pt_ring_close(). */
int pt_ring_open(const char *dir, struct pt_ring **ret_ring, struct pt_diag *diag);
void pt_ring_close(struct pt_ring *ring);

/*
 * Read what is there and hand on all events older than @now_ns (the ring's clock, taken before the
 * call; UINT64_MAX: tracing is off, all of them); nothing older than *ret_horizon will come any
 * more. Returns how many pages were read, or what a handler returned below 0, or -errno.
 */
int pt_ring_read(struct pt_ring *ring, uint64_t now_ns, const struct pt_ring_handler *handler,
		 uint64_t *ret_horizon);

/*
 * Events lost so far by the kernel's own statistics, and of them those that pt_ring_read()
 * reported as gaps. Returns 0, or -errno where the statistics cannot be read.
 */
int pt_ring_lost(struct pt_ring *ring, uint64_t *ret_lost, uint64_t *ret_reported);

#endif
