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
#include <unistd.h>

#include "host/mountinfo.h"
#include "util/cleanup.h"
#include "util/map.h"
#include "util/progress.h"

#define LOOK_LIMIT_NS UINT64_C(10000000)   /* for one look: the ring fills meanwhile */
#define WALK_LIMIT_NS UINT64_C(2000000000) /* for all mounts together */
#define DELETED       " (deleted)"

/* What stat says, with the device as events name it. */
struct seen {
	uint64_t ino, size, blocks_512;
	uint32_t dev, type, links;
};

struct name {
	struct pt_file_key key;
	uint32_t pid; /* who used it first; 0: looked for already */
	uint32_t type, flags;
	uint32_t named_by; /* the task that the path is from, if of another mount namespace; or 0 */
	uint64_t size, blocks_512;
	char *path;
};

/* A look at what one task has open and mapped; where it takes long it goes on in the next call. */
struct look {
	uint32_t pid; /* 0: none under way */
	int is_foreign;
	size_t part;  /* of look_parts[] */
	DIR *dir;     /* where it stands in that */
	size_t count; /* files that were known when it began */
};

static const char *const look_parts[] = { "fd", "map_files" };

struct pt_finder {
	struct name *all;
	size_t count, room;
	size_t looked; /* those before it have been looked for once */
	struct look look;
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
	if (n->look.dir)
		closedir(n->look.dir);
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

/* Look at the file that @path names, below @at. 0, or -errno and nothing seen. */
static int see(const struct pt_finder *n, int at, const char *path, int flags, struct seen *ret_s)
{
	struct statx st;

	*ret_s = (struct seen){ 0 };
	if (statx(at, path, flags, STATX_BASIC_STATS | STATX_MNT_ID, &st) < 0)
		return -errno;
	*ret_s = (struct seen){
		.ino = st.stx_ino,
		.size = st.stx_size,
		.blocks_512 = st.stx_blocks,
		.dev = pt_mounts_dev(&n->mounts, &st),
		.type = type_of(st.stx_mode),
		.links = st.stx_nlink,
	};
	return 0;
}

static int is_it(const struct name *f, const struct seen *s)
{
	return s->ino == f->key.ino && s->dev == f->key.dev;
}

static void take(struct name *f, const struct seen *s)
{
	f->type = s->type;
	f->size = s->size;
	f->blocks_512 = s->blocks_512;
	if (!s->links)
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

static uint64_t mount_namespace_of(const char *pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", pid);
	return stat(path, &st) == 0 ? st.st_ino : PT_UNKNOWN;
}

/* One link of /proc/PID/fd or map_files. No server is asked: that might hang. */
static void look_at_link(struct pt_finder *n, const char *link)
{
	char target[4096];
	struct name *f;
	struct seen s = { 0 };
	ssize_t len;

	if (see(n, dirfd(n->look.dir), link, AT_STATX_DONT_SYNC, &s) < 0)
		return;
	f = find(n, s.dev, s.ino);
	if (!f || f->path)
		return;
	take(f, &s);
	len = readlinkat(dirfd(n->look.dir), link, target, sizeof(target) - 1);
	if (len <= 0)
		return;
	target[len] = '\0';
	take_path(f, target);
	if (n->look.is_foreign)
		f->named_by = n->look.pid;
}

static void begin_look(struct pt_finder *n, uint32_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", pid);
	n->look =
		(struct look){ .pid = pid,
			       .is_foreign = mount_namespace_of(text) != mount_namespace_of("self"),
			       .count = n->count };
}

/* Go on with the look at a task. 1: it is done; 0: the time is up. */
static int go_on(struct pt_finder *n, uint64_t until_ns)
{
	struct look *l = &n->look;
	struct dirent *e;
	char path[64];

	for (; l->part < PT_ARRAY_SIZE(look_parts); l->part++) {
		snprintf(path, sizeof(path), "/proc/%u/%s", l->pid, look_parts[l->part]);
		if (!l->dir)
			l->dir = opendir(path);
		while (l->dir && (e = readdir(l->dir))) {
			if (e->d_name[0] != '.')
				look_at_link(n, e->d_name);
			if (pt_now_ns() >= until_ns)
				return 0;
		}
		if (l->dir)
			closedir(l->dir);
		l->dir = NULL;
	}
	return 1;
}

/* The task has been looked at: for files of it that were known before, once is enough. */
static void end_look(struct pt_finder *n)
{
	for (size_t i = n->looked; i < n->look.count; i++)
		if (n->all[i].pid == n->look.pid)
			n->all[i].pid = 0;
	n->look = (struct look){ 0 };
}

int pt_finder_look(struct pt_finder *n, const struct pt_sink *sink, struct pt_interpreter *in)
{
	uint64_t until_ns = pt_now_ns() + LOOK_LIMIT_NS;
	size_t first = n->looked;
	int r;

	while (n->looked < n->count) {
		struct name *f = &n->all[n->looked];

		if (!n->look.pid && !f->path && f->pid)
			begin_look(n, f->pid);
		if (n->look.pid) {
			if (!go_on(n, until_ns))
				break;
			end_look(n);
		}
		n->looked++;
	}
	for (size_t i = first; i < n->looked; i++) {
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
	struct seen s, named;
	ssize_t len;

	if (!mount || strncmp(mount->type, "ext", 3) != 0 || f->key.ino > UINT32_MAX)
		return;
	at = open(mount->point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = at >= 0 ? open_by_handle_at(at, &handle.h, O_PATH | O_CLOEXEC) : -1;
	if (fd < 0 || see(n, fd, "", AT_EMPTY_PATH, &s) < 0 || !is_it(f, &s))
		return;
	take(f, &s);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return;
	target[len] = '\0';
	if (see(n, AT_FDCWD, target, AT_SYMLINK_NOFOLLOW, &named) == 0 && is_it(f, &named))
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
		struct seen s;

		if (e->fts_info == FTS_DP || e->fts_info == FTS_NS || e->fts_info == FTS_ERR)
			continue;
		f = find(n, mount->dev, e->fts_statp->st_ino);
		if (!f || f->path || see(n, AT_FDCWD, e->fts_path, AT_SYMLINK_NOFOLLOW, &s) < 0 ||
		    !is_it(f, &s))
			continue;
		take(f, &s);
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

/*
 * Names found while recording: how large the file is by now, if it is still that one. What another
 * mount namespace calls so, we can only look for in there; not to find it says nothing.
 */
static void look_again(const struct pt_finder *n, struct name *f)
{
	char path[4096 + 32];
	struct seen s = { 0 };

	if (f->named_by)
		snprintf(path, sizeof(path), "/proc/%u/root%s", f->named_by, f->path);
	else
		snprintf(path, sizeof(path), "%s", f->path);
	if (see(n, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &s) == 0 && is_it(f, &s))
		take(f, &s);
	else if (!f->named_by)
		f->flags |= PT_FILE_DELETED;
}

/* Its inode was freed and became another file's: what can be found now is that one. */
static int is_gone(const struct pt_finder *n, const struct name *f)
{
	return find(n, f->key.dev, f->key.ino) != f;
}

int pt_finder_finish(struct pt_finder *n, const struct pt_sink *sink)
{
	uint64_t until_ns = pt_now_ns() + WALK_LIMIT_NS;
	int r;

	for (size_t i = 0; i < n->count; i++) {
		struct name *f = &n->all[i];

		if (is_gone(n, f))
			f->flags |= PT_FILE_DELETED;
		else if (f->path)
			look_again(n, f);
		else if (!is_device(f))
			look_by_number(n, f);
	}
	for (size_t i = 0; i < n->mounts.n; i++)
		if (pt_mounts_of(&n->mounts, n->mounts.v[i].dev) == &n->mounts.v[i])
			walk(n, &n->mounts.v[i], until_ns);
	for (size_t i = 0; i < n->count; i++) {
		if (n->all[i].type == PT_UNKNOWN32 && !n->all[i].flags)
			continue; /* nothing was found out */
		r = define(n, &n->all[i], sink);
		if (r < 0)
			return r;
	}
	return define_mounts(n, sink);
}
