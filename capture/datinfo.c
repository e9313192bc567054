// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The options of trace.dat, and where version 7 keeps them: see trace-cmd.dat.v7(5).
 *
 * Only what datinfo.h lists is looked at; the rest is libtracecmd's.
 */
#include "capture/datinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "capture/dat.h"
#include "formats/record.h"
#include "util/bytes.h"
#include "util/cleanup.h"
#include "util/parse.h"

#define MAGIC        "\x17\x08\x44tracing"
#define SECTIONS_MAX 64 /* option sections in one file */

int pt_dat_damaged(const struct pt_dat *d, uint64_t at, const char *what)
{
	return pt_diag_set(d->diag, -EBADMSG, at, "%s", what);
}

int pt_dat_read_at(const struct pt_dat *d, uint64_t at, void *p, size_t len)
{
	ssize_t n;

	if (at > d->size || len > d->size - at)
		return pt_dat_damaged(d, at, "cut here");
	n = pread(d->fd, p, len, (off_t)at);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : pt_dat_damaged(d, at, "cut here");
}

/* Copy the @n-th word of @text. */
static void take_word(const char *text, size_t len, unsigned int n, char *to, size_t room)
{
	size_t used = 0;

	for (size_t i = 0; i < len && text[i]; i++) {
		if (text[i] == ' ') {
			if (!n--)
				break;
		} else if (n == 0 && used + 1 < room) {
			to[used++] = text[i];
		}
	}
	to[used] = '\0';
}

/* "local global [mono] ...": the one in brackets. */
static void take_clock(struct pt_datinfo *info, const char *text, size_t len)
{
	const char *from = memchr(text, '[', len);
	const char *to = from ? memchr(from, ']', len - (size_t)(from - text)) : NULL;

	if (!to || (size_t)(to - from) > sizeof(info->clock))
		return;
	memcpy(info->clock, from + 1, (size_t)(to - from) - 1);
	info->clock[to - from - 1] = '\0';
}

/* The number behind @label at a line's start; PT_UNKNOWN where there is none. */
static uint64_t number_after(const char *text, const char *label)
{
	const char *at = strstr(text, label);
	char digits[24];
	size_t n;
	uint64_t v;

	if (!at || (at != text && at[-1] != '\n'))
		return PT_UNKNOWN;
	at += strlen(label);
	at += strspn(at, " ");
	n = strspn(at, "0123456789");
	if (!n || n >= sizeof(digits))
		return PT_UNKNOWN;
	memcpy(digits, at, n);
	digits[n] = '\0';
	return pt_parse_u64(digits, &v) == 0 ? v : PT_UNKNOWN;
}

/* "CPU: 0\nentries: ...\noverrun: ...\n" */
static void take_cpustat(struct pt_dat *d, const char *data, size_t len)
{
	auto_free char *text = strndup(data, len);
	struct pt_datinfo *info = d->info;
	uint64_t cpu, dropped, left, read;

	if (!text)
		return;
	cpu = number_after(text, "CPU:");
	/* "overrun" is reported in the data as well; "dropped events" nowhere else. */
	dropped = number_after(text, "dropped events:");
	left = number_after(text, "entries:");
	read = number_after(text, "read events:");
	if (cpu >= PT_DATINFO_CPUS || dropped == PT_UNKNOWN || left == PT_UNKNOWN ||
	    read == PT_UNKNOWN)
		return; /* the name of a buffer, or no such CPU */
	if (info->cpus <= cpu)
		info->cpus = (uint32_t)cpu + 1;
	d->told[cpu]++;
	info->dropped[cpu] += dropped;
	info->kept[cpu] += left + read;
}

void pt_dat_take_place(struct pt_dat *d, uint32_t cpu, const uint8_t *p)
{
	if (cpu < PT_DATINFO_CPUS)
		d->places[cpu]++;
	else
		d->too_many_cpus = 1;
	if (le64_get(p) > d->size || le64_get(p + 8) > d->size - le64_get(p))
		d->info->is_cut = 1;
}

/* BUFFER: u64 offset, name, clock, u32 page size, u32 CPUs, then u32, u64 offset, u64 size each. */
static void take_buffer(struct pt_dat *d, const uint8_t *p, size_t len)
{
	size_t at = 8;
	uint32_t cpus;

	for (int i = 0; i < 2 && at < len; i++) {
		const uint8_t *nul = memchr(p + at, '\0', len - at);

		if (!nul)
			return;
		if (i == 1 && nul - (p + at) < (ptrdiff_t)sizeof(d->info->clock))
			memcpy(d->info->clock, p + at, (size_t)(nul - p) - at + 1);
		at = (size_t)(nul - p) + 1;
	}
	if (len < at || len - at < 8)
		return;
	cpus = le32_get(p + at + 4);
	at += 8;
	for (uint32_t i = 0; i < cpus && len - at >= 20; i++, at += 20)
		pt_dat_take_place(d, le32_get(p + at), p + at + 4);
}

void pt_dat_take_option(struct pt_dat *d, unsigned int id, const uint8_t *p, size_t len)
{
	const char *text = (const char *)p;

	switch (id) {
	case PT_DAT_OPTION_UNAME: /* "Linux HOST RELEASE MACHINE" */
		take_word(text, len, 2, d->info->release, sizeof(d->info->release));
		take_word(text, len, 3, d->info->machine, sizeof(d->info->machine));
		break;
	case PT_DAT_OPTION_TRACECLOCK:
		if (!d->info->clock[0])
			take_clock(d->info, text, len);
		break;
	case PT_DAT_OPTION_CPUSTAT:
		take_cpustat(d, text, len);
		break;
	case PT_DAT_OPTION_BUFFER:
		if (d->info->version == 7)
			take_buffer(d, p, len);
		break;
	default:
		break;
	}
}

/* Options are u16 id, u32 size, data; the last one holds the next section's offset. */
static int take_options(struct pt_dat *d, const uint8_t *p, size_t len, uint64_t where,
			uint64_t *ret_next)
{
	*ret_next = 0;
	for (size_t at = 0; len - at >= 6;) {
		unsigned int id = le16_get(p + at);
		uint32_t size;

		size = le32_get(p + at + 2);
		at += 6;
		if (size > len - at)
			return pt_dat_damaged(d, where + at,
					      "an option is longer than its section");
		if (id == PT_DAT_OPTION_DONE) {
			*ret_next = size >= 8 ? le64_get(p + at) : 0;
			return 0;
		}
		pt_dat_take_option(d, id, p + at, size);
		at += size;
	}
	return 0;
}

/* The options section at @at: u16 id, u16 flags, u32 name, u64 size; maybe compressed. */
static int read_section(struct pt_dat *d, uint64_t at, uint64_t *ret_next)
{
	auto_free uint8_t *data = NULL, *packed = NULL;
	uint8_t head[16], sizes[8];
	uint64_t size, where = at + sizeof(head);
	size_t n;
	int r;

	r = pt_dat_read_at(d, at, head, sizeof(head));
	if (r < 0)
		return r;
	size = le64_get(head + 8);
	if (le16_get(head) != 0 || size > PT_DAT_OPTIONS_MAX)
		return pt_dat_damaged(d, at, "no options section where one should be");
	packed = malloc(size + 1);
	if (!packed)
		return -ENOMEM;
	r = pt_dat_read_at(d, where, packed, size);
	if (r < 0)
		return r;
	if (!(le16_get(head + 2) & 1))
		return take_options(d, packed, size, where, ret_next);
	if (size < sizeof(sizes))
		return pt_dat_damaged(d, where, "a compressed section is too short");
	memcpy(sizes, packed, sizeof(sizes));
	if (le32_get(sizes + 4) > PT_DAT_OPTIONS_MAX || le32_get(sizes) > size - sizeof(sizes))
		return pt_dat_damaged(d, where, "a compressed section has odd sizes");
	data = malloc(le32_get(sizes + 4) + 1);
	if (!data)
		return -ENOMEM;
	n = ZSTD_decompress(data, le32_get(sizes + 4), packed + sizeof(sizes), le32_get(sizes));
	/* Other compressions are libtracecmd's to read; without them we only know less. */
	*ret_next = 0;
	return ZSTD_isError(n) ? 0 : take_options(d, data, n, where, ret_next);
}

/* Behind the magic: "7\0", endian, long size, u32 page size, compression, its version, u64. */
static int read_v7(struct pt_dat *d, const uint8_t *head, size_t len)
{
	uint64_t at = 8, next;
	int r;

	for (int i = 0; i < 2; i++) {
		const uint8_t *nul = at < len ? memchr(head + at, '\0', len - at) : NULL;

		if (!nul)
			return pt_dat_damaged(d, at, "the header does not end");
		at = (uint64_t)(nul - head) + 1;
	}
	if (len < at + 8)
		return pt_dat_damaged(d, at, "the header is cut");
	next = le64_get(head + at);
	for (int i = 0; next && i < SECTIONS_MAX; i++) {
		r = read_section(d, next, &next);
		if (r < 0)
			return r;
	}
	return 0;
}

int pt_datinfo_probe(const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t head[PT_DAT_MAGIC_LEN];
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = pread(fd, head, sizeof(head), 0);
	if (n < 0)
		return -errno;
	return n == PT_DAT_MAGIC_LEN && memcmp(head, MAGIC, PT_DAT_MAGIC_LEN) == 0;
}

/* Whether the kernel's statistics are there for all data: only they tell that nothing was lost. */
static int all_told(const struct pt_dat *d)
{
	for (size_t i = 0; i < PT_DATINFO_CPUS; i++)
		if (d->told[i] < d->places[i])
			return 0;
	return d->info->cpus && !d->too_many_cpus;
}

int pt_datinfo_read(const char *path, struct pt_datinfo *ret_info, struct pt_diag *diag)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t head[256];
	struct pt_dat d = { .fd = fd, .info = ret_info, .diag = diag };
	struct stat st;
	ssize_t n;
	int r;

	*ret_info = (struct pt_datinfo){ 0 };
	if (fd < 0 || fstat(fd, &st) < 0)
		return pt_diag_errno(diag, -errno, "cannot open");
	d.size = (uint64_t)st.st_size;
	n = pread(fd, head, sizeof(head), 0);
	if (n < PT_DAT_MAGIC_LEN + 8 || memcmp(head, MAGIC, PT_DAT_MAGIC_LEN) != 0)
		return pt_dat_damaged(&d, 0, "not a trace.dat");
	if (head[PT_DAT_MAGIC_LEN] != '6' && head[PT_DAT_MAGIC_LEN] != '7')
		return pt_diag_set(diag, -EPROTONOSUPPORT, PT_DAT_MAGIC_LEN,
				   "a trace.dat of a version other than 6 and 7");
	if (head[PT_DAT_MAGIC_LEN + 2] != 0)
		return pt_diag_set(diag, -EOPNOTSUPP, PT_DAT_MAGIC_LEN + 2,
				   "recorded on a big-endian machine");
	ret_info->version = (unsigned int)(head[PT_DAT_MAGIC_LEN] - '0');
	r = ret_info->version == 6
		    ? pt_dat_read_v6(&d)
		    : read_v7(&d, head + PT_DAT_MAGIC_LEN, (size_t)n - PT_DAT_MAGIC_LEN);
	ret_info->has_statistics = r == 0 && all_told(&d);
	return r;
}
