// SPDX-License-Identifier: GPL-2.0-or-later
/* Which cgroups of a tape are meant: see hist_scope.h. */
#include "cli/hist_scope.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sections.h"
#include "util/cleanup.h"

#define NAMED 4 /* so many of a tape's cgroups an error names */

/* Where people find cgroups as directories. Longer ones first. */
static const char *const mounts[] = { "/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified",
				      "/sys/fs/cgroup" };

static int is_subject(const struct pt_task *t)
{
	return t->flags != PT_UNKNOWN32 && (t->flags & PT_TASK_SUBJECT);
}

/* Mark the cgroups in which the subject tasks began; *@ret_tasks counts those tasks. */
static int choose_subjects(const struct pt_reader *r, uint8_t *chosen, uint32_t *ret_tasks)
{
	int found = 0;

	*ret_tasks = 0;
	for (uint32_t i = 0; i < pt_reader_task_count(r); i++) {
		const struct pt_task *t = pt_reader_task(r, i);

		if (!is_subject(t))
			continue;
		++*ret_tasks;
		if (t->cgroup >= pt_reader_cgroup_count(r))
			continue;
		chosen[t->cgroup] = 1;
		found = 1;
	}
	return found;
}

/* Mark @path and what is below it. */
static int choose_path(const struct pt_reader *r, const char *path, uint8_t *chosen)
{
	size_t len = strlen(path);
	int found = 0;

	while (len > 1 && path[len - 1] == '/')
		len--;
	for (uint32_t i = 0; len && i < pt_reader_cgroup_count(r); i++) {
		const char *p = pt_reader_cgroup(r, i)->path;

		if (!p || strncmp(p, path, len) != 0)
			continue;
		chosen[i] = p[len] == '\0' || p[len] == '/' || len == 1;
		found |= chosen[i];
	}
	return found;
}

/* The same of a path that may be a directory's. */
static int choose_named(const struct pt_reader *r, const char *name, uint8_t *chosen)
{
	if (choose_path(r, name, chosen))
		return 1;
	for (size_t i = 0; i < PT_ARRAY_SIZE(mounts); i++) {
		size_t len = strlen(mounts[i]);

		if (strncmp(name, mounts[i], len) == 0 && (name[len] == '/' || !name[len]) &&
		    choose_path(r, name[len] ? name + len : "/", chosen))
			return 1;
	}
	return 0;
}

static int no_such(const struct pt_reader *r, const char *name, struct pt_diag *diag)
{
	char list[200] = "";
	size_t at = 0;
	uint32_t named = 0, n = pt_reader_cgroup_count(r);

	for (uint32_t i = 0; i < n && named < NAMED; i++) {
		const char *path = pt_reader_cgroup(r, i)->path;
		size_t len = path ? strlen(path) + 2 : 0;

		if (!path || at + len >= sizeof(list))
			continue;
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", at ? ", " : "", path);
		named++;
	}
	if (!named)
		return pt_diag_set(diag, -ENOENT, PT_NO_OFFSET,
				   "no cgroup %s: the tape names no cgroups", name);
	return pt_diag_set(diag, -ENOENT, PT_NO_OFFSET, "no cgroup %s; there are %s%s", name, list,
			   named < n ? " ..." : "");
}

int pt_scope_choose(const struct pt_reader *r, const char *name, uint8_t **ret_chosen,
		    struct pt_diag *diag)
{
	auto_free uint8_t *chosen = calloc((size_t)pt_reader_cgroup_count(r) + 1, 1);
	uint32_t tasks;

	if (!chosen)
		return -ENOMEM;
	if (strcmp(name, PT_SCOPE_SUBJECT) != 0) {
		if (!choose_named(r, name, chosen))
			return no_such(r, name, diag);
	} else if (!choose_subjects(r, chosen, &tasks)) {
		return pt_diag_set(diag, -ENOENT, PT_NO_OFFSET,
				   tasks ? "the tape does not know the cgroup of its command"
					 : "the tape is not of a command: it has no subject");
	}
	*ret_chosen = steal_ptr(chosen);
	return 0;
}

int pt_scope_section_of(void *sections, uint32_t file, uint64_t page)
{
	return pt_sections_key(sections, file, page);
}

void pt_scope_print(const struct pt_reader *r, const char *name)
{
	auto_free uint8_t *subjects = NULL;

	if (name && strcmp(name, PT_SCOPE_SUBJECT) == 0)
		printf("  %-12s the recorded command's cgroups\n", "scope");
	else if (name)
		printf("  %-12s cgroup %s\n", "scope", name);
	else if (pt_scope_choose(r, PT_SCOPE_SUBJECT, &subjects, NULL) == 0)
		printf("  %-12s the whole machine; -c subject for the command's cgroups alone\n",
		       "scope");
}
