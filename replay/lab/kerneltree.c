// SPDX-License-Identifier: GPL-2.0-or-later
/* Building a kernel tree: see kerneltree.h. */
#include "replay/lab/kerneltree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/lab/cachedir.h"
#include "replay/lab/child.h"
#include "replay/lab/labconfig.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/outfile.h"
#include "util/text.h"
#include "util/textfile.h"

#define LOG_TAIL 65536
#define MAX_ARGS 12

struct build {
	const struct pt_kerneltree_options *opt;
	char *tree;   /* the caller's */
	char *commit; /* of REV; NULL: the tree as it stands */
	char *source; /* what is built */
	char *folder; /* where to */
	char *log;
	int log_fd;
	int in_place; /* folder is source */
};

static int has(const char *dir, const char *name)
{
	auto_free char *path = NULL;

	return pt_text_format(&path, "%s/%s", dir, name) == 0 && access(path, F_OK) == 0;
}

static void say(const struct build *b, const char *what)
{
	if (b->opt->say)
		b->opt->say(b->opt->arg, what);
}

/* ---- What is built, and where */

static int run(struct build *b, const char *const *argv, int to_log, char **ret_out,
	       struct pt_diag *diag)
{
	const struct pt_child_command c = {
		.argv = argv,
		.log_fd = to_log ? b->log_fd : -1,
		.limit_s = b->opt->limit_s ? b->opt->limit_s : PT_KERNELTREE_LIMIT_S,
		.stop = b->opt->stop,
	};

	return pt_child_run(&c, ret_out, diag);
}

static int is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int pt_kerneltree_split(const char *spec, char **ret_dir, char **ret_rev)
{
	auto_free char *dir = strdup(spec), *rev = NULL;
	size_t cut;
	char *at;

	if (!dir)
		return -ENOMEM;
	while (!is_folder(dir) && (at = strrchr(dir, '@')))
		*at = '\0';
	if (!is_folder(dir) && (at = strrchr(spec, '@'))) { /* nowhere one: the last @ it is */
		cut = (size_t)(at - spec);
		memcpy(dir, spec, cut);
		dir[cut] = '\0';
	}
	cut = strlen(dir);
	if (spec[cut]) {
		if (!cut || !spec[cut + 1])
			return -EINVAL;
		rev = strdup(spec + cut + 1);
		if (!rev)
			return -ENOMEM;
	}
	*ret_dir = steal_ptr(dir);
	*ret_rev = steal_ptr(rev);
	return 0;
}

static int find_tree(struct build *b, char **ret_rev)
{
	auto_free char *dir = NULL;
	int r = pt_kerneltree_split(b->opt->spec, &dir, ret_rev);

	if (r < 0)
		return r;
	b->tree = realpath(dir, NULL);
	return b->tree ? 0 : -errno;
}

static int find_commit(struct build *b, const char *rev, struct pt_diag *diag)
{
	auto_free char *name = NULL;
	struct pt_diag why = PT_DIAG_INIT;
	const char *argv[] = {
		"git", "-C", b->tree, "rev-parse", "--verify", "--quiet", NULL, NULL
	};
	int r = pt_text_format(&name, "%s^{commit}", rev);

	argv[6] = name;
	if (r == 0 && (*rev == '-' || !*rev))
		r = -EIO;
	if (r == 0)
		r = run(b, argv, 0, &b->commit, &why);
	if (r == -EIO)
		return pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "there is no commit %s", rev);
	if (r < 0 && diag)
		*diag = why;
	if (r == 0)
		b->commit[strcspn(b->commit, "\n")] = '\0';
	return r;
}

static int check_tree(struct build *b, struct pt_diag *diag)
{
	auto_free char *file = NULL;
	const char *argv[] = { "git", "-C", b->tree, "cat-file", "-e", NULL, NULL };
	int r;

	if (!b->commit) {
		r = has(b->tree, "Kbuild") && has(b->tree, "Makefile") ? 0 : -EIO;
	} else {
		r = pt_text_format(&file, "%s:Kbuild", b->commit);
		argv[5] = file;
		if (r == 0)
			r = run(b, argv, 0, NULL, NULL);
	}
	return r == -EIO ? pt_diag_set(diag, -EINVAL, PT_NO_OFFSET, "is not a kernel tree") : r;
}

/* In the cache: a folder a commit, or a tree. */
static int make_place(struct build *b)
{
	const char *base = strrchr(b->tree, '/');
	auto_free char *name = NULL, *cache = NULL;
	int r;

	if (b->commit)
		r = pt_text_format(&name, "trees/%s", b->commit);
	else
		r = pt_text_format(&name, "trees/%s-%08x", base ? base + 1 : b->tree,
				   pt_crc32(b->tree, strlen(b->tree)));
	if (r == 0)
		r = pt_cachedir_folder(name, &cache);
	if (r == 0)
		r = pt_text_format(&b->log, "%s/build.log", cache);
	if (r == 0 && b->commit)
		r = pt_text_format(&b->source, "%s/source", cache);
	else if (r == 0)
		r = pt_text_format(&b->source, "%s", b->tree);
	/* make refuses to build elsewhere from a tree that was configured in place. */
	b->in_place = !b->commit && has(b->tree, ".config");
	if (r == 0 && b->in_place)
		r = pt_text_format(&b->folder, "%s", b->tree);
	else if (r == 0)
		r = pt_text_format(&b->folder, "%s/build", cache);
	return r == 0 && !b->in_place ? pt_make_folders(b->folder) : r;
}

/* The log is the lock as well. */
static int open_log(struct build *b, struct pt_diag *diag)
{
	b->log_fd = open(b->log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (b->log_fd < 0)
		return pt_diag_errno(diag, -errno, "cannot be made");
	if (flock(b->log_fd, LOCK_EX | LOCK_NB) < 0)
		return pt_diag_set(diag, -EBUSY, PT_NO_OFFSET, "is being built by another");
	return ftruncate(b->log_fd, 0) < 0 ? -errno : 0;
}

static int write_file(const char *path, const char *text, struct pt_diag *diag)
{
	struct pt_outfile out;
	int r = pt_outfile_open(&out, path, 0644, diag);

	if (r < 0)
		return r;
	r = pt_write_all(out.fd, text, strlen(text));
	if (r == 0)
		r = pt_outfile_commit(&out, diag);
	pt_outfile_done(&out, 0);
	return r;
}

/*
 * As a worktree of the caller's repository. A call that was killed meanwhile may have left a part,
 * locked: it goes.
 */
static int check_out(struct build *b, struct pt_diag *diag)
{
	const char *const drop[] = { "git",     "-C",      b->tree,   "worktree", "remove",
				     "--force", "--force", b->source, NULL };
	const char *const prune[] = { "git", "-C", b->tree, "worktree", "prune", NULL };
	const char *const add[] = { "git",      "-C",      b->tree,   "worktree", "add",
				    "--detach", "--force", b->source, b->commit,  NULL };
	auto_free char *whole = NULL;
	int r;

	if (!b->commit)
		return 0;
	r = pt_text_format(&whole, "%s.whole", b->source);
	if (r < 0 || (access(whole, F_OK) == 0 && has(b->source, "Kbuild")))
		return r;
	say(b, "checking out the tree");
	r = access(b->source, F_OK) == 0 ? run(b, drop, 0, NULL, NULL) : 0;
	if (r == 0 || r == -EIO) /* -EIO: it is none of the repository's, which add says */
		r = run(b, prune, 0, NULL, diag);
	if (r == 0)
		r = run(b, add, 0, NULL, diag);
	return r == 0 ? write_file(whole, b->commit, diag) : r;
}

/* ---- make */

/* The log's first line about an error, as far as it is kept, else its last line. To be freed; NULL:
 * none. */
static char *last_error(const struct build *b)
{
	auto_free char *tail = calloc(1, LOG_TAIL + 1);
	off_t end = lseek(b->log_fd, 0, SEEK_END), from = end > LOG_TAIL ? end - LOG_TAIL : 0;
	const char *last = NULL, *error = NULL;
	char *rest, *line;

	if (!tail || pread(b->log_fd, tail, LOG_TAIL, from) <= 0)
		return NULL;
	rest = tail;
	while ((line = pt_text_line(&rest))) {
		if (line[strspn(line, " \t\r")] == '\0')
			continue;
		last = line;
		if (!error && (strstr(line, "error: ") || strstr(line, "ERROR: ")))
			error = line;
	}
	return error || last ? strdup(error ? error : last) : NULL;
}

static int make(struct build *b, const char *const *words, struct pt_diag *diag)
{
	auto_free char *out = NULL, *why = NULL;
	const char *argv[MAX_ARGS] = { "make", "--no-print-directory", "-C", b->source };
	struct pt_diag plain = PT_DIAG_INIT;
	size_t n = 4;
	int r = 0;

	if (!b->in_place) {
		r = pt_text_format(&out, "O=%s", b->folder);
		argv[n++] = out;
	}
	for (size_t i = 0; words[i] && n + 1 < MAX_ARGS; i++)
		argv[n++] = words[i];
	if (r == 0)
		r = run(b, argv, 1, NULL, &plain);
	if (r == -EIO) {
		why = last_error(b);
		pt_diag_set(diag, r, PT_NO_OFFSET, "make failed: %.160s",
			    why ? why : "no word why");
		return pt_diag_file(diag, r, b->log);
	}
	if (r < 0 && diag)
		*diag = plain;
	return r;
}

/* ---- Configuration */

/* Whether the file @path holds just @text. */
static int holds(const char *path, const char *text)
{
	auto_free char *had = NULL;

	return pt_text_read("", path, &had) == 0 && strcmp(had, text) == 0;
}

/*
 * Ours, from nothing but what it says; made anew where it says something else than last time. The
 * caller may change the .config there in between.
 */
static int configure_for_lab(struct build *b, const char *config, struct pt_diag *diag)
{
	auto_free char *path = NULL, *all = NULL;
	const char *words[] = { NULL, "allnoconfig", NULL };
	int r = pt_text_format(&path, "%s/lab.config", b->folder);

	if (r < 0 || (holds(path, PT_LAB_CONFIG) && access(config, F_OK) == 0))
		return r;
	r = write_file(path, PT_LAB_CONFIG, diag);
	if (r == 0)
		r = pt_text_format(&all, "KCONFIG_ALLCONFIG=%s", path);
	words[0] = all;
	if (r == 0)
		r = make(b, words, diag);
	if (r < 0)
		(void)unlink(path);
	return r;
}

static int configure(struct build *b, struct pt_diag *diag)
{
	static const char *const update[] = { "olddefconfig", NULL };
	auto_free char *theirs = NULL, *config = NULL, *text = NULL;
	int r = pt_text_format(&config, "%s/.config", b->folder);

	if (r == 0)
		r = pt_text_format(&theirs, "%s/.config", b->tree);
	if (r < 0)
		return r;
	if (!b->in_place) {
		r = pt_text_read("", theirs, &text);
		if (r == -ENOENT)
			r = configure_for_lab(b, config, diag);
		else if (r == 0 && !holds(config, text))
			r = write_file(config, text, diag);
	}
	return r == 0 ? make(b, update, diag) : r;
}

static int has_modules(const struct build *b)
{
	auto_free char *path = NULL, *text = NULL;

	return pt_text_format(&path, "%s/.config", b->folder) == 0 &&
	       pt_text_read("", path, &text) == 0 && strstr(text, "\nCONFIG_MODULES=y\n");
}

static int compile(struct build *b, struct pt_diag *diag)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const char *words[] = { NULL, "bzImage", NULL, NULL };
	auto_free char *jobs = NULL;
	int r = pt_text_format(&jobs, "-j%u",
			       b->opt->jobs ? b->opt->jobs
			       : cpus > 0   ? (unsigned int)cpus
					    : 1);

	say(b, "building the kernel");
	words[0] = jobs;
	words[2] = has_modules(b) ? "modules" : NULL;
	return r == 0 ? make(b, words, diag) : r;
}

/* ---- All of it */

static int build(struct build *b, struct pt_diag *diag)
{
	auto_free char *rev = NULL;
	int r = find_tree(b, &rev);

	if (r < 0)
		return pt_diag_errno(diag, r, "no such kernel tree");
	if (rev)
		r = find_commit(b, rev, diag);
	if (r == 0)
		r = check_tree(b, diag);
	if (r == 0)
		r = make_place(b);
	if (r == 0)
		r = open_log(b, diag);
	if (r == 0)
		r = check_out(b, diag);
	if (r == 0)
		r = configure(b, diag);
	return r == 0 ? compile(b, diag) : r;
}

int pt_kerneltree_build(const struct pt_kerneltree_options *opt, char **ret_path,
			struct pt_diag *diag)
{
	struct build b = { .opt = opt, .log_fd = -1 };
	int r = build(&b, diag);

	if (r == 0)
		*ret_path = steal_ptr(b.folder);
	else
		pt_diag_file(diag, r, opt->spec);
	if (b.log_fd >= 0)
		close(b.log_fd);
	free(b.tree);
	free(b.commit);
	free(b.source);
	free(b.folder);
	free(b.log);
	return r;
}
