// SPDX-License-Identifier: GPL-2.0-or-later
/* Definitions to bytes and back, by one table of fields for each sort: see definition.h. */
#include "formats/definition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/layout.h"
#include "util/cleanup.h"

enum type { TYPE_END, TYPE_U32, TYPE_U64, TYPE_STRING };

/* A member of the struct. On disk its number is the place in the table, counted from 1. */
struct member {
	uint8_t type;
	uint16_t offset;
};

#define MAX_MEMBERS 16
#define REF_FIRST   32 /* numbers of references (to a file's key, a cgroup), apart from members */

enum ref { REF_INO = REF_FIRST, REF_DEV, REF_GEN, REF_CGROUP };

#define U32(s, m)                               \
	{                                       \
		TYPE_U32, offsetof(struct s, m) \
	}
#define U64(s, m)                               \
	{                                       \
		TYPE_U64, offsetof(struct s, m) \
	}
#define STR(s, m)                                  \
	{                                          \
		TYPE_STRING, offsetof(struct s, m) \
	}

/* Numbers are for ever: only append. */
static const struct member members[PT_NAMES_SORTS][MAX_MEMBERS] = {
	[PT_NAMES_FILE] = { U64(pt_file, key.ino), U32(pt_file, key.dev), U32(pt_file, key.gen),
			    U64(pt_file, size), U64(pt_file, blocks_512), U32(pt_file, type),
			    U32(pt_file, flags), U32(pt_file, mount), STR(pt_file, path),
			    STR(pt_file, build_id), STR(pt_file, holes),
			    U64(pt_file, stands_for.ino), U32(pt_file, stands_for.dev),
			    U32(pt_file, stands_for.gen) },
	[PT_NAMES_TASK] = { U32(pt_task, key.pid), U32(pt_task, key.incarnation),
			    U32(pt_task, tgid), U32(pt_task, parent_pid), U32(pt_task, flags),
			    STR(pt_task, comm), U32(pt_task, stands_for_pid),
			    U32(pt_task, stands_for_incarnation) },
	[PT_NAMES_CGROUP] = { U64(pt_cgroup, id), U64(pt_cgroup, parent), U64(pt_cgroup, max_bytes),
			      U64(pt_cgroup, high_bytes), U64(pt_cgroup, low_bytes),
			      U64(pt_cgroup, min_bytes), U32(pt_cgroup, version),
			      STR(pt_cgroup, path) },
	[PT_NAMES_MOUNT] = { U32(pt_mount, id), U32(pt_mount, dev), U32(pt_mount, block_size),
			     STR(pt_mount, point), STR(pt_mount, type), STR(pt_mount, options) },
	[PT_NAMES_DEVICE] = { U32(pt_device, dev), U32(pt_device, read_ahead_kb),
			      U32(pt_device, rotational), U64(pt_device, size),
			      STR(pt_device, name), STR(pt_device, scheduler) },
	[PT_NAMES_OPEN] = { U32(pt_openfile, id), U32(pt_openfile, flags),
			    U32(pt_openfile, guessed) },
};

static const size_t sizes[PT_NAMES_SORTS] = {
	[PT_NAMES_FILE] = sizeof(struct pt_file),     [PT_NAMES_TASK] = sizeof(struct pt_task),
	[PT_NAMES_CGROUP] = sizeof(struct pt_cgroup), [PT_NAMES_MOUNT] = sizeof(struct pt_mount),
	[PT_NAMES_DEVICE] = sizeof(struct pt_device), [PT_NAMES_OPEN] = sizeof(struct pt_openfile),
};

/* Any of the structs, to parse into. */
union definition {
	struct pt_file file;
	struct pt_task task;
	struct pt_cgroup cgroup;
	struct pt_mount mount;
	struct pt_device device;
	struct pt_openfile open;
};

size_t pt_definition_size(enum pt_names_sort sort)
{
	return sizes[sort];
}

static void *place(void *def, const struct member *m)
{
	return (char *)def + m->offset;
}

void pt_definition_blank(enum pt_names_sort sort, void *def)
{
	memset(def, 0, sizes[sort]);
	for (const struct member *m = members[sort]; m->type; m++) {
		if (m->type == TYPE_U32)
			*(uint32_t *)place(def, m) = PT_UNKNOWN32;
		else if (m->type == TYPE_U64)
			*(uint64_t *)place(def, m) = PT_UNKNOWN;
	}
	if (sort == PT_NAMES_TASK)
		((struct pt_task *)def)->cgroup = PT_UNKNOWN32;
	if (sort == PT_NAMES_OPEN)
		((struct pt_openfile *)def)->file = PT_UNKNOWN32;
}

void pt_definition_release(enum pt_names_sort sort, void *def)
{
	for (const struct member *m = members[sort]; m->type; m++) {
		char **s = place(def, m);

		if (m->type != TYPE_STRING)
			continue;
		free(*s);
		*s = NULL;
	}
}

/* ---- Writing */

static int put_number(struct pt_buf *out, unsigned int number, uint64_t v)
{
	int r = pt_buf_put_varint(out, (uint64_t)number << 1);

	return r < 0 ? r : pt_buf_put_varint(out, v);
}

static int put_string(struct pt_buf *out, unsigned int number, const char *s)
{
	size_t len = strlen(s);
	int r;

	if (len > PT_STRING_MAX)
		return -E2BIG;
	r = pt_buf_put_varint(out, (uint64_t)number << 1 | 1);
	if (r == 0)
		r = pt_buf_put_varint(out, len);
	return r < 0 ? r : pt_buf_put(out, s, len);
}

static int put_member(struct pt_buf *out, unsigned int number, const struct member *m,
		      const void *def)
{
	const char *at = (const char *)def + m->offset;
	const char *s;
	uint32_t v32;
	uint64_t v64;

	switch (m->type) {
	case TYPE_U32:
		memcpy(&v32, at, sizeof(v32));
		return v32 == PT_UNKNOWN32 ? 0 : put_number(out, number, v32);
	case TYPE_U64:
		memcpy(&v64, at, sizeof(v64));
		return v64 == PT_UNKNOWN ? 0 : put_number(out, number, v64);
	default:
		memcpy(&s, at, sizeof(s));
		return s ? put_string(out, number, s) : 0;
	}
}

static int put_refs(struct pt_buf *out, enum pt_names_sort sort,
		    const struct pt_definition_refs *refs)
{
	int r;

	if (sort == PT_NAMES_TASK && refs->cgroup != PT_UNKNOWN)
		return put_number(out, REF_CGROUP, refs->cgroup);
	if (sort != PT_NAMES_OPEN || refs->file.ino == PT_UNKNOWN)
		return 0;
	r = put_number(out, REF_INO, refs->file.ino);
	if (r == 0)
		r = put_number(out, REF_DEV, refs->file.dev);
	return r < 0 ? r : put_number(out, REF_GEN, refs->file.gen);
}

int pt_definition_put(struct pt_buf *out, enum pt_names_sort sort, const void *def,
		      const struct pt_definition_refs *refs)
{
	struct pt_buf fields = { 0 };
	size_t before = out->len;
	int r = 0;

	for (unsigned int i = 0; members[sort][i].type && r == 0; i++)
		r = put_member(&fields, i + 1, &members[sort][i], def);
	if (r == 0 && refs)
		r = put_refs(&fields, sort, refs);
	if (r == 0)
		r = pt_buf_put_varint(out, (uint64_t)sort + 1);
	if (r == 0)
		r = pt_buf_put_varint(out, fields.len);
	if (r == 0)
		r = pt_buf_put(out, fields.data, fields.len);
	if (r < 0)
		out->len = before;
	pt_buf_done(&fields);
	return r;
}

/* ---- Reading */

/* What was read of one definition. */
struct parsed {
	union definition def;
	struct pt_definition_refs refs;
};

static int take_string(struct parsed *p, enum pt_names_sort sort, unsigned int number,
		       const uint8_t *s, size_t len)
{
	const struct member *m = &members[sort][number - 1];
	char **at = place(&p->def, m);

	if (m->type != TYPE_STRING)
		return -EBADMSG;
	if (len > PT_STRING_MAX || memchr(s, '\0', len))
		return -EBADMSG;
	free(*at);
	*at = strndup((const char *)s, len);
	return *at ? 0 : -ENOMEM;
}

static int take_number(struct parsed *p, enum pt_names_sort sort, unsigned int number, uint64_t v)
{
	const struct member *m = &members[sort][number - 1];

	if (m->type == TYPE_U64)
		*(uint64_t *)place(&p->def, m) = v;
	else if (m->type == TYPE_U32 && v <= UINT32_MAX)
		*(uint32_t *)place(&p->def, m) = (uint32_t)v;
	else
		return -EBADMSG;
	return 0;
}

static int take_ref(struct parsed *p, uint64_t number, uint64_t v)
{
	if (number == REF_CGROUP)
		p->refs.cgroup = v;
	else if (number == REF_INO)
		p->refs.file.ino = v;
	else if (v > UINT32_MAX)
		return -EBADMSG;
	else if (number == REF_DEV)
		p->refs.file.dev = (uint32_t)v;
	else if (number == REF_GEN)
		p->refs.file.gen = (uint32_t)v;
	return 0;
}

static int known_member(enum pt_names_sort sort, uint64_t number)
{
	return number >= 1 && number <= MAX_MEMBERS && members[sort][number - 1].type;
}

/* One field at *@pos. */
static int take_field(struct parsed *p, enum pt_names_sort sort, const uint8_t *data, size_t len,
		      size_t *pos)
{
	uint64_t key, v;

	if (pt_varint_get(data, len, pos, &key) < 0 || pt_varint_get(data, len, pos, &v) < 0)
		return -EBADMSG;
	if (!(key & 1)) {
		if (known_member(sort, key >> 1))
			return take_number(p, sort, (unsigned int)(key >> 1), v);
		return take_ref(p, key >> 1, v);
	}
	if (v > len - *pos)
		return -EBADMSG;
	*pos += v;
	if (!known_member(sort, key >> 1))
		return 0;
	return take_string(p, sort, (unsigned int)(key >> 1), data + *pos - v, v);
}

static struct pt_map_key key_of(enum pt_names_sort sort, const union definition *d)
{
	switch (sort) {
	case PT_NAMES_FILE:
		return pt_names_file_key(&d->file.key);
	case PT_NAMES_TASK:
		return pt_names_task_key(&d->task.key);
	case PT_NAMES_CGROUP:
		return pt_names_number_key(d->cgroup.id);
	case PT_NAMES_MOUNT:
		return pt_names_number_key(d->mount.id);
	case PT_NAMES_DEVICE:
		return pt_names_number_key(d->device.dev);
	default:
		return pt_names_number_key(d->open.id);
	}
}

/* References become ids. */
static int resolve(struct parsed *p, enum pt_names_sort sort, struct pt_names *names)
{
	if (sort == PT_NAMES_TASK && p->refs.cgroup != PT_UNKNOWN)
		return pt_names_cgroup(names, p->refs.cgroup, &p->def.task.cgroup);
	if (sort == PT_NAMES_OPEN && p->refs.file.ino != PT_UNKNOWN)
		return pt_names_file(names, &p->refs.file, &p->def.open.file);
	return 0;
}

static int take_definition(enum pt_names_sort sort, const uint8_t *data, size_t len,
			   struct pt_names *names)
{
	struct parsed p = { .refs = { .file = { .ino = PT_UNKNOWN }, .cgroup = PT_UNKNOWN } };
	size_t pos = 0;
	uint32_t id;
	int added, r = 0;

	pt_definition_blank(sort, &p.def);
	while (pos < len && r == 0)
		r = take_field(&p, sort, data, len, &pos);
	if (r == 0)
		r = resolve(&p, sort, names);
	if (r == 0)
		r = pt_names_intern(names, sort, key_of(sort, &p.def), &id, &added);
	if (r < 0) {
		pt_definition_release(sort, &p.def);
		return r;
	}
	pt_definition_release(sort, pt_names_get(names, sort, id));
	memcpy(pt_names_get(names, sort, id), &p.def, sizes[sort]);
	return 0;
}

int pt_definitions_parse(const uint8_t *data, size_t len, struct pt_names *names,
			 struct pt_diag *diag)
{
	size_t pos = 0;

	while (pos < len) {
		size_t start = pos;
		uint64_t tag, size;
		int r = 0;

		if (pt_varint_get(data, len, &pos, &tag) < 0 ||
		    pt_varint_get(data, len, &pos, &size) < 0 || size > len - pos)
			return pt_diag_set(diag, -EBADMSG, start, "definition is cut");
		if (tag >= 1 && tag <= PT_NAMES_SORTS)
			r = take_definition((enum pt_names_sort)(tag - 1), data + pos, size, names);
		if (r == -ENOMEM)
			return r;
		if (r < 0)
			return pt_diag_set(diag, r, start, "bad definition");
		pos += size;
	}
	return 0;
}
