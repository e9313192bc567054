/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a task reads a file, learned from what the kernel read in for it.
 *
 * Where a tape does not know system calls it does not know POSIX_FADV_RANDOM and MADV_RANDOM
 * either, and a replay without them reads ahead what the workload never did. But it shows: a task
 * that missed again and again and for which nothing was ever read ahead had turned that off, or
 * never did what starts it, and then the advice changes nothing.
 */
#ifndef PT_REPLAY_HABIT_H
#define PT_REPLAY_HABIT_H

#include "formats/record.h"
#include "util/map.h"

struct pt_habit {
	uint64_t read_misses; /* reads that had to wait for a page of their own */
	uint64_t fault_pages; /* read in for a fault */
	uint64_t ahead_pages; /* read in beyond what was asked for, or in large folios */
};

/* Habits by task and file. */
struct pt_habits {
	struct pt_map index;
	struct pt_habit *v;
	uint32_t n, cap;
};

void pt_habits_init(struct pt_habits *h);
void pt_habits_done(struct pt_habits *h);

/* Learn from a PT_ACCESS or PT_ADD; others are passed over. Returns 0 or -ENOMEM. */
int pt_habits_learn(struct pt_habits *h, const struct pt_record *rec);

/* Does @task read (or, @mapped, touch) @file as if told that access is random? */
int pt_habits_random(const struct pt_habits *h, uint32_t task, uint32_t file, int mapped);

#endif
