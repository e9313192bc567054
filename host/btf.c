// SPDX-License-Identifier: GPL-2.0-or-later
/* BTF (Documentation/bpf/btf.rst), as far as enumerations go: see btf.h. */
#include "host/btf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/bytes.h"
#include "util/cleanup.h"

#define BTF_MAGIC   0xeb9f
#define BTF_MAX     (64u << 20)
#define HEADER_LEN  24
#define TYPE_LEN    12
#define KIND_ENUM   6
#define KIND_ENUM64 19

/* Where the types and strings are. */
struct sections {
	const uint8_t *types, *strings;
	size_t types_len, strings_len;
};

int pt_btf_read(const char *root, struct pt_btf *ret_b)
{
	auto_close int fd = -1;
	struct pt_buf b = { 0 };
	char path[512];
	ssize_t n;
	int r = 0;

	snprintf(path, sizeof(path), "%s/sys/kernel/btf/vmlinux", root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		if (b.len > BTF_MAX) {
			r = -E2BIG;
			break;
		}
		if (pt_buf_reserve(&b, 1u << 20) < 0) {
			r = -ENOMEM;
			break;
		}
		n = read(fd, b.data + b.len, 1u << 20);
		if (n > 0)
			b.len += (size_t)n;
		else if (n < 0 && errno != EINTR)
			r = -errno;
	} while (r == 0 && n != 0);
	if (r < 0) {
		pt_buf_done(&b);
		return r;
	}
	*ret_b = (struct pt_btf){ .data = b.data, .len = b.len };
	return 0;
}

void pt_btf_done(struct pt_btf *b)
{
	free(b->data);
	*b = (struct pt_btf){ 0 };
}

static int find_sections(const struct pt_btf *b, struct sections *ret_s)
{
	uint64_t base, types, strings;

	if (b->len < HEADER_LEN || le16_get(b->data) != BTF_MAGIC)
		return -EBADMSG;
	base = le32_get(b->data + 4);
	types = base + le32_get(b->data + 8);
	strings = base + le32_get(b->data + 16);
	*ret_s = (struct sections){ .types_len = le32_get(b->data + 12),
				    .strings_len = le32_get(b->data + 20) };
	if (types > b->len || ret_s->types_len > b->len - types || strings > b->len ||
	    ret_s->strings_len > b->len - strings || !ret_s->strings_len ||
	    b->data[strings + ret_s->strings_len - 1] != '\0')
		return -EBADMSG;
	ret_s->types = b->data + types;
	ret_s->strings = b->data + strings;
	return 0;
}

static int has_name(const struct sections *s, uint32_t offset, const char *name)
{
	return offset < s->strings_len && strcmp((const char *)s->strings + offset, name) == 0;
}

/* Bytes behind a type's fixed part; SIZE_MAX for a kind that we do not know. */
static size_t extra_len(unsigned int kind, size_t members)
{
	static const uint8_t fixed[] = { [1] = 4, [3] = 12, [14] = 4, [17] = 4 };
	static const uint8_t each[] = {
		[4] = 12, [5] = 12, [6] = 8, [13] = 8, [15] = 12, [19] = 12
	};

	if (!kind || kind > 19)
		return SIZE_MAX;
	return (kind < sizeof(fixed) ? fixed[kind] : 0) + each[kind] * members;
}

static int find_member(const struct sections *s, const uint8_t *p, unsigned int kind,
		       size_t members, const char *name, int64_t *ret_v)
{
	size_t step = kind == KIND_ENUM64 ? 12 : 8;

	for (size_t i = 0; i < members; i++, p += step) {
		if (!has_name(s, le32_get(p), name))
			continue;
		*ret_v = kind == KIND_ENUM64 ? (int64_t)le64_get(p + 4) : (int32_t)le32_get(p + 4);
		return 0;
	}
	return -ENOENT;
}

int pt_btf_enum(const struct pt_btf *b, const char *type, const char *name, int64_t *ret_v)
{
	struct sections s;
	int r = find_sections(b, &s);

	if (r < 0)
		return r;
	for (size_t at = 0; s.types_len - at >= TYPE_LEN;) {
		const uint8_t *p = s.types + at;
		uint32_t info = le32_get(p + 4);
		unsigned int kind = info >> 24 & 0x1f;
		size_t members = info & 0xffff, extra = extra_len(kind, members);

		if (extra > s.types_len - at - TYPE_LEN)
			return -EBADMSG;
		if ((kind == KIND_ENUM || kind == KIND_ENUM64) && has_name(&s, le32_get(p), type))
			return find_member(&s, p + TYPE_LEN, kind, members, name, ret_v);
		at += TYPE_LEN + extra;
	}
	return -ENOENT;
}
