// SPDX-License-Identifier: GPL-2.0-or-later
/* Checking tapes: see check.h. */
#include "formats/check.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "formats/tapefile.h"
#include "util/cleanup.h"

static void fault(struct pt_check *c, const char *path, uint64_t offset, const char *what)
{
	struct pt_diag diag = PT_DIAG_INIT;

	c->faults++;
	pt_diag_set(&diag, -EBADMSG, offset, "%s", what);
	pt_diag_file(&diag, -EBADMSG, path);
	c->complain(c->ctx, -EBADMSG, &diag);
}

static int check_records(struct pt_check *c, const char *path, struct pt_diag *diag)
{
	const struct pt_reader_options opt = { .flags = PT_READER_NO_INDEX };
	struct pt_reader *rd;
	struct pt_record rec;
	int r = pt_reader_open(path, &opt, &rd, diag);

	if (r < 0)
		return r;
	pt_reader_summary(rd, &c->summary);
	while ((r = pt_reader_next(rd, &rec)) == 1 || r == -EBADMSG) {
		if (r == -EBADMSG) {
			c->faults++;
			c->complain(c->ctx, r, pt_reader_diag(rd));
			continue;
		}
		c->records++;
	}
	if (r != -ENODATA && diag)
		*diag = *pt_reader_diag(rd);
	pt_reader_close(rd);
	return r == -ENODATA ? 0 : r;
}

/* ---- Index */

static int same_block(const struct pt_tail_block *a, const struct pt_tail_block *b)
{
	const uint32_t on_disk = ~(PT_BLOCK_AFTER_DAMAGE | PT_BLOCK_BAD_NAMES);

	return a->offset == b->offset && a->extent == b->extent && a->first_ns == b->first_ns &&
	       a->last_ns == b->last_ns && a->kinds == b->kinds && a->records == b->records &&
	       (a->flags & on_disk) == (b->flags & on_disk);
}

static void compare_index(struct pt_check *c, const char *path, const struct pt_tapefile *index,
			  const struct pt_tapefile *walked)
{
	if (index->n_blocks != walked->n_blocks) {
		fault(c, path, PT_NO_OFFSET, "the index has another number of blocks");
		return;
	}
	for (size_t i = 0; i < index->n_blocks; i++)
		if (!same_block(&index->blocks[i], &walked->blocks[i]))
			fault(c, path, walked->blocks[i].offset, "the index says otherwise");
	if (memcmp(&index->totals, &walked->totals, sizeof(index->totals)) != 0)
		fault(c, path, PT_NO_OFFSET, "the totals are not the sum of the blocks");
}

/* ---- Seek table */

/* The table being compared with the frames. */
struct seek {
	const uint8_t *entries;
	uint32_t n, at;
	uint64_t offset; /* of the frame that entry is about */
};

static int next_entry(struct seek *s, uint64_t size, uint32_t content)
{
	const uint8_t *e = s->entries + (size_t)s->at * PT_SEEK_ENTRY;

	if (s->at == s->n || le32_get(e) != size || le32_get(e + 4) != content)
		return 0;
	s->at++;
	s->offset += size;
	return 1;
}

static int next_part(struct seek *s, const struct pt_blockhead_frame *f)
{
	return !f->size || next_entry(s, f->size, f->content);
}

/* Whether the table names every frame of @t, in order, with its sizes. */
static int seek_agrees(const struct pt_tapefile *t, struct seek *s)
{
	auto_buf struct pt_buf bytes = { 0 };
	struct pt_tapefile_block b = { 0 };
	int same = next_entry(s, t->head_size, 0);

	for (size_t i = 0; i < t->n_blocks && same; i++) {
		const struct pt_blockhead *h = &b.head;

		b.bytes = bytes;
		same = pt_tapefile_read(t, i, 0, &b, NULL) == 0;
		bytes = b.bytes;
		same = same && next_entry(s, h->header_size, 0) && next_part(s, &h->definitions) &&
		       next_part(s, &h->data) && next_part(s, &h->times);
	}
	/* The tail is the last: what its size is, find_tail() has used. */
	return same && s->at + 1 == s->n;
}

static void check_seek(struct pt_check *c, const char *path, const struct pt_tapefile *t)
{
	auto_buf struct pt_buf table = { 0 };
	uint8_t footer[PT_SEEK_FOOTER];
	struct seek s = { 0 };
	uint64_t size;

	if (pread(t->fd, footer, sizeof(footer), (off_t)(t->size - sizeof(footer))) !=
	    (ssize_t)sizeof(footer))
		return;
	s.n = le32_get(footer);
	size = (uint64_t)s.n * PT_SEEK_ENTRY;
	if (size + PT_SEEK_FOOTER > t->size || pt_buf_reserve(&table, size + 1) < 0)
		return;
	if (pread(t->fd, table.data, size, (off_t)(t->size - PT_SEEK_FOOTER - size)) !=
	    (ssize_t)size)
		return;
	s.entries = table.data;
	if (!seek_agrees(t, &s))
		fault(c, path, s.offset, "the seek table does not match the frames");
}

static int check_end(struct pt_check *c, const char *path, struct pt_diag *diag)
{
	struct pt_tapefile index, walked = { .fd = -1 };
	int r = pt_tapefile_open(&index, path, 0, diag);

	if (r == 0)
		r = pt_tapefile_open(&walked, path, 1, diag);
	if (r == 0 && index.finished) {
		c->finished = 1;
		compare_index(c, path, &index, &walked);
		check_seek(c, path, &index);
		if (walked.end != walked.size)
			fault(c, path, walked.end, "bytes that are no frame");
	}
	c->complete = r == 0 && index.complete && !c->faults;
	pt_tapefile_close(&index);
	pt_tapefile_close(&walked);
	return r < 0 ? pt_diag_file(diag, r, path) : 0;
}

int pt_check_tape(struct pt_check *c, const char *path, struct pt_diag *diag)
{
	int r;

	c->records = c->faults = 0;
	c->finished = c->complete = 0;
	r = check_records(c, path, diag);
	return r < 0 ? r : check_end(c, path, diag);
}
