// SPDX-License-Identifier: GPL-2.0-or-later
/* Blocks read and unpacked: see blockload.h. */
#include "formats/blockload.h"

#include <errno.h>
#include <zstd.h>

#include "formats/frame.h"

int pt_blockload_init(struct pt_blockload *l)
{
	*l = (struct pt_blockload){ .diag = PT_DIAG_INIT };
	l->zstd = ZSTD_createDCtx();
	return l->zstd ? 0 : -ENOMEM;
}

void pt_blockload_done(struct pt_blockload *l)
{
	ZSTD_freeDCtx(l->zstd);
	pt_buf_done(&l->block.bytes);
	pt_buf_done(&l->data);
	pt_buf_done(&l->times);
	pt_unpacked_done(&l->unpacked);
	l->zstd = NULL;
}

/* What was unpacked must be what the header said. */
static int agrees(const struct pt_unpacked *u, const struct pt_blockhead *h)
{
	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		if (h->counts[k] && u->by_kind[k].n != h->counts[k])
			return 0;
	return !u->has_times || (u->ts_ns[0] == h->first_ns && u->ts_ns[u->n - 1] == h->last_ns);
}

/* Of the kinds that are not wanted, no field is. */
static const uint32_t *wanted_fields(struct pt_blockload *l, const struct pt_blockload_how *how)
{
	if (!how->fields && !how->kinds)
		return NULL;
	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		l->fields[k] = how->kinds && !(how->kinds >> k & 1) ? 0
			       : how->fields                        ? how->fields[k]
								    : UINT32_MAX;
	return l->fields;
}

static int unpack(struct pt_blockload *l, const struct pt_blockload_how *how)
{
	const struct pt_tapefile_block *b = &l->block;
	const struct pt_blockhead *h = &b->head;
	int err = pt_frame_decompress(l->zstd, b->data, h->data.size, h->data.content, &l->data);

	if (err < 0)
		return pt_diag_set(&l->diag, err, PT_NO_OFFSET, "columns are damaged");
	err = pt_unpack_data(&l->unpacked, l->data.data, l->data.len, h->records, how->page_size,
			     how->names, wanted_fields(l, how), &l->diag);
	l->unpacked.first_ns = h->first_ns;
	l->unpacked.skipped = how->kinds ? ~how->kinds : 0;
	if (err < 0)
		return err;
	if (b->times) {
		err = pt_frame_decompress(l->zstd, b->times, h->times.size, h->times.content,
					  &l->times);
		if (err < 0)
			return pt_diag_set(&l->diag, err, PT_NO_OFFSET, "times are damaged");
		err = pt_unpack_times(&l->unpacked, l->times.data, l->times.len, h->first_ns,
				      &l->diag);
		if (err < 0)
			return err;
	}
	if (!agrees(&l->unpacked, h))
		return pt_diag_set(&l->diag, -EBADMSG, PT_NO_OFFSET, "header and records differ");
	return 0;
}

int pt_blockload_read(struct pt_blockload *l, const struct pt_blockload_how *how, size_t i)
{
	unsigned int parts = PT_PART_DATA | (how->without_times ? 0 : PT_PART_TIMES);

	l->diag = (struct pt_diag)PT_DIAG_INIT;
	l->err = pt_tapefile_read(how->file, i, parts, &l->block, &l->diag);
	if (l->err == 0)
		l->err = unpack(l, how);
	if (l->err < 0)
		l->unpacked.n = l->unpacked.at = 0;
	return l->err;
}
