// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of files: see finder.h. Only this machine's: /proc, open_by_handle_at, a walk. */
#include "capture/finder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "host/mountinfo.h"
#include "util/cleanup.h"
#include "util/map.h"
#include "util/parse.h"
#include "util/progress.h"
#include "util/textfile.h"

#define LOOKS_MAX     64                   /* tasks looked at in one go */
#define WALK_LIMIT_NS UINT64_C(2000000000) /* for all mounts together */
#define DELETED       " (deleted)"

struct name {
	struct pt_file_key key;
	uint32_t pid; /* who used it first; 0: looked for already */
	uint32_t type, flags;
	uint64_t size, blocks_512;
	char *path;
};

struct pt_finder {
	struct name *all;
	size_t count, room;
	size_t looked;        /* those before it have been looked for once */
	struct pt_map by_key; /* (dev, ino) to a place in all[], the latest generation */
	struct pt_mounts mounts;
};

struct pt_finder *pt_finder_new(void)
{
	struct pt_finder *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	pt_map_init(&n->by_key);
	(void)pt_mounts_read("", &n->mounts); /* without it fewer names are found */
	return n;
}

void pt_finder_free(struct pt_finder *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->count; i++)
		free(n->all[i].path);
	free(n->all);
	pt_map_done(&n->by_key);
	pt_mounts_done(&n->mounts);
	free(n);
}

static struct pt_map_key key_of(uint32_t dev, uint64_t ino)
{
	return (struct pt_map_key){ dev, ino };
}

static struct name *find(const struct pt_finder *n, uint32_t dev, uint64_t ino)
{
	const uint64_t *place = pt_map_get(&n->by_key, key_of(dev, ino));

	return place ? &n->all[*place] : NULL;
}

int pt_finder_note(struct pt_finder *n, const struct pt_file_key *key, uint32_t pid)
{
	uint64_t *place;

	if (n->count == n->room) {
		size_t room = n->room ? n->room * 2 : 256;
		struct name *all = reallocarray(n->all, room, sizeof(*all));

		if (!all)
			return -ENOMEM;
		n->all = all;
		n->room = room;
	}
	place = pt_map_put(&n->by_key, key_of(key->dev, key->ino), n->count, NULL);
	if (!place)
		return -ENOMEM;
	*place = n->count;
	n->all[n->count++] = (struct name){ .key = *key,
					    .pid = pid,
					    .type = PT_UNKNOWN32,
					    .size = PT_UNKNOWN,
					    .blocks_512 = PT_UNKNOWN };
	return 0;
}

/* stat's device number in the kernel's encoding, as events have it. */
static uint32_t dev_of(const struct stat *st)
{
	return (uint32_t)(major(st->st_dev) << 20 | (minor(st->st_dev) & 0xfffff));
}

static uint32_t type_of(mode_t mode)
{
	if (S_ISREG(mode))
		return PT_FILE_REGULAR;
	if (S_ISDIR(mode))
		return PT_FILE_DIRECTORY;
	if (S_ISLNK(mode))
		return PT_FILE_SYMLINK;
	return S_ISBLK(mode) ? PT_FILE_BLOCKDEV : PT_FILE_OTHER;
}

static void take_stat(struct name *f, const struct stat *st)
{
	f->type = type_of(st->st_mode);
	f->size = (uint64_t)st->st_size;
	f->blocks_512 = (uint64_t)st->st_blocks;
	if (!st->st_nlink)
		f->flags |= PT_FILE_DELETED;
}

/* Keep @path, which /proc shows with a remark where the name is gone. */
static void take_path(struct name *f, const char *path)
{
	size_t len = strlen(path);

	if (path[0] != '/' || f->path)
		return;
	if (f->flags & PT_FILE_DELETED && len > strlen(DELETED) &&
	    strcmp(path + len - strlen(DELETED), DELETED) == 0)
		len -= strlen(DELETED);
	f->path = strndup(path, len);
}

static int define(const struct pt_finder *n, const struct name *f, const struct pt_sink *sink)
{
	const struct pt_mount_entry *mount = pt_mounts_of(&n->mounts, f->key.dev);
	struct pt_file def = {
		.key = f->key,
		.size = f->size,
		.blocks_512 = f->blocks_512,
		.type = f->type,
		.flags = f->flags,
		.mount = mount ? mount->id : PT_UNKNOWN32,
		.path = f->path,
		.stands_for = { .ino = PT_UNKNOWN, .dev = PT_UNKNOWN32, .gen = PT_UNKNOWN32 },
	};

	if (f->type == PT_FILE_REGULAR && f->size != PT_UNKNOWN && f->blocks_512 < f->size / 512)
		def.flags |= PT_FILE_SPARSE;
	return sink->define_file ? sink->define_file(sink->ctx, &def) : 0;
}

/* The device as events name it, of an open file whose stat has another (btrfs). */
static uint32_t dev_by_mount(const struct pt_finder *n, uint32_t pid, const char *fd)
{
	const struct pt_mount_entry *mount;
	auto_free char *text = NULL;
	char path[128], *rest, *line;
	uint32_t id;

	snprintf(path, sizeof(path), "/proc/%u/fdinfo/%s", pid, fd);
	if (pt_text_read("", path, &text) < 0)
		return PT_UNKNOWN32;
	rest = text;
	while ((line = pt_text_line(&rest))) {
		if (strncmp(line, "mnt_id:\t", 8) != 0 || pt_parse_u32(line + 8, &id) < 0)
			continue;
		mount = pt_mounts_by_id(&n->mounts, id);
		return mount ? mount->dev : PT_UNKNOWN32;
	}
	return PT_UNKNOWN32;
}

static void look_at_fd(struct pt_finder *n, uint32_t pid, const char *fd)
{
	char path[64], target[4096];
	struct name *f;
	struct stat st;
	ssize_t len;

	if (snprintf(path, sizeof(path), "/proc/%u/fd/%s", pid, fd) >= (int)sizeof(path) ||
	    stat(path, &st) < 0)
		return;
	f = find(n, dev_of(&st), st.st_ino);
	if (!f && !major(st.st_dev))
		f = find(n, dev_by_mount(n, pid, fd), st.st_ino);
	if (!f || f->path)
		return;
	take_stat(f, &st);
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return;
	target[len] = '\0';
	take_path(f, target);
}

/* "FROM-TO PERMS OFFSET MAJ:MIN INO PATH", device in hexadecimal */
static void look_at_mapping(struct pt_finder *n, char *line)
{
	char *w[5], *colon;
	uint64_t maj, min, ino;
	struct name *f;
	struct stat st;

	for (size_t i = 0; i < PT_ARRAY_SIZE(w); i++) {
		w[i] = pt_text_word(&line);
		if (!w[i])
			return;
	}
	colon = strchr(w[3], ':');
	if (!colon)
		return;
	*colon = '\0';
	if (pt_parse_hex(w[3], &maj) < 0 || pt_parse_hex(colon + 1, &min) < 0 ||
	    pt_parse_u64(w[4], &ino) < 0 || !ino)
		return;
	f = find(n, (uint32_t)(maj << 20 | (min & 0xfffff)), ino);
	line += line ? strspn(line, " ") : 0;
	if (!f || f->path || !line || line[0] != '/' || stat(line, &st) < 0 || st.st_ino != ino)
		return;
	take_stat(f, &st);
	take_path(f, line);
}

static void look_at_task(struct pt_finder *n, uint32_t pid)
{
	auto_free char *maps = NULL;
	char path[64], *rest, *line;
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			look_at_fd(n, pid, e->d_name);
	if (d)
		closedir(d);
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	if (pt_text_read("", path, &maps) < 0)
		return;
	rest = maps;
	while ((line = pt_text_line(&rest)))
		look_at_mapping(n, line);
}

int pt_finder_look(struct pt_finder *n, const struct pt_sink *sink, struct pt_interpreter *in)
{
	uint32_t done[LOOKS_MAX];
	size_t pids = 0, first = n->looked, i;
	int r;

	for (; n->looked < n->count && pids < LOOKS_MAX; n->looked++) {
		struct name *f = &n->all[n->looked];

		for (i = 0; i < pids && done[i] != f->pid; i++)
			;
		if (f->path || i < pids)
			continue;
		done[pids++] = f->pid;
		look_at_task(n, f->pid);
	}
	for (i = first; i < n->looked; i++) {
		const struct name *f = &n->all[i];

		if (!f->path)
			continue;
		r = define(n, f, sink);
		if (r < 0)
			return r;
		pt_interpreter_set_size(in, f->key.dev, f->key.ino, f->size);
	}
	return 0;
}

/* A block device's own page cache: file system metadata. */
static int is_device(struct name *f)
{
	struct pt_blockdev d;
	char path[80];

	if (f->key.dev >> 20 || f->key.ino > UINT32_MAX ||
	    pt_blockdev_read("", (uint32_t)f->key.ino, &d) < 0)
		return 0;
	snprintf(path, sizeof(path), "/dev/%s", d.name);
	f->type = PT_FILE_BLOCKDEV;
	f->size = d.size_bytes;
	take_path(f, path);
	return 1;
}

/*
 * ext4 opens an inode by its number alone: generation 0 in the handle accepts any. The path is
 * right where the name is cached, "/" where not; size and type are right either way.
 */
static void look_by_number(struct pt_finder *n, struct name *f)
{
	struct {
		struct file_handle h;
		uint32_t ino, gen;
	} handle = { .h = { .handle_bytes = 8, .handle_type = 1 }, .ino = (uint32_t)f->key.ino };
	const struct pt_mount_entry *mount = pt_mounts_of(&n->mounts, f->key.dev);
	auto_close int at = -1, fd = -1;
	char path[64], target[4096];
	struct stat st, named;
	ssize_t len;

	if (!mount || strncmp(mount->type, "ext", 3) != 0 || f->key.ino > UINT32_MAX)
		return;
	at = open(mount->point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = at >= 0 ? open_by_handle_at(at, &handle.h, O_PATH | O_CLOEXEC) : -1;
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_ino != f->key.ino)
		return;
	take_stat(f, &st);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return;
	target[len] = '\0';
	if (lstat(target, &named) == 0 && named.st_ino == st.st_ino && named.st_dev == st.st_dev)
		take_path(f, target);
}

static size_t unnamed_on(const struct pt_finder *n, uint32_t dev)
{
	size_t count = 0;

	for (size_t i = 0; i < n->count; i++)
		count += n->all[i].key.dev == dev && !n->all[i].path &&
			 !(n->all[i].flags & PT_FILE_DELETED);
	return count;
}

static void walk(struct pt_finder *n, const struct pt_mount_entry *mount, uint64_t until_ns)
{
	char *roots[] = { (char *)(uintptr_t)mount->point, NULL };
	size_t left = unnamed_on(n, mount->dev);
	FTSENT *e;
	FTS *fts;

	if (!left)
		return;
	fts = fts_open(roots, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
	while (fts && left && pt_now_ns() < until_ns && (e = fts_read(fts))) {
		struct name *f;

		if (e->fts_info == FTS_DP || e->fts_info == FTS_NS || e->fts_info == FTS_ERR)
			continue;
		f = find(n, mount->dev, e->fts_statp->st_ino);
		if (!f || f->path)
			continue;
		take_stat(f, e->fts_statp);
		take_path(f, e->fts_path);
		left--;
	}
	if (fts)
		fts_close(fts);
}

static int define_device(uint32_t dev, const struct pt_sink *sink)
{
	struct pt_blockdev d;
	struct pt_device def;

	if (!sink->define_device || pt_blockdev_read("", dev, &d) < 0)
		return 0;
	def = (struct pt_device){ .dev = dev,
				  .read_ahead_kb = d.read_ahead_kb,
				  .rotational = d.rotational,
				  .size = d.size_bytes,
				  .name = d.name[0] ? d.name : NULL,
				  .scheduler = d.scheduler[0] ? d.scheduler : NULL };
	return sink->define_device(sink->ctx, &def);
}

/* Each mount that has files of the recording, and its device. */
static int define_mounts(struct pt_finder *n, const struct pt_sink *sink)
{
	struct pt_map seen;
	int r = 0, added;

	pt_map_init(&seen);
	for (size_t i = 0; i < n->count && r == 0; i++) {
		uint32_t dev = n->all[i].key.dev;
		const struct pt_mount_entry *m = pt_mounts_of(&n->mounts, dev);
		struct pt_mount def;

		if (!pt_map_put(&seen, key_of(dev, 0), 0, &added))
			r = -ENOMEM;
		if (r < 0 || !added)
			continue;
		r = define_device(dev, sink);
		if (r < 0 || !m || !sink->define_mount)
			continue;
		def = (struct pt_mount){ .id = m->id,
					 .dev = dev,
					 .block_size = PT_UNKNOWN32,
					 .point = m->point,
					 .type = m->type,
					 .options = m->options };
		r = sink->define_mount(sink->ctx, &def);
	}
	pt_map_done(&seen);
	return r;
}

/* Names found while recording: how large the file is by now, if it is still that one. */
static void look_again(struct name *f)
{
	struct stat st;

	if (lstat(f->path, &st) == 0 && st.st_ino == f->key.ino)
		take_stat(f, &st);
	else
		f->flags |= PT_FILE_DELETED;
}

int pt_finder_finish(struct pt_finder *n, const struct pt_sink *sink)
{
	uint64_t until_ns = pt_now_ns() + WALK_LIMIT_NS;
	int r;

	for (size_t i = 0; i < n->count; i++) {
		struct name *f = &n->all[i];

		if (f->path)
			look_again(f);
		else if (!is_device(f))
			look_by_number(n, f);
	}
	for (size_t i = 0; i < n->mounts.n; i++)
		if (pt_mounts_of(&n->mounts, n->mounts.v[i].dev) == &n->mounts.v[i])
			walk(n, &n->mounts.v[i], until_ns);
	for (size_t i = 0; i < n->count; i++) {
		if (n->all[i].type == PT_UNKNOWN32)
			continue;
		r = define(n, &n->all[i], sink);
		if (r < 0)
			return r;
	}
	return define_mounts(n, sink);
}
