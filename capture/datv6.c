// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace.dat version 6: all sections in one order, none of which says where the next begins. See
 * trace-cmd.dat.v6(5).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/dat.h"
#include "util/bytes.h"
#include "util/cleanup.h"

#define TAG_LEN    10         /* "options  ", "flyrecord" and the like */
#define EVENTS_MAX (1u << 20) /* formats, or systems of them */

/* Version 6: a length of @width bytes, and that much of what is not ours. */
static int skip_sized(const struct pt_dat *d, uint64_t *at, size_t width)
{
	uint8_t size[8] = { 0 };
	int r = pt_dat_read_at(d, *at, size, width);

	if (r < 0)
		return r;
	*at += width;
	if (le64_get(size) > d->size - *at)
		return pt_dat_damaged(d, *at, "cut here");
	*at += le64_get(size);
	return 0;
}

/* A zero-terminated @tag of @len bytes, which goes before a section. */
static int expect(const struct pt_dat *d, uint64_t *at, const char *tag, size_t len)
{
	char got[16];
	int r = pt_dat_read_at(d, *at, got, len);

	if (r < 0)
		return r;
	if (memcmp(got, tag, len) != 0)
		return pt_dat_damaged(d, *at, "another section than there should be");
	*at += len;
	return 0;
}

/* u32 formats, each with its size; behind the name of their system, but for ftrace's own. */
static int skip_formats(const struct pt_dat *d, uint64_t *at, int has_name)
{
	uint8_t buf[256] = { 0 };
	const uint8_t *nul;
	size_t len = sizeof(buf);
	uint32_t count;
	int r = 0;

	if (has_name) {
		if (len > d->size - *at)
			len = (size_t)(d->size - *at);
		r = pt_dat_read_at(d, *at, buf, len);
		nul = memchr(buf, '\0', len);
		if (r < 0 || !nul)
			return r < 0 ? r : pt_dat_damaged(d, *at, "a system's name does not end");
		*at += (uint64_t)(nul - buf) + 1;
	}
	r = pt_dat_read_at(d, *at, buf, 4);
	count = le32_get(buf);
	if (r == 0 && count > EVENTS_MAX)
		return pt_dat_damaged(d, *at, "too many formats");
	*at += 4;
	while (r == 0 && count--)
		r = skip_sized(d, at, 8);
	return r;
}

/* All up to the number of CPUs: page and event headers, formats, symbols, texts, names of tasks. */
static int skip_formats_v6(const struct pt_dat *d, uint64_t *at)
{
	uint8_t buf[4] = { 0 };
	uint32_t systems;
	int r;

	r = expect(d, at, "header_page", sizeof("header_page"));
	if (r == 0)
		r = skip_sized(d, at, 8);
	if (r == 0)
		r = expect(d, at, "header_event", sizeof("header_event"));
	if (r == 0)
		r = skip_sized(d, at, 8);
	if (r == 0)
		r = skip_formats(d, at, 0);
	if (r == 0)
		r = pt_dat_read_at(d, *at, buf, sizeof(buf));
	systems = le32_get(buf);
	if (r == 0 && systems > EVENTS_MAX)
		return pt_dat_damaged(d, *at, "too many systems of events");
	*at += sizeof(buf);
	while (r == 0 && systems--)
		r = skip_formats(d, at, 1);
	for (size_t i = 0; r == 0 && i < 3; i++)
		r = skip_sized(d, at, i < 2 ? 4 : 8);
	return r;
}

/* Options one by one: nothing says how long they are together. */
static int read_options_v6(struct pt_dat *d, uint64_t *at)
{
	uint8_t head[6];
	uint32_t size;
	int r;

	for (;;) {
		auto_free uint8_t *data = NULL;

		r = pt_dat_read_at(d, *at, head, 2);
		if (r < 0)
			return r;
		if (le16_get(head) == PT_DAT_OPTION_DONE)
			break;
		r = pt_dat_read_at(d, *at, head, sizeof(head));
		size = le32_get(head + 2);
		if (r < 0)
			return r;
		if (size > PT_DAT_OPTIONS_MAX)
			return pt_dat_damaged(d, *at, "an option is too long");
		*at += sizeof(head);
		data = malloc((size_t)size + 1);
		if (!data)
			return -ENOMEM;
		r = pt_dat_read_at(d, *at, data, size);
		if (r < 0)
			return r;
		pt_dat_take_option(d, le16_get(head), data, size);
		*at += size;
	}
	*at += 2;
	return 0;
}

/* Behind the magic: "6\0", endian, long size, u32 page size; then all sections in their order. */
int pt_dat_read_v6(struct pt_dat *d)
{
	uint64_t at = PT_DAT_MAGIC_LEN + 8;
	uint8_t cpus[4], tag[TAG_LEN], place[16];
	int r;

	r = skip_formats_v6(d, &at);
	if (r == 0)
		r = pt_dat_read_at(d, at, cpus, sizeof(cpus));
	at += sizeof(cpus);
	if (r == 0)
		r = pt_dat_read_at(d, at, tag, sizeof(tag));
	if (r == 0 && memcmp(tag, "options  ", sizeof(tag)) == 0) {
		at += sizeof(tag);
		r = read_options_v6(d, &at);
		if (r == 0)
			r = pt_dat_read_at(d, at, tag, sizeof(tag));
	}
	if (r < 0 || memcmp(tag, "flyrecord", sizeof(tag)) != 0)
		return r; /* "latency": a text, which libtracecmd refuses itself */
	at += sizeof(tag);
	for (uint32_t i = 0; i < le32_get(cpus) && r == 0; i++, at += sizeof(place)) {
		r = pt_dat_read_at(d, at, place, sizeof(place));
		if (r == 0)
			pt_dat_take_place(d, i, place);
	}
	return r;
}
