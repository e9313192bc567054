// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables behind record.h: which kinds there are, their fields, and all the names. */
#include "formats/record.h"

#include <string.h>

#include "util/cleanup.h"

#define F(x) (1u << PT_F_##x)

#define F_WHO    (F(TASK) | F(FILE))
#define F_RANGE  (F(PAGE) | F(NPAGES))
#define F_BYTES  (F(OFF) | F(LEN))
#define F_FOLIO  (F_WHO | F(PAGE) | F(ORDER))
#define F_VALUES (F(VALUE0) | F(VALUE1) | F(VALUE2) | F(VALUE3))

_Static_assert(PT_F_COUNT <= 32, "a kind's fields are bits of a uint32_t");

static const struct pt_kind_info kinds[PT_KIND_COUNT] = {
	[PT_ACCESS] = { "access",
			F_WHO | F(OPEN) | F_RANGE | F_BYTES | F(DURATION) | F(HOW) | F(FLAGS) },
	[PT_OPEN] = { "open", F_WHO | F(OPEN) | F(FLAGS) },
	[PT_DUP] = { "dup", F(TASK) | F(OPEN) | F(OPEN_FROM) },
	[PT_CLOSE] = { "close", F(TASK) | F(OPEN) },
	[PT_MAP] = { "map", F_WHO | F(OPEN) | F_RANGE | F(FLAGS) | F(VALUE0) | F(VALUE1) },
	[PT_UNMAP] = { "unmap", F_WHO | F_RANGE | F(VALUE1) },
	[PT_TOUCH] = { "touch", F_WHO | F_RANGE },
	[PT_WRITE] = { "write", F_WHO | F(OPEN) | F_BYTES | F(DURATION) | F(FLAGS) },
	[PT_ADD] = { "add", F_FOLIO | F(CGROUP) | F(NODE) | F(HOW) | F(VALUE0) },
	[PT_EVICT] = { "evict", F_FOLIO | F(CGROUP) | F(TARGET) | F(NODE) | F(HOW) | F(VALUE0) },
	[PT_REMOVE] = { "remove", F_FOLIO | F(CGROUP) | F(NODE) | F(HOW) | F(VALUE0) },
	[PT_ACTIVATE] = { "activate", F_FOLIO | F(HOW) },
	[PT_SCAN] = { "scan", F(TASK) | F(TARGET) | F(NODE) | F(HOW) | F_VALUES },
	[PT_REFAULT] = { "refault", F_WHO | F(PAGE) | F(NPAGES) | F(CGROUP) | F(FLAGS) },
	[PT_DIRTY] = { "dirty", F_WHO | F(PAGE) },
	[PT_SYNC] = { "sync", F_WHO | F(OPEN) | F_BYTES | F(DURATION) | F(HOW) },
	[PT_ADVISE] = { "advise", F_WHO | F(OPEN) | F_BYTES | F(HOW) | F(VALUE0) },
	[PT_TRUNCATE] = { "truncate", F_WHO | F(LEN) },
	[PT_UNLINK] = { "unlink", F_WHO },
	[PT_READAHEAD] = { "readahead", F_WHO | F_RANGE | F(ORDER) | F(HOW) | F(VALUE0) },
	[PT_RECLAIM_BEGIN] = { "reclaim_begin",
			       F(TASK) | F(TARGET) | F(ORDER) | F(HOW) | F(VALUE0) },
	[PT_RECLAIM_END] = { "reclaim_end", F(TASK) | F(NPAGES) },
	[PT_RESIDENT] = { "resident", F(FILE) | F_RANGE | F(CGROUP) | F(FLAGS) | F(HOW) },
	[PT_COUNTERS] = { "counters", F(CGROUP) | F(HOW) | F(BLOB) },
	[PT_GAP] = { "gap", F(CPU) | F(HOW) | F(DURATION) | F(VALUE0) },
	[PT_ATTACH] = { "attach", F(TASK) | F(CGROUP) },
	[PT_EXIT] = { "exit", F(TASK) },
	[PT_LIMIT] = { "limit", F(CGROUP) | F(HOW) | F(VALUE0) },
	[PT_MARK] = { "mark", F(TASK) | F(BLOB) },
};

static const char *const field_names[PT_F_COUNT] = {
	[PT_F_TASK] = "task",           [PT_F_FILE] = "file",     [PT_F_OPEN] = "open",
	[PT_F_OPEN_FROM] = "open_from", [PT_F_PAGE] = "page",     [PT_F_NPAGES] = "npages",
	[PT_F_OFF] = "off_bytes",       [PT_F_LEN] = "len_bytes", [PT_F_DURATION] = "duration_ns",
	[PT_F_CGROUP] = "cgroup",       [PT_F_TARGET] = "target", [PT_F_FLAGS] = "flags",
	[PT_F_NODE] = "node",           [PT_F_CPU] = "cpu",       [PT_F_HOW] = "how",
	[PT_F_ORDER] = "order",         [PT_F_VALUE0] = "value0", [PT_F_VALUE1] = "value1",
	[PT_F_VALUE2] = "value2",       [PT_F_VALUE3] = "value3", [PT_F_BLOB] = "text",
};

#define MAX_HOW 8

static const char *const how_names[PT_KIND_COUNT][MAX_HOW] = {
	[PT_ACCESS] = { "read", "fault", "window" },
	[PT_ADD] = { "demand", "readahead", "fault", "write", "metadata" },
	[PT_EVICT] = { "kswapd", "direct", "memcg", "proactive", "pageout", "node", "softlimit" },
	[PT_REMOVE] = { "truncate", "invalidate", "dontcache" },
	[PT_ACTIVATE] = { "access", "insert" },
	[PT_SCAN] = { "inactive", "active", "pages", "shadows" },
	[PT_SYNC] = { "fsync", "fdatasync", "range" },
	[PT_ADVISE] = { "fadvise", "madvise" },
	[PT_READAHEAD] = { "sync", "async", "order", "unbounded", "call" },
	[PT_RECLAIM_BEGIN] = { "kswapd", "direct", "memcg", "proactive", "pageout", "node",
			       "softlimit" },
	[PT_RESIDENT] = { "start", "end" },
	[PT_COUNTERS] = { "vmstat", "memstat", "psi", "kswapd", "lru_gen", "flush" },
	[PT_GAP] = { "ring", "recorder", "source", "undecoded" },
	[PT_LIMIT] = { "max", "high", "low", "min" },
};

#define VALUES  4
#define ANY_HOW PT_UNKNOWN8

static const struct {
	uint8_t kind, how;
	const char *names[VALUES];
} value_names[] = {
	{ PT_MAP, ANY_HOW, { "advice", "mapping" } },
	{ PT_UNMAP, ANY_HOW, { NULL, "mapping" } },
	{ PT_ADD, ANY_HOW, { "pfn" } },
	{ PT_EVICT, ANY_HOW, { "pfn" } },
	{ PT_REMOVE, ANY_HOW, { "pfn" } },
	{ PT_SCAN, PT_SCAN_INACTIVE, { "scanned", "reclaimed", "activated", "activated_anon" } },
	{ PT_SCAN, PT_SCAN_ACTIVE, { "taken", "deactivated", "kept", "referenced" } },
	{ PT_SCAN, PT_SCAN_PAGES, { "scanned", "reclaimed", "activated", "activated_anon" } },
	{ PT_SCAN, PT_SCAN_SHADOWS, { "scanned", "freed", "listed" } },
	{ PT_ADVISE, ANY_HOW, { "advice" } },
	{ PT_READAHEAD, ANY_HOW, { "async" } },
	{ PT_RECLAIM_BEGIN, ANY_HOW, { "gfp" } },
	{ PT_GAP, ANY_HOW, { "lost" } },
	{ PT_LIMIT, ANY_HOW, { "bytes" } },
};

const struct pt_kind_info *pt_kind_info(unsigned int kind)
{
	if (kind >= PT_KIND_COUNT || !kinds[kind].name)
		return NULL;
	return &kinds[kind];
}

unsigned int pt_kind_by_name(const char *name)
{
	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		if (strcmp(kinds[k].name, name) == 0)
			return k;
	return 0;
}

const char *pt_how_name(unsigned int kind, unsigned int how)
{
	return kind < PT_KIND_COUNT && how < MAX_HOW ? how_names[kind][how] : NULL;
}

const char *pt_value_name(unsigned int kind, unsigned int how, unsigned int i)
{
	if (i >= VALUES || !pt_kind_info(kind) || !(kinds[kind].fields & 1u << (PT_F_VALUE0 + i)))
		return NULL;
	for (size_t k = 0; k < PT_ARRAY_SIZE(value_names); k++)
		if (value_names[k].kind == kind &&
		    (value_names[k].how == ANY_HOW || value_names[k].how == how) &&
		    value_names[k].names[i])
			return value_names[k].names[i];
	return field_names[PT_F_VALUE0 + i];
}

const char *pt_field_name(unsigned int field)
{
	return field < PT_F_COUNT ? field_names[field] : NULL;
}

static uint64_t widened(uint64_t v, uint64_t unknown)
{
	return v == unknown ? PT_UNKNOWN : v;
}

uint64_t pt_record_get(const struct pt_record *r, unsigned int field)
{
	switch (field) {
	case PT_F_TASK:
		return widened(r->task, PT_UNKNOWN32);
	case PT_F_FILE:
		return widened(r->file, PT_UNKNOWN32);
	case PT_F_OPEN:
		return widened(r->open, PT_UNKNOWN32);
	case PT_F_OPEN_FROM:
		return widened(r->open_from, PT_UNKNOWN32);
	case PT_F_PAGE:
		return r->page;
	case PT_F_NPAGES:
		return r->npages;
	case PT_F_OFF:
		return r->off_bytes;
	case PT_F_LEN:
		return r->len_bytes;
	case PT_F_DURATION:
		return r->duration_ns;
	case PT_F_CGROUP:
		return widened(r->cgroup, PT_UNKNOWN32);
	case PT_F_TARGET:
		return widened(r->target, PT_UNKNOWN32);
	case PT_F_FLAGS:
		return widened(r->flags, PT_UNKNOWN32);
	case PT_F_NODE:
		return widened(r->node, PT_UNKNOWN16);
	case PT_F_CPU:
		return widened(r->cpu, PT_UNKNOWN16);
	case PT_F_HOW:
		return widened(r->how, PT_UNKNOWN8);
	case PT_F_ORDER:
		return widened(r->order, PT_UNKNOWN8);
	case PT_F_VALUE0:
	case PT_F_VALUE1:
	case PT_F_VALUE2:
	case PT_F_VALUE3:
		return r->value[field - PT_F_VALUE0];
	case PT_F_BLOB:
		return r->blob_len;
	default:
		return PT_UNKNOWN;
	}
}
