// SPDX-License-Identifier: GPL-2.0-or-later
/* Decoding by plans made from event formats: see decoder.h. */
#include "capture/decoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "formats/record.h"
#include "util/bytes.h"
#include "util/cleanup.h"

#define IDS_MAX    65536 /* event ids are 16 bits in a record */
#define EVENTS_MAX 64

/* One field: where it is in the record, where it goes. */
struct step {
	uint16_t from, size;
	uint16_t to;
	uint8_t to_size;
	uint8_t is_signed;
	uint8_t is_text, is_dynamic;
};

struct plan {
	const struct pt_kevent_info *info;
	uint16_t end; /* bytes that a record must have */
	uint8_t steps;
	struct step step[PT_KEVENT_FIELDS];
};

struct pt_decoder {
	struct step id, pid;      /* the common fields */
	uint8_t plan_of[IDS_MAX]; /* 0: none; else 1 + its place */
	struct plan plans[EVENTS_MAX];
	const struct pt_kevent_info *found[EVENTS_MAX + 1];
	unsigned int count;
	uint64_t types; /* bit 1 << type */
};

static uint64_t read_number(const uint8_t *data, const struct step *s)
{
	const uint8_t *p = data + s->from;

	switch (s->size) {
	case 1:
		return s->is_signed ? (uint64_t)(int64_t)(int8_t)*p : *p;
	case 2:
		return s->is_signed ? (uint64_t)(int64_t)(int16_t)le16_get(p) : le16_get(p);
	case 4:
		return s->is_signed ? (uint64_t)(int64_t)(int32_t)le32_get(p) : le32_get(p);
	default:
		return le64_get(p);
	}
}

/* Store in a member of 1, 2, 4 or 8 bytes. */
static void store(struct pt_kevent *ev, const struct step *s, uint64_t v)
{
	uint8_t *to = (uint8_t *)ev + s->to;
	uint32_t v32 = (uint32_t)v;
	uint16_t v16 = (uint16_t)v;
	uint8_t v8 = (uint8_t)v;

	switch (s->to_size) {
	case 1:
		memcpy(to, &v8, 1);
		break;
	case 2:
		memcpy(to, &v16, 2);
		break;
	case 4:
		memcpy(to, &v32, 4);
		break;
	default:
		memcpy(to, &v, 8);
		break;
	}
}

/* The text of a fixed array, or of a __data_loc; NULL where it does not end inside the record. */
static const char *read_text(const uint8_t *data, uint32_t len, const struct step *s)
{
	uint32_t from = s->from, size = s->size;

	if (s->is_dynamic) {
		uint32_t loc = le32_get(data + s->from);

		from = loc & 0xffff;
		size = loc >> 16;
	}
	if (from > len || size > len - from || !memchr(data + from, '\0', size))
		return NULL;
	return (const char *)data + from;
}

static int add_step(struct plan *p, const struct pt_kevent_field *want,
		    const struct tep_format_field *f)
{
	struct step *s = &p->step[p->steps];
	int is_text = want->is_text;

	if (f->offset < 0 || f->size <= 0 || f->offset + f->size > UINT16_MAX)
		return -EBADMSG;
	if (!is_text && f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		return -EBADMSG;
	*s = (struct step){ .from = (uint16_t)f->offset,
			    .size = (uint16_t)f->size,
			    .to = (uint16_t)want->offset,
			    .to_size = want->size,
			    .is_signed = !!(f->flags & TEP_FIELD_IS_SIGNED),
			    .is_text = (uint8_t)is_text,
			    .is_dynamic = !!(f->flags & TEP_FIELD_IS_DYNAMIC) };
	/* What __rel_loc counts from differs: no event in use has one. */
	if (f->flags & TEP_FIELD_IS_RELATIVE || (s->is_dynamic && f->size != 4))
		return -EBADMSG;
	if (p->end < f->offset + f->size)
		p->end = (uint16_t)(f->offset + f->size);
	p->steps++;
	return 0;
}

static int make_plan(struct pt_decoder *d, const struct pt_kevent_info *info,
		     struct tep_event *event, struct pt_diag *diag)
{
	struct plan *p = &d->plans[d->count];
	int r;

	if (d->count == EVENTS_MAX || event->id < 0 || event->id >= IDS_MAX)
		return -E2BIG;
	*p = (struct plan){ .info = info };
	for (const struct pt_kevent_field *want = info->fields;
	     want < info->fields + PT_KEVENT_FIELDS && want->name; want++) {
		const struct tep_format_field *f = tep_find_field(event, want->name);

		if (!f && want->optional)
			continue;
		r = f ? add_step(p, want, f) : -EBADMSG;
		if (r < 0)
			return pt_diag_set(diag, r, PT_NO_OFFSET, "event %s:%s: field %s %s",
					   info->system, info->name, want->name,
					   f ? "has an odd size" : "is missing");
	}
	d->found[d->count++] = info;
	d->plan_of[event->id] = (uint8_t)d->count;
	d->types |= UINT64_C(1) << info->type;
	return 0;
}

static int common_step(struct tep_event *event, const char *name, struct step *ret_s)
{
	const struct tep_format_field *f = tep_find_common_field(event, name);

	if (!f || f->offset < 0 || f->offset > 64 || (f->size != 2 && f->size != 4))
		return -EBADMSG;
	*ret_s = (struct step){ .from = (uint16_t)f->offset, .size = (uint16_t)f->size };
	return 0;
}

static int look_up(struct pt_decoder *d, struct tep_handle *tep, struct pt_diag *diag)
{
	int r;

	for (const struct pt_kevent_info *k = pt_kevents; k->name; k++) {
		struct tep_event *event = tep_find_event_by_name(tep, k->system, k->name);

		if (!event) {
			if (k->need != PT_KEVENT_REQUIRED)
				continue;
			return pt_diag_set(diag, -ENOENT, PT_NO_OFFSET, "no event %s:%s", k->system,
					   k->name);
		}
		if (!d->count && (common_step(event, "common_type", &d->id) < 0 ||
				  common_step(event, "common_pid", &d->pid) < 0))
			return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET,
					   "event %s:%s: odd common fields", k->system, k->name);
		r = make_plan(d, k, event, diag);
		if (r < 0)
			return r;
	}
	return 0;
}

int pt_decoder_new(struct tep_handle *tep, struct pt_decoder **ret_d, struct pt_diag *diag)
{
	struct pt_decoder *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return -ENOMEM;
	r = look_up(d, tep, diag);
	if (r < 0) {
		pt_decoder_free(d);
		return r;
	}
	*ret_d = d;
	return 0;
}

void pt_decoder_free(struct pt_decoder *d)
{
	free(d);
}

int pt_decoder_has(const struct pt_decoder *d, enum pt_kevent_type type)
{
	return !!(d->types & UINT64_C(1) << type);
}

int pt_decoder_tells_accesses(const struct pt_decoder *d)
{
	return pt_decoder_has(d, PT_KEV_GET_PAGES) && pt_decoder_has(d, PT_KEV_MAP_PAGES) &&
	       pt_decoder_has(d, PT_KEV_FAULT);
}

const struct pt_kevent_info *const *pt_decoder_found(const struct pt_decoder *d)
{
	return d->found;
}

int pt_decoder_decode(const struct pt_decoder *d, const void *data, uint32_t len, uint16_t cpu,
		      uint64_t ts_ns, struct pt_kevent *ret_ev)
{
	const struct plan *p;
	uint64_t id;

	if (len < d->id.from + 4u || len < d->pid.from + 4u)
		return -EBADMSG;
	id = read_number(data, &d->id);
	if (id >= IDS_MAX || !d->plan_of[id])
		return 0;
	p = &d->plans[d->plan_of[id] - 1];
	if (len < p->end)
		return -EBADMSG;
	*ret_ev = (struct pt_kevent){ .ts_ns = ts_ns,
				      .pid = (uint32_t)read_number(data, &d->pid),
				      .value = { PT_UNKNOWN, PT_UNKNOWN, PT_UNKNOWN, PT_UNKNOWN },
				      .node = PT_UNKNOWN32,
				      .cpu = cpu,
				      .type = p->info->type,
				      .how = p->info->how,
				      .order = PT_UNKNOWN8 };
	for (const struct step *s = p->step; s < p->step + p->steps; s++) {
		if (s->is_text)
			ret_ev->text = read_text(data, len, s);
		else
			store(ret_ev, s, read_number(data, s));
	}
	return 1;
}
