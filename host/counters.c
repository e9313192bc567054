// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel counters: /proc/vmstat, memory.stat, memory pressure, and kswapd's CPU time. */
#include "host/counters.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/parse.h"
#include "util/textfile.h"

static int add(struct pt_counters *c, const char *name, uint64_t value)
{
	struct pt_counter *v = c->v;

	/* Grown by doubling: full where n is a power of two. */
	if ((c->n & (c->n - 1)) == 0) {
		v = reallocarray(c->v, c->n ? c->n * 2 : 1, sizeof(*v));
		if (!v)
			return -ENOMEM;
		c->v = v;
	}
	v[c->n++] = (struct pt_counter){ name, value };
	return 0;
}

/* Lines of "NAME VALUE"; others are passed over. */
static int parse_lines(struct pt_counters *c)
{
	char *rest = c->text, *line;
	uint64_t value;

	while ((line = pt_text_line(&rest))) {
		char *name = pt_text_word(&line);

		if (name && line && pt_parse_u64(line, &value) == 0 && add(c, name, value) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=123" */
static int parse_psi(struct pt_counters *c)
{
	char *rest = c->text, *line;
	uint64_t value;

	while ((line = pt_text_line(&rest))) {
		char *name = pt_text_word(&line);
		char *total = line ? strstr(line, "total=") : NULL;

		if (name && total && pt_parse_u64(total + strlen("total="), &value) == 0 &&
		    add(c, name, value) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int read_set(const char *root, const char *path, int (*parse)(struct pt_counters *),
		    struct pt_counters *ret_c)
{
	struct pt_counters c = { 0 };
	int r = pt_text_read(root, path, &c.text);

	if (r == 0)
		r = parse(&c);
	if (r < 0) {
		pt_counters_done(&c);
		return r;
	}
	*ret_c = c;
	return 0;
}

int pt_counters_pairs(const char *root, const char *path, struct pt_counters *ret_c)
{
	return read_set(root, path, parse_lines, ret_c);
}

int pt_counters_vmstat(const char *root, struct pt_counters *ret_c)
{
	return pt_counters_pairs(root, "/proc/vmstat", ret_c);
}

int pt_counters_memstat(const char *dir, struct pt_counters *ret_c)
{
	return pt_counters_pairs(dir, "/memory.stat", ret_c);
}

int pt_counters_psi(const char *root, struct pt_counters *ret_c)
{
	return read_set(root, "/proc/pressure/memory", parse_psi, ret_c);
}

int pt_counters_psi_cgroup(const char *dir, struct pt_counters *ret_c)
{
	return read_set(dir, "/memory.pressure", parse_psi, ret_c);
}

/* A thread's CPU time in ns: the first word of its schedstat, which is finer than stat's ticks. */
static int cpu_time(const char *root, const char *pid, uint64_t *ret_ns)
{
	auto_free char *text = NULL;
	char path[64], *rest;
	int r;

	snprintf(path, sizeof(path), "/proc/%.20s/schedstat", pid);
	r = pt_text_read(root, path, &text);
	if (r < 0)
		return r;
	rest = text;
	return pt_parse_u64(pt_text_word(&rest) ?: "", ret_ns);
}

/* Append the process's name to @names if it is a kswapd; PF_KTHREAD is not checked, nobody else
 * needs that name. */
static int note_kswapd(const char *root, const char *pid, struct pt_buf *names,
		       struct pt_counters *c)
{
	auto_free char *comm = NULL;
	char path[64];
	uint64_t ns;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	if (pt_text_read(root, path, &comm) < 0 || strncmp(comm, "kswapd", 6) != 0 ||
	    !isdigit((unsigned char)comm[6]) || cpu_time(root, pid, &ns) < 0)
		return 0;
	comm[strcspn(comm, "\n")] = '\0';
	if (add(c, NULL, ns) < 0)
		return -ENOMEM;
	return pt_buf_put(names, comm, strlen(comm) + 1);
}

static int scan_proc(const char *root, DIR *proc, struct pt_counters *c)
{
	struct pt_buf names = { 0 };
	struct dirent *e;
	char *name;
	int r = 0;

	while (r == 0 && (e = readdir(proc)))
		if (isdigit((unsigned char)e->d_name[0]))
			r = note_kswapd(root, e->d_name, &names, c);
	c->text = (char *)names.data;
	name = c->text;
	for (size_t i = 0; r == 0 && i < c->n; i++) {
		c->v[i].name = name;
		name += strlen(name) + 1;
	}
	return r;
}

int pt_counters_kswapd(const char *root, struct pt_counters *ret_c)
{
	struct pt_counters c = { 0 };
	auto_free char *path = NULL;
	DIR *proc;
	int r;

	if (asprintf(&path, "%s/proc", root) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	proc = opendir(path);
	if (!proc)
		return -errno;
	r = scan_proc(root, proc, &c);
	closedir(proc);
	if (r == 0 && c.n == 0)
		r = -ENOENT;
	if (r < 0) {
		pt_counters_done(&c);
		return r;
	}
	*ret_c = c;
	return 0;
}

void pt_counters_done(struct pt_counters *c)
{
	free(c->v);
	free(c->text);
	*c = (struct pt_counters){ 0 };
}

uint64_t pt_counters_get(const struct pt_counters *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->v[i].name, name) == 0)
			return c->v[i].value;
	return PT_COUNTER_NONE;
}

uint64_t pt_counters_sum(const struct pt_counters *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->n; i++)
		sum += c->v[i].value;
	return c->n ? sum : PT_COUNTER_NONE;
}

int pt_counters_format(const struct pt_counters *c, struct pt_buf *b)
{
	char value[24];

	for (size_t i = 0; i < c->n; i++) {
		int len = snprintf(value, sizeof(value), " %" PRIu64 "\n", c->v[i].value);

		if (pt_buf_put(b, c->v[i].name, strlen(c->v[i].name)) < 0 ||
		    pt_buf_put(b, value, (size_t)len) < 0)
			return -ENOMEM;
	}
	return 0;
}
