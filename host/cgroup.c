// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory cgroups of versions 1 and 2: find the hierarchy, make a group of our own, remove it. */
#include "host/cgroup.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "host/ownname.h"
#include "util/cleanup.h"
#include "util/parse.h"
#include "util/textfile.h"

#define REMOVE_TRIES   200 /* of 10 ms: a killed process leaves its group a moment later */
#define REMOVE_WAIT_NS 10000000
#define PAGE_MAX       65536 /* the largest page size: the kernel cuts limits to whole pages */

struct pt_memcg {
	int version;
	uint64_t limit_bytes;
	char *dir;
	int lock;         /* says that we live */
	const char *path; /* the part of dir below the hierarchy's root */
};

/* ---- Where the memory controller is */

static int has_word(const char *list, const char *word, char separator)
{
	size_t len = strlen(word);

	for (const char *p = list; p; p = strchr(p, separator)) {
		p += *p == separator;
		if (strncmp(p, word, len) == 0 &&
		    (p[len] == separator || p[len] == '\0' || p[len] == '\n'))
			return 1;
	}
	return 0;
}

/* One line of mountinfo: 1 where it is the hierarchy looked for, its root and mount point cut out.
 */
static int is_hierarchy(char *line, int version, char **ret_base, char **ret_point)
{
	char *tail = strstr(line, " - "), *type, *options;

	if (!tail)
		return 0;
	*tail = '\0';
	tail += 3;
	type = pt_text_word(&tail);
	if (!type || strcmp(type, version == 2 ? "cgroup2" : "cgroup") != 0)
		return 0;
	(void)pt_text_word(&tail); /* the source, any name */
	options = pt_text_word(&tail);
	if (version == 1 && (!options || !has_word(options, "memory", ',')))
		return 0;
	for (int i = 0; i < 3; i++) /* mount id, parent, device */
		(void)pt_text_word(&line);
	*ret_base = pt_text_word(&line);
	*ret_point = pt_text_word(&line);
	return *ret_point != NULL;
}

static int offers_memory(const char *dir, const char *file)
{
	auto_free char *path = NULL, *text = NULL;

	if (asprintf(&path, "%s/%s", dir, file) < 0) {
		path = NULL;
		return 0;
	}
	return pt_text_read("", path, &text) == 0 && has_word(text, "memory", ' ');
}

/* The caller's own path in the hierarchy, out of /proc/self/cgroup. NULL where it is not listed. */
static char *own_path(const char *root, int version)
{
	auto_free char *text = NULL;
	char *rest, *line;

	if (pt_text_read(root, "/proc/self/cgroup", &text) < 0)
		return NULL;
	rest = text;
	while ((line = pt_text_line(&rest))) {
		char *controllers = strchr(line, ':'), *path;

		if (!controllers || !(path = strchr(controllers + 1, ':')))
			continue;
		*path++ = '\0';
		controllers++;
		if (version == 2 ? *controllers == '\0' : has_word(controllers, "memory", ','))
			return strdup(path);
	}
	return NULL;
}

/*
 * A bind-mounted or namespaced hierarchy shows only what is below @base, and /proc names groups
 * from the root: cut that off. A group that is not below what is mounted becomes its root.
 */
static void cut_base(char *own, const char *base)
{
	size_t len = strlen(base);

	if (strcmp(base, "/") == 0)
		return;
	if (strncmp(own, base, len) == 0 && (own[len] == '/' || own[len] == '\0'))
		memmove(own, own + len, strlen(own + len) + 1);
	else
		*own = '\0';
	if (*own == '\0')
		memcpy(own, "/", sizeof("/"));
}

static int take_hierarchy(const char *root, int version, const char *base, const char *point,
			  struct pt_cgroup_hierarchy *ret_h)
{
	auto_free char *own = own_path(root, version), *mount = NULL;

	if (!own)
		return -ENOENT;
	if (asprintf(&mount, "%s%s", root, point) < 0) {
		mount = NULL;
		return -ENOMEM;
	}
	if (version == 2 && !offers_memory(mount, "cgroup.controllers"))
		return -ENOENT;
	cut_base(own, base);
	if (strncmp(own, "/..", 3) == 0) /* outside the cgroup namespace that is mounted */
		memcpy(own, "/", sizeof("/"));
	*ret_h = (struct pt_cgroup_hierarchy){ version, steal_ptr(mount), steal_ptr(own) };
	return 0;
}

static int find_version(const char *root, const char *mounts, int version,
			struct pt_cgroup_hierarchy *ret_h)
{
	auto_free char *text = strdup(mounts);
	char *rest = text, *line, *base, *point;
	int r = -ENOENT;

	if (!text)
		return -ENOMEM;
	while (r == -ENOENT && (line = pt_text_line(&rest)))
		if (is_hierarchy(line, version, &base, &point))
			r = take_hierarchy(root, version, base, point, ret_h);
	return r;
}

int pt_cgroup_find(const char *root, struct pt_cgroup_hierarchy *ret_h, struct pt_diag *diag)
{
	auto_free char *mounts = NULL;
	int r = pt_text_read(root, "/proc/self/mountinfo", &mounts);

	if (r < 0)
		return pt_diag_errno(diag, r, "cannot read /proc/self/mountinfo");
	r = find_version(root, mounts, 2, ret_h);
	if (r == -ENOENT)
		r = find_version(root, mounts, 1, ret_h);
	if (r == -ENOENT)
		return pt_diag_set(diag, r, PT_NO_OFFSET,
				   "no mounted cgroup hierarchy has the memory controller");
	return r;
}

void pt_cgroup_hierarchy_done(struct pt_cgroup_hierarchy *h)
{
	free(h->mount);
	free(h->own);
	*h = (struct pt_cgroup_hierarchy){ 0 };
}

/* ---- Making one */

static int write_knob(const struct pt_memcg *cg, const char *knob, const char *value)
{
	auto_free char *path = NULL;

	if (asprintf(&path, "%s/%s", cg->dir, knob) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	return pt_text_write(path, value);
}

static int read_knob(const struct pt_memcg *cg, const char *knob, char **ret_text)
{
	auto_free char *path = NULL;

	if (asprintf(&path, "%s/%s", cg->dir, knob) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	return pt_text_read("", path, ret_text);
}

static void memcg_free(struct pt_memcg *cg)
{
	if (!cg)
		return;
	if (cg->lock >= 0)
		close(cg->lock);
	free(cg->dir);
	free(cg);
}

/* Version 2: may children of @dir have the memory controller? */
static int hands_down(const char *dir, int may_change)
{
	auto_free char *path = NULL;

	if (offers_memory(dir, "cgroup.subtree_control"))
		return 0;
	if (!may_change)
		return -EACCES;
	if (asprintf(&path, "%s/cgroup.subtree_control", dir) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	return pt_text_write(path, "+memory");
}

static int make_below(const struct pt_cgroup_hierarchy *h, const char *below, int may_change,
		      struct pt_memcg **ret_cg)
{
	auto_free char *parent = NULL;
	struct pt_memcg *cg;
	int r;

	if (asprintf(&parent, "%s%s", h->mount, below) < 0) {
		parent = NULL;
		return -ENOMEM;
	}
	pt_ownname_sweep(parent);
	cg = calloc(1, sizeof(*cg));
	if (!cg)
		return -ENOMEM;
	cg->version = h->version;
	cg->lock = -1;
	r = h->version == 2 ? hands_down(parent, may_change) : 0;
	if (r == 0)
		r = pt_ownname_make(parent, 0755, &cg->dir, &cg->lock);
	if (r < 0) {
		memcg_free(cg);
		return r;
	}
	cg->path = cg->dir + strlen(h->mount);
	*ret_cg = cg;
	return 0;
}

/* Below the caller's own group, else its ancestors in turn, last the root. The first failure tells
 * the most. */
static int make_somewhere(const struct pt_cgroup_hierarchy *h, struct pt_memcg **ret_cg)
{
	auto_free char *parent = strdup(strcmp(h->own, "/") == 0 ? "" : h->own);
	int first, r;

	if (!parent)
		return -ENOMEM;
	first = r = make_below(h, parent, 1, ret_cg);
	while (r < 0 && *parent) {
		*strrchr(parent, '/') = '\0';
		r = make_below(h, parent, *parent == '\0', ret_cg);
	}
	return r < 0 ? first : 0;
}

static int set_limit(const struct pt_memcg *cg, uint64_t limit_bytes)
{
	char text[24];
	int r;

	if (limit_bytes == PT_CGROUP_NO_LIMIT)
		return 0;
	snprintf(text, sizeof(text), "%" PRIu64, limit_bytes);
	r = write_knob(cg, cg->version == 2 ? "memory.max" : "memory.limit_in_bytes", text);
	if (r < 0)
		return r;
	if (cg->version == 2)
		r = write_knob(cg, "memory.swap.max", "0");
	else
		r = write_knob(cg, "memory.memsw.limit_in_bytes", text);
	/* Kernels without swap accounting lack the file, or refuse (version 1: EOPNOTSUPP). */
	return r == -ENOENT || r == -EOPNOTSUPP || (cg->version == 1 && r == -EINVAL) ? 0 : r;
}

int pt_memcg_create(const struct pt_cgroup_hierarchy *h, uint64_t limit_bytes,
		    struct pt_memcg **ret_cg, struct pt_diag *diag)
{
	struct pt_memcg *cg;
	int r = make_somewhere(h, &cg);

	if (r < 0)
		return pt_diag_errno(diag, r,
				     "cannot make a memory cgroup below %s%s (this takes root or "
				     "a delegated cgroup)",
				     h->mount, h->own);
	cg->limit_bytes = limit_bytes;
	r = set_limit(cg, limit_bytes);
	if (r < 0) {
		pt_diag_errno(diag, r, "cannot set the memory limit of %s", cg->dir);
		(void)pt_memcg_remove(cg);
		return r;
	}
	*ret_cg = cg;
	return 0;
}

int pt_memcg_add(struct pt_memcg *cg, pid_t pid, struct pt_diag *diag)
{
	char text[16];
	int r;

	snprintf(text, sizeof(text), "%d", (int)pid);
	r = write_knob(cg, "cgroup.procs", text);
	return r < 0 ? pt_diag_errno(diag, r, "cannot move process %d into %s", (int)pid, cg->dir)
		     : 0;
}

/* ---- Removing it */

static void kill_members(const struct pt_memcg *cg)
{
	auto_free char *text = NULL;
	char *rest, *line;
	uint32_t pid;

	if (read_knob(cg, "cgroup.procs", &text) < 0)
		return;
	rest = text;
	while ((line = pt_text_line(&rest)))
		if (pt_parse_u32(line, &pid) == 0 && pid > 1 && pid != (uint32_t)getpid())
			(void)kill((pid_t)pid, SIGKILL);
}

int pt_memcg_remove(struct pt_memcg *cg)
{
	const struct timespec wait = { .tv_nsec = REMOVE_WAIT_NS };
	int r = 0;

	if (!cg)
		return 0;
	for (int i = 0; i < REMOVE_TRIES; i++) {
		r = rmdir(cg->dir) < 0 ? -errno : 0;
		if (r != -EBUSY)
			break;
		kill_members(cg);
		(void)nanosleep(&wait, NULL);
	}
	memcg_free(cg);
	return r;
}

/* ---- Reading it */

int pt_memcg_current(const struct pt_memcg *cg, uint64_t *ret_bytes)
{
	auto_free char *text = NULL;
	char *rest;
	int r = read_knob(cg, cg->version == 2 ? "memory.current" : "memory.usage_in_bytes", &text);

	if (r < 0)
		return r;
	rest = text;
	return pt_parse_u64(pt_text_line(&rest) ?: "", ret_bytes);
}

/* The number behind @name in a knob of such lines; @absent where there is none. */
static uint64_t knob_line(const struct pt_memcg *cg, const char *knob, const char *name,
			  uint64_t absent)
{
	auto_free char *text = NULL;
	char *rest, *line;
	uint64_t n = absent;

	if (read_knob(cg, knob, &text) < 0)
		return absent;
	rest = text;
	while ((line = pt_text_line(&rest))) {
		char *word = pt_text_word(&line);

		if (word && strcmp(word, name) == 0)
			(void)pt_parse_u64(line ?: "", &n);
	}
	return n;
}

uint64_t pt_memcg_oom_kills(const struct pt_memcg *cg)
{
	return knob_line(cg, cg->version == 2 ? "memory.events" : "memory.oom_control", "oom_kill",
			 0);
}

int pt_memcg_limit_reached(const struct pt_memcg *cg)
{
	auto_free char *text = NULL;
	uint64_t peak;
	char *rest;
	int r;

	if (cg->version == 2) {
		peak = knob_line(cg, "memory.events", "max", UINT64_MAX);
		return peak == UINT64_MAX ? -ENOENT : peak > 0;
	}
	/* Not failcnt: Linux 6.18 has it stay 0. */
	r = read_knob(cg, "memory.max_usage_in_bytes", &text);
	if (r < 0)
		return r;
	rest = text;
	r = pt_parse_u64(pt_text_line(&rest) ?: "", &peak);
	return r < 0 ? r : peak + PAGE_MAX >= cg->limit_bytes;
}

uint64_t pt_memcg_limit(const struct pt_memcg *cg)
{
	return cg->limit_bytes;
}

int pt_memcg_version(const struct pt_memcg *cg)
{
	return cg->version;
}

const char *pt_memcg_dir(const struct pt_memcg *cg)
{
	return cg->dir;
}

const char *pt_memcg_path(const struct pt_memcg *cg)
{
	return cg->path;
}
