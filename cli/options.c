// SPDX-License-Identifier: GPL-2.0-or-later
/* Option tables: parsing, help text, and the messages all verbs use. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/parse.h"
#include "util/printable.h"
#include "util/version.h"

#define MAX_OPTIONS  64
#define HELP_COLUMN  28
#define LONG_BASE    256 /* getopt values of long options: LONG_BASE + index */
#define WARNING_SIZE 2048
#define THREADS_MAX  1024

static const struct pt_option common_options[] = {
	{ "quiet", 'q', NULL, "say nothing that is not an error", PT_OPT_FLAG,
	  offsetof(struct pt_common, quiet), 0 },
	{ "help", 'h', NULL, "show this and exit", PT_OPT_FLAG, 0, 0 },
	{ "version", 'V', NULL, "show the version and exit", PT_OPT_FLAG, 0, 0 },
	{ 0 },
};

static const struct pt_option result_options[] = {
	{ "json", 0, NULL, "print a JSON document (schema 1)", PT_OPT_FLAG,
	  offsetof(struct pt_common, json), 0 },
	{ "allow-incomplete", 0, NULL, "exit 0 where it would be 3", PT_OPT_FLAG,
	  offsetof(struct pt_common, allow_incomplete), 0 },
	{ 0 },
};

static const struct pt_option table_options[] = {
	{ "csv", 0, NULL, "print the table as CSV", PT_OPT_FLAG, offsetof(struct pt_common, csv),
	  0 },
	{ 0 },
};

/* All options of a verb in the order in which --help shows them. */
static size_t gather(const struct pt_verb *v, const struct pt_option **all)
{
	const struct pt_option *parts[] = { v->options, v->has_csv ? table_options : NULL,
					    v->has_json ? result_options : NULL, common_options };
	size_t n = 0;

	for (size_t p = 0; p < PT_ARRAY_SIZE(parts); p++)
		for (const struct pt_option *o = parts[p]; o && o->name && n < MAX_OPTIONS; o++)
			all[n++] = o;
	return n;
}

static void show_option(const struct pt_option *o)
{
	char left[80];
	int n = snprintf(left, sizeof(left), "  %c%c%c --%s%s%s", o->letter ? '-' : ' ',
			 o->letter ? o->letter : ' ', o->letter ? ',' : ' ', o->name,
			 o->arg ? " " : "", o->arg ? o->arg : "");

	if (n >= HELP_COLUMN)
		printf("%s\n%*s%s\n", left, HELP_COLUMN, "", o->help);
	else
		printf("%-*s%s\n", HELP_COLUMN, left, o->help);
}

static int show_help(const struct pt_verb *v)
{
	const struct pt_option *all[MAX_OPTIONS];
	size_t n = gather(v, all);

	printf("Usage: pagetape %s %s\n\n%s\n", v->name, v->usage, v->about);
	if (v->verbs)
		puts("\nVerbs:");
	for (const struct pt_verb *const *own = v->verbs; own && *own; own++)
		printf("  %-10s %s\n", (*own)->name + strlen(v->name) + 1, (*own)->help);
	puts("\nOptions:");
	for (size_t i = 0; i < n; i++)
		show_option(all[i]);
	return PT_EXIT_DONE;
}

static int add_string(struct pt_strings *list, const char *s)
{
	const char **v = reallocarray(list->v, list->n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	list->v = v;
	list->v[list->n++] = s;
	return 0;
}

int pt_is_output(const char *path)
{
	size_t len = strlen(path);

	return len && path[len - 1] != '/' && strcmp(path, "-") != 0;
}

/* -EDOM: below the least that makes sense. */
static int store_number(const struct pt_option *o, const char *arg, uint64_t *dst)
{
	uint64_t v;
	int r;

	if (o->off_ok && strcmp(arg, "off") == 0) {
		*dst = UINT64_MAX;
		return 0;
	}
	if (o->type == PT_OPT_SIZE)
		r = pt_parse_size(arg, &v);
	else
		r = o->type == PT_OPT_TIME ? pt_parse_time(arg, &v) : pt_parse_u64(arg, &v);
	if (r == 0 && v < o->min)
		r = -EDOM;
	if (r == 0)
		*dst = v;
	return r;
}

static int store(const struct pt_option *o, const char *arg, void *opts)
{
	void *dst = (char *)opts + o->offset;

	switch (o->type) {
	case PT_OPT_FLAG:
		*(int *)dst = 1;
		return 0;
	case PT_OPT_STRING:
		*(const char **)dst = arg;
		return 0;
	case PT_OPT_OUTPUT:
		*(const char **)dst = arg;
		return pt_is_output(arg) ? 0 : -EINVAL;
	case PT_OPT_SIZE:
	case PT_OPT_TIME:
	case PT_OPT_COUNT:
		return store_number(o, arg, dst);
	case PT_OPT_DOUBLE:
		return pt_parse_double(arg, dst);
	case PT_OPT_LIST:
		return add_string(dst, arg);
	}
	return -EINVAL;
}

static const char *expected(enum pt_option_type type)
{
	switch (type) {
	case PT_OPT_SIZE:
		return "a size with a unit, as in 64M (K, M, G, T)";
	case PT_OPT_TIME:
		return "a time with a unit, as in 500ms or 2s (ms, s, m, h, d)";
	case PT_OPT_OUTPUT:
		return PT_OUTPUT_EXPECTED;
	default:
		return "a number";
	}
}

static int too_small(const struct pt_verb *v, const struct pt_option *o)
{
	char least[32];

	if (o->type == PT_OPT_SIZE)
		pt_format_size(o->min, least, sizeof(least));
	else if (o->type == PT_OPT_TIME)
		pt_format_time(o->min, least, sizeof(least));
	else
		pt_format_count(o->min, least, sizeof(least));
	return pt_usage(v->name, "--%s %s: expected at least %s%s", o->name, optarg, least,
			o->off_ok ? ", or off" : "");
}

/* getopt's tables out of ours. */
static void build(const struct pt_option *const *all, size_t n, struct option *longs, char *shorts)
{
	size_t at = 0;

	shorts[at++] = '-'; /* operands come as they stand, with 1 */
	shorts[at++] = ':'; /* a missing value is told from an unknown option */
	for (size_t i = 0; i < n; i++) {
		longs[i] = (struct option){ all[i]->name,
					    all[i]->arg ? required_argument : no_argument, NULL,
					    LONG_BASE + (int)i };
		if (!all[i]->letter)
			continue;
		shorts[at++] = all[i]->letter;
		if (all[i]->arg)
			shorts[at++] = ':';
	}
	longs[n] = (struct option){ 0 };
	shorts[at] = '\0';
}

static const struct pt_option *chosen(const struct pt_option *const *all, size_t n, int c)
{
	if (c >= LONG_BASE)
		return all[c - LONG_BASE];
	for (size_t i = 0; i < n; i++)
		if (all[i]->letter == c)
			return all[i];
	return NULL;
}

/* One option out of getopt: -1 to go on, or an exit code. */
static int take(const struct pt_verb *v, const struct pt_option *o, void *opts)
{
	int r;

	if (strcmp(o->name, "help") == 0)
		return show_help(v);
	if (strcmp(o->name, "version") == 0) {
		puts("pagetape " PT_VERSION);
		return PT_EXIT_DONE;
	}
	r = store(o, optarg, opts);
	if (r == -ENOMEM)
		return pt_fail(v->name, r, &(struct pt_diag)PT_DIAG_INIT);
	if (r == -EDOM)
		return too_small(v, o);
	if (r < 0)
		return pt_usage(v->name, "--%s %s: expected %s", o->name, *optarg ? optarg : "''",
				r == -ERANGE ? "something smaller" : expected(o->type));
	return -1;
}

/* What getopt could not take, which it says with @c and optopt. */
static int refuse(const struct pt_verb *v, const struct pt_option *const *all, int c,
		  const char *word)
{
	if (c == ':')
		return pt_usage(v->name, "%s needs a value", word);
	if (optopt >= LONG_BASE)
		return pt_usage(v->name, "--%s takes no value", all[optopt - LONG_BASE]->name);
	if (optopt)
		return pt_usage(v->name, "unknown option -%c", optopt);
	return pt_usage(v->name, "unknown option %s", word);
}

int pt_options_parse(const struct pt_verb *v, int argc, char **argv, void *opts, int *ret_argc,
		     char ***ret_argv)
{
	const struct pt_option *all[MAX_OPTIONS];
	struct option longs[MAX_OPTIONS + 1];
	char shorts[2 * MAX_OPTIONS + 3];
	size_t n = gather(v, all);
	int c, r, at, operands = 0;

	build(all, n, longs, shorts);
	optind = 0; /* glibc: start over */
	opterr = 0;
	for (at = 1; (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1; at = optind) {
		if (c == 1) {
			argv[1 + operands++] = optarg;
			continue;
		}
		if (c == ':' || c == '?')
			return refuse(v, all, c, argv[optind - 1]);
		r = take(v, chosen(all, n, c), opts);
		if (r >= 0)
			return r;
	}
	if (v->keeps_dashes)
		optind = at; /* before the "--", where there is one */
	while (optind < argc)
		argv[1 + operands++] = argv[optind++];
	argv[1 + operands] = NULL;
	if (v->has_csv && ((struct pt_common *)opts)->csv && ((struct pt_common *)opts)->json)
		return pt_usage(v->name, "either --csv or --json");
	*ret_argc = operands;
	*ret_argv = argv + 1;
	return -1;
}

void pt_options_done(const struct pt_verb *v, void *opts)
{
	for (const struct pt_option *o = v->options; o && o->name; o++)
		if (o->type == PT_OPT_LIST)
			free(((struct pt_strings *)(void *)((char *)opts + o->offset))->v);
}

int pt_fail(const char *verb, int err, const struct pt_diag *diag)
{
	char text[640];

	fprintf(stderr, "pagetape: %s: %s\n", verb, pt_diag_format(diag, err, text, sizeof(text)));
	return PT_EXIT_FAILED;
}

int pt_usage(const char *verb, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "pagetape: %s: ", verb);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nTry 'pagetape %s --help'.\n", verb);
	return PT_EXIT_USAGE;
}

void pt_warn(const char *verb, const char *fmt, ...)
{
	char text[WARNING_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "pagetape: %s: %s\n", verb, pt_make_printable(text));
}

void pt_say(const struct pt_common *c, const char *fmt, ...)
{
	va_list ap;

	if (c->quiet)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

unsigned int pt_threads(uint64_t asked)
{
	cpu_set_t set;
	int n;

	if (asked)
		return asked < THREADS_MAX ? (unsigned int)asked : THREADS_MAX;
	n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
	return n > 0 ? (unsigned int)n : 1;
}

int pt_exit_incomplete(const struct pt_common *c)
{
	return c->allow_incomplete ? PT_EXIT_DONE : PT_EXIT_INCOMPLETE;
}
