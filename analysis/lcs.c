// SPDX-License-Identifier: GPL-2.0-or-later
/* Longest common subsequences: see lcs.h. */
#include "analysis/lcs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORD   64
#define ANCHOR 32 /* symbols that must agree where a window is cut */

/* Half of the differences up to which a part is divided by Myers' way: some 10^8 steps at most. */
#define MAX_HALF ((ptrdiff_t)1 << 13)
#define OUTSIDE  PTRDIFF_MIN

/* Scratch for rows over a sequence of at most `cap` symbols. */
struct rows {
	uint64_t *bits;               /* a zero at i: the row's length grows at symbol i */
	size_t top;                   /* all words from here on are ones */
	uint32_t *head;               /* by symbol: 1 + its first place in next[], 0 for none */
	uint32_t *next;               /* by place: 1 + the symbol's next place, 0 at the end */
	uint32_t *forward, *backward; /* lengths by prefix and by suffix */
	ptrdiff_t *ahead, *back;      /* by diagonal: how far paths reach, see meet() */
};

static void rows_done(struct rows *s)
{
	free(s->bits);
	free(s->head);
	free(s->next);
	free(s->forward);
	free(s->backward);
	free(s->ahead);
	free(s->back);
}

static int rows_init(struct rows *s, size_t cap, uint32_t nsymbols)
{
	*s = (struct rows){
		.bits = calloc(cap / WORD + 1, sizeof(*s->bits)),
		.head = calloc((size_t)nsymbols + 1, sizeof(*s->head)),
		.next = calloc(cap + 1, sizeof(*s->next)),
		.forward = calloc(cap + 1, sizeof(*s->forward)),
		.backward = calloc(cap + 1, sizeof(*s->backward)),
		.ahead = calloc(2 * MAX_HALF + 3, sizeof(*s->ahead)),
		.back = calloc(2 * MAX_HALF + 3, sizeof(*s->back)),
	};
	if (s->bits && s->head && s->next && s->forward && s->backward && s->ahead && s->back)
		return 0;
	rows_done(s);
	return -ENOMEM;
}

/* A stretch of a sequence, read in either direction. */
struct stretch {
	const uint32_t *v;
	size_t n;
	int reversed;
};

static uint32_t at(const struct stretch *s, size_t i)
{
	return s->v[s->reversed ? s->n - 1 - i : i];
}

/* One row: bits' = (bits + (bits & matches)) | (bits & ~matches), words without either skipped. */
static void row(struct rows *s, uint32_t symbol, size_t words)
{
	uint32_t p = s->head[symbol];
	unsigned int carry = 0;
	size_t w = 0;

	while (p || carry) {
		uint64_t matches = 0, v, sum;
		unsigned int over;

		if (!carry)
			w = (p - 1) / WORD;
		if (w >= words || (carry && w >= s->top))
			break; /* ones stay ones under a carry, with matches and without */
		for (; p && (p - 1) / WORD == w; p = s->next[p - 1])
			matches |= UINT64_C(1) << (p - 1) % WORD;
		v = s->bits[w];
		over = __builtin_add_overflow(v, v & matches, &sum);
		over |= __builtin_add_overflow(sum, carry, &sum);
		carry = over;
		s->bits[w] = sum | (v & ~matches);
		if (s->bits[w] != UINT64_MAX && w >= s->top)
			s->top = w + 1;
		w++;
	}
}

/* ret_len[i]: the length for the first i symbols of @a and all of @b. */
static void lengths(struct rows *s, const struct stretch *a, const struct stretch *b,
		    uint32_t *ret_len)
{
	size_t words = (a->n + WORD - 1) / WORD;

	memset(s->bits, 0xff, words * sizeof(*s->bits));
	s->top = 0;
	for (size_t i = a->n; i-- > 0;) {
		s->next[i] = s->head[at(a, i)];
		s->head[at(a, i)] = (uint32_t)i + 1;
	}
	for (size_t j = 0; j < b->n; j++)
		row(s, at(b, j), words);
	for (size_t i = 0; i < a->n; i++)
		s->head[at(a, i)] = 0;
	ret_len[0] = 0;
	for (size_t i = 0; i < a->n; i++)
		ret_len[i + 1] = ret_len[i] + !(s->bits[i / WORD] >> i % WORD & 1);
}

/* A part of the whole: a[from_a..to_a) against b[from_b..to_b). */
struct part {
	size_t from_a, to_a, from_b, to_b;
	size_t len; /* of what they have in common, PT_LCS_NONE: not known */
};

/* Whether Myers' way may do, as far as is known. */
static int may_be_close(const struct part *p)
{
	return p->len == PT_LCS_NONE ||
	       p->to_a - p->from_a + p->to_b - p->from_b - 2 * p->len <= 2 * (size_t)MAX_HALF;
}

/* Divide @p: b in the middle, a where the halves' lengths sum to the most. */
static void divide(struct rows *s, const uint32_t *a, const uint32_t *b, const struct part *p,
		   struct part *ret_left, struct part *ret_right)
{
	size_t mid = p->from_b + (p->to_b - p->from_b) / 2, n = p->to_a - p->from_a, best = 0;
	struct stretch fa = { a + p->from_a, n, 0 }, ra = { a + p->from_a, n, 1 };
	struct stretch fb = { b + p->from_b, mid - p->from_b, 0 };
	struct stretch rb = { b + mid, p->to_b - mid, 1 };

	lengths(s, &fa, &fb, s->forward);
	lengths(s, &ra, &rb, s->backward);
	for (size_t i = 1; i <= n; i++)
		if (s->forward[i] + s->backward[n - i] > s->forward[best] + s->backward[n - best])
			best = i;
	*ret_left = (struct part){ p->from_a, p->from_a + best, p->from_b, mid, s->forward[best] };
	*ret_right =
		(struct part){ p->from_a + best, p->to_a, mid, p->to_b, s->backward[n - best] };
}

/* One part, read from its beginning or from its end. */
struct side {
	const uint32_t *a, *b;
	ptrdiff_t n, m;
	int reversed;
	ptrdiff_t *reach; /* by diagonal -MAX_HALF - 1 to MAX_HALF + 1, from the middle on */
};

static int same(const struct side *s, ptrdiff_t x, ptrdiff_t y)
{
	return s->reversed ? s->a[s->n - 1 - x] == s->b[s->m - 1 - y] : s->a[x] == s->b[y];
}

/* The farthest point on diagonal @k (x - y) with @d differences, or OUTSIDE. */
static ptrdiff_t advance(struct side *s, ptrdiff_t k, ptrdiff_t d)
{
	ptrdiff_t x = OUTSIDE;

	if (!d)
		x = 0;
	if (d && k < d && s->reach[k + 1] != OUTSIDE && s->reach[k + 1] - k <= s->m)
		x = s->reach[k + 1];
	if (d && k > -d && s->reach[k - 1] != OUTSIDE && s->reach[k - 1] < s->n &&
	    s->reach[k - 1] + 1 > x)
		x = s->reach[k - 1] + 1;
	if (x != OUTSIDE)
		while (x < s->n && x - k < s->m && same(s, x, x - k))
			x++;
	s->reach[k] = x;
	return x;
}

/*
 * Myers' middle snake (1986): paths from both ends of @p meet at a point of a best alignment. 1 and
 * the parts before and behind it, or 0 where the sequences differ too much for this.
 */
static int meet(struct rows *s, const uint32_t *a, const uint32_t *b, const struct part *p,
		struct part *ret_left, struct part *ret_right)
{
	ptrdiff_t n = (ptrdiff_t)(p->to_a - p->from_a), m = (ptrdiff_t)(p->to_b - p->from_b);
	ptrdiff_t delta = n - m;
	struct side f = { a + p->from_a, b + p->from_b, n, m, 0, s->ahead + MAX_HALF + 1 };
	struct side r = f;

	r.reversed = 1;
	r.reach = s->back + MAX_HALF + 1;
	for (ptrdiff_t d = 0; d <= MAX_HALF; d++) {
		for (int way = 0; way < 2; way++) {
			struct side *here = way ? &r : &f, *there = way ? &f : &r;
			ptrdiff_t of_there = way ? d : d - 1; /* differences it has spent */

			for (ptrdiff_t k = -d; k <= d; k += 2) {
				ptrdiff_t x = advance(here, k, d), other = delta - k;
				size_t y;

				if (x == OUTSIDE || other < -of_there || other > of_there ||
				    ((other ^ of_there) & 1) || there->reach[other] == OUTSIDE ||
				    x + there->reach[other] < n)
					continue;
				if (way)
					x = n - x;
				y = p->from_b + (size_t)(way ? x - delta + k : x - k);
				*ret_left = (struct part){ p->from_a, p->from_a + (size_t)x,
							   p->from_b, y, PT_LCS_NONE };
				*ret_right = (struct part){ p->from_a + (size_t)x, p->to_a, y,
							    p->to_b, PT_LCS_NONE };
				return 1;
			}
		}
	}
	return 0;
}

static void match_ends(const uint32_t *a, const uint32_t *b, struct part *p, size_t *match)
{
	size_t taken = 0;

	for (; p->from_a < p->to_a && p->from_b < p->to_b && a[p->from_a] == b[p->from_b]; taken++)
		match[p->from_a++] = p->from_b++;
	for (; p->from_a < p->to_a && p->from_b < p->to_b && a[p->to_a - 1] == b[p->to_b - 1];
	     taken++)
		match[--p->to_a] = --p->to_b;
	if (p->len != PT_LCS_NONE)
		p->len -= taken;
}

/* Hirschberg's division, depth first; the deeper half is at most half of b, so 64 levels do. */
static void align(struct rows *s, const uint32_t *a, const uint32_t *b, struct part whole,
		  size_t *match)
{
	struct part stack[2 * WORD];
	size_t depth = 0;

	stack[depth++] = whole;
	while (depth) {
		struct part p = stack[--depth], left, right;

		match_ends(a, b, &p, match);
		if (p.from_a == p.to_a || p.from_b == p.to_b)
			continue;
		if (p.to_b - p.from_b == 1) {
			for (size_t i = p.from_a; i < p.to_a; i++) {
				if (a[i] == b[p.from_b]) {
					match[i] = p.from_b;
					break;
				}
			}
			continue;
		}
		if (!may_be_close(&p) || !meet(s, a, b, &p, &left, &right))
			divide(s, a, b, &p, &left, &right);
		stack[depth++] = right;
		stack[depth++] = left;
	}
}

/* A place in @b near @guess from which it goes on as @a does, or @guess. */
static size_t anchor(const uint32_t *a, const uint32_t *b, size_t m, size_t guess, size_t from)
{
	size_t reach = PT_LCS_EXACT / 4;

	for (size_t d = 0; d < reach; d++) {
		if (guess + d + ANCHOR <= m && guess + d >= from &&
		    memcmp(a, b + guess + d, ANCHOR * sizeof(*a)) == 0)
			return guess + d;
		if (d <= guess && guess - d >= from && guess - d + ANCHOR <= m &&
		    memcmp(a, b + guess - d, ANCHOR * sizeof(*a)) == 0)
			return guess - d;
	}
	return guess < from ? from : guess;
}

/* The next window of sequences too long for one piece, beginning where @done ends. */
static struct part window(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
			  const struct part *done)
{
	size_t step = PT_LCS_EXACT / 2, left_b = m - done->to_b;
	struct part p = { done->to_a, n, done->to_b, m, PT_LCS_NONE };

	if (n - p.from_a <= step)
		return p;
	p.to_a = p.from_a + step;
	p.to_b = p.from_b + (left_b < step ? left_b : step);
	if (n - p.to_a >= ANCHOR)
		p.to_b = anchor(a + p.to_a, b, m, p.to_b, p.from_b);
	return p;
}

int pt_lcs_align(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint32_t nsymbols,
		 size_t *match, size_t *ret_len, int *ret_exact)
{
	struct part whole = { 0, n, 0, m, PT_LCS_NONE }, p = { 0 };
	size_t len = 0, all = n;
	struct rows s;
	int exact;

	for (size_t i = 0; i < n; i++)
		match[i] = PT_LCS_NONE;
	match_ends(a, b, &whole, match);
	n = whole.to_a;
	m = whole.to_b;
	p.to_a = whole.from_a;
	p.to_b = whole.from_b;
	exact = n - p.to_a <= PT_LCS_EXACT && m - p.to_b <= PT_LCS_EXACT;
	if (rows_init(&s, exact ? n - p.to_a : PT_LCS_EXACT, nsymbols) < 0)
		return -ENOMEM;
	if (exact) {
		align(&s, a, b, whole, match);
	} else {
		while (p.to_a < n) {
			p = window(a, n, b, m, &p);
			align(&s, a, b, p, match);
		}
	}
	rows_done(&s);
	for (size_t i = 0; i < all; i++)
		len += match[i] != PT_LCS_NONE;
	*ret_len = len;
	*ret_exact = exact;
	return 0;
}
