// SPDX-License-Identifier: GPL-2.0-or-later
/* trace.dat through libtracecmd: see tracedat.h. */
#include "capture/tracedat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <trace-cmd.h>

#include "capture/datinfo.h"
#include "capture/decoder.h"
#include "capture/interpreter.h"
#include "util/json.h"

#define INSTANCES_MAX 64

struct pt_tracedat {
	struct tracecmd_input *inputs[INSTANCES_MAX + 1]; /* the main buffer, then instances */
	int count;
	struct tep_handle *tep; /* the main input's */
	struct pt_decoder *decoder;
	struct pt_datinfo info;
	uint32_t page_size;
	/* while running */
	struct pt_interpreter *in;
	struct pt_tracedat_counts *counts;
	uint64_t seen[PT_DATINFO_CPUS]; /* records of each CPU, ours or not */
	int error;
};

static void be_silent(void)
{
	tep_set_loglevel(TEP_LOG_NONE);
	tracefs_set_loglevel(TEP_LOG_NONE);
	tracecmd_set_loglevel(TEP_LOG_NONE);
}

static void open_instances(struct pt_tracedat *t)
{
	int n = tracecmd_buffer_instances(t->inputs[0]);

	for (int i = 0; i < n && t->count <= INSTANCES_MAX; i++) {
		struct tracecmd_input *in = tracecmd_buffer_instance_handle(t->inputs[0], i);

		if (in)
			t->inputs[t->count++] = in;
	}
}

int pt_tracedat_open(const char *path, struct pt_tracedat **ret_t, struct pt_diag *diag)
{
	struct pt_tracedat *t = calloc(1, sizeof(*t));
	int page_size, r;

	if (!t)
		return -ENOMEM;
	be_silent();
	r = pt_datinfo_read(path, &t->info, diag);
	if (r < 0)
		goto fail;
	t->inputs[0] = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!t->inputs[0]) {
		r = pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET,
				"libtracecmd cannot read it: damaged, or cut before its data");
		goto fail;
	}
	t->count = 1;
	open_instances(t);
	t->tep = tracecmd_get_tep(t->inputs[0]);
	page_size = tep_get_page_size(t->tep);
	t->page_size = page_size > 0 ? (uint32_t)page_size : 4096;
	r = pt_decoder_new(t->tep, &t->decoder, diag);
	if (r < 0)
		goto fail;
	*ret_t = t;
	return 0;
fail:
	pt_tracedat_close(t);
	return r;
}

void pt_tracedat_close(struct pt_tracedat *t)
{
	if (!t)
		return;
	pt_decoder_free(t->decoder);
	for (int i = t->count - 1; i >= 0; i--)
		tracecmd_close(t->inputs[i]);
	free(t);
}

static void set_knowledge(const struct pt_tracedat *t, struct pt_head *head)
{
	int lru = pt_decoder_has(t->decoder, PT_KEV_LRU_ACTIVATE);

	pt_head_set_known(head, "accesses",
			  pt_decoder_tells_accesses(t->decoder) ? PT_KNOWN_DERIVED
								: PT_KNOWN_UNAVAILABLE);
	pt_head_set_known(head, "calls", PT_KNOWN_UNAVAILABLE);
	pt_head_set_known(head, "bytes", PT_KNOWN_UNAVAILABLE);
	pt_head_set_known(head, "open_files", PT_KNOWN_UNAVAILABLE);
	/* What memcg events count has numbers that the recording does not tell. */
	pt_head_set_known(head, "cgroups", PT_KNOWN_UNAVAILABLE);
	pt_head_set_known(head, "refaults", PT_KNOWN_DERIVED);
	pt_head_set_known(head, "activations", lru ? PT_KNOWN_KNOWN : PT_KNOWN_UNAVAILABLE);
}

int pt_tracedat_describe(struct pt_tracedat *t, struct pt_head *head)
{
	json_t *sources = json_array();
	json_t *kernel = json_object();
	char name[128];

	json_object_set_new(head->doc, "page_size", json_integer(t->page_size));
	pt_json_set_string(head->doc, "clock", t->info.clock[0] ? t->info.clock : "unknown");
	pt_json_set_string(head->doc, "source", "trace.dat");
	for (const struct pt_kevent_info *const *k = pt_decoder_found(t->decoder); *k; k++) {
		snprintf(name, sizeof(name), "%s:%s", (*k)->system, (*k)->name);
		json_array_append_new(sources, json_string(name));
	}
	pt_json_set(head->doc, "sources", sources);
	if (t->info.release[0])
		pt_json_set_string(kernel, "release", t->info.release);
	if (t->info.machine[0])
		pt_json_set_string(kernel, "arch", t->info.machine);
	pt_json_set(head->doc, "kernel", kernel);
	set_knowledge(t, head);
	return 0;
}

static void feed(struct pt_tracedat *t, const struct pt_kevent *ev)
{
	int r = pt_interpreter_feed(t->in, ev);

	if (r < 0)
		t->error = r;
	if (r > 0) {
		t->counts->undecoded++;
		t->counts->gaps++;
	}
}

static void feed_gap(struct pt_tracedat *t, uint16_t cpu, uint64_t ts_ns, uint64_t lost,
		     enum pt_gap_how how)
{
	const struct pt_kevent ev = { .ts_ns = ts_ns,
				      .cpu = cpu,
				      .type = PT_KEV_GAP,
				      .how = (uint8_t)how,
				      .value = { lost, PT_UNKNOWN, PT_UNKNOWN, PT_UNKNOWN } };

	t->counts->gaps++;
	if (lost != PT_UNKNOWN)
		t->counts->lost += lost;
	else
		t->counts->unknown_gaps++;
	feed(t, &ev);
}

static uint64_t is_shadow_shrinker(const struct pt_tracedat *t, uint64_t address)
{
	const char *name = tep_find_function(t->tep, address);

	return name && strcmp(name, "scan_shadow_nodes") == 0;
}

static int on_record(struct tracecmd_input *input, struct tep_record *rec, int cpu, void *ctx)
{
	struct pt_tracedat *t = ctx;
	struct pt_kevent ev;
	int r;

	(void)input;
	if (cpu >= 0 && cpu < PT_DATINFO_CPUS)
		t->seen[cpu]++;
	if (rec->missed_events)
		feed_gap(t, (uint16_t)cpu, rec->ts,
			 rec->missed_events > 0 ? (uint64_t)rec->missed_events : PT_UNKNOWN,
			 PT_GAP_RING);
	if (rec->size < 0)
		return 0;
	r = pt_decoder_decode(t->decoder, rec->data, (uint32_t)rec->size, (uint16_t)cpu, rec->ts,
			      &ev);
	if (r < 0) {
		t->counts->undecoded++;
		feed_gap(t, (uint16_t)cpu, rec->ts, 1, PT_GAP_UNDECODED);
	} else if (r > 0) {
		if (ev.type == PT_KEV_SLAB_START || ev.type == PT_KEV_SLAB_END)
			ev.value[0] = is_shadow_shrinker(t, ev.value[0]);
		if (!t->counts->events++)
			t->counts->first_ns = rec->ts;
		t->counts->last_ns = rec->ts;
		feed(t, &ev);
	}
	return t->error;
}

static void describe_task(void *ctx, uint32_t pid, struct pt_task *def, char *comm)
{
	struct pt_tracedat *t = ctx;
	const char *name = tep_data_comm_from_pid(t->tep, (int)pid);

	(void)def;
	if (name && strcmp(name, "<...>") != 0)
		snprintf(comm, 16, "%s", name);
}

/*
 * What only the kernel's final statistics tell: events that it dropped, and events that it handed
 * over but libtracecmd did not find, as where it stops at a damaged chunk without a word.
 */
static void tell_missing(struct pt_tracedat *t)
{
	for (uint32_t i = 0; i < t->info.cpus; i++) {
		if (t->info.dropped[i])
			feed_gap(t, (uint16_t)i, t->counts->last_ns, t->info.dropped[i],
				 PT_GAP_RING);
		if (t->seen[i] < t->info.kept[i])
			feed_gap(t, (uint16_t)i, t->counts->last_ns, t->info.kept[i] - t->seen[i],
				 PT_GAP_SOURCE);
	}
	if (t->info.is_cut)
		feed_gap(t, PT_UNKNOWN16, t->counts->last_ns, PT_UNKNOWN, PT_GAP_SOURCE);
}

int pt_tracedat_run(struct pt_tracedat *t, const struct pt_sink *sink,
		    struct pt_tracedat_counts *ret_counts, struct pt_diag *diag)
{
	struct pt_interpreter_options opt = {
		.page_size = t->page_size,
		.announces_readahead = pt_decoder_has(t->decoder, PT_KEV_RA_WINDOW),
		.memcg = { -1, -1, -1, -1 },
		.describe_task = describe_task,
		.ctx = t,
	};
	int r;

	*ret_counts = (struct pt_tracedat_counts){ .first_ns = PT_UNKNOWN, .last_ns = 0 };
	t->counts = ret_counts;
	r = pt_interpreter_new(&opt, sink, &t->in);
	if (r < 0)
		return r;
	r = tracecmd_iterate_events_multi(t->inputs, t->count, on_record, t);
	if (t->error)
		r = t->error;
	else if (r < 0)
		r = pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "libtracecmd stopped in its data");
	if (r == 0) {
		tell_missing(t);
		ret_counts->complete = !ret_counts->gaps && t->info.has_statistics;
		r = pt_interpreter_finish(t->in);
	}
	pt_interpreter_free(t->in);
	t->in = NULL;
	return r;
}
