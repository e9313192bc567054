// SPDX-License-Identifier: GPL-2.0-or-later
/* The head's JSON: see head.h. */
#include "formats/head.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "util/cleanup.h"
#include "util/json.h"
#include "util/version.h"

#define PAGE_SIZE_MIN 512u
#define PAGE_SIZE_MAX (1u << 24)

static const char *const known_names[] = {
	[PT_KNOWN_UNAVAILABLE] = "unavailable",
	[PT_KNOWN_GUESSED] = "guessed",
	[PT_KNOWN_DERIVED] = "derived",
	[PT_KNOWN_KNOWN] = "known",
};

/* RFC 9562: the version's digit and the variant's bits; the rest is given. */
static int set_uuid(struct pt_head *h, uint8_t *b, unsigned int version)
{
	char text[37];

	b[6] = (uint8_t)((b[6] & 0x0f) | version << 4);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	snprintf(text, sizeof(text),
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
		 b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
		 b[15]);
	pt_json_set_string(h->doc, "tape_id", text);
	return json_object_get(h->doc, "tape_id") ? 0 : -ENOMEM;
}

int pt_head_init(struct pt_head *h, uint32_t page_size, const char *clock)
{
	uint8_t random[16];
	int r;

	h->doc = json_object();
	if (!h->doc)
		return -ENOMEM;
	if (getrandom(random, sizeof(random), 0) != sizeof(random)) {
		pt_head_done(h);
		return -EIO;
	}
	r = set_uuid(h, random, 4);
	pt_json_set_u64(h->doc, "page_size", page_size);
	pt_json_set_string(h->doc, "clock", clock);
	pt_json_set_string(h->doc, "version", PT_VERSION);
	if (r < 0)
		pt_head_done(h);
	return r;
}

void pt_head_done(struct pt_head *h)
{
	json_decref(h->doc);
	h->doc = NULL;
}

/* What readers rely on. */
static const char *fault_of(const struct pt_head *h)
{
	uint32_t page_size = pt_head_page_size(h);

	if (!json_is_object(h->doc))
		return "head is no JSON object";
	if (!pt_head_tape_id(h))
		return "head has no tape_id";
	if (page_size < PAGE_SIZE_MIN || page_size > PAGE_SIZE_MAX || page_size & (page_size - 1))
		return "head has no sane page_size";
	if (!pt_head_string(h, "clock", NULL))
		return "head has no clock";
	return NULL;
}

int pt_head_parse(struct pt_head *h, const char *text, size_t len, struct pt_diag *diag)
{
	struct pt_head parsed;
	json_error_t err;
	const char *fault;

	parsed.doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, &err);
	if (!parsed.doc)
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "head is no JSON: %s", err.text);
	fault = fault_of(&parsed);
	if (fault) {
		pt_head_done(&parsed);
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "%s", fault);
	}
	*h = parsed;
	return 0;
}

char *pt_head_format(const struct pt_head *h)
{
	return json_dumps(h->doc, JSON_COMPACT | JSON_SORT_KEYS);
}

/* FNV-1a, 64 bits. Two of them with different bases make the id: it names, it does not protect. */
static uint64_t fnv(const uint8_t *p, size_t len, uint64_t h)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}

int pt_head_derive_id(struct pt_head *h, const void *content, size_t len)
{
	uint64_t a = fnv(content, len, UINT64_C(0xcbf29ce484222325));
	uint64_t b = fnv(content, len, a ^ UINT64_C(0x9e3779b97f4a7c15));
	uint8_t id[16];

	for (int i = 0; i < 8; i++) {
		id[i] = (uint8_t)(a >> (i * 8));
		id[8 + i] = (uint8_t)(b >> (i * 8));
	}
	return set_uuid(h, id, 8); /* 8: vendor-specific content (RFC 9562) */
}

const char *pt_head_tape_id(const struct pt_head *h)
{
	return pt_head_string(h, "tape_id", NULL);
}

uint32_t pt_head_page_size(const struct pt_head *h)
{
	json_int_t v = json_integer_value(json_object_get(h->doc, "page_size"));

	return v > 0 && v <= UINT32_MAX ? (uint32_t)v : 0;
}

const char *pt_known_name(enum pt_known k)
{
	return known_names[k];
}

enum pt_known pt_head_known(const struct pt_head *h, const char *what)
{
	const char *s = pt_head_string(h, "known", what, NULL);

	for (unsigned int k = 0; s && k < PT_ARRAY_SIZE(known_names); k++)
		if (strcmp(s, known_names[k]) == 0)
			return (enum pt_known)k;
	return PT_KNOWN_UNAVAILABLE;
}

int pt_head_need_accesses(const struct pt_head *h, struct pt_diag *diag)
{
	const char *known = pt_head_string(h, "known", "accesses", NULL);

	if (!known || strcmp(known, known_names[PT_KNOWN_UNAVAILABLE]) != 0)
		return 0;
	return pt_diag_set(diag, -EOPNOTSUPP, PT_NO_OFFSET,
			   "it does not tell what was read: the kernel it was recorded on has no "
			   "events for accesses (Linux 6.12 has)");
}

int pt_head_set_known(struct pt_head *h, const char *what, enum pt_known k)
{
	json_t *known = json_object_get(h->doc, "known");

	if (!known) {
		known = json_object();
		if (json_object_set_new(h->doc, "known", known) < 0)
			return -ENOMEM;
	}
	return json_object_set_new(known, what, json_string(known_names[k])) < 0 ? -ENOMEM : 0;
}

const char *pt_head_string(const struct pt_head *h, ...)
{
	const json_t *at = h->doc;
	const char *key;
	va_list ap;

	va_start(ap, h);
	while ((key = va_arg(ap, const char *)))
		at = json_object_get(at, key);
	va_end(ap);
	return json_string_value(at);
}

int pt_head_has_swap(const struct pt_head *h)
{
	const json_t *environment = json_object_get(h->doc, "environment");

	return json_integer_value(json_object_get(environment, "swap_bytes")) > 0;
}
