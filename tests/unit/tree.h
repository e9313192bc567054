/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A throw-away folder for a test: made under TMPDIR, filled with small files, removed whole. */
#ifndef PT_TESTS_UNIT_TREE_H
#define PT_TESTS_UNIT_TREE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Its path, to be given to tree_remove(). Aborts where it cannot be made: a test is no use then. */
static inline char *tree_new(void)
{
	const char *tmp = getenv("TMPDIR");
	char *root;

	if (asprintf(&root, "%s/pagetape-test-XXXXXX", tmp ? tmp : "/tmp") < 0 || !mkdtemp(root))
		abort();
	return root;
}

/* ROOT/PATH; release with free(). */
static inline char *tree_path(const char *root, const char *path)
{
	char *full;

	if (asprintf(&full, "%s/%s", root, path) < 0)
		abort();
	return full;
}

/* Write ROOT/PATH, making the folders on the way. NULL text: a folder only. */
static inline void tree_put(const char *root, const char *path, const char *text)
{
	char *full = tree_path(root, path);
	FILE *f;

	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdir(full, 0755);
		*p = '/';
	}
	if (!text) {
		(void)mkdir(full, 0755);
	} else {
		f = fopen(full, "w");
		if (!f || fputs(text, f) < 0 || fclose(f) != 0)
			abort();
	}
	free(full);
}

static inline int tree_has(const char *root, const char *path)
{
	char *full = tree_path(root, path);
	struct stat st;
	int found = lstat(full, &st) == 0;

	free(full);
	return found;
}

static inline int tree_remove_one(const char *path, const struct stat *st, int type,
				  struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void tree_remove(char *root)
{
	(void)nftw(root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(root);
}

#endif
