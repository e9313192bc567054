// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages that leave: reclaim (which leaves a shadow) told from truncation and invalidation, and the
 * sums of each scan.
 *
 * Both delete a page by the same event. It is reclaim inside a reclaim bracket of the task, or in
 * kswapd, but not while a shrinker runs (the inode shrinker invalidates); and where a scan's sums
 * that follow account for exactly the task's deletions (MADV_PAGEOUT, DAMON).
 */
#include <string.h>

#include "capture/state.h"

#define RUN_MAX 4096 /* pages; such reclaim works a page table at a time, 512 */

/* The newest of the run's records and all that link from it become what they were. */
static void settle_run(struct pt_interpreter *in, struct pt_run *run, uint8_t kind, uint8_t how)
{
	struct pt_held *h;

	while ((h = pt_pending_get(&in->pending, run->newest))) {
		run->newest = h->link;
		h->rec.kind = kind;
		h->rec.how = how;
		if (h->waits)
			h->waits--;
	}
	*run = (struct pt_run){ .newest = PT_NO_SEQ };
}

void pt_reclaim_end_run(struct pt_interpreter *in, struct pt_seen_task *task)
{
	if (task->run.pages)
		settle_run(in, &task->run, PT_REMOVE, PT_UNKNOWN8);
}

/* Why it left, as far as the task's doing says; returns whether it may still prove reclaim. */
static int classify(const struct pt_seen_task *task, uint32_t file, uint64_t page,
		    struct pt_record *rec)
{
	rec->kind = PT_REMOVE;
	if (task->slab_depth) {
		rec->how = PT_REMOVE_INVALIDATE;
		return 0;
	}
	if (task->flags & PT_TASK_KSWAPD || task->reclaim_depth) {
		rec->kind = PT_EVICT;
		rec->how = task->reclaim_depth ? task->reclaim_how : PT_RECLAIM_KSWAPD;
		return 0;
	}
	if (task->invalidated_file == file && task->invalidated_page == page) {
		rec->how = PT_REMOVE_TRUNCATE;
		return 0;
	}
	/* DAMON's threads delete pages in no other way, and before 6.18 no event of theirs says so.
	 */
	if (strncmp(task->comm, "kdamond.", 8) == 0) {
		rec->kind = PT_EVICT;
		rec->how = PT_RECLAIM_PAGEOUT;
		return 0;
	}
	return 1;
}

void pt_reclaim_delete(struct pt_interpreter *in, struct pt_seen_task *task, uint32_t file,
		       const struct pt_kevent *ev)
{
	struct pt_record rec = pt_record_now(in, PT_REMOVE, task, file);
	struct pt_run *run = &task->run;
	struct pt_held *h;
	uint64_t seq;
	int open;

	rec.page = ev->page;
	rec.order = ev->order == PT_UNKNOWN8 ? 0 : ev->order;
	open = classify(task, file, ev->page, &rec);
	task->invalidated_file = PT_NO_FILE;
	if (run->pages >= RUN_MAX)
		pt_reclaim_end_run(in, task);
	seq = pt_pending_push(&in->pending, &rec, (uint32_t)open);
	if (open) {
		h = pt_pending_get(&in->pending, seq);
		h->link = run->newest;
		run->newest = seq;
		run->pages += UINT64_C(1) << rec.order;
	}
	pt_owners_deleted(in, ev, seq);
	pt_folios_del(&in->folios, ev->value[0]);
}

void pt_reclaim_scan(struct pt_interpreter *in, struct pt_seen_task *task,
		     const struct pt_kevent *ev)
{
	struct pt_record rec = pt_record_now(in, PT_SCAN, task, PT_NO_FILE);

	if (ev->type != PT_KEV_SHRINK_ACTIVE && task->run.pages && task->run.pages == ev->value[1])
		settle_run(in, &task->run, PT_EVICT, PT_RECLAIM_PAGEOUT);
	rec.node = (uint16_t)ev->node;
	rec.how = ev->how;
	for (int i = 0; i < 4; i++)
		rec.value[i] = ev->value[i];
	pt_pending_push(&in->pending, &rec, 0);
}

void pt_reclaim_bracket(struct pt_interpreter *in, struct pt_seen_task *task,
			const struct pt_kevent *ev)
{
	struct pt_record rec;

	if (ev->type == PT_KEV_RECLAIM_BEGIN) {
		pt_reclaim_end_run(in, task);
		task->reclaim_how = ev->how;
		if (task->reclaim_depth < UINT8_MAX)
			task->reclaim_depth++;
		rec = pt_record_now(in, PT_RECLAIM_BEGIN, task, PT_NO_FILE);
		rec.order = ev->order;
		rec.how = ev->how;
		rec.value[0] = ev->value[0];
	} else {
		if (task->reclaim_depth)
			task->reclaim_depth--;
		task->slab_depth = 0;
		rec = pt_record_now(in, PT_RECLAIM_END, task, PT_NO_FILE);
		rec.npages = ev->value[0];
	}
	pt_pending_push(&in->pending, &rec, 0);
}

/* Only the shadow shrinker is recorded, and only where it freed something. */
void pt_reclaim_slab(struct pt_interpreter *in, struct pt_seen_task *task,
		     const struct pt_kevent *ev)
{
	struct pt_record rec;

	if (ev->type == PT_KEV_SLAB_START) {
		pt_reclaim_end_run(in, task);
		if (task->slab_depth < UINT8_MAX)
			task->slab_depth++;
		task->slab_scan = ev->value[1];
		return;
	}
	if (task->slab_depth)
		task->slab_depth--;
	if (!ev->value[0] || (int64_t)ev->value[2] <= 0)
		return;
	rec = pt_record_now(in, PT_SCAN, task, PT_NO_FILE);
	rec.node = (uint16_t)ev->node;
	rec.how = PT_SCAN_SHADOWS;
	if (task->slab_scan >= ev->value[1])
		rec.value[0] = task->slab_scan - ev->value[1];
	rec.value[1] = ev->value[2];
	pt_pending_push(&in->pending, &rec, 0);
}

#define LRU_ACTIVE_FILE   3 /* enum lru_list: the same in every kernel */
#define LRU_INACTIVE_FILE 2

void pt_reclaim_lru(struct pt_interpreter *in, const struct pt_kevent *ev)
{
	struct pt_seen_folio *folio = pt_folios_find(&in->folios, ev->value[0]);
	int insert = ev->type == PT_KEV_LRU_INSERT;
	struct pt_record rec;

	if (!folio)
		return;
	if (insert && ev->value[1] < LRU_INACTIVE_FILE) {
		/* The pfn serves something else by now: the folio was migrated. */
		pt_folios_del(&in->folios, ev->value[0]);
		return;
	}
	/* A later insertion puts back what was isolated: not news. */
	if (insert && (folio->inserted || ev->value[1] != LRU_ACTIVE_FILE)) {
		folio->inserted = 1;
		return;
	}
	folio->inserted = 1;
	rec = pt_record_now(in, PT_ACTIVATE, NULL, folio->file);
	rec.page = folio->page;
	rec.order = folio->order;
	rec.how = insert ? PT_ACTIVATE_INSERT : PT_ACTIVATE_ACCESS;
	pt_pending_push(&in->pending, &rec, 0);
}
