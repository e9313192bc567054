// SPDX-License-Identifier: GPL-2.0-or-later
/* Predicates on results: a recursive descent parser and a walk of its tree. See predicate.h. */
#include "analysis/predicate.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/parse.h"

#define NAME_SIZE 128
#define BASE      "base"

enum op {
	OP_OR,
	OP_AND,
	OP_NOT,
	OP_LESS,
	OP_LESS_EQUAL,
	OP_MORE,
	OP_MORE_EQUAL,
	OP_EQUAL,
	OP_UNEQUAL,
	OP_PLUS,
	OP_MINUS,
	OP_TIMES,
	OP_BY,
	OP_NEGATE,
	OP_NUMBER,
	OP_VALUE,
	OP_COUNT
};

struct node {
	enum op op;
	struct node *a, *b;
	double number;
	char *group, *metric; /* OP_VALUE; group NULL: the judged one's */
	size_t at;            /* byte in the text */
};

struct pt_predicate {
	struct node nodes[PT_PREDICATE_MAX_NODES];
	size_t n;
	struct node *root;
};

struct parser {
	struct pt_predicate *p;
	const char *text;
	size_t at;
	int (*is_metric)(const char *name);
	int depth;
	/* Of the comparison at hand: the metric it names, and the "base" that stand for it. */
	const char *metric;
	int many; /* it names several */
	struct pt_diag *diag;
	int err;
};

/* ---- Words */

/* Note the first mistake; NULL for every function that returns a node. */
static struct node *wrong(struct parser *s, size_t at, const char *before, const char *what)
{
	if (!s->err)
		s->err = pt_diag_set(s->diag, -EINVAL, at, "%s%s", before, what);
	return NULL;
}

/* Where the next word begins. */
static size_t next(struct parser *s)
{
	while (isspace((unsigned char)s->text[s->at]))
		s->at++;
	return s->at;
}

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether @sign comes next; then it is taken. Words end where a letter does not go on. */
static int take(struct parser *s, const char *sign)
{
	size_t len = strlen(sign);

	(void)next(s);
	if (strncmp(s->text + s->at, sign, len) != 0)
		return 0;
	if (is_word(sign[0]) && (is_word(s->text[s->at + len]) || s->text[s->at + len] == '.'))
		return 0;
	s->at += len;
	return 1;
}

static struct node *new_node(struct parser *s, enum op op, struct node *a, struct node *b,
			     size_t at)
{
	struct node *n;

	if (s->err)
		return NULL;
	if (s->p->n == PT_PREDICATE_MAX_NODES) {
		s->err = pt_diag_set(s->diag, -E2BIG, at, "the expression is too long");
		return NULL;
	}
	n = &s->p->nodes[s->p->n++];
	*n = (struct node){ .op = op, .a = a, .b = b, .at = at };
	return n;
}

static int is_truth(const struct node *n)
{
	return n->op <= OP_UNEQUAL;
}

/* Both operands checked to be truths or numbers, and joined. */
static struct node *join(struct parser *s, enum op op, struct node *a, struct node *b, size_t at)
{
	int truths = op <= OP_NOT;

	if (!a || (!b && op != OP_NOT && op != OP_NEGATE))
		return NULL;
	if (is_truth(a) != truths || (b && is_truth(b) != truths))
		return wrong(s, at, "",
			     truths ? "expected a comparison on each side"
				    : "expected a number on each side");
	return new_node(s, op, a, b, at);
}

/* ---- Values */

static struct node *number(struct parser *s)
{
	size_t from = s->at, len = 0;
	struct node *n;
	char text[64];
	double v;

	while (len < sizeof(text) - 1 && (is_word(s->text[s->at]) || s->text[s->at] == '.' ||
					  (len && strchr("eE", s->text[s->at - 1]) &&
					   strchr("+-", s->text[s->at]) && s->text[s->at])))
		text[len++] = s->text[s->at++];
	text[len] = '\0';
	if (pt_parse_double(text, &v) < 0)
		return wrong(s, from, "no number (a name that begins so is quoted): ", text);
	n = new_node(s, OP_NUMBER, NULL, NULL, from);
	if (n)
		n->number = v;
	return n;
}

/* A name up to its end or, quoted, to the quote. 0, or -1 with the mistake noted. */
static int read_name(struct parser *s, char *name, size_t size)
{
	size_t from = s->at, len = 0;
	char quote = s->text[s->at];

	if (quote == '\'' || quote == '"') {
		s->at++;
		while (s->text[s->at] && s->text[s->at] != quote && len < size - 1)
			name[len++] = s->text[s->at++];
		if (s->text[s->at] != quote) {
			(void)wrong(s, from, "", "the quoted name does not end");
			return -1;
		}
		s->at++;
	} else {
		while (is_word(s->text[s->at]) && len < size - 1)
			name[len++] = s->text[s->at++];
	}
	name[len] = '\0';
	if (len && !is_word(s->text[s->at]))
		return 0;
	(void)wrong(s, from, "", len ? "the name is too long" : "expected a number or a metric");
	return -1;
}

/* A comparison's own metric, to which its "base" refers. */
static void note_metric(struct parser *s, const char *metric)
{
	if (s->metric && strcmp(s->metric, metric) != 0)
		s->many = 1;
	s->metric = metric;
}

static struct node *value(struct parser *s)
{
	char first[NAME_SIZE], second[NAME_SIZE] = "";
	size_t from = s->at;
	struct node *n;

	if (read_name(s, first, sizeof(first)) < 0)
		return NULL;
	if (s->text[s->at] == '.') {
		s->at++;
		if (read_name(s, second, sizeof(second)) < 0)
			return NULL;
	}
	n = new_node(s, OP_VALUE, NULL, NULL, from);
	if (!n)
		return NULL;
	if (*second || strcmp(first, BASE) == 0)
		n->group = strdup(first);
	if (*second || !n->group)
		n->metric = strdup(*second ? second : first);
	if ((!n->group && !n->metric) || (*second && (!n->group || !n->metric))) {
		s->err = -ENOMEM;
		return NULL;
	}
	if (n->metric && !s->is_metric(n->metric))
		return wrong(s, from, "no metric is called ", n->metric);
	if (n->metric)
		note_metric(s, n->metric);
	return n;
}

/* ---- Rules, from the loosest to the tightest */

static struct node *any(struct parser *s);

static struct node *factor(struct parser *s)
{
	struct node *n = NULL;
	size_t from;

	from = next(s);
	if (++s->depth > PT_PREDICATE_MAX_DEPTH) {
		if (!s->err)
			s->err = pt_diag_set(s->diag, -E2BIG, from, "too many parentheses");
		return NULL;
	}
	if (take(s, "-")) {
		n = join(s, OP_NEGATE, factor(s), NULL, from);
	} else if (take(s, "(")) {
		n = any(s);
		if (n && !take(s, ")"))
			n = wrong(s, next(s), "", "expected )");
	} else if (isdigit((unsigned char)s->text[from]) || s->text[from] == '.') {
		n = number(s);
	} else {
		n = value(s);
	}
	s->depth--;
	return n;
}

static struct node *product(struct parser *s)
{
	struct node *n = factor(s);

	while (n) {
		size_t at = next(s);

		if (take(s, "*"))
			n = join(s, OP_TIMES, n, factor(s), at);
		else if (take(s, "/"))
			n = join(s, OP_BY, n, factor(s), at);
		else
			break;
	}
	return n;
}

static struct node *sum(struct parser *s)
{
	struct node *n = product(s);

	while (n) {
		size_t at = next(s);

		if (take(s, "+"))
			n = join(s, OP_PLUS, n, product(s), at);
		else if (take(s, "-"))
			n = join(s, OP_MINUS, n, product(s), at);
		else
			break;
	}
	return n;
}

/* Give each "base" below @n its metric. */
static void settle_base(struct parser *s, struct node *n, const char *metric, int many)
{
	if (!n || s->err)
		return;
	settle_base(s, n->a, metric, many);
	settle_base(s, n->b, metric, many);
	if (n->op != OP_VALUE || n->metric || s->err)
		return;
	if (!metric || many) {
		(void)wrong(s, n->at, "", "which metric's base? Write base.METRIC");
		return;
	}
	n->metric = strdup(metric);
	if (!n->metric)
		s->err = -ENOMEM;
}

static struct node *comparison(struct parser *s)
{
	static const struct {
		const char *sign;
		enum op op;
	} signs[] = { { "<=", OP_LESS_EQUAL }, { ">=", OP_MORE_EQUAL }, { "==", OP_EQUAL },
		      { "!=", OP_UNEQUAL },    { "<", OP_LESS },        { ">", OP_MORE } };
	const char *outer = s->metric;
	int outer_many = s->many;
	struct node *n;

	s->metric = NULL;
	s->many = 0;
	n = sum(s);
	for (size_t i = 0; n && i < PT_ARRAY_SIZE(signs); i++) {
		size_t at = next(s);

		if (!take(s, signs[i].sign))
			continue;
		n = join(s, signs[i].op, n, sum(s), at);
		settle_base(s, n, s->metric, s->many);
		s->metric = outer;
		s->many = outer_many;
		return n;
	}
	if (s->metric && outer && strcmp(outer, s->metric) != 0)
		s->many = 1;
	s->many |= outer_many;
	s->metric = s->metric ? s->metric : outer;
	return n;
}

static struct node *negation(struct parser *s)
{
	size_t at;
	struct node *n;

	at = next(s);
	if (s->text[at] == '!' && s->text[at + 1] == '=')
		return comparison(s);
	if (!take(s, "not") && !take(s, "!"))
		return comparison(s);
	if (++s->depth > PT_PREDICATE_MAX_DEPTH) {
		if (!s->err)
			s->err = pt_diag_set(s->diag, -E2BIG, at, "too many negations");
		return NULL;
	}
	n = join(s, OP_NOT, negation(s), NULL, at);
	s->depth--;
	return n;
}

static struct node *all(struct parser *s)
{
	struct node *n = negation(s);

	while (n) {
		size_t at = next(s);

		if (!take(s, "and") && !take(s, "&&"))
			break;
		n = join(s, OP_AND, n, negation(s), at);
	}
	return n;
}

static struct node *any(struct parser *s)
{
	struct node *n = all(s);

	while (n) {
		size_t at = next(s);

		if (!take(s, "or") && !take(s, "||"))
			break;
		n = join(s, OP_OR, n, all(s), at);
	}
	return n;
}

int pt_predicate_parse(const char *text, int (*is_metric)(const char *name),
		       struct pt_predicate **ret_p, struct pt_diag *diag)
{
	struct pt_predicate *p = calloc(1, sizeof(*p));
	struct parser s = { .p = p, .text = text, .is_metric = is_metric, .diag = diag };

	if (!p)
		return -ENOMEM;
	if (strlen(text) > PT_PREDICATE_MAX_LEN)
		s.err = pt_diag_set(diag, -E2BIG, PT_NO_OFFSET, "the expression is too long");
	else
		p->root = any(&s);
	(void)next(&s);
	if (!s.err && text[s.at])
		(void)wrong(&s, s.at, "", "what is this? Expected an operator or the end");
	if (!s.err && !is_truth(p->root))
		(void)wrong(&s, 0, "", "it is a number, and should be a comparison");
	if (s.err) {
		pt_predicate_free(p);
		return s.err;
	}
	*ret_p = p;
	return 0;
}

void pt_predicate_free(struct pt_predicate *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) {
		free(p->nodes[i].group);
		free(p->nodes[i].metric);
	}
	free(p);
}

/* ---- Evaluation */

struct asker {
	pt_predicate_lookup lookup;
	void *ctx;
	struct pt_diag *diag;
};

static int look_up(const struct node *n, const struct asker *ask, double *ret_v)
{
	int r = ask->lookup(ask->ctx, n->group, n->metric, ret_v);

	if (r == -ENOENT)
		return pt_diag_set(ask->diag, r, PT_NO_OFFSET, "no group is called %s", n->group);
	if (r < 0)
		return pt_diag_set(ask->diag, r, PT_NO_OFFSET, "%s%s%s was not measured",
				   n->group ? n->group : "", n->group ? "." : "", n->metric);
	return 0;
}

static int number_of(const struct node *n, const struct asker *ask, double *ret_v)
{
	double a = 0, b = 0;
	int r;

	if (n->op == OP_NUMBER) {
		*ret_v = n->number;
		return 0;
	}
	if (n->op == OP_VALUE)
		return look_up(n, ask, ret_v);
	r = number_of(n->a, ask, &a);
	if (r == 0 && n->b)
		r = number_of(n->b, ask, &b);
	if (r < 0)
		return r;
	if (n->op == OP_NEGATE)
		a = -a;
	else if (n->op == OP_PLUS)
		a += b;
	else if (n->op == OP_MINUS)
		a -= b;
	else if (n->op == OP_TIMES)
		a *= b;
	else
		a /= b;
	if (!isfinite(a))
		return pt_diag_set(ask->diag, -ENODATA, PT_NO_OFFSET, "a division by zero");
	*ret_v = a;
	return 0;
}

static int compare(enum op op, double a, double b)
{
	switch (op) {
	case OP_LESS:
		return a < b;
	case OP_LESS_EQUAL:
		return a <= b;
	case OP_MORE:
		return a > b;
	case OP_MORE_EQUAL:
		return a >= b;
	case OP_EQUAL:
		return a == b;
	default:
		return a != b;
	}
}

static int truth_of(const struct node *n, const struct asker *ask)
{
	double a, b;
	int r;

	if (n->op <= OP_NOT) {
		r = truth_of(n->a, ask);
		if (r < 0)
			return r;
		if (n->op == OP_NOT)
			return !r;
		return r == (n->op == OP_OR) ? r : truth_of(n->b, ask);
	}
	r = number_of(n->a, ask, &a);
	if (r == 0)
		r = number_of(n->b, ask, &b);
	return r < 0 ? r : compare(n->op, a, b);
}

int pt_predicate_eval(const struct pt_predicate *p, pt_predicate_lookup lookup, void *ctx,
		      struct pt_diag *diag)
{
	const struct asker ask = { lookup, ctx, diag };

	return truth_of(p->root, &ask);
}
