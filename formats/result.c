// SPDX-License-Identifier: GPL-2.0-or-later
/* Results of replays: the table of metrics, documents checked at load, values by dotted path. */
#include "formats/result.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/json.h"
#include "util/outfile.h"
#include "util/textfile.h"

/* What a person asks first comes first; the rest is grouped as in the document. */
const struct pt_metric pt_metrics[] = {
	{ "ops_per_s", "ops_per_s", "1/s", "more", 1 },
	{ "refaults", "counters.cgroup.workingset_refault_file", "pages", "less", 1 },
	{ "read_miss_p99", "latency_ns.read_miss.p99", "ns", "less", 1 },
	{ "tape_refaults", "own_tape.refaults", "pages", "less", 0 },
	{ "evictions", "own_tape.evictions", "pages", "less", 0 },
	{ "evicted_pages_p50", "own_tape.evicted_pages.p50", "pages", "more", 0 },
	{ "evicted_pages_p90", "own_tape.evicted_pages.p90", "pages", "more", 0 },
	{ "refault_activations", "own_tape.refault_activations", "pages", "less", 0 },
	{ "access_match", "fidelity.access_match", "", "more", 0 },
	{ "bytes_per_s", "bytes_per_s", "B/s", "more", 0 },
	{ "wall", "wall_ns", "ns", "less", 0 },
	{ "stall", "stall_ns", "ns", "less", 0 },
	{ "lateness_p50", "lateness_ns.p50", "ns", "less", 0 },
	{ "lateness_p99", "lateness_ns.p99", "ns", "less", 0 },
	{ "read_hit_p50", "latency_ns.read_hit.p50", "ns", "less", 0 },
	{ "read_hit_p99", "latency_ns.read_hit.p99", "ns", "less", 0 },
	{ "read_miss_p50", "latency_ns.read_miss.p50", "ns", "less", 0 },
	{ "fault_p50", "latency_ns.fault.p50", "ns", "less", 0 },
	{ "fault_p99", "latency_ns.fault.p99", "ns", "less", 0 },
	{ "write_p50", "latency_ns.write.p50", "ns", "less", 0 },
	{ "write_p99", "latency_ns.write.p99", "ns", "less", 0 },
	{ "fsync_p99", "latency_ns.fsync.p99", "ns", "less", 0 },
	{ "activations", "counters.cgroup.workingset_activate_file", "pages", "less", 0 },
	{ "restores", "counters.cgroup.workingset_restore_file", "pages", "less", 0 },
	{ "major_faults", "counters.cgroup.pgmajfault", "faults", "less", 0 },
	{ "cgroup_scanned", "counters.cgroup.pgscan", "pages", "less", 0 },
	{ "cgroup_stolen", "counters.cgroup.pgsteal", "pages", "less", 0 },
	{ "machine_refaults", "counters.machine.workingset_refault_file", "pages", "less", 0 },
	{ "machine_activations", "counters.machine.workingset_activate_file", "pages", "less", 0 },
	{ "scanned_file", "counters.machine.pgscan_file", "pages", "less", 0 },
	{ "stolen_file", "counters.machine.pgsteal_file", "pages", "less", 0 },
	{ "cpu_user", "cpu_ns.user", "ns", "less", 0 },
	{ "cpu_system", "cpu_ns.system", "ns", "less", 0 },
	{ "cpu_kswapd", "cpu_ns.kswapd", "ns", "less", 0 },
	{ "pressure_some", "psi_us.cgroup.some", "us", "less", 0 },
	{ "pressure_full", "psi_us.cgroup.full", "us", "less", 0 },
	{ "machine_pressure_some", "psi_us.machine.some", "us", "less", 0 },
	{ "machine_pressure_full", "psi_us.machine.full", "us", "less", 0 },
	{ "io_read", "io.read_bytes", "B", "less", 0 },
	{ "io_write", "io.write_bytes", "B", "less", 0 },
	{ "direct_reclaims", "reclaim.direct.count", "calls", "less", 0 },
	{ "direct_reclaim_p99", "reclaim.direct.ns.p99", "ns", "less", 0 },
	{ "kswapd_wakeups", "reclaim.kswapd.wakeups", "calls", "less", 0 },
	{ NULL, NULL, NULL, NULL, 0 },
};

int pt_metric_exists(const char *name)
{
	for (const struct pt_metric *m = pt_metrics; m->name; m++)
		if (strcmp(m->name, name) == 0)
			return 1;
	return 0;
}

/* The value at dotted @path below @obj, or NULL. */
static const json_t *lookup(const json_t *obj, const char *path)
{
	char key[64];

	while (obj && *path) {
		size_t len = strcspn(path, ".");

		if (len >= sizeof(key))
			return NULL;
		memcpy(key, path, len);
		key[len] = '\0';
		obj = json_object_get(obj, key);
		path += len + (path[len] == '.');
	}
	return obj;
}

static int malformed(struct pt_diag *diag, const char *what)
{
	return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "not a replay's result: %s", what);
}

static int check_run(const json_t *run, size_t i, struct pt_diag *diag)
{
	if (!json_is_object(run))
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET,
				   "not a replay's result: run %zu is no object", i);
	for (const struct pt_metric *m = pt_metrics; m->name; m++) {
		const json_t *v = lookup(run, m->path);

		if (v && !json_is_number(v) && !json_is_null(v))
			return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET,
					   "not a replay's result: %s of run %zu is no number",
					   m->path, i);
	}
	return 0;
}

static int check(const json_t *doc, struct pt_diag *diag)
{
	const json_t *kind = json_object_get(doc, "kind"), *runs = json_object_get(doc, "runs");
	const json_t *schema = json_object_get(doc, "schema"), *run;
	size_t i;
	int r = 0;

	if (!json_is_object(doc) || !json_is_integer(schema))
		return malformed(diag, "it has no schema number");
	if (json_integer_value(schema) != 1)
		return pt_diag_set(diag, -EPROTONOSUPPORT, PT_NO_OFFSET,
				   "schema %lld is newer than this version understands",
				   (long long)json_integer_value(schema));
	if (!json_is_string(kind) || strcmp(json_string_value(kind), "replay") != 0)
		return malformed(diag, "its kind is not \"replay\"");
	if (!json_is_array(runs) || json_array_size(runs) == 0)
		return malformed(diag, "it has no runs");
	json_array_foreach(runs, i, run)
	{
		r = check_run(run, i, diag);
		if (r < 0)
			break;
	}
	return r;
}

int pt_result_parse(const char *text, size_t len, const char *name, struct pt_result *ret_res,
		    struct pt_diag *diag)
{
	struct pt_result res = { 0 };
	json_error_t err;
	int r;

	res.doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, &err);
	if (!res.doc) {
		if (json_error_code(&err) == json_error_out_of_memory)
			return -ENOMEM;
		pt_diag_set(diag, -EBADMSG, err.line > 0 ? (uint64_t)err.line : PT_NO_OFFSET,
			    "not JSON: %s", err.text);
		if (diag)
			diag->is_line = 1;
		return -EBADMSG;
	}
	r = check(res.doc, diag);
	if (r == 0) {
		res.name = strdup(name);
		r = res.name ? 0 : -ENOMEM;
	}
	if (r < 0)
		pt_result_done(&res);
	else
		*ret_res = res;
	return r;
}

int pt_result_load(const char *path, struct pt_result *ret_res, struct pt_diag *diag)
{
	const char *slash = strrchr(path, '/');
	auto_free char *text = NULL;
	int r = pt_text_read("", path, &text);

	if (r < 0)
		pt_diag_errno(diag, r, "cannot read it");
	else
		r = pt_result_parse(text, strlen(text), slash ? slash + 1 : path, ret_res, diag);
	return r < 0 ? pt_diag_file(diag, r, path) : 0;
}

static int write_document(int fd, const json_t *doc, const char *path, struct pt_diag *diag)
{
	auto_fclose FILE *f = NULL;
	int copy = dup(fd), r;

	f = copy < 0 ? NULL : fdopen(copy, "w");
	if (!f) {
		r = -errno;
		if (copy >= 0)
			close(copy);
	} else {
		r = pt_json_write(doc, f);
		if (r == 0 && fflush(f) != 0)
			r = -errno;
	}
	return r < 0 ? pt_diag_file(diag, pt_diag_errno(diag, r, "cannot write it"), path) : 0;
}

int pt_result_save(const char *path, const json_t *doc, struct pt_diag *diag)
{
	struct pt_outfile out = PT_OUTFILE_INIT;
	int r = pt_outfile_open(&out, path, 0644, diag);

	if (r == 0)
		r = write_document(out.fd, doc, path, diag);
	if (r == 0)
		r = pt_outfile_commit(&out, diag);
	pt_outfile_done(&out, 0);
	return r;
}

void pt_result_done(struct pt_result *res)
{
	json_decref(res->doc);
	free(res->name);
	*res = (struct pt_result){ 0 };
}

size_t pt_result_runs(const struct pt_result *res)
{
	return json_array_size(json_object_get(res->doc, "runs"));
}

const json_t *pt_result_distorted(const struct pt_result *res, size_t run)
{
	const json_t *r = json_array_get(json_object_get(res->doc, "runs"), run);
	const json_t *own = json_object_get(r, "distorted");

	if (json_is_array(own)) /* what is said of the whole may be of another run */
		return json_array_size(own) ? own : NULL;
	own = json_object_get(res->doc, "distorted");
	return json_array_size(own) ? own : NULL;
}

int pt_result_value(const struct pt_result *res, size_t run, const char *path, double *ret_v)
{
	const json_t *v = lookup(json_array_get(json_object_get(res->doc, "runs"), run), path);

	if (!json_is_number(v))
		return 0;
	*ret_v = json_number_value(v);
	return 1;
}
