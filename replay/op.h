/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One operation of a replay: what a plan gives out, a ring carries and a worker does.
 */
#ifndef PT_REPLAY_OP_H
#define PT_REPLAY_OP_H

#include <stdint.h>

enum pt_op_kind {
	PT_OP_READ = 0,
	PT_OP_LOAD,  /* read one byte of a mapped page */
	PT_OP_STORE, /* write one byte of a mapped page */
	PT_OP_WRITE,
	PT_OP_FSYNC,
	PT_OP_FDATASYNC,
	PT_OP_SYNC_RANGE,
	PT_OP_FADVISE,  /* advice: POSIX_FADV_* */
	PT_OP_MADVISE,  /* advice: MADV_* */
	PT_OP_TRUNCATE, /* len: the new size */
	PT_OP_UNLINK,
	PT_OP_CLOSE,
	PT_OP_END, /* the worker has nothing more to do */
	PT_OP_COUNT
};

#define PT_OP_DONTCACHE (1u << 0)
#define PT_OP_WARMUP    (1u << 1) /* played, but not measured */

struct pt_op {
	uint64_t due_ns;   /* since the first operation, as recorded */
	uint64_t off, len; /* bytes */
	uint32_t seq;      /* place in the recorded order, from 0, wrapping */
	uint32_t handle;   /* which descriptor or mapping */
	uint32_t thread;   /* who does it */
	uint8_t kind;      /* enum pt_op_kind */
	uint8_t flags;     /* PT_OP_* flags */
	uint16_t advice;
};

/* "read", "load", ... */
const char *pt_op_name(unsigned int kind);

#endif
