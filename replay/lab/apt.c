// SPDX-License-Identifier: GPL-2.0-or-later
/* apt with lists of its own: see apt.h. */
#include "replay/lab/apt.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/lab/aptsources.h"
#include "replay/lab/cachedir.h"
#include "replay/lab/child.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/outfile.h"
#include "util/text.h"
#include "util/textfile.h"

#define LIMIT_S      1800 /* of a download over a slow line */
#define MAX_PACKAGES 2000
#define KEYRING      "/usr/share/keyrings/debian-archive-keyring.gpg"

enum { OPTIONS = 9 };

struct pt_apt {
	char *dir; /* DIR/apt, absolute */
	char *sources_file, *archives;
	struct pt_apt_sources sources;
	const volatile sig_atomic_t *stop;
	char *option[OPTIONS]; /* behind "-o" each */
};

/* Debian's releases in their order; the next one's backports run on this machine's emulator too. */
static const char *const codenames[] = { "bullseye", "bookworm", "trixie", "forky", "duke" };

/* ---- A place of its own */

static int make_options(struct pt_apt *a)
{
	int r = pt_text_format(&a->option[0], "Dir::Etc::SourceList=%s", a->sources_file);

	if (r == 0)
		r = pt_text_format(&a->option[1], "Dir::State::Lists=%s/lists", a->dir);
	if (r == 0)
		r = pt_text_format(&a->option[2], "Dir::Cache::Archives=%s", a->archives);
	if (r == 0)
		r = pt_text_format(&a->option[3], "Dir::Etc::SourceParts=/dev/null");
	if (r == 0)
		r = pt_text_format(&a->option[4], "Dir::Cache::pkgcache=");
	if (r == 0)
		r = pt_text_format(&a->option[5], "Dir::Cache::srcpkgcache=");
	if (r == 0) /* another user could not write there */
		r = pt_text_format(&a->option[6], "APT::Sandbox::User=");
	if (r == 0)
		r = pt_text_format(&a->option[7], "Acquire::Languages=none");
	if (r == 0)
		r = pt_text_format(&a->option[8], "APT::Architecture=amd64");
	return r;
}

static int make_folders(struct pt_apt *a)
{
	auto_free char *lists = NULL, *partial = NULL;
	int r = pt_text_format(&lists, "%s/lists/partial", a->dir);

	if (r == 0)
		r = pt_text_format(&partial, "%s/partial", a->archives);
	if (r == 0)
		r = pt_make_folders(lists);
	return r == 0 ? pt_make_folders(partial) : r;
}

static int set_up(struct pt_apt *a, const char *root, const char *dir, struct pt_diag *diag)
{
	auto_free char *real = NULL;
	int r = pt_apt_sources_read(root, &a->sources, diag);

	if (r < 0)
		return r;
	r = pt_make_folders(dir);
	if (r == 0) {
		real = realpath(dir, NULL);
		r = real ? pt_text_format(&a->dir, "%s/apt", real) : -errno;
	}
	if (r == 0)
		r = pt_text_format(&a->sources_file, "%s/kernels.sources", a->dir);
	if (r == 0)
		r = pt_text_format(&a->archives, "%s/archives", a->dir);
	if (r == 0)
		r = make_folders(a);
	if (r < 0)
		return pt_diag_file(diag, pt_diag_errno(diag, r, "cannot be made"), dir);
	return make_options(a);
}

int pt_apt_new(const char *root, const char *dir, const volatile sig_atomic_t *stop,
	       struct pt_apt **ret_a, struct pt_diag *diag)
{
	struct pt_apt *a = calloc(1, sizeof(*a));
	int r = a ? 0 : -ENOMEM;

	if (r == 0) {
		a->stop = stop;
		r = set_up(a, root, dir, diag);
	}
	if (r < 0)
		pt_apt_free(a);
	else
		*ret_a = a;
	return r;
}

void pt_apt_free(struct pt_apt *a)
{
	if (!a)
		return;
	free(a->dir);
	free(a->sources_file);
	free(a->archives);
	pt_apt_sources_done(&a->sources);
	for (size_t i = 0; i < OPTIONS; i++)
		free(a->option[i]);
	free(a);
}

/* ---- Running it */

/* "apt-get -qq -o ... COMMAND WORDS...", in the folder of archives. */
static int run(struct pt_apt *a, const char *program, const char *command, char *const *words,
	       size_t n, char **ret_out, struct pt_diag *diag)
{
	auto_free const char **argv = calloc(4 + 2 * OPTIONS + n, sizeof(*argv));
	struct pt_child_command c = {
		.dir = a->archives, .log_fd = -1, .limit_s = LIMIT_S, .stop = a->stop
	};
	size_t used = 0;

	if (!argv)
		return -ENOMEM;
	argv[used++] = program;
	argv[used++] = "-qq";
	for (size_t i = 0; i < OPTIONS; i++) {
		argv[used++] = "-o";
		argv[used++] = a->option[i];
	}
	argv[used++] = command;
	for (size_t i = 0; i < n; i++)
		argv[used++] = words[i];
	argv[used] = NULL;
	c.argv = argv;
	return pt_child_run(&c, ret_out, diag);
}

/* ---- Lists */

static int put_source(struct pt_buf *b, const struct pt_apt_source *s, const char *suites)
{
	const char *key = s->signed_by;

	if (!key && access(KEYRING, R_OK) == 0)
		key = KEYRING;
	return pt_text_append(b, "Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n%s%s\n\n",
			      s->uri, suites, key ? "Signed-By: " : "", key ? key : "");
}

static int put_release(struct pt_buf *b, const struct pt_apt *a, const char *name, int all)
{
	char suites[128];
	int r;

	snprintf(suites, sizeof(suites), "%s-backports%s%s", name, all ? " " : "", all ? name : "");
	r = put_source(b, &a->sources.main, suites);
	snprintf(suites, sizeof(suites), "%s-security", name);
	return r == 0 && a->sources.security.uri ? put_source(b, &a->sources.security, suites) : r;
}

/* This machine's release, and the one behind it. */
static int put_releases(struct pt_buf *b, const struct pt_apt *a, int all)
{
	int r = put_release(b, a, a->sources.codename, all);

	for (size_t i = 0; r == 0 && i + 1 < PT_ARRAY_SIZE(codenames); i++)
		if (strcmp(codenames[i], a->sources.codename) == 0)
			r = put_release(b, a, codenames[i + 1], all);
	return r;
}

static int write_sources(struct pt_apt *a, int all, struct pt_diag *diag)
{
	struct pt_outfile out = PT_OUTFILE_INIT;
	struct pt_buf b = { 0 };
	int r = put_releases(&b, a, all);

	if (r == 0)
		r = pt_outfile_open(&out, a->sources_file, 0644, diag);
	if (r == 0)
		r = pt_write_all(out.fd, b.data, b.len);
	if (r == 0)
		r = pt_outfile_commit(&out, diag);
	pt_outfile_done(&out, 0);
	pt_buf_done(&b);
	return r;
}

static int has_lists(const struct pt_apt *a)
{
	auto_free char *lists = NULL;
	struct dirent *d;
	int found = 0;
	DIR *dir;

	if (pt_text_format(&lists, "%s/lists", a->dir) < 0)
		return 0;
	dir = opendir(lists);
	while (dir && !found && (d = readdir(dir)))
		found = strstr(d->d_name, "_Packages") != NULL;
	if (dir)
		closedir(dir);
	return found;
}

int pt_apt_update(struct pt_apt *a, int all, struct pt_diag *diag)
{
	struct pt_diag why = PT_DIAG_INIT;
	int r = write_sources(a, all, diag);

	if (r < 0)
		return r;
	r = run(a, "apt-get", "update", NULL, 0, NULL, &why);
	/* It fails where one of the suites is not there, and has the others all the same. */
	if (r == -EIO && has_lists(a))
		return 0;
	if (r < 0 && diag && !diag->text[0])
		*diag = why;
	return r;
}

/* ---- Packages */

void pt_apt_list_done(struct pt_apt_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].name);
		free(l->v[i].version);
	}
	free(l->v);
	*l = (struct pt_apt_list){ 0 };
}

static int add_package(struct pt_apt_list *l, const char *name, const char *version)
{
	struct pt_apt_package p = { strdup(name), strdup(version) }, *v;

	v = p.name && p.version ? realloc(l->v, (l->n + 1) * sizeof(*v)) : NULL;
	if (!v) {
		free(p.name);
		free(p.version);
		return -ENOMEM;
	}
	l->v = v;
	v[l->n++] = p;
	return 0;
}

/* Lines of "NAME | VERSION | where from". */
static int read_table(char *text, struct pt_apt_list *l)
{
	char *rest = text, *line;
	int r = 0;

	while (r == 0 && (line = pt_text_line(&rest))) {
		char *in = line, *name = pt_text_word(&in), *bar = pt_text_word(&in);
		char *version = pt_text_word(&in);

		if (version && strcmp(bar, "|") == 0 && strstr(in ? in : "", " Packages"))
			r = add_package(l, name, version);
	}
	return r;
}

static int ends_in_arch(const char *name)
{
	static const char end[] = "amd64";
	size_t len = strlen(name);

	return len > sizeof(end) && strcmp(name + len - (sizeof(end) - 1), end) == 0;
}

/* Keep the names that are of interest: all that apt has would not fit in a command's arguments. */
static size_t pick_names(char *text, char **names)
{
	char *rest = text, *line;
	size_t n = 0;

	while (n < MAX_PACKAGES && (line = pt_text_line(&rest)))
		if (ends_in_arch(line))
			names[n++] = line;
	return n;
}

int pt_apt_packages(struct pt_apt *a, const char *prefix, struct pt_apt_list *ret_l,
		    struct pt_diag *diag)
{
	auto_free char *names = NULL, *table = NULL, *start = strdup(prefix);
	auto_free char **words = calloc(MAX_PACKAGES, sizeof(*words));
	struct pt_apt_list l = { 0 };
	size_t n;
	int r;

	if (!words || !start)
		return -ENOMEM;
	r = run(a, "apt-cache", "pkgnames", &start, 1, &names, diag);
	if (r < 0)
		return r;
	n = pick_names(names, words);
	/* Whole names, each of which apt has: what it does not have it would take for a pattern. */
	r = n ? run(a, "apt-cache", "madison", words, n, &table, diag) : 0;
	if (r == 0 && table)
		r = read_table(table, &l);
	if (r < 0)
		pt_apt_list_done(&l);
	else
		*ret_l = l;
	return r;
}

/* ---- Downloading */

/* The only NAME_*.deb there. NULL: none, or no memory. */
static char *find_deb(const struct pt_apt *a, const char *name)
{
	size_t len = strlen(name);
	char *path = NULL;
	struct dirent *d;
	DIR *dir = opendir(a->archives);

	while (dir && !path && (d = readdir(dir))) {
		const char *end = strrchr(d->d_name, '.');

		if (strncmp(d->d_name, name, len) == 0 && d->d_name[len] == '_' && end &&
		    strcmp(end, ".deb") == 0)
			(void)pt_text_format(&path, "%s/%s", a->archives, d->d_name);
	}
	if (dir)
		closedir(dir);
	return path;
}

int pt_apt_download(struct pt_apt *a, const struct pt_apt_package *p, char **ret_file,
		    struct pt_diag *diag)
{
	auto_free char *exact = NULL, *old = find_deb(a, p->name);
	char *file;
	int r = pt_text_format(&exact, "%s=%s", p->name, p->version);

	if (r < 0)
		return r;
	if (old)
		(void)unlink(old);
	r = run(a, "apt-get", "download", &exact, 1, NULL, diag);
	if (r < 0)
		return r;
	file = find_deb(a, p->name);
	if (!file)
		return pt_diag_set(diag, -EIO, PT_NO_OFFSET, "apt-get left no package %s", p->name);
	*ret_file = file;
	return 0;
}
