// SPDX-License-Identifier: GPL-2.0-or-later
/* Blocks loaded ahead by threads: see blockahead.h. */
#include "formats/blockahead.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#define SPARE 2 /* slots beyond one a thread: the one in use, and one that waits for its turn */

struct slot {
	struct pt_blockload load;
	int ready;
};

/* Block number k of the order goes to slot k % n_slots. */
struct pt_blockahead {
	const struct pt_blockload_how *how;
	const size_t *order;
	size_t n;
	pthread_mutex_t lock;
	pthread_cond_t moved; /* anything below changed */
	size_t taken, used;   /* by threads; by the caller, the one in use included */
	int stop;
	struct slot *slots;
	size_t n_slots;
	unsigned int n_threads;
	pthread_t threads[PT_BLOCKAHEAD_MAX];
};

/* Under the lock: whether there is a block to load, and a slot that is not in use for it. */
static int may_take(const struct pt_blockahead *a)
{
	size_t oldest = a->used ? a->used - 1 : 0; /* the caller's */

	return a->taken < a->n && a->taken < oldest + a->n_slots;
}

static void *load_blocks(void *arg)
{
	struct pt_blockahead *a = arg;

	pthread_mutex_lock(&a->lock);
	for (;;) {
		struct slot *s;
		size_t k;

		while (!a->stop && !may_take(a) && a->taken < a->n)
			pthread_cond_wait(&a->moved, &a->lock);
		if (a->stop || a->taken == a->n)
			break;
		k = a->taken++;
		s = &a->slots[k % a->n_slots];
		s->ready = 0;
		pthread_mutex_unlock(&a->lock);
		pt_blockload_read(&s->load, a->how, a->order[k]);
		pthread_mutex_lock(&a->lock);
		s->ready = 1;
		pthread_cond_broadcast(&a->moved);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* Threads that take no signals: those are the caller's. */
static int start(struct pt_blockahead *a, unsigned int threads)
{
	sigset_t all, before;
	int err = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (a->n_threads < threads && !err) {
		err = pthread_create(&a->threads[a->n_threads], NULL, load_blocks, a);
		a->n_threads += !err;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return a->n_threads ? 0 : -EAGAIN; /* fewer do as well */
}

int pt_blockahead_open(const struct pt_blockload_how *how, const size_t *order, size_t n,
		       unsigned int threads, struct pt_blockahead **ret_a)
{
	struct pt_blockahead *a = calloc(1, sizeof(*a));
	int err = 0;

	if (!a)
		return -ENOMEM;
	a->how = how;
	a->order = order;
	a->n = n;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->moved, NULL);
	if (threads > PT_BLOCKAHEAD_MAX)
		threads = PT_BLOCKAHEAD_MAX;
	a->slots = calloc(threads + SPARE, sizeof(*a->slots));
	if (!a->slots)
		err = -ENOMEM;
	while (!err && a->n_slots < threads + SPARE)
		err = pt_blockload_init(&a->slots[a->n_slots++].load);
	if (!err)
		err = start(a, threads);
	if (err < 0) {
		pt_blockahead_close(a);
		return err;
	}
	*ret_a = a;
	return 0;
}

void pt_blockahead_close(struct pt_blockahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = 1;
	pthread_cond_broadcast(&a->moved);
	pthread_mutex_unlock(&a->lock);
	for (unsigned int i = 0; i < a->n_threads; i++)
		pthread_join(a->threads[i], NULL);
	for (size_t i = 0; i < a->n_slots; i++)
		pt_blockload_done(&a->slots[i].load);
	pthread_cond_destroy(&a->moved);
	pthread_mutex_destroy(&a->lock);
	free(a->slots);
	free(a);
}

struct pt_blockload *pt_blockahead_next(struct pt_blockahead *a)
{
	struct slot *s;

	assert(a->used < a->n);
	pthread_mutex_lock(&a->lock);
	s = &a->slots[a->used % a->n_slots];
	a->used++; /* gives the one before back */
	pthread_cond_broadcast(&a->moved);
	while (a->taken < a->used || !s->ready)
		pthread_cond_wait(&a->moved, &a->lock);
	pthread_mutex_unlock(&a->lock);
	return &s->load;
}
