// SPDX-License-Identifier: GPL-2.0-or-later
/* Knobs by name: see knobs.h. */
#include "host/knobs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"
#include "util/textfile.h"

/* Those that decide where pages stay; pt_knobs_json() lists them. '*' stands for the disk. */
static const struct {
	const char *name, *path;
} table[] = {
	{ "lru_gen.enabled", "/sys/kernel/mm/lru_gen/enabled" },
	{ "lru_gen.min_ttl_ms", "/sys/kernel/mm/lru_gen/min_ttl_ms" },
	{ "thp.enabled", "/sys/kernel/mm/transparent_hugepage/enabled" },
	{ "thp.defrag", "/sys/kernel/mm/transparent_hugepage/defrag" },
	{ "thp.shmem_enabled", "/sys/kernel/mm/transparent_hugepage/shmem_enabled" },
	{ "swap.vma_ra_enabled", "/sys/kernel/mm/swap/vma_ra_enabled" },
	{ "numa.demotion_enabled", "/sys/kernel/mm/numa/demotion_enabled" },
	{ "fault_around_bytes", "/sys/kernel/debug/fault_around_bytes" },
	{ "kernel.numa_balancing", "/proc/sys/kernel/numa_balancing" },
	{ "zswap.enabled", "/sys/module/zswap/parameters/enabled" },
	{ "ksm.run", "/sys/kernel/mm/ksm/run" },
	{ "block.read_ahead_kb", "/sys/block/*/queue/read_ahead_kb" },
	{ "block.scheduler", "/sys/block/*/queue/scheduler" },
	{ "block.nr_requests", "/sys/block/*/queue/nr_requests" },
};

/* Any file of these folders, by "PREFIX.FILE". */
static const struct {
	const char *prefix, *path;
} folders[] = {
	{ "vm", "/proc/sys/vm/" },
	{ "kernel", "/proc/sys/kernel/" },
	{ "zswap", "/sys/module/zswap/parameters/" },
	{ "ksm", "/sys/kernel/mm/ksm/" },
	{ "block", "/sys/block/*/queue/" },
};

/* A file's name and no path: letters, digits, '_' and '-'. */
static int is_plain(const char *s)
{
	return *s &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
		       strlen(s);
}

/* The path of @name, '*' still in it, in @buf. 0 or -EINVAL. */
static int find_path(const char *name, char *buf, size_t size)
{
	const char *dot = strchr(name, '.');

	for (size_t i = 0; i < PT_ARRAY_SIZE(table); i++)
		if (strcmp(table[i].name, name) == 0)
			return snprintf(buf, size, "%s", table[i].path) < (int)size ? 0 : -EINVAL;
	if (!dot || !is_plain(dot + 1))
		return -EINVAL;
	for (size_t i = 0; i < PT_ARRAY_SIZE(folders); i++) {
		size_t len = strlen(folders[i].prefix);

		if (len == (size_t)(dot - name) && strncmp(folders[i].prefix, name, len) == 0)
			return snprintf(buf, size, "%s%s", folders[i].path, dot + 1) < (int)size
				       ? 0
				       : -EINVAL;
	}
	return -EINVAL;
}

int pt_knob_path(const struct pt_knob_place *place, const char *name, char **ret_path,
		 struct pt_diag *diag)
{
	char path[256], *star, *full;

	if (find_path(name, path, sizeof(path)) < 0)
		return pt_diag_set(
			diag, -EINVAL, PT_NO_OFFSET,
			"no knob '%.60s': there are lru_gen., thp., vm., kernel., block., "
			"zswap., ksm., numa. and swap. ones",
			name);
	star = strchr(path, '*');
	if (star && (!place->disk || !is_plain(place->disk)))
		return pt_diag_set(diag, -ENODEV, PT_NO_OFFSET, "%s: there is no disk", name);
	if (star)
		*star++ = '\0';
	if (asprintf(&full, "%s%s%s%s", place->root, path, star ? place->disk : "",
		     star ? star : "") < 0)
		return -ENOMEM;
	*ret_path = full;
	return 0;
}

/* The first line's bracketed word where there is one, else the line, in place. */
static void cut_value(char *text)
{
	char *from, *to;

	text[strcspn(text, "\n")] = '\0';
	from = strchr(text, '[');
	to = from ? strchr(from, ']') : NULL;
	if (!to)
		return;
	*to = '\0';
	memmove(text, from + 1, strlen(from + 1) + 1);
}

int pt_knob_read(const struct pt_knob_place *place, const char *name, char **ret_value,
		 struct pt_diag *diag)
{
	auto_free char *path = NULL;
	char *text;
	int err = pt_knob_path(place, name, &path, diag);

	if (err)
		return err;
	err = pt_text_read("", path, &text);
	if (err == -ENOENT)
		return pt_diag_set(diag, err, PT_NO_OFFSET, "this kernel has no %s", name);
	if (err)
		return pt_diag_errno(diag, err, "cannot read %s", name);
	cut_value(text);
	*ret_value = text;
	return 0;
}

int pt_knob_write(const struct pt_knob_place *place, const char *name, const char *value,
		  struct pt_diag *diag)
{
	auto_free char *path = NULL;
	int err = pt_knob_path(place, name, &path, diag);

	if (err)
		return err;
	err = pt_text_write(path, value);
	if (err == -ENOENT)
		return pt_diag_set(diag, err, PT_NO_OFFSET, "this kernel has no %s", name);
	if (err)
		return pt_diag_errno(diag, err, "cannot set %s to '%s'", name, value);
	return 0;
}

int pt_knob_set(const struct pt_knob_place *place, const char *setting, char **ret_before,
		struct pt_diag *diag)
{
	auto_free char *name = strdup(setting), *before = NULL;
	char *value;
	int err;

	if (!name)
		return -ENOMEM;
	value = strchr(name, '=');
	if (!value || value == name || strlen(value) > PT_KNOB_VALUE_MAX)
		return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "'%.60s' is not NAME=VALUE",
				   setting);
	*value++ = '\0';
	err = pt_knob_read(place, name, &before, diag);
	if (!err)
		err = pt_knob_write(place, name, value, diag);
	if (!err && ret_before)
		*ret_before = steal_ptr(before);
	return err;
}

static void add_knob(json_t *obj, const struct pt_knob_place *place, const char *name)
{
	auto_free char *value = NULL;
	uint64_t v;

	if (pt_knob_read(place, name, &value, NULL) < 0)
		return;
	if (pt_parse_u64(value, &v) == 0)
		pt_json_set_u64(obj, name, v);
	else
		pt_json_set_string(obj, name, value);
}

static int is_knob_file(const struct dirent *e)
{
	/* Reading this one makes every CPU report: it is no knob. */
	return e->d_name[0] != '.' && strncmp(e->d_name, "stat_refresh", 12) != 0;
}

json_t *pt_knobs_json(const struct pt_knob_place *place)
{
	json_t *obj = json_object();
	struct dirent **list = NULL;
	char path[512];
	int n;

	for (size_t i = 0; i < PT_ARRAY_SIZE(table); i++)
		add_knob(obj, place, table[i].name);
	snprintf(path, sizeof(path), "%s/proc/sys/vm", place->root);
	n = scandir(path, &list, is_knob_file, alphasort);
	for (int i = 0; i < n; i++) {
		char name[4 + sizeof(list[i]->d_name)];

		snprintf(name, sizeof(name), "vm.%s", list[i]->d_name);
		add_knob(obj, place, name);
		free(list[i]);
	}
	free(list);
	return obj;
}
