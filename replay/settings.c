// SPDX-License-Identifier: GPL-2.0-or-later
/* The target and this machine as a replay's settings, held against the recording's. */
#include "replay/settings.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "host/environment.h"
#include "host/mountinfo.h"
#include "util/json.h"

void pt_settings_target(const char *root, json_t *settings, int fd)
{
	const struct pt_mount_entry *mount = NULL;
	struct pt_blockdev device = { .read_ahead_kb = UINT32_MAX };
	struct pt_mounts mounts = { 0 };
	struct statx st;
	uint32_t dev;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) == 0) {
		(void)pt_mounts_read(root, &mounts);
		dev = pt_mounts_dev(&mounts, &st);
		mount = pt_mounts_of(&mounts, dev);
		(void)pt_blockdev_read(root, dev, &device);
	}
	pt_json_set_string(settings, "filesystem", mount ? mount->type : NULL);
	pt_json_set_string(settings, "device", *device.name ? device.name : NULL);
	pt_json_set_u64(settings, "read_ahead_kb",
			device.read_ahead_kb == UINT32_MAX ? PT_UNKNOWN : device.read_ahead_kb);
	pt_mounts_done(&mounts);
}

const char *pt_settings_cacheless(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return NULL;
	switch ((uint32_t)fs.f_type) {
	case TMPFS_MAGIC:
		return "tmpfs";
	case RAMFS_MAGIC:
		return "ramfs";
	case HUGETLBFS_MAGIC:
		return "hugetlbfs";
	default:
		return NULL;
	}
}

/* Append {what, recorded, here} where both are known and not the same. */
static void compare(json_t *list, const char *what, json_t *recorded, json_t *here)
{
	json_t *entry;

	if (!recorded || !here || json_is_null(recorded) || json_is_null(here) ||
	    json_equal(recorded, here))
		return;
	entry = json_object();
	pt_json_set_string(entry, "what", what);
	pt_json_set(entry, "recorded", json_incref(recorded));
	pt_json_set(entry, "here", json_incref(here));
	(void)json_array_append_new(list, entry);
}

static void compare_member(json_t *list, const char *key, const json_t *recorded,
			   const json_t *here)
{
	compare(list, key, json_object_get(recorded, key), json_object_get(here, key));
}

static void compare_number(json_t *list, const char *what, uint64_t recorded, json_t *here)
{
	json_t *number = json_integer((json_int_t)recorded);

	compare(list, what, number, here);
	json_decref(number);
}

/* Each recorded device with another read-ahead: which one it was matters. */
static void compare_read_ahead(json_t *list, const struct pt_reader *tape, json_t *here)
{
	const struct pt_device *d;
	char what[96];

	for (uint32_t i = 0; (d = pt_reader_device(tape, i)); i++) {
		if (d->read_ahead_kb == PT_UNKNOWN32)
			continue;
		snprintf(what, sizeof(what), "read_ahead_kb of %u:%u", d->dev >> 20,
			 d->dev & 0xfffff);
		compare_number(list, what, d->read_ahead_kb, here);
	}
}

json_t *pt_settings_differs(const char *root, const struct pt_reader *tape, const json_t *kernel,
			    const json_t *settings)
{
	static const char *const surroundings[] = { "memory_bytes",       "cpus",
						    "swap_bytes",         "thp",
						    "fault_around_bytes", "min_ttl_ms" };
	const struct pt_head *head = pt_reader_head(tape);
	const json_t *recorded = json_object_get(head->doc, "environment");
	const json_t *from = json_object_get(head->doc, "kernel");
	json_t *list = json_array(), *here = pt_environment(root);
	json_t *page_size = json_integer(sysconf(_SC_PAGESIZE));

	compare_member(list, "release", from, kernel);
	compare_member(list, "arch", from, kernel);
	compare_member(list, "lru", from, kernel);
	compare_number(list, "page_size", pt_head_page_size(head), page_size);
	for (size_t i = 0; i < sizeof(surroundings) / sizeof(surroundings[0]); i++)
		compare_member(list, surroundings[i], recorded, here);
	compare_read_ahead(list, tape, json_object_get(settings, "read_ahead_kb"));
	json_decref(page_size);
	json_decref(here);
	return list;
}
