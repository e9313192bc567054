// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine's environment as JSON: see environment.h. */
#include "host/environment.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"
#include "util/textfile.h"

#define NODES_MAX 1024

/* Numbers as numbers, other text as text. */
static void set_value(json_t *obj, const char *key, char *text)
{
	uint64_t v;

	text[strcspn(text, "\n")] = '\0';
	if (pt_parse_u64(text, &v) == 0)
		pt_json_set_u64(obj, key, v);
	else
		pt_json_set_string(obj, key, text);
}

static void set_from_file(json_t *obj, const char *key, const char *root, const char *path)
{
	auto_free char *text = NULL;

	if (pt_text_read(root, path, &text) == 0)
		set_value(obj, key, text);
}

/* "[always] madvise never": the word in brackets. */
static void set_choice(json_t *obj, const char *key, const char *root, const char *path)
{
	auto_free char *text = NULL;
	char *from, *to;

	if (pt_text_read(root, path, &text) < 0)
		return;
	from = strchr(text, '[');
	to = from ? strchr(from, ']') : NULL;
	if (!to)
		return;
	*to = '\0';
	pt_json_set_string(obj, key, from + 1);
}

/* The number behind "...@label:" in a meminfo, in bytes; UINT64_MAX where there is none. */
static uint64_t meminfo(char *text, const char *label)
{
	char *line;

	while ((line = pt_text_line(&text))) {
		char *at = strstr(line, label), *word;
		uint64_t kb;

		if (!at)
			continue;
		at += strlen(label);
		word = pt_text_word(&at);
		if (word && pt_parse_u64(word, &kb) == 0)
			return kb << 10;
	}
	return UINT64_MAX;
}

static void set_memory(json_t *obj, const char *key, const char *root, const char *path,
		       const char *label)
{
	auto_free char *text = NULL;
	uint64_t bytes;

	if (pt_text_read(root, path, &text) < 0)
		return;
	bytes = meminfo(text, label);
	if (bytes != UINT64_MAX)
		pt_json_set_u64(obj, key, bytes);
}

static json_t *nodes(const char *root)
{
	json_t *list = json_array();

	for (unsigned int id = 0; id < NODES_MAX; id++) {
		char path[64];
		json_t *node;

		snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/meminfo", id);
		node = json_object();
		set_memory(node, "memory_bytes", root, path, "MemTotal:");
		if (!json_object_size(node)) {
			json_decref(node);
			break;
		}
		pt_json_set_u64(node, "id", id);
		json_array_append_new(list, node);
	}
	return list;
}

/* Every readable knob of /proc/sys/vm; those that act when read or written are not readable. */
static json_t *vm_knobs(const char *root)
{
	json_t *vm = json_object();
	char path[512];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/proc/sys/vm", root);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.' || strncmp(e->d_name, "stat_refresh", 12) == 0)
			continue;
		snprintf(path, sizeof(path), "/proc/sys/vm/%s", e->d_name);
		set_from_file(vm, e->d_name, root, path);
	}
	if (d)
		closedir(d);
	return vm;
}

json_t *pt_environment(const char *root)
{
	json_t *env = json_object();

	set_memory(env, "memory_bytes", root, "/proc/meminfo", "MemTotal:");
	set_memory(env, "swap_bytes", root, "/proc/meminfo", "SwapTotal:");
	pt_json_set_u64(env, "cpus", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	set_from_file(env, "cmdline", root, "/proc/cmdline");
	pt_json_set(env, "nodes", nodes(root));
	set_from_file(env, "zswap", root, "/sys/module/zswap/parameters/enabled");
	set_choice(env, "thp", root, "/sys/kernel/mm/transparent_hugepage/enabled");
	set_from_file(env, "fault_around_bytes", root, "/sys/kernel/debug/fault_around_bytes");
	set_from_file(env, "min_ttl_ms", root, "/sys/kernel/mm/lru_gen/min_ttl_ms");
	pt_json_set(env, "vm", vm_knobs(root));
	return env;
}

int pt_environment_drop_caches(const char *root)
{
	char path[4096];

	sync();
	snprintf(path, sizeof(path), "%s/proc/sys/vm/drop_caches", root);
	return pt_text_write(path, "3");
}
