// SPDX-License-Identifier: GPL-2.0-or-later
/* pagetape: find the verb, run it, check that its output arrived. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "replay/lab/guest.h"
#include "util/version.h"

static int show_verbs(FILE *f)
{
	fputs("Usage: pagetape VERB [options] ARGS\n\n"
	      "Record what a workload does to the Linux page cache, replay it, compare kernels.\n\n"
	      "Verbs:\n",
	      f);
	for (const struct pt_verb *const *v = pt_verbs; *v; v++)
		fprintf(f, "  %-10s %s\n", (*v)->name, (*v)->help);
	fputs("\n'pagetape VERB --help' tells more; so do the man pages pagetape-VERB(1).\n", f);
	return f == stdout ? PT_EXIT_DONE : PT_EXIT_USAGE;
}

static const struct pt_verb *find_verb(const char *name)
{
	for (const struct pt_verb *const *v = pt_verbs; *v; v++)
		if (strcmp((*v)->name, name) == 0)
			return *v;
	return NULL;
}

/* What was printed must have arrived; a reader that went away (EPIPE) is no failure. */
static int checked_stdout(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (errno == EPIPE)
		return status;
	fprintf(stderr, "pagetape: cannot write to stdout: %s\n", strerror(errno));
	return status == PT_EXIT_DONE ? PT_EXIT_FAILED : status;
}

/* Whether the exit status is to be a verdict: then no mistake may look like one. */
static int wants_verdict(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strncmp(argv[i], "--fail-if", 9) == 0)
			return 1;
	return 0;
}

/* Of "lab run" the second word is a verb of the first one's. */
static const struct pt_verb *find_own_verb(const struct pt_verb *v, const char *name)
{
	for (const struct pt_verb *const *own = v->verbs; own && name && *own; own++)
		if (strcmp((*own)->name + strlen(v->name) + 1, name) == 0)
			return *own;
	return NULL;
}

static int run_verb(const struct pt_verb *v, int argc, char **argv)
{
	int verdict = wants_verdict(argc, argv);
	void *opts = calloc(1, v->opts_size);
	char **operands;
	int n, status;

	if (!opts)
		return pt_fail(v->name, -ENOMEM, &(struct pt_diag)PT_DIAG_INIT);
	if (v->defaults)
		memcpy(opts, v->defaults, v->opts_size);
	status = pt_options_parse(v, argc, argv, opts, &n, &operands);
	if (status < 0)
		status = v->run(opts, n, operands);
	pt_options_done(v, opts);
	free(opts);
	if (status == PT_EXIT_USAGE && verdict)
		status = PT_EXIT_VERDICT_USAGE;
	return checked_stdout(status);
}

int main(int argc, char **argv)
{
	const struct pt_verb *v;

	if (getpid() == 1 && strcmp(argv[0], PT_GUEST_INIT) == 0)
		pt_guest_main();
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2)
		return show_verbs(stderr);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return checked_stdout(show_verbs(stdout));
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("pagetape " PT_VERSION);
		return checked_stdout(PT_EXIT_DONE);
	}
	v = find_verb(argv[1]);
	if (!v) {
		fprintf(stderr, "pagetape: unknown verb '%s'\nTry 'pagetape --help'.\n", argv[1]);
		return PT_EXIT_USAGE;
	}
	argc--;
	argv++;
	if (find_own_verb(v, argv[1])) {
		v = find_own_verb(v, argv[1]);
		argc--;
		argv++;
	}
	return run_verb(v, argc, argv);
}
