// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters before, during and after a recording: see tally.h. */
#include "capture/tally.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/cgroup.h"
#include "util/cleanup.h"
#include "util/json.h"
#include "util/progress.h"

static int is_cgroup(const char *dir)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/memory.stat", dir);
	return stat(path, &st) == 0;
}

static int find_cgroup(struct pt_tally *t, const char *cgroup, struct pt_diag *diag)
{
	struct pt_cgroup_hierarchy h;
	int r;

	if (is_cgroup(cgroup)) {
		t->cgroup_dir = strdup(cgroup);
		return t->cgroup_dir ? 0 : -ENOMEM;
	}
	r = pt_cgroup_find("", &h, diag);
	if (r < 0)
		return r;
	if (asprintf(&t->cgroup_dir, "%s/%s", h.mount, cgroup) < 0)
		t->cgroup_dir = NULL;
	pt_cgroup_hierarchy_done(&h);
	if (!t->cgroup_dir)
		return -ENOMEM;
	if (is_cgroup(t->cgroup_dir))
		return 0;
	return pt_diag_set(diag, -ENOENT, PT_NO_OFFSET, "no memory cgroup %s", cgroup);
}

/* The cgroup's path as the kernel has it; not known where the directory is not in the hierarchy. */
static int find_path(struct pt_tally *t)
{
	struct pt_cgroup_hierarchy h;
	const char *path;
	size_t len;

	if (!pt_lrugens_used("") || pt_cgroup_find("", &h, NULL) < 0)
		return 0;
	t->mount = steal_ptr(h.mount);
	pt_cgroup_hierarchy_done(&h);
	len = strlen(t->mount);
	path = t->cgroup_dir ? t->cgroup_dir + len : "/";
	if (t->cgroup_dir && strncmp(t->cgroup_dir, t->mount, len) != 0)
		return 0;
	path += strspn(path, "/");
	return asprintf(&t->path, "/%s", path) < 0 ? -ENOMEM : 0;
}

int pt_tally_init(struct pt_tally *t, const char *cgroup, struct pt_diag *diag)
{
	int r = 0;

	*t = (struct pt_tally){ .cgroup = PT_UNKNOWN32, .read_ns = UINT64_MAX };
	if (cgroup)
		r = find_cgroup(t, cgroup, diag);
	if (r == 0)
		r = find_path(t);
	if (r < 0)
		pt_tally_done(t);
	return r;
}

void pt_tally_done(struct pt_tally *t)
{
	pt_counters_done(&t->machine);
	pt_counters_done(&t->memcg);
	pt_counters_done(&t->machine_end);
	pt_counters_done(&t->memcg_end);
	pt_counters_done(&t->vmstat);
	pt_counters_done(&t->memstat);
	pt_counters_done(&t->psi);
	pt_counters_done(&t->kswapd);
	pt_lrugens_done(&t->lrugens);
	free(t->cgroup_dir);
	free(t->mount);
	free(t->path);
	*t = (struct pt_tally){ .cgroup = PT_UNKNOWN32, .read_ns = UINT64_MAX };
}

int pt_tally_intern(struct pt_tally *t, const struct pt_sink *sink)
{
	struct stat st;

	t->sink = sink;
	if (!t->cgroup_dir || stat(t->cgroup_dir, &st) < 0)
		return 0;
	return sink->intern_cgroup(sink->ctx, st.st_ino, &t->cgroup);
}

void pt_tally_start(struct pt_tally *t)
{
	(void)pt_counters_vmstat("", &t->machine);
	if (t->cgroup_dir)
		(void)pt_counters_memstat(t->cgroup_dir, &t->memcg);
}

void pt_tally_stop(struct pt_tally *t)
{
	(void)pt_counters_vmstat("", &t->machine_end);
	if (t->cgroup_dir)
		(void)pt_counters_memstat(t->cgroup_dir, &t->memcg_end);
}

static int add_text(struct pt_interpreter *in, const struct pt_buf *text, enum pt_counters_how how,
		    uint32_t cgroup)
{
	struct pt_record rec = PT_RECORD_INIT(PT_COUNTERS);

	rec.how = (uint8_t)how;
	rec.cgroup = cgroup;
	rec.blob = text->data;
	rec.blob_len = (uint32_t)text->len;
	return pt_interpreter_add(in, &rec);
}

static int add(struct pt_interpreter *in, struct pt_counters *c, enum pt_counters_how how,
	       uint32_t cgroup)
{
	auto_buf struct pt_buf text = { 0 };
	int r;

	if (!c->n) /* this kernel does not keep them */
		return 0;
	r = pt_counters_format(c, &text);
	pt_counters_done(c);
	return r < 0 ? r : add_text(in, &text, how, cgroup);
}

/* The generations of one cgroup, those from @i on; one that is gone meanwhile is passed over. */
static int add_generations(struct pt_tally *t, struct pt_interpreter *in, size_t i,
			   size_t *ret_next)
{
	auto_buf struct pt_buf text = { 0 };
	auto_free char *dir = NULL;
	struct stat st;
	uint32_t cgroup;
	int r = pt_lrugens_format(&t->lrugens, i, &text, ret_next);

	if (r < 0)
		return r;
	if (asprintf(&dir, "%s%s", t->mount, t->lrugens.v[i].path) < 0) {
		dir = NULL;
		return -ENOMEM;
	}
	if (!text.len || stat(dir, &st) < 0)
		return 0;
	r = t->sink->intern_cgroup(t->sink->ctx, st.st_ino, &cgroup);
	return r < 0 ? r : add_text(in, &text, PT_COUNTERS_LRU_GEN, cgroup);
}

static int add_all_generations(struct pt_tally *t, struct pt_interpreter *in)
{
	int r = 0;

	for (size_t i = 0; i < t->lrugens.n && r == 0;)
		r = add_generations(t, in, i, &i);
	pt_lrugens_done(&t->lrugens);
	return r;
}

void pt_tally_read(struct pt_tally *t)
{
	t->read_ns = pt_now_ns();
	if (t->cgroup_dir)
		(void)pt_counters_memstat(t->cgroup_dir, &t->memstat);
	(void)pt_counters_vmstat("", &t->vmstat);
	(void)pt_counters_psi("", &t->psi);
	(void)pt_counters_kswapd("", &t->kswapd);
	if (t->path)
		(void)pt_lrugens_read("", t->path, &t->lrugens);
}

int pt_tally_record(struct pt_tally *t, struct pt_interpreter *in)
{
	uint64_t read_ns = t->read_ns;
	int r;

	if (read_ns == UINT64_MAX)
		return 0;
	t->read_ns = UINT64_MAX;
	r = pt_interpreter_advance(in, read_ns);
	if (r == 0)
		r = add(in, &t->vmstat, PT_COUNTERS_VMSTAT, PT_UNKNOWN32);
	if (r == 0)
		r = add(in, &t->memstat, PT_COUNTERS_MEMSTAT, t->cgroup);
	if (r == 0)
		r = add(in, &t->psi, PT_COUNTERS_PSI, PT_UNKNOWN32);
	if (r == 0)
		r = add(in, &t->kswapd, PT_COUNTERS_KSWAPD, PT_UNKNOWN32);
	if (r == 0)
		r = add_all_generations(t, in);
	return r;
}

/* What the counters grew by, under their names behind @prefix; those that are not kept stay out. */
static void set_growth(json_t *counts, const char *prefix, const struct pt_counters *before,
		       const struct pt_counters *after)
{
	static const char *const names[] = { "workingset_refault_file", "workingset_activate_file",
					     "pgsteal_file" };

	for (size_t i = 0; i < PT_ARRAY_SIZE(names); i++) {
		uint64_t a = pt_counters_get(before, names[i]);
		uint64_t b = pt_counters_get(after, names[i]);
		char key[64];

		snprintf(key, sizeof(key), "%s%s", prefix, names[i]);
		if (a != PT_COUNTER_NONE && b != PT_COUNTER_NONE && b >= a)
			pt_json_set_u64(counts, key, b - a);
	}
}

json_t *pt_tally_counts(const struct pt_tally *t)
{
	json_t *counts = json_object();

	pt_json_set_string(counts, "scope", t->cgroup_dir ? "cgroup" : "machine");
	set_growth(counts, t->cgroup_dir ? "machine_" : "", &t->machine, &t->machine_end);
	if (t->cgroup_dir)
		set_growth(counts, "", &t->memcg, &t->memcg_end);
	return counts;
}
