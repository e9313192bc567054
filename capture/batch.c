// SPDX-License-Identifier: GPL-2.0-or-later
/* Where batches may end: see batch.h. */
#include "capture/batch.h"

#include "formats/record.h"

#define LARGEST_FOLIO (UINT64_C(1) << 11) /* MAX_XAS_ORDER */
#define LONGEST       (PT_BATCH_FOLIOS * LARGEST_FOLIO)

void pt_batch_init(struct pt_batch *b, uint32_t file, uint64_t page)
{
	*b = (struct pt_batch){
		.page = page, .mark = PT_UNKNOWN, .missed = PT_UNKNOWN, .file = file
	};
}

/*
 * How many folios were counted. Those that came before the recording have unknown sizes: at least
 * one for each run of such pages, at most one a page.
 */
struct span {
	uint64_t least, most;
	int in_unknown;
};

static void span_add(struct span *s, const struct pt_fresh *folio)
{
	s->most++;
	s->least += folio || !s->in_unknown;
	s->in_unknown = !folio;
}

static int is_full(const struct span *s)
{
	return s->most >= PT_BATCH_FOLIOS && s->least <= PT_BATCH_FOLIOS;
}

/* Whether @folio may not have been there when the batch was looked up. */
static int may_have_missed(const struct pt_batch *b, const struct pt_fresh *folio, uint64_t page)
{
	return page == b->missed || (folio && folio->added_ns > b->looked_ns);
}

/* Whether pages [at, end) may be one folio: its size is a power of two, and it is aligned to it. */
static int may_be_folio(uint64_t at, uint64_t end)
{
	uint64_t size = end - at;

	return size <= LARGEST_FOLIO && !(size & (size - 1)) && !(at & (size - 1));
}

int pt_batch_leads_to(const struct pt_batch *b, const struct pt_folios *folios, uint64_t page)
{
	const struct pt_fresh *folio = pt_folios_fresh(folios, b->file, b->page);
	uint64_t at = b->page, next;
	struct span span = { 0 };
	int has_ended = 0;

	if (page <= at || page - at > LONGEST)
		return 0;
	for (; at < page; at = next) {
		next = folio ? folio->page + (UINT64_C(1) << folio->order) : at + 1;
		span_add(&span, folio);
		/* The mark is named by its folio's first page. */
		if (at == b->mark && !folio && may_be_folio(at, page))
			return 1;
		folio = pt_folios_fresh(folios, b->file, next);
		if ((at == b->page && b->was_fresh) || at == b->missed || is_full(&span) ||
		    (b->mark >= at && b->mark < next) || may_have_missed(b, folio, next)) {
			if (next == page)
				return 1;
			has_ended = 1;
		}
	}
	/* Batches without an event lie between: the one here waited for its folio. */
	return at == page && has_ended && folio && folio->uptodate_ns > b->at_ns;
}
