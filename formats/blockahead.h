/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks loaded by threads ahead of their use, handed out in order: what is seen of them is the
 * same as without threads.
 *
 * Memory: a loaded block a thread, and two more. One thread calls the functions below.
 */
#ifndef PT_FORMATS_BLOCKAHEAD_H
#define PT_FORMATS_BLOCKAHEAD_H

#include "formats/blockload.h"

#define PT_BLOCKAHEAD_MAX 64 /* threads */

struct pt_blockahead;

/*
 * Begin to load the @n blocks whose numbers are in @order, with @threads threads. @how and @order
 * are borrowed until close. 0, -ENOMEM, -EAGAIN (no thread to be had).
 */
int pt_blockahead_open(const struct pt_blockload_how *how, const size_t *order, size_t n,
		       unsigned int threads, struct pt_blockahead **ret_a);

/* Stop the threads and release; NULL is nothing. */
void pt_blockahead_close(struct pt_blockahead *a);

/*
 * The next block of the order, loaded or failed as its err says; valid until the next call. There
 * are as many as the order has.
 */
struct pt_blockload *pt_blockahead_next(struct pt_blockahead *a);

#endif
