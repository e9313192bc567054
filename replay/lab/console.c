// SPDX-License-Identifier: GPL-2.0-or-later
/* A guest kernel's console: see console.h. */
#include "replay/lab/console.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/lab/guest.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/printable.h"

#define KEEP_LINES    40  /* a report with its stack, or what led to a panic */
#define BEFORE_PANIC  8   /* lines that say what led to it */
#define FOLLOW_CHUNKS 256 /* a guest that never stops talking must not hold us */

struct pt_console {
	uint64_t bytes;
	char line[PT_CONSOLE_LINE + 1]; /* what came of the current one */
	size_t len;
	char panic[PT_CONSOLE_LINE + 1], complaint[PT_CONSOLE_LINE + 1];
	char failure[PT_CONSOLE_LINE + 1], last[PT_CONSOLE_LINE + 1];
	char (*tail)[PT_CONSOLE_LINE + 1]; /* a ring of KEEP_LINES */
	char (*report)[PT_CONSOLE_LINE +
		       1]; /* the lines of the complaint or panic, KEEP_LINES at most */
	uint64_t lines;    /* heard in all: the next one's place in the ring */
	size_t report_n;
	struct pt_buf excerpt;
};

struct pt_console *pt_console_new(void)
{
	struct pt_console *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->tail = calloc(KEEP_LINES, sizeof(*c->tail));
	c->report = calloc(KEEP_LINES, sizeof(*c->report));
	if (c->tail && c->report)
		return c;
	pt_console_free(c);
	return NULL;
}

void pt_console_free(struct pt_console *c)
{
	if (!c)
		return;
	free(c->tail);
	free(c->report);
	pt_buf_done(&c->excerpt);
	free(c);
}

/* ---- Reading a line */

/* Behind "[    1.234567] " and, where callers are shown, "[    T1] ". */
static const char *behind_stamps(const char *line)
{
	while (*line == '[') {
		const char *p = line + 1;

		while (isdigit((unsigned char)*p) || *p == ' ' || *p == '.' || *p == 'T' ||
		       *p == 'C')
			p++;
		if (*p != ']' || p == line + 1)
			break;
		line = p[1] == ' ' ? p + 2 : p + 1;
	}
	return line;
}

/* A text that a report begins with, or has anywhere (@inside); and what else must be in its line.
 */
struct sign {
	const char *text;
	int inside;
	const char *also;
};

static const struct sign signs[] = {
	/* include/asm-generic/bug.h, kernel/panic.c; lockdep and RCU begin so as well */
	{ "WARNING: ", 0, NULL },
	{ "INFO: possible ", 0, NULL },
	{ "INFO: inconsistent lock state", 0, NULL },
	{ "INFO: trying to register non-static key", 0, NULL },
	/* KASAN, KCSAN, KFENCE, KMSAN, page faults, lockups; and the slab allocator's */
	{ "BUG: ", 1, NULL },
	{ "BUG ", 0, "tainted" },
	{ "kernel BUG at ", 1, NULL },
	/* arch/x86/kernel/dumpstack.c: "Oops: 0002 [#1]", "invalid opcode: 0000 [#1]" */
	{ "Oops", 0, NULL },
	{ " [#1] ", 1, NULL },
	{ "UBSAN: ", 0, NULL },
	{ "kmemleak: ", 0, "suspected memory leaks" },
	{ "rcu: INFO: ", 0, "stall" },
	{ "rcu: ", 0, "kthread starved" },
	{ "INFO: task ", 0, "blocked for more than" },
	{ "VFS: Busy inodes after unmount", 0, NULL },
	/* The disk failed: what was measured on it is no measurement. */
	{ "Buffer I/O error on dev ", 0, NULL },
	{ "I/O error, dev ", 1, NULL },
	{ "EXT4-fs error ", 0, NULL },
	/* kernel/trace/trace_events.c: what --trace asks for was not traced. */
	{ "Failed to enable trace event: ", 0, NULL },
};

static int is_complaint(const char *line)
{
	for (size_t i = 0; i < PT_ARRAY_SIZE(signs); i++) {
		const struct sign *s = &signs[i];
		const char *at = strstr(line, s->text);

		if (at && (s->inside || at == line) && (!s->also || strstr(line, s->also)))
			return 1;
	}
	return 0;
}

/* A panic is worth more than a complaint before it, which was its cause or is told by it. */
static void begin_report(struct pt_console *c, uint64_t before)
{
	uint64_t n = c->lines < before ? c->lines : before;

	c->report_n = 0;
	for (uint64_t i = c->lines - n; i < c->lines; i++)
		memcpy(c->report[c->report_n++], c->tail[i % KEEP_LINES], sizeof(*c->report));
}

static void take_text(struct pt_console *c, const char *text)
{
	static const char panic[] = "Kernel panic - ", also[] = "not syncing: ";
	const char *at = strstr(text, panic);
	size_t own = sizeof(PT_GUEST_FAILED) - 1;

	if (at && !c->panic[0]) {
		at += sizeof(panic) - 1;
		at += strncmp(at, also, sizeof(also) - 1) == 0 ? sizeof(also) - 1 : 0;
		snprintf(c->panic, sizeof(c->panic), "%s", at);
		begin_report(c, BEFORE_PANIC);
	}
	if (!c->failure[0] && strncmp(text, PT_GUEST_FAILED, own) == 0)
		snprintf(c->failure, sizeof(c->failure), "%s", text + own);
	if (!c->complaint[0] && is_complaint(text)) {
		snprintf(c->complaint, sizeof(c->complaint), "%s", text);
		if (!c->panic[0])
			begin_report(c, 0);
	}
	if ((c->complaint[0] || c->panic[0]) && c->report_n < KEEP_LINES)
		snprintf(c->report[c->report_n++], sizeof(*c->report), "%s", text);
	snprintf(c->last, sizeof(c->last), "%s", text);
	snprintf(c->tail[c->lines++ % KEEP_LINES], sizeof(*c->tail), "%s", text);
}

static void take_line(struct pt_console *c)
{
	const char *text;

	c->line[c->len] = '\0';
	c->len = 0;
	pt_make_printable(c->line);
	text = behind_stamps(c->line);
	if (*text)
		take_text(c, text);
}

void pt_console_feed(struct pt_console *c, const void *p, size_t len)
{
	const char *s = p;

	c->bytes += len;
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\n')
			take_line(c);
		else if (s[i] != '\r' && s[i] != '\0' && c->len < PT_CONSOLE_LINE)
			c->line[c->len++] = s[i];
	}
}

int pt_console_follow(struct pt_console *c, int fd)
{
	char chunk[16384];

	for (int i = 0; i < FOLLOW_CHUNKS; i++) {
		ssize_t n = pread(fd, chunk, sizeof(chunk), (off_t)c->bytes);

		if (n <= 0)
			return n < 0 ? -errno : 0;
		pt_console_feed(c, chunk, (size_t)n);
	}
	return 1;
}

/* ---- What it said */

const char *pt_console_panic(const struct pt_console *c)
{
	return c->panic[0] ? c->panic : NULL;
}

const char *pt_console_complaint(const struct pt_console *c)
{
	return c->complaint[0] ? c->complaint : NULL;
}

const char *pt_console_failure(const struct pt_console *c)
{
	return c->failure[0] ? c->failure : NULL;
}

const char *pt_console_last_line(const struct pt_console *c)
{
	return c->last;
}

uint64_t pt_console_bytes(const struct pt_console *c)
{
	return c->bytes;
}

static void put_line(struct pt_buf *b, const char *line)
{
	if (pt_buf_put(b, line, strlen(line)) == 0)
		(void)pt_buf_put(b, "\n", 1);
}

const char *pt_console_excerpt(struct pt_console *c)
{
	uint64_t n = c->lines < KEEP_LINES ? c->lines : KEEP_LINES;

	c->excerpt.len = 0;
	if (c->report_n)
		for (size_t i = 0; i < c->report_n; i++)
			put_line(&c->excerpt, c->report[i]);
	else
		for (uint64_t i = c->lines - n; i < c->lines; i++)
			put_line(&c->excerpt, c->tail[i % KEEP_LINES]);
	return pt_buf_put(&c->excerpt, "", 1) == 0 ? (const char *)c->excerpt.data : "";
}
