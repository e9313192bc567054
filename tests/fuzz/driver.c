// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a fuzz target without a fuzzer: once with each file of the folders named, so that a corpus
 * is an ordinary test.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "util/bytes.h"
#include "util/cleanup.h"

static int read_file(const char *path, struct pt_buf *b)
{
	auto_fclose FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		return -1;
	b->len = 0;
	do {
		if (pt_buf_reserve(b, 65536) < 0)
			return -1;
		n = fread(b->data + b->len, 1, 65536, f);
		b->len += n;
	} while (n);
	return ferror(f) ? -1 : 0;
}

/* Returns how many files were tried, or -1. */
static int replay(const char *folder)
{
	auto_buf struct pt_buf b = { 0 };
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort), tried = 0;

	for (int i = 0; i < n; i++) {
		auto_free char *path = NULL;

		if (names[i]->d_name[0] != '.' && tried >= 0) {
			if (asprintf(&path, "%s/%s", folder, names[i]->d_name) < 0)
				path = NULL;
			if (!path || read_file(path, &b) < 0) {
				perror(names[i]->d_name);
				tried = -1;
			} else {
				LLVMFuzzerTestOneInput(b.data, b.len);
				tried++;
			}
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return tried;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int n = replay(argv[i]);

		if (n <= 0) {
			fprintf(stderr, "%s: no inputs\n", argv[i]);
			return 1;
		}
		printf("%s: %d inputs\n", argv[i], n);
	}
	return argc < 2;
}
