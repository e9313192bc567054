// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks and cgroups as the system describes them: see whoswho.h. */
#include "capture/whoswho.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/parse.h"
#include "util/textfile.h"

#define KTHREADD 2

void pt_whoswho_init(struct pt_whoswho *w, const char *root)
{
	*w = (struct pt_whoswho){ .root = root };
	if (pt_cgroup_find(root, &w->memory, NULL) < 0)
		w->memory = (struct pt_cgroup_hierarchy){ 0 };
}

void pt_whoswho_done(struct pt_whoswho *w)
{
	if (w->memory.mount)
		pt_cgroup_hierarchy_done(&w->memory);
}

void pt_whoswho_task(const struct pt_whoswho *w, uint32_t pid, struct pt_task *def, char *comm)
{
	auto_free char *text = NULL;
	char path[64], *rest, *line;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (pt_text_read(w->root, path, &text) < 0)
		return;
	rest = text;
	while ((line = pt_text_line(&rest))) {
		if (strncmp(line, "Name:\t", 6) == 0)
			snprintf(comm, 16, "%.15s", line + 6);
		else if (strncmp(line, "Tgid:\t", 6) == 0)
			(void)pt_parse_u32(line + 6, &def->tgid);
		else if (strncmp(line, "PPid:\t", 6) == 0)
			(void)pt_parse_u32(line + 6, &def->parent_pid);
	}
	if (pid == KTHREADD || def->parent_pid == KTHREADD)
		def->flags |= PT_TASK_KTHREAD;
}

/* The path in a line of /proc/PID/cgroup ("5:memory:/a", "0::/a") if it is the one, or NULL. */
static const char *memory_path(char *line, int version)
{
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return NULL;
	*path++ = '\0';
	controllers++;
	if (version == 2)
		return controllers[0] == '\0' ? path : NULL;
	for (char *c = strtok_r(controllers, ",", &controllers); c;
	     c = strtok_r(NULL, ",", &controllers))
		if (strcmp(c, "memory") == 0)
			return path;
	return NULL;
}

uint64_t pt_whoswho_cgroup(const struct pt_whoswho *w, uint32_t pid)
{
	auto_free char *text = NULL;
	char path[64], dir[4096], *rest, *line;
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	if (!w->memory.mount || pt_text_read(w->root, path, &text) < 0)
		return PT_UNKNOWN;
	rest = text;
	while ((line = pt_text_line(&rest))) {
		const char *below = memory_path(line, w->memory.version);

		if (!below)
			continue;
		snprintf(dir, sizeof(dir), "%s%s", w->memory.mount, below);
		return stat(dir, &st) == 0 ? st.st_ino : PT_UNKNOWN;
	}
	return PT_UNKNOWN;
}

/* A limit in bytes: PT_UNKNOWN where no file tells it, PT_NO_LIMIT for none. */
static uint64_t limit_of(const char *dir, const char *name)
{
	auto_free char *text = NULL;
	char path[4096], *rest, *word;
	uint64_t v;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (pt_text_read("", path, &text) < 0)
		return PT_UNKNOWN;
	rest = text;
	word = pt_text_word(&rest);
	if (word && strcmp(word, "max") == 0)
		return PT_NO_LIMIT;
	if (!word || pt_parse_u64(word, &v) < 0)
		return PT_UNKNOWN;
	/* Version 1 says "no limit" as LONG_MAX rounded down to a page. */
	return v >= (uint64_t)INT64_MAX - 65535 ? PT_NO_LIMIT : v;
}

static int define(const struct pt_whoswho *w, const struct pt_sink *sink, const FTSENT *e)
{
	const char *below = e->fts_path + strlen(w->memory.mount);
	int v2 = w->memory.version == 2;
	const struct pt_cgroup def = {
		.id = e->fts_statp->st_ino,
		.parent = e->fts_level ? e->fts_parent->fts_statp->st_ino : PT_UNKNOWN,
		.max_bytes = limit_of(e->fts_path, v2 ? "memory.max" : "memory.limit_in_bytes"),
		.high_bytes = limit_of(e->fts_path, "memory.high"),
		.low_bytes = limit_of(e->fts_path, "memory.low"),
		.min_bytes = limit_of(e->fts_path, "memory.min"),
		.version = (uint32_t)w->memory.version,
		.path = below[0] ? below : "/",
	};

	return sink->define_cgroup(sink->ctx, &def);
}

int pt_whoswho_define(const struct pt_whoswho *w, const struct pt_sink *sink,
		      int (*want)(void *ctx, uint64_t id), void *ctx)
{
	char *roots[] = { w->memory.mount, NULL };
	int r = 0;
	FTSENT *e;
	FTS *fts;

	if (!w->memory.mount || !sink->define_cgroup)
		return 0;
	fts = fts_open(roots, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
	while (fts && r == 0 && (e = fts_read(fts)))
		if (e->fts_info == FTS_D && want(ctx, e->fts_statp->st_ino))
			r = define(w, sink, e);
	if (fts)
		fts_close(fts);
	return r;
}
