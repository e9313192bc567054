// SPDX-License-Identifier: GPL-2.0-or-later
/* A tracefs instance with our events switched on: see livesource.h. */
#include "capture/livesource.h"

#include <errno.h>
#include <event-parse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/btf.h"
#include "util/cleanup.h"
#include "util/parse.h"
#include "util/textfile.h"

#define RING_MAX   (UINT64_C(32) << 20) /* a CPU, by default: two busy seconds */
#define RING_MIN   (UINT64_C(2) << 20)
#define RING_SHARE 64 /* of memory, for all CPUs together */

static uint64_t default_ring(void)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t each = memory / RING_SHARE / (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	if (each > RING_MAX)
		return RING_MAX;
	return each < RING_MIN ? RING_MIN : each;
}

/* The numbers of the items that mod_memcg_lruvec_state is filtered to. */
static void find_items(struct pt_memcg_items *items)
{
	static const char *const names[] = { "NR_FILE_PAGES", "WORKINGSET_REFAULT_FILE",
					     "WORKINGSET_ACTIVATE_FILE",
					     "WORKINGSET_RESTORE_FILE" };
	int *const to[] = { &items->file_pages, &items->refault_file, &items->activate_file,
			    &items->restore_file };
	struct pt_btf btf;
	int64_t v;

	if (pt_btf_read("", &btf) < 0)
		return;
	for (size_t i = 0; i < PT_ARRAY_SIZE(names); i++)
		if (pt_btf_enum(&btf, "node_stat_item", names[i], &v) == 0)
			*to[i] = (int)v;
	pt_btf_done(&btf);
}

static uint64_t find_shadow_shrinker(void)
{
	auto_free char *text = NULL;
	char *rest, *line;
	uint64_t address;

	if (pt_text_read("", "/proc/kallsyms", &text) < 0)
		return PT_UNKNOWN;
	rest = text;
	while ((line = pt_text_line(&rest))) {
		char *word, *tail = line;

		if (!strstr(line, " scan_shadow_nodes"))
			continue;
		word = pt_text_word(&tail);
		/* 0: addresses are hidden from us */
		return word && pt_parse_hex(word, &address) == 0 && address ? address : PT_UNKNOWN;
	}
	return PT_UNKNOWN;
}

/* With cgroup_disable=memory the event is there, but nothing is charged and it never comes. */
static int memcg_is_disabled(void)
{
	auto_free char *text = NULL;
	char *rest, *line;

	if (pt_text_read("", "/proc/cgroups", &text) < 0)
		return 0;
	rest = text;
	while ((line = pt_text_line(&rest))) {
		const char *name = pt_text_word(&line), *enabled;

		if (!name || strcmp(name, "memory") != 0)
			continue;
		(void)pt_text_word(&line); /* hierarchy */
		(void)pt_text_word(&line); /* number of groups */
		enabled = pt_text_word(&line);
		return enabled && strcmp(enabled, "0") == 0;
	}
	return 0;
}

static int enable(struct pt_livesource *s, const struct pt_kevent_info *k, size_t *n)
{
	char filter[128];
	int memcg = k->need == PT_KEVENT_MEMCG, r;

	if (memcg && (s->items.file_pages < 0 || s->items.refault_file < 0))
		return 0;
	snprintf(filter, sizeof(filter), "item==%d||item==%d||item==%d||item==%d",
		 s->items.file_pages, s->items.refault_file, s->items.activate_file,
		 s->items.restore_file);
	r = pt_instance_enable(s->instance, k->system, k->name,
			       memcg                          ? filter
			       : k->type == PT_KEV_LRU_INSERT ? "lru==2||lru==3"
							      : NULL);
	if (r < 0 && memcg)
		s->items.file_pages = -1;
	if (r < 0)
		return k->need == PT_KEVENT_REQUIRED ? r : 0;
	if (asprintf(&s->names[*n], "%s:%s", k->system, k->name) < 0) {
		s->names[*n] = NULL;
		return -ENOMEM;
	}
	++*n;
	s->types |= UINT64_C(1) << k->type;
	return 0;
}

static int enable_events(struct pt_livesource *s, struct pt_diag *diag)
{
	size_t n = 0;
	int r = 0;

	for (const struct pt_kevent_info *const *k = pt_decoder_found(s->decoder);
	     *k && n < PT_LIVESOURCE_EVENTS && r == 0; k++) {
		r = enable(s, *k, &n);
		if (r < 0)
			return pt_diag_errno(diag, r, "cannot record %s:%s", (*k)->system,
					     (*k)->name);
	}
	return 0;
}

int pt_livesource_open(struct pt_livesource *s, uint64_t ring_bytes, struct pt_diag *diag)
{
	int r;

	*s = (struct pt_livesource){ .items = { -1, -1, -1, -1 } };
	r = pt_instance_new(NULL, ring_bytes ? ring_bytes : default_ring(), &s->instance, diag);
	if (r == 0)
		r = pt_instance_formats(s->instance, &s->tep, diag);
	if (r == 0)
		r = pt_decoder_new(s->tep, &s->decoder, diag);
	if (r < 0)
		return r;
	/* Before 6.13 the items are there, but no event tells of them. */
	if (pt_decoder_has(s->decoder, PT_KEV_MEMCG_STATE) && !memcg_is_disabled())
		find_items(&s->items);
	s->shadow_shrinker = find_shadow_shrinker();
	r = enable_events(s, diag);
	return r < 0 ? r : pt_ring_open(pt_instance_dir(s->instance), &s->ring, diag);
}

int pt_livesource_has(const struct pt_livesource *s, enum pt_kevent_type type)
{
	return !!(s->types & UINT64_C(1) << type);
}

void pt_livesource_stop(struct pt_livesource *s)
{
	/* First: its descriptors keep the instance in use. */
	pt_ring_close(s->ring);
	s->ring = NULL;
	pt_instance_free(s->instance);
	s->instance = NULL;
}

void pt_livesource_close(struct pt_livesource *s)
{
	pt_livesource_stop(s);
	pt_decoder_free(s->decoder);
	if (s->tep)
		tep_free(s->tep);
	for (size_t i = 0; i < PT_LIVESOURCE_EVENTS; i++)
		free(s->names[i]);
}
