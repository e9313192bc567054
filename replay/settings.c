// SPDX-License-Identifier: GPL-2.0-or-later
/* This machine as a replay's settings, held against the recording's. */
#include "replay/settings.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/json.h"
#include "util/parse.h"
#include "util/textfile.h"

/* The first word of a file of /proc or /sys, NULL where there is none. Release with free(). */
static char *first_word(const char *root, const char *path)
{
	auto_free char *text = NULL;
	char *word;

	if (pt_text_read(root, path, &text) < 0)
		return NULL;
	text[strcspn(text, " \t\n")] = '\0';
	word = *text ? strdup(text) : NULL;
	return word;
}

static json_t *lru(const char *root)
{
	auto_free char *enabled = first_word(root, "/sys/kernel/mm/lru_gen/enabled");
	auto_free char *ttl = first_word(root, "/sys/kernel/mm/lru_gen/min_ttl_ms");
	uint64_t mask = 0, min_ttl_ms = PT_UNKNOWN;
	json_t *obj = json_object();

	if (enabled)
		(void)pt_parse_hex(enabled, &mask);
	if (ttl)
		(void)pt_parse_u64(ttl, &min_ttl_ms);
	pt_json_set_string(obj, "flavour", mask & 1 ? "mglru" : "classic");
	pt_json_set_u64(obj, "mask", enabled ? mask : PT_UNKNOWN);
	pt_json_set_u64(obj, "min_ttl_ms", min_ttl_ms);
	return obj;
}

json_t *pt_settings_kernel(const char *root)
{
	json_t *obj = json_object();
	struct utsname un;

	pt_json_set_string(obj, "release", uname(&un) == 0 ? un.release : NULL);
	pt_json_set_string(obj, "build_id", NULL);
	pt_json_set(obj, "lru", lru(root));
	return obj;
}

/* The mountinfo line of device @dev ("8:1"): its type and source behind " - ". */
static int find_mount(char *mounts, const char *dev, char **ret_type, char **ret_source)
{
	char *line, *tail, *word = NULL;

	while ((line = pt_text_line(&mounts))) {
		tail = strstr(line, " - ");
		if (!tail)
			continue;
		*tail = '\0';
		tail += 3;
		for (int i = 0; i < 3; i++) /* mount id, parent, device */
			word = pt_text_word(&line);
		if (!word || strcmp(word, dev) != 0)
			continue;
		*ret_type = pt_text_word(&tail);
		*ret_source = pt_text_word(&tail);
		return *ret_source != NULL;
	}
	return 0;
}

void pt_settings_target(const char *root, json_t *settings, int fd)
{
	auto_free char *mounts = NULL, *ahead = NULL;
	char dev[32] = "", path[64], *type = NULL, *source = NULL;
	uint64_t read_ahead_kb = PT_UNKNOWN;
	struct stat st;

	if (fstat(fd, &st) == 0) {
		snprintf(dev, sizeof(dev), "%u:%u", major(st.st_dev), minor(st.st_dev));
		snprintf(path, sizeof(path), "/sys/class/bdi/%s/read_ahead_kb", dev);
		ahead = first_word(root, path);
	}
	if (ahead)
		(void)pt_parse_u64(ahead, &read_ahead_kb);
	if (pt_text_read(root, "/proc/self/mountinfo", &mounts) == 0 &&
	    !find_mount(mounts, dev, &type, &source))
		type = source = NULL;
	pt_json_set_string(settings, "filesystem", type);
	pt_json_set_string(settings, "device", source);
	pt_json_set_u64(settings, "read_ahead_kb", read_ahead_kb);
}

/* Append {what, recorded, here} where both are known and not the same. Steals both. */
static void compare(json_t *list, const char *what, json_t *recorded, json_t *here)
{
	json_t *entry;

	if (recorded && here && !json_is_null(recorded) && !json_is_null(here) &&
	    !json_equal(recorded, here)) {
		entry = json_object();
		pt_json_set_string(entry, "what", what);
		pt_json_set(entry, "recorded", json_incref(recorded));
		pt_json_set(entry, "here", json_incref(here));
		(void)json_array_append_new(list, entry);
	}
	json_decref(recorded);
	json_decref(here);
}

static json_t *text(const char *s)
{
	return s ? json_string(s) : NULL;
}

/* Each recorded device with another read-ahead; one entry a value would hide which. */
static void compare_read_ahead(json_t *list, const struct pt_reader *tape, const json_t *here)
{
	const struct pt_device *d;
	char what[96];

	for (uint32_t i = 0; (d = pt_reader_device(tape, i)); i++) {
		if (d->read_ahead_kb == PT_UNKNOWN32)
			continue;
		snprintf(what, sizeof(what), "read_ahead_kb of %u:%u", d->dev >> 20,
			 d->dev & 0xfffff);
		compare(list, what, json_integer((json_int_t)d->read_ahead_kb),
			json_copy((json_t *)here));
	}
}

json_t *pt_settings_differs(const struct pt_reader *tape, const json_t *kernel,
			    const json_t *settings, uint64_t memory_bytes)
{
	const struct pt_head *head = pt_reader_head(tape);
	const json_t *env = json_object_get(head->doc, "environment");
	const json_t *here_lru = json_object_get(kernel, "lru");
	json_t *list = json_array();

	compare(list, "kernel release", text(pt_head_string(head, "kernel", "release", NULL)),
		json_copy(json_object_get(kernel, "release")));
	compare(list, "lru flavour", text(pt_head_string(head, "kernel", "lru", "flavour", NULL)),
		json_copy(json_object_get(here_lru, "flavour")));
	compare(list, "page size", json_integer(pt_head_page_size(head)),
		json_integer(sysconf(_SC_PAGESIZE)));
	compare(list, "memory_bytes", json_copy(json_object_get(env, "memory_bytes")),
		json_integer((json_int_t)memory_bytes));
	compare(list, "cpus", json_copy(json_object_get(env, "cpus")),
		json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	compare_read_ahead(list, tape, json_object_get(settings, "read_ahead_kb"));
	return list;
}
