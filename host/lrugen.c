// SPDX-License-Identifier: GPL-2.0-or-later
/* MGLRU's generations out of debugfs: see lrugen.h. The text is lru_gen_seq_show()'s, mm/vmscan.c.
 */
#include "host/lrugen.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/parse.h"
#include "util/textfile.h"

int pt_lrugens_used(const char *root)
{
	auto_free char *text = NULL;
	char *rest, *word;
	uint64_t mask;

	if (pt_text_read(root, "/sys/kernel/mm/lru_gen/enabled", &text) < 0)
		return 0;
	rest = text;
	word = pt_text_word(&rest);
	return word && pt_parse_hex(word, &mask) == 0 && (mask & 1);
}

void pt_lrugens_done(struct pt_lrugens *g)
{
	free(g->v);
	free(g->text);
	*g = (struct pt_lrugens){ 0 };
}

/* ---- Reading */

static int read_head(int fd, char *text, size_t size, size_t *ret_len)
{
	size_t len = 0;
	ssize_t n;

	while (len < size && (n = read(fd, text + len, size - len)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		len += (size_t)n;
	}
	*ret_len = len;
	return 0;
}

/* The file's beginning, cut behind its last whole line. */
static int read_text(const char *root, char **ret_text)
{
	auto_free char *path = NULL, *text = malloc(PT_LRUGEN_TEXT_MAX + 1);
	auto_close int fd = -1;
	size_t len = 0;
	int err;

	if (!text || asprintf(&path, "%s/sys/kernel/debug/lru_gen", root) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = read_head(fd, text, PT_LRUGEN_TEXT_MAX, &len);
	if (err < 0)
		return err;
	while (len && text[len - 1] != '\n')
		len--;
	text[len] = '\0';
	*ret_text = steal_ptr(text);
	return 0;
}

/* Whether @path is @top or below it; every path is below "/". */
static int is_below(const char *path, const char *top)
{
	size_t len = strlen(top);

	if (strcmp(top, "/") == 0)
		return 1;
	return strncmp(path, top, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* "memcg ID PATH" from behind its first word: the path, which may have blanks; NULL: not ours. */
static const char *take_memcg(char *line, const char *top)
{
	if (!pt_text_word(&line))
		return NULL;
	if (!line || !*line)
		line = (char *)"/"; /* a kernel without memory cgroups names none */
	return is_below(line, top) ? line : NULL;
}

/* A generation's "SEQ AGE ANON FILE", its first word cut off already. */
static void take_generation(struct pt_lrugen *g, const char *seq_word, char *line)
{
	uint64_t seq, pages;
	char *file;

	if (pt_parse_u64(seq_word, &seq) < 0 || seq == PT_LRUGEN_NONE)
		return;
	(void)pt_text_word(&line); /* age in ms */
	(void)pt_text_word(&line); /* anonymous pages */
	file = pt_text_word(&line);
	if (!file || pt_parse_u64(file, &pages) < 0)
		return;
	if (g->min_seq == PT_LRUGEN_NONE)
		g->min_seq = seq;
	g->max_seq = seq;
	if (pages && g->min_seq_file == PT_LRUGEN_NONE)
		g->min_seq_file = seq;
}

/* The next entry, for @node; NULL: it is no number, or there are enough. */
static struct pt_lrugen *take_node(struct pt_lrugens *g, const char *path, char *line)
{
	char *word = pt_text_word(&line);
	uint32_t node;

	if (!word || pt_parse_u32(word, &node) < 0 || g->n == PT_LRUGEN_MAX)
		return NULL;
	g->v[g->n] = (struct pt_lrugen){ .path = path,
					 .node = node,
					 .min_seq = PT_LRUGEN_NONE,
					 .max_seq = PT_LRUGEN_NONE,
					 .min_seq_file = PT_LRUGEN_NONE };
	return &g->v[g->n++];
}

static void parse(struct pt_lrugens *g, const char *top)
{
	char *rest = g->text, *line;
	struct pt_lrugen *node = NULL;
	const char *path = NULL;

	while ((line = pt_text_line(&rest))) {
		char *word = pt_text_word(&line);

		if (!word)
			continue;
		if (strcmp(word, "memcg") == 0) {
			path = take_memcg(line, top);
			node = NULL;
		} else if (strcmp(word, "node") == 0) {
			node = path ? take_node(g, path, line) : NULL;
		} else if (node) {
			take_generation(node, word, line);
		}
	}
}

int pt_lrugens_read(const char *root, const char *path, struct pt_lrugens *ret_g)
{
	struct pt_lrugens g = { .v = calloc(PT_LRUGEN_MAX, sizeof(*g.v)) };
	int err = g.v ? read_text(root, &g.text) : -ENOMEM;

	if (err < 0) {
		pt_lrugens_done(&g);
		return err;
	}
	parse(&g, path);
	*ret_g = g;
	return 0;
}

/* ---- Telling */

static int put_line(struct pt_buf *b, uint32_t node, const char *name, uint64_t value)
{
	char line[80];
	int len;

	if (value == PT_LRUGEN_NONE)
		return 0;
	len = snprintf(line, sizeof(line), "node%" PRIu32 "_%s %" PRIu64 "\n", node, name, value);
	return pt_buf_put(b, line, (size_t)len);
}

int pt_lrugens_format(const struct pt_lrugens *g, size_t i, struct pt_buf *b, size_t *ret_next)
{
	const char *path = g->v[i].path;
	int err = 0;

	for (; i < g->n && g->v[i].path == path && !err; i++) {
		err = put_line(b, g->v[i].node, "min_seq", g->v[i].min_seq);
		if (!err)
			err = put_line(b, g->v[i].node, "max_seq", g->v[i].max_seq);
		if (!err)
			err = put_line(b, g->v[i].node, "min_seq_file", g->v[i].min_seq_file);
	}
	*ret_next = i;
	return err;
}
