// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of a replay: names without collisions, sizes within reason, real data. */
#include "replay/fileset.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "replay/beneath.h"
#include "replay/filelist.h"
#include "replay/fill.h"
#include "util/cleanup.h"
#include "util/parse.h"

#define DENSE_FROM  4096 /* smaller files may live in their inode, without blocks */
#define DROP_WINDOW (64u << 20)

struct file {
	char *path; /* NULL: not used */
	uint64_t size;
};

struct pt_fileset {
	int dirfd;
	unsigned int flags;
	struct file *files;
	size_t n;
	struct pt_filelist ours;
	struct pt_fileset_cost cost;
};

/* ---- Opening */

static int open_directory(const char *target, struct pt_diag *diag)
{
	auto_close int fd = -1;
	int r;

	if (mkdir(target, 0755) < 0 && errno != EEXIST) {
		r = -errno;
		return pt_diag_errno(diag, r, "cannot make the directory");
	}
	fd = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		r = -errno;
		return pt_diag_errno(diag, r, "cannot open the directory");
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return pt_diag_set(diag, -EBUSY, PT_NO_OFFSET, "another replay is using it");
	return steal_fd(&fd);
}

int pt_fileset_open(const char *target, struct pt_fileset **ret_fs, struct pt_diag *diag)
{
	struct pt_fileset *fs = calloc(1, sizeof(*fs));
	int r;

	if (!fs)
		return -ENOMEM;
	fs->dirfd = r = open_directory(target, diag);
	if (r >= 0)
		r = pt_filelist_load(fs->dirfd, PT_FILESET_LIST, &fs->ours, diag);
	if (r < 0) {
		pt_fileset_close(fs);
		return pt_diag_file(diag, r, target);
	}
	*ret_fs = fs;
	return 0;
}

static void forget_files(struct pt_fileset *fs)
{
	for (size_t i = 0; i < fs->n; i++)
		free(fs->files[i].path);
	free(fs->files);
	fs->files = NULL;
	fs->n = 0;
}

void pt_fileset_close(struct pt_fileset *fs)
{
	if (!fs)
		return;
	forget_files(fs);
	pt_filelist_done(&fs->ours);
	if (fs->dirfd >= 0)
		close(fs->dirfd);
	free(fs);
}

/* ---- Names */

static char *unnamed(const struct pt_file_key *key)
{
	char gen[16] = "", *name;

	if (key->gen != PT_UNKNOWN32)
		snprintf(gen, sizeof(gen), "-g%" PRIu32, key->gen);
	if (asprintf(&name, "dev-%u:%u/ino-%" PRIu64 "%s", key->dev >> 20, key->dev & 0xfffff,
		     key->ino, gen) < 0)
		return NULL;
	return name;
}

static char *name_for(const struct pt_fileset_want *w)
{
	char *name = w->path ? pt_beneath_name(w->path) : unnamed(&w->key);

	if (name && !*name) {
		free(name);
		name = unnamed(&w->key);
	}
	return name;
}

/* Paths in the order of a walk: '/' before all other bytes, so "a" stands right before "a/b". */
static int walk_order(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (*a == *b)
		return 0;
	if (*a == '\0' || *b == '\0')
		return *a ? 1 : -1;
	if (*a == '/' || *b == '/')
		return *a == '/' ? -1 : 1;
	return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
}

static int by_walk(const void *a, const void *b)
{
	const struct file *fa = *(struct file *const *)a, *fb = *(struct file *const *)b;
	int r = walk_order(fa->path, fb->path);

	return r ? r : (fa > fb) - (fa < fb);
}

/* Is @path the same as @next, or a directory on its way? */
static int blocks(const char *path, const char *next)
{
	size_t len = strlen(path);

	return strncmp(path, next, len) == 0 && (next[len] == '\0' || next[len] == '/');
}

/*
 * Of two files with one path the later goes unnamed; so does a file whose path others need as a
 * directory. In walk order these are neighbours. Unnamed ones never clash: they are made of keys.
 */
static int separate(struct pt_fileset *fs, const struct pt_fileset_want *want)
{
	auto_free struct file **sorted = calloc(fs->n + 1, sizeof(struct file *));
	size_t n = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < fs->n; i++)
		if (fs->files[i].path)
			sorted[n++] = &fs->files[i];
	qsort(sorted, n, sizeof(struct file *), by_walk);
	for (size_t i = 0; i + 1 < n; i++) {
		struct file *loser = sorted[i];
		char *name;

		if (!blocks(sorted[i]->path, sorted[i + 1]->path))
			continue;
		if (strcmp(sorted[i]->path, sorted[i + 1]->path) == 0) {
			loser = sorted[i + 1]; /* the first stays, to be held against the next */
			sorted[i + 1] = sorted[i];
		}
		name = unnamed(&want[loser - fs->files].key);
		if (!name)
			return -ENOMEM;
		free(loser->path);
		loser->path = name;
	}
	return 0;
}

static int choose_names(struct pt_fileset *fs, const struct pt_fileset_want *want, size_t n)
{
	fs->files = calloc(n ? n : 1, sizeof(*fs->files));
	if (!fs->files)
		return -ENOMEM;
	fs->n = n;
	for (size_t i = 0; i < n; i++) {
		if (!want[i].used)
			continue;
		fs->files[i].size = want[i].size;
		fs->files[i].path = name_for(&want[i]);
		if (!fs->files[i].path)
			return -ENOMEM;
	}
	return separate(fs, want);
}

/* ---- What is there already */

enum state { STATE_MISSING, STATE_WRONG, STATE_GOOD };

static int in_the_way(const char *path, const char *what, struct pt_diag *diag)
{
	return pt_diag_set(diag, -EEXIST, PT_NO_OFFSET, "%s is in the way: %s", path, what);
}

/* enum state, or -errno. */
static int examine(const struct pt_fileset *fs, const struct file *f, struct pt_diag *diag)
{
	auto_close int fd = pt_beneath_open(fs->dirfd, f->path, O_PATH, 0);
	struct stat st;

	if (fd == -ENOENT)
		return STATE_MISSING;
	if (fd == -ELOOP || fd == -ENOTDIR)
		return in_the_way(f->path, "a link or a file where a directory must be", diag);
	if (fd < 0)
		return pt_diag_errno(diag, fd, "cannot open %s", f->path);
	if (fstat(fd, &st) < 0)
		return pt_diag_errno(diag, -errno, "cannot examine %s", f->path);
	if (!S_ISREG(st.st_mode))
		return in_the_way(f->path, "not a regular file", diag);
	if (!pt_filelist_has(&fs->ours, f->path))
		return in_the_way(f->path, "pagetape did not make it", diag);
	if ((uint64_t)st.st_size != f->size || st.st_nlink != 1)
		return STATE_WRONG;
	if (!(fs->flags & PT_FILESET_SPARSE) && f->size >= DENSE_FROM &&
	    (uint64_t)st.st_blocks * 512 < f->size)
		return STATE_WRONG;
	return STATE_GOOD;
}

/* ---- What it takes */

static int add_up(struct pt_fileset *fs, const struct pt_fileset_want *want, uint64_t *ret_reach,
		  struct pt_diag *diag)
{
	struct pt_fileset_cost cost = { 0 };
	uint64_t reach = 0, grown = 0;

	for (size_t i = 0; i < fs->n; i++) {
		const struct file *f = &fs->files[i];
		int state;

		if (!f->path)
			continue;
		if (f->size > INT64_MAX || want[i].reach > INT64_MAX ||
		    __builtin_add_overflow(cost.bytes, f->size, &cost.bytes) ||
		    __builtin_add_overflow(reach, want[i].reach, &reach))
			return pt_diag_set(diag, -E2BIG, PT_NO_OFFSET,
					   "no file can be as large "
					   "as the tape says of %s",
					   f->path);
		cost.files++;
		state = examine(fs, f, diag);
		if (state < 0)
			return state;
		if (state != STATE_GOOD && !(fs->flags & PT_FILESET_SPARSE))
			cost.missing_bytes += f->size;
		if (want[i].reach > f->size)
			grown += want[i].reach - f->size;
	}
	if (__builtin_add_overflow(cost.missing_bytes, grown, &cost.missing_bytes))
		cost.missing_bytes = UINT64_MAX;
	fs->cost = cost;
	*ret_reach = reach;
	return 0;
}

static int check_cost(struct pt_fileset *fs, uint64_t reach, struct pt_diag *diag)
{
	char need[32], have[32];
	struct statvfs vfs;
	uint64_t sure;

	if (fstatvfs(fs->dirfd, &vfs) < 0)
		return pt_diag_errno(diag, -errno, "cannot ask for free space");
	fs->cost.free_bytes = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	if (fs->cost.missing_bytes && vfs.f_flag & ST_RDONLY)
		return pt_diag_set(diag, -EROFS, PT_NO_OFFSET,
				   "files have to be made, and the target is read-only");
	if (fs->cost.missing_bytes > fs->cost.free_bytes)
		return pt_diag_set(diag, -ENOSPC, PT_NO_OFFSET,
				   "the files that the tape tells of need %s more and there are %s "
				   "free",
				   pt_format_size(fs->cost.missing_bytes, need, sizeof(need)),
				   pt_format_size(fs->cost.free_bytes, have, sizeof(have)));
	if (__builtin_mul_overflow(reach, PT_FILESET_SURE_FACTOR, &sure))
		sure = UINT64_MAX;
	if (fs->cost.bytes > PT_FILESET_SURE_BYTES && fs->cost.bytes > sure &&
	    !(fs->flags & (PT_FILESET_FORCE | PT_FILESET_SPARSE)))
		return pt_diag_set(diag, -E2BIG, PT_NO_OFFSET,
				   "the file set would be %s for accesses within %s: say --force "
				   "if the sizes are right",
				   pt_format_size(fs->cost.bytes, need, sizeof(need)),
				   pt_format_size(reach, have, sizeof(have)));
	return 0;
}

int pt_fileset_plan(struct pt_fileset *fs, const struct pt_fileset_want *want, size_t n,
		    unsigned int flags, struct pt_diag *diag)
{
	uint64_t reach = 0;
	int r;

	forget_files(fs);
	fs->flags = flags;
	r = choose_names(fs, want, n);
	if (r == 0)
		r = add_up(fs, want, &reach, diag);
	if (r == 0)
		r = check_cost(fs, reach, diag);
	if (r < 0)
		forget_files(fs);
	return r;
}

void pt_fileset_cost(const struct pt_fileset *fs, struct pt_fileset_cost *ret_cost)
{
	*ret_cost = fs->cost;
}

/* ---- Making it */

struct making {
	struct pt_fileset *fs;
	struct pt_progress *progress;
	const volatile sig_atomic_t *stop;
	void *chunk;
	uint64_t done_bytes;
};

static int tick(void *ctx, uint64_t n)
{
	struct making *m = ctx;
	char done[32], all[32];

	m->done_bytes += n;
	if (m->progress)
		pt_progress_show(m->progress, "writing the file set: %s of %s",
				 pt_format_size(m->done_bytes, done, sizeof(done)),
				 pt_format_size(m->fs->cost.missing_bytes, all, sizeof(all)));
	return m->stop && *m->stop ? -EINTR : 0;
}

static int make_file(struct making *m, const struct file *f, uint64_t salt)
{
	auto_close int fd = -1;
	int r = pt_beneath_make_parents(m->fs->dirfd, f->path);

	if (r < 0)
		return r;
	fd = pt_beneath_open(m->fs->dirfd, f->path, O_RDWR | O_CREAT | O_EXCL, 0644);
	if (fd < 0)
		return fd;
	if (m->fs->flags & PT_FILESET_SPARSE)
		return ftruncate(fd, (off_t)f->size) < 0 ? -errno : 0;
	return pt_fill(fd, f->size, salt, m->chunk, tick, m);
}

static int prepare_file(struct making *m, size_t i, struct pt_diag *diag)
{
	const struct file *f = &m->fs->files[i];
	int r = examine(m->fs, f, diag);

	if (r == STATE_GOOD || r < 0)
		return r < 0 ? r : 0;
	if (r == STATE_WRONG) {
		r = pt_beneath_unlink(m->fs->dirfd, f->path);
		if (r < 0)
			return pt_diag_errno(diag, r, "cannot replace %s", f->path);
	}
	r = make_file(m, f, i);
	if (r == -EEXIST) /* it was missing a moment ago: another of ours has made it */
		return pt_diag_set(diag, r, PT_NO_OFFSET,
				   "%s is two recorded files at once here (does this file system "
				   "ignore case?)",
				   f->path);
	if (r == -EINTR)
		return pt_diag_set(diag, r, PT_NO_OFFSET, "interrupted");
	return r < 0 ? pt_diag_errno(diag, r, "cannot make %s", f->path) : 0;
}

/* The list is written before the files: after a kill, what is half made is known as ours. */
static int save_list(struct pt_fileset *fs, struct pt_diag *diag)
{
	size_t before = fs->ours.n;

	for (size_t i = 0; i < fs->n; i++)
		if (fs->files[i].path && pt_filelist_add(&fs->ours, fs->files[i].path) < 0)
			return -ENOMEM;
	pt_filelist_sort(&fs->ours);
	return fs->ours.n == before ? 0
				    : pt_filelist_save(fs->dirfd, PT_FILESET_LIST, &fs->ours, diag);
}

int pt_fileset_prepare(struct pt_fileset *fs, struct pt_progress *progress,
		       const volatile sig_atomic_t *stop, struct pt_diag *diag)
{
	auto_free void *chunk = pt_fill_chunk_new();
	struct making m = { fs, progress, stop, chunk, 0 };
	int r = 0;

	if (!chunk)
		return -ENOMEM;
	/* Before the list says that they are ours: is anybody else's file in the way? */
	for (size_t i = 0; r >= 0 && i < fs->n; i++)
		r = fs->files[i].path ? examine(fs, &fs->files[i], diag) : 0;
	if (r >= 0)
		r = save_list(fs, diag);
	for (size_t i = 0; r == 0 && i < fs->n; i++)
		if (fs->files[i].path)
			r = prepare_file(&m, i, diag);
	if (progress)
		pt_progress_done(progress);
	return r;
}

/* ---- Dropping and removing it */

/* Pages of the file that are cached: 0 or 1 for none or some; 1 where it cannot be told. */
static int is_cached(int fd, uint64_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *seen = malloc(DROP_WINDOW / page);
	int cached = seen ? 0 : 1;

	for (uint64_t off = 0; !cached && off < size; off += DROP_WINDOW) {
		size_t len = size - off < DROP_WINDOW ? (size_t)(size - off) : DROP_WINDOW;
		void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)off);

		if (map == MAP_FAILED || mincore(map, len, seen) < 0)
			cached = 1;
		for (size_t i = 0; !cached && i < (len + page - 1) / page; i++)
			cached = seen[i] & 1;
		if (map != MAP_FAILED)
			munmap(map, len);
	}
	free(seen);
	return cached;
}

int pt_fileset_drop(struct pt_fileset *fs)
{
	int clean = 1;

	for (size_t i = 0; i < fs->n; i++) {
		auto_close int fd = -1;

		if (!fs->files[i].path)
			continue;
		fd = pt_beneath_open(fs->dirfd, fs->files[i].path, O_RDWR, 0);
		if (fd < 0 || fdatasync(fd) < 0 ||
		    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0 ||
		    is_cached(fd, fs->files[i].size))
			clean = 0;
	}
	return clean;
}

int pt_fileset_warm(struct pt_fileset *fs, size_t i, uint64_t bytes)
{
	auto_close int fd = pt_beneath_open(fs->dirfd, fs->files[i].path, O_RDONLY, 0);
	auto_free void *chunk = malloc(PT_FILL_CHUNK);
	uint64_t done = 0;
	ssize_t n = 1;

	if (fd < 0 || !chunk)
		return fd < 0 ? fd : -ENOMEM;
	while (done < bytes && (n = read(fd, chunk, PT_FILL_CHUNK)) > 0)
		done += (uint64_t)n;
	return n < 0 ? -errno : 0;
}

int pt_fileset_remove(struct pt_fileset *fs, struct pt_diag *diag)
{
	for (size_t i = 0; i < fs->ours.n; i++) {
		int r = pt_beneath_unlink(fs->dirfd, fs->ours.v[i]);

		if (r < 0 && r != -ENOENT)
			return pt_diag_errno(diag, r, "cannot remove %s", fs->ours.v[i]);
		pt_beneath_prune_parents(fs->dirfd, fs->ours.v[i]);
	}
	if (unlinkat(fs->dirfd, PT_FILESET_LIST, 0) < 0 && errno != ENOENT)
		return pt_diag_errno(diag, -errno, "cannot remove %s", PT_FILESET_LIST);
	pt_filelist_done(&fs->ours);
	return 0;
}

const char *pt_fileset_path(const struct pt_fileset *fs, size_t i)
{
	return i < fs->n ? fs->files[i].path : NULL;
}

uint64_t pt_fileset_size(const struct pt_fileset *fs, size_t i)
{
	return i < fs->n ? fs->files[i].size : 0;
}

int pt_fileset_dirfd(const struct pt_fileset *fs)
{
	return fs->dirfd;
}
