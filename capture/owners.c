// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's own word on each folio: which cgroup owns it, whether its add was a refault.
 *
 * memcg:mod_memcg_lruvec_state comes on the same CPU as what it is about: the count of file pages
 * goes up just before an add and down just after a delete; refaults are counted just after an add.
 */
#include <inttypes.h>
#include <stdio.h>

#include "capture/state.h"

static uint32_t cgroup_of(struct pt_interpreter *in, uint64_t id)
{
	uint32_t cgroup = PT_UNKNOWN32;
	int r = in->sink->intern_cgroup(in->sink->ctx, id, &cgroup);

	if (r < 0)
		in->error = r;
	return cgroup;
}

void pt_owners_added(struct pt_interpreter *in, const struct pt_kevent *ev, struct pt_record *rec)
{
	struct pt_cpu_state *cpu = &in->cpus[ev->cpu];

	if (cpu->owner_id != PT_UNKNOWN && cpu->pid == ev->pid)
		rec->cgroup = cgroup_of(in, cpu->owner_id);
	cpu->add_file = rec->file;
	cpu->add_page = rec->page;
}

void pt_owners_deleted(struct pt_interpreter *in, const struct pt_kevent *ev, uint64_t seq)
{
	struct pt_cpu_state *cpu = &in->cpus[ev->cpu];

	if (in->opt.memcg.file_pages < 0)
		return;
	pt_pending_release(&in->pending, cpu->last_delete);
	pt_pending_get(&in->pending, seq)->waits++;
	cpu->last_delete = seq;
}

static void record_refault(struct pt_interpreter *in, struct pt_cpu_state *cpu,
			   const struct pt_seen_task *task, const struct pt_kevent *ev)
{
	struct pt_record rec = pt_record_now(in, PT_REFAULT, task, PT_NO_FILE);

	rec.file = cpu->add_file;
	rec.page = cpu->add_file == PT_UNKNOWN32 ? PT_UNKNOWN : cpu->add_page;
	rec.npages = ev->value[2];
	rec.cgroup = cgroup_of(in, ev->value[0]);
	rec.flags = 0;
	cpu->refault = pt_pending_push(&in->pending, &rec, 1);
}

static void flag_refault(struct pt_interpreter *in, const struct pt_cpu_state *cpu, uint32_t flag)
{
	struct pt_held *h = pt_pending_get(&in->pending, cpu->refault);

	if (h)
		h->rec.flags |= flag;
}

void pt_owners_state(struct pt_interpreter *in, struct pt_seen_task *task,
		     const struct pt_kevent *ev)
{
	const struct pt_memcg_items *items = &in->opt.memcg;
	struct pt_cpu_state *cpu = &in->cpus[ev->cpu];
	int64_t item = (int64_t)ev->value[1], change = (int64_t)ev->value[2];
	struct pt_held *h;

	if (item < 0)
		return;
	if (item == items->file_pages && change > 0) {
		cpu->owner_id = ev->value[0];
		cpu->pid = ev->pid;
	} else if (item == items->file_pages) {
		h = pt_pending_get(&in->pending, cpu->last_delete);
		if (h)
			h->rec.cgroup = cgroup_of(in, ev->value[0]);
		pt_pending_release(&in->pending, cpu->last_delete);
		cpu->last_delete = PT_NO_SEQ;
	} else if (item == items->refault_file && change > 0) {
		pt_pending_release(&in->pending, cpu->refault);
		record_refault(in, cpu, task, ev);
	} else if (item == items->activate_file) {
		flag_refault(in, cpu, PT_REFAULT_ACTIVATED);
	} else if (item == items->restore_file) {
		flag_refault(in, cpu, PT_REFAULT_RESTORED);
	}
}

/* The cgroup's statistics, and of all below it, are up to date now; asking alone flushes nothing.
 */
void pt_owners_flushed(struct pt_interpreter *in, const struct pt_kevent *ev)
{
	struct pt_record rec = PT_RECORD_INIT(PT_COUNTERS);
	char text[64];
	int n = 0, r;

	if (!ev->value[2] && !ev->value[3])
		return;
	if (ev->value[1] != PT_UNKNOWN)
		n = snprintf(text, sizeof(text), "stats_updates %" PRIu64 "\n", ev->value[1]);
	rec.how = PT_COUNTERS_FLUSH;
	rec.cgroup = cgroup_of(in, ev->value[0]);
	rec.blob = text;
	rec.blob_len = (uint32_t)n;
	r = in->error ? 0 : pt_interpreter_add(in, &rec);
	if (r < 0)
		in->error = r;
}

void pt_owners_other(struct pt_interpreter *in, const struct pt_kevent *ev)
{
	struct pt_cpu_state *cpu = &in->cpus[ev->cpu];

	cpu->owner_id = PT_UNKNOWN;
	pt_pending_release(&in->pending, cpu->refault);
	cpu->refault = PT_NO_SEQ;
	if (ev->type != PT_KEV_ADD)
		cpu->add_file = PT_UNKNOWN32;
	if (ev->type == PT_KEV_DELETE)
		return;
	pt_pending_release(&in->pending, cpu->last_delete);
	cpu->last_delete = PT_NO_SEQ;
}
