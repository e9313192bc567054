/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all verbs share: the table of verbs, options from one table each, exit codes, messages.
 *
 * A verb is one file with a `const struct pt_verb`. Its options are parsed, checked and shown by
 * --help from one table, which tests hold against the man page.
 */
#ifndef PT_CLI_CLI_H
#define PT_CLI_CLI_H

#include <stddef.h>
#include <stdint.h>

#include "util/diag.h"

enum pt_exit {
	PT_EXIT_DONE = 0,
	PT_EXIT_FAILED = 1,
	PT_EXIT_USAGE = 2,
	PT_EXIT_INCOMPLETE = 3,
	PT_EXIT_RECORDER = 125, /* record -- CMD: the recorder failed */
	/* With --fail-if 1 is an answer, and git bisect takes 2 and 3 for one: */
	PT_EXIT_NO_VERDICT = 125,
	PT_EXIT_VERDICT_USAGE = 128,
};

enum pt_option_type {
	PT_OPT_FLAG,   /* int, becomes 1 */
	PT_OPT_STRING, /* const char * */
	PT_OPT_OUTPUT, /* const char *: a file to write, see pt_is_output() */
	PT_OPT_SIZE,   /* uint64_t bytes */
	PT_OPT_TIME,   /* uint64_t ns; the word "off" gives UINT64_MAX where off_ok is set */
	PT_OPT_COUNT,  /* uint64_t */
	PT_OPT_DOUBLE, /* double */
	PT_OPT_LIST,   /* struct pt_strings: may be given several times */
};

/* Strings of a repeated option: borrowed from argv. */
struct pt_strings {
	const char **v;
	size_t n;
};

struct pt_option {
	const char *name; /* long name; NULL ends the table */
	char letter;      /* short name or 0 */
	const char *arg;  /* "SIZE"; NULL for a flag */
	const char *help; /* one line */
	enum pt_option_type type;
	size_t offset; /* into the verb's struct of options */
	int off_ok;
	uint64_t min; /* the least size, time or count that is taken */
};

/* What every verb has; embedded first in a verb's own struct. */
struct pt_common {
	int json, csv, quiet, allow_incomplete;
};

struct pt_verb {
	const char *name;
	const char *help;                   /* one line for the list of verbs */
	const char *usage;                  /* what follows "pagetape NAME": "[options] TAPE..." */
	const char *about;                  /* one or two sentences, lines of at most 79 columns */
	const struct pt_option *options;    /* without --help, --version, --quiet, which all have */
	int has_json;                       /* adds --json and --allow-incomplete */
	int has_csv;                        /* adds --csv, which does not go with --json */
	const struct pt_verb *const *verbs; /* those that it has itself, named "NAME VERB"; NULL
					       ends. NULL: none */
	int keeps_dashes;                   /* leaves "--" among the operands */
	size_t opts_size;
	const void *defaults; /* copied into the options first; NULL: all zero */
	int (*run)(void *opts, int argc,
		   char **argv); /* argv: operands only; returns an exit code */
};

/*
 * Parse argv[1..] into @opts (defaults already there). Options and operands may be mixed; all
 * behind "--" are operands, and the "--" is one too where the verb keeps it. Returns -1 to go on,
 * with the operands at *ret_argv (argv itself, moved up), or an exit code where --help, --version
 * or a bad word ended it.
 */
int pt_options_parse(const struct pt_verb *v, int argc, char **argv, void *opts, int *ret_argc,
		     char ***ret_argv);

/*
 * Whether @path can be the name of a file to write: not empty, no folder's, and not "-", as tapes
 * and results are files that get their names when they are whole. Options are held against it.
 */
int pt_is_output(const char *path);
#define PT_OUTPUT_EXPECTED "the name of a file (not - for stdout)"

/* Release the lists that parsing made. */
void pt_options_done(const struct pt_verb *v, void *opts);

/* "pagetape: VERB: FILE: offset N: TEXT" on stderr; returns PT_EXIT_FAILED. */
int pt_fail(const char *verb, int err, const struct pt_diag *diag);

/* "pagetape: VERB: TEXT" and "Try 'pagetape VERB --help'." on stderr; returns PT_EXIT_USAGE. */
int pt_usage(const char *verb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "pagetape: VERB: TEXT" on stderr. Warnings are not silenced by --quiet; pt_say() is. */
void pt_warn(const char *verb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pt_say(const struct pt_common *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* PT_EXIT_INCOMPLETE, or PT_EXIT_DONE where the user allowed that. */
int pt_exit_incomplete(const struct pt_common *c);

/* What --threads comes to: as @asked, within reason; 0: one for each CPU that we may use. */
unsigned int pt_threads(uint64_t asked);

/* The verbs, alphabetical; NULL ends. */
extern const struct pt_verb *const pt_verbs[];

#endif
