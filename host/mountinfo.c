// SPDX-License-Identifier: GPL-2.0-or-later
/* Mounts and block devices: see mountinfo.h. */
#include "host/mountinfo.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/parse.h"
#include "util/textfile.h"

/* "\040" and the like back to what they stand for, in place. */
static char *unescape(char *s)
{
	char *to = s;

	for (char *from = s; *from; to++) {
		int octal = from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
			    from[2] <= '7' && from[3] >= '0' && from[3] <= '7';

		*to = octal ? (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'))
			    : *from;
		from += octal ? 4 : 1;
	}
	*to = '\0';
	return s;
}

/* "MAJOR:MINOR" to the kernel's number. */
static int parse_dev(char *text, uint32_t *ret_dev)
{
	char *colon = text ? strchr(text, ':') : NULL;
	uint32_t major, minor;

	if (!colon)
		return -EBADMSG;
	*colon = '\0';
	if (pt_parse_u32(text, &major) < 0 || pt_parse_u32(colon + 1, &minor) < 0)
		return -EBADMSG;
	*ret_dev = major << 20 | (minor & 0xfffff);
	return 0;
}

/* "ID PARENT MAJ:MIN ROOT POINT OPTIONS [TAGS] - TYPE SOURCE SUPER" */
static int parse_line(char *line, struct pt_mount_entry *ret_e)
{
	char *w[6], *word;

	for (size_t i = 0; i < PT_ARRAY_SIZE(w); i++) {
		w[i] = pt_text_word(&line);
		if (!w[i])
			return -EBADMSG;
	}
	do {
		word = pt_text_word(&line);
	} while (word && strcmp(word, "-") != 0);
	word = word ? pt_text_word(&line) : NULL;
	if (!word || pt_parse_u32(w[0], &ret_e->id) < 0 || parse_dev(w[2], &ret_e->dev) < 0)
		return -EBADMSG;
	ret_e->root = unescape(w[3]);
	ret_e->point = unescape(w[4]);
	ret_e->options = w[5];
	ret_e->type = word;
	return 0;
}

int pt_mounts_read(const char *root, struct pt_mounts *ret_m)
{
	struct pt_mounts m = { 0 };
	char *rest, *line;
	int r;

	r = pt_text_read(root, "/proc/self/mountinfo", &m.text);
	if (r < 0)
		return r;
	rest = m.text;
	while ((line = pt_text_line(&rest))) {
		struct pt_mount_entry e, *v;

		if (parse_line(line, &e) < 0)
			continue;
		v = reallocarray(m.v, m.n + 1, sizeof(*v));
		if (!v) {
			pt_mounts_done(&m);
			return -ENOMEM;
		}
		m.v = v;
		m.v[m.n++] = e;
	}
	*ret_m = m;
	return 0;
}

void pt_mounts_done(struct pt_mounts *m)
{
	free(m->v);
	free(m->text);
	*m = (struct pt_mounts){ 0 };
}

const struct pt_mount_entry *pt_mounts_of(const struct pt_mounts *m, uint32_t dev)
{
	const struct pt_mount_entry *best = NULL;

	for (size_t i = 0; i < m->n; i++) {
		if (m->v[i].dev != dev)
			continue;
		if (strcmp(m->v[i].root, "/") == 0)
			return &m->v[i];
		if (!best)
			best = &m->v[i];
	}
	return best;
}

const struct pt_mount_entry *pt_mounts_by_id(const struct pt_mounts *m, uint32_t id)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].id == id)
			return &m->v[i];
	return NULL;
}

uint32_t pt_mounts_dev(const struct pt_mounts *m, const struct statx *st)
{
	const struct pt_mount_entry *mount = NULL;

	if (!st->stx_dev_major && st->stx_mask & STATX_MNT_ID)
		mount = pt_mounts_by_id(m, (uint32_t)st->stx_mnt_id);
	return mount ? mount->dev : st->stx_dev_major << 20 | (st->stx_dev_minor & 0xfffff);
}

static uint64_t read_number(const char *root, const char *dir, const char *name)
{
	auto_free char *text = NULL;
	char path[PATH_MAX + 32], *rest, *word;
	uint64_t v;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (pt_text_read(root, path, &text) < 0)
		return UINT64_MAX;
	rest = text;
	word = pt_text_word(&rest);
	return word && pt_parse_u64(word, &v) == 0 ? v : UINT64_MAX;
}

/* "mq-deadline [none]": the word in brackets. */
static void read_scheduler(const char *root, const char *dir, struct pt_blockdev *d)
{
	auto_free char *text = NULL;
	char path[PATH_MAX + 16], *from, *to;

	snprintf(path, sizeof(path), "%s/scheduler", dir);
	if (pt_text_read(root, path, &text) < 0)
		return;
	from = strchr(text, '[');
	to = from ? strchr(from, ']') : NULL;
	if (!to)
		return;
	*to = '\0';
	snprintf(d->scheduler, sizeof(d->scheduler), "%s", from + 1);
}

static uint32_t narrow(uint64_t v)
{
	return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

int pt_blockdev_read(const char *root, uint32_t dev, struct pt_blockdev *ret_d)
{
	char dir[128], queue[PATH_MAX], link[PATH_MAX], target[PATH_MAX];
	struct pt_blockdev d = { 0 };
	const char *name;
	uint64_t size;
	ssize_t n;

	snprintf(dir, sizeof(dir), "/sys/dev/block/%u:%u", dev >> 20, dev & 0xfffff);
	snprintf(link, sizeof(link), "%s%s", root, dir);
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return -ENOENT;
	target[n] = '\0';
	name = strrchr(target, '/');
	snprintf(d.name, sizeof(d.name), "%.63s", name ? name + 1 : target);
	size = read_number(root, dir, "size");
	d.size_bytes = size == UINT64_MAX ? size : size << 9;
	snprintf(queue, sizeof(queue), "%s/queue", dir);
	if (read_number(root, queue, "read_ahead_kb") == UINT64_MAX)
		snprintf(queue, sizeof(queue), "%s/../queue", dir);
	d.read_ahead_kb = narrow(read_number(root, queue, "read_ahead_kb"));
	d.rotational = narrow(read_number(root, queue, "rotational"));
	read_scheduler(root, queue, &d);
	*ret_d = d;
	return 0;
}
