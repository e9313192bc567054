// SPDX-License-Identifier: GPL-2.0-or-later
/* Tapes as streams of records: see reader.h. */
#include "formats/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "formats/definition.h"
#include "formats/frame.h"
#include "formats/tapefile.h"
#include "formats/unpack.h"
#include "util/cleanup.h"

struct pt_reader {
	struct pt_tapefile file;
	struct pt_reader_options opt;
	struct pt_names names;
	struct ZSTD_DCtx_s *zstd;
	struct pt_tapefile_block block;
	size_t next_block;
	uint64_t last_ns;        /* of the blocks read so far */
	size_t complained_block; /* one more than its number */
	struct pt_buf data, times;
	struct pt_unpacked unpacked;
	uint32_t page_size;
	char *path;
	struct pt_diag diag;
};

/* ---- Opening */

static int read_definitions(struct pt_reader *r, size_t i)
{
	int err = pt_tapefile_read(&r->file, i, PT_PART_DEFINITIONS, &r->block, NULL);

	if (err < 0)
		return err;
	if (!r->block.definitions)
		return 0;
	err = pt_frame_decompress(r->zstd, r->block.definitions, r->block.head.definitions.size,
				  r->block.head.definitions.content, &r->data);
	return err < 0 ? err : pt_definitions_parse(r->data.data, r->data.len, &r->names, NULL);
}

/* The keys that block @i uses. */
static int read_keys(struct pt_reader *r, size_t i)
{
	const struct pt_blockhead *h = &r->block.head;
	int err = pt_tapefile_read(&r->file, i, PT_PART_DATA, &r->block, NULL);

	if (err < 0 || !r->block.data)
		return err;
	err = pt_frame_decompress(r->zstd, r->block.data, h->data.size, h->data.content, &r->data);
	return err < 0 ? err : pt_unpack_keys(r->data.data, r->data.len, h->records, &r->names);
}

static int is_damaged(const struct pt_tapefile *t)
{
	for (size_t i = 0; i < t->n_blocks; i++)
		if (t->blocks[i].flags & (PT_BLOCK_AFTER_DAMAGE | PT_BLOCK_BAD_NAMES))
			return 1;
	return 0;
}

/*
 * Every key is announced by a definition, so that all ids are known once those are read. Where
 * definitions were lost the blocks' own tables tell. Blocks that cannot be read are complained of
 * when it is their turn.
 */
static int read_lost_keys(struct pt_reader *r)
{
	const size_t n = is_damaged(&r->file) ? r->file.n_blocks : 0;
	int err = 0;

	for (size_t i = 0; i < n && err == 0; i++) {
		err = read_keys(r, i);
		if (err == -EBADMSG || err == -EOPNOTSUPP)
			err = 0;
	}
	r->names.sealed = 1;
	return err;
}

/* A block whose definitions cannot be read is marked: the complaint comes when it is its turn. */
static int read_all_definitions(struct pt_reader *r)
{
	for (size_t i = 0; i < r->file.n_blocks; i++) {
		int err = 0;

		if (r->file.blocks[i].flags & PT_BLOCK_DEFINITIONS)
			err = read_definitions(r, i);
		if (err == -EBADMSG)
			r->file.blocks[i].flags |= PT_BLOCK_BAD_NAMES;
		else if (err < 0)
			return err;
	}
	return 0;
}

int pt_reader_open(const char *path, const struct pt_reader_options *opt, struct pt_reader **ret_r,
		   struct pt_diag *diag)
{
	struct pt_reader *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->opt = opt ? *opt : (struct pt_reader_options){ 0 };
	pt_names_init(&r->names);
	r->zstd = ZSTD_createDCtx();
	r->path = strdup(path);
	err = pt_tapefile_open(&r->file, path, !!(r->opt.flags & PT_READER_NO_INDEX), diag);
	if (err == 0 && (!r->zstd || !r->path))
		err = -ENOMEM;
	if (err == 0)
		err = read_all_definitions(r);
	if (err == 0)
		err = read_lost_keys(r);
	if (err < 0) {
		pt_diag_file(diag, err, path);
		pt_reader_close(r);
		return err;
	}
	r->page_size = pt_head_page_size(&r->file.head);
	*ret_r = r;
	return 0;
}

void pt_reader_close(struct pt_reader *r)
{
	if (!r)
		return;
	pt_tapefile_close(&r->file);
	pt_names_done(&r->names);
	ZSTD_freeDCtx(r->zstd);
	pt_buf_done(&r->block.bytes);
	pt_buf_done(&r->data);
	pt_buf_done(&r->times);
	pt_unpacked_done(&r->unpacked);
	free(r->path);
	free(r);
}

/* ---- Blocks */

static int is_wanted(const struct pt_reader *r, const struct pt_tail_block *b)
{
	const struct pt_reader_options *o = &r->opt;

	if (!b->records || (o->kinds && !(b->kinds & o->kinds)))
		return 0;
	return b->last_ns >= o->from_ns && (!o->to_ns || b->first_ns < o->to_ns);
}

/* What was unpacked must be what the header said. */
static int agrees(const struct pt_unpacked *u, const struct pt_blockhead *h)
{
	for (unsigned int k = 1; k < PT_KIND_COUNT; k++)
		if (h->counts[k] && u->by_kind[k].n != h->counts[k])
			return 0;
	return !u->has_times || (u->ts_ns[0] == h->first_ns && u->ts_ns[u->n - 1] == h->last_ns);
}

static int unpack_block(struct pt_reader *r, struct pt_diag *diag)
{
	const struct pt_tapefile_block *b = &r->block;
	const struct pt_blockhead *h = &b->head;
	int err = pt_frame_decompress(r->zstd, b->data, h->data.size, h->data.content, &r->data);

	if (err < 0)
		return pt_diag_set(diag, err, PT_NO_OFFSET, "columns are damaged");
	err = pt_unpack_data(&r->unpacked, r->data.data, r->data.len, h->records, r->page_size,
			     &r->names, diag);
	r->unpacked.first_ns = h->first_ns;
	if (err < 0)
		return err;
	if (b->times) {
		err = pt_frame_decompress(r->zstd, b->times, h->times.size, h->times.content,
					  &r->times);
		if (err < 0)
			return pt_diag_set(diag, err, PT_NO_OFFSET, "times are damaged");
		err = pt_unpack_times(&r->unpacked, r->times.data, r->times.len, h->first_ns, diag);
		if (err < 0)
			return err;
	}
	if (!agrees(&r->unpacked, h))
		return pt_diag_set(diag, -EBADMSG, PT_NO_OFFSET, "header and records differ");
	return 0;
}

/* Note what is wrong with block @i, and go on behind it. */
static int complain(struct pt_reader *r, size_t i, int err, const char *what)
{
	r->unpacked.n = r->unpacked.at = 0;
	r->diag = (struct pt_diag)PT_DIAG_INIT;
	pt_diag_set(&r->diag, err, r->file.blocks[i].offset, "block %zu: %s", i, what);
	return pt_diag_file(&r->diag, err, r->path);
}

/* Damage that was seen when the tape was opened is told once a pass, before the block. */
static int old_damage(struct pt_reader *r, size_t i)
{
	struct pt_tail_block *b = &r->file.blocks[i];

	if (r->complained_block == i + 1 ||
	    !(b->flags & (PT_BLOCK_AFTER_DAMAGE | PT_BLOCK_BAD_NAMES)))
		return 0;
	r->complained_block = i + 1;
	return complain(r, i, -EBADMSG,
			b->flags & PT_BLOCK_AFTER_DAMAGE ? "what stands before it is damaged"
							 : "its definitions are damaged");
}

static int load_block(struct pt_reader *r, size_t i)
{
	unsigned int parts = PT_PART_DATA | (r->opt.flags & PT_READER_NO_TIME ? 0 : PT_PART_TIMES);
	struct pt_diag diag = PT_DIAG_INIT;
	int err = pt_tapefile_read(&r->file, i, parts, &r->block, &diag);

	if (err == 0 && r->block.head.first_ns < r->last_ns)
		err = pt_diag_set(&diag, -EBADMSG, PT_NO_OFFSET, "its times go back");
	if (err == 0)
		err = unpack_block(r, &diag);
	if (err == 0)
		r->last_ns = r->block.head.last_ns;
	return err < 0 ? complain(r, i, err, diag.text[0] ? diag.text : "cannot be read") : 0;
}

/* The next block that is wanted: 1, 0 or -ENODATA at the end, or a failure. */
static int next_block(struct pt_reader *r)
{
	while (r->next_block < r->file.n_blocks) {
		size_t i = r->next_block;
		int err = old_damage(r, i);

		if (err < 0)
			return err;
		r->next_block++;
		if (!is_wanted(r, &r->file.blocks[i]))
			continue;
		err = load_block(r, i);
		return err < 0 ? err : 1;
	}
	if (r->file.finished)
		return 0;
	r->diag = (struct pt_diag)PT_DIAG_INIT;
	pt_diag_set(&r->diag, -ENODATA, r->file.end,
		    "the tape ends here, without its closing index");
	return pt_diag_file(&r->diag, -ENODATA, r->path);
}

static int is_selected(const struct pt_reader *r, const struct pt_record *rec)
{
	const struct pt_reader_options *o = &r->opt;

	if (o->kinds && !(o->kinds & pt_kind_bit(rec->kind)))
		return 0;
	return rec->ts_ns >= o->from_ns && (!o->to_ns || rec->ts_ns < o->to_ns);
}

int pt_reader_next(struct pt_reader *r, struct pt_record *ret_rec)
{
	for (;;) {
		int err;

		while (pt_unpacked_next(&r->unpacked, ret_rec))
			if (is_selected(r, ret_rec))
				return 1;
		err = next_block(r);
		if (err <= 0)
			return err;
	}
}

int pt_reader_rewind(struct pt_reader *r)
{
	r->next_block = 0;
	r->last_ns = 0;
	r->complained_block = 0;
	r->unpacked.n = r->unpacked.at = 0;
	return 0;
}

/* ---- What is known of the tape */

const struct pt_diag *pt_reader_diag(const struct pt_reader *r)
{
	return &r->diag;
}

const struct pt_head *pt_reader_head(const struct pt_reader *r)
{
	return &r->file.head;
}

void pt_reader_summary(const struct pt_reader *r, struct pt_reader_summary *ret_s)
{
	const struct pt_totals *t = &r->file.totals;

	*ret_s = (struct pt_reader_summary){
		.version_major = r->file.version_major,
		.version_minor = r->file.version_minor,
		.bytes = r->file.size,
		.events = t->events,
		.records = t->records,
		.lost_events = t->lost_events,
		.gaps = t->gaps,
		.unknown_gaps = t->unknown_gaps,
		.first_ns = t->first_ns,
		.last_ns = t->last_ns,
		.blocks = r->file.n_blocks,
		.finished = r->file.finished,
		.complete = r->file.complete,
	};
	for (unsigned int k = 0; k < PT_KIND_COUNT; k++)
		ret_s->counts[k] = t->counts[k];
}

const struct pt_file *pt_reader_file(const struct pt_reader *r, uint32_t id)
{
	return pt_names_get(&r->names, PT_NAMES_FILE, id);
}

const struct pt_task *pt_reader_task(const struct pt_reader *r, uint32_t id)
{
	return pt_names_get(&r->names, PT_NAMES_TASK, id);
}

const struct pt_cgroup *pt_reader_cgroup(const struct pt_reader *r, uint32_t id)
{
	return pt_names_get(&r->names, PT_NAMES_CGROUP, id);
}

uint32_t pt_reader_file_count(const struct pt_reader *r)
{
	return r->names.lists[PT_NAMES_FILE].n;
}

uint32_t pt_reader_task_count(const struct pt_reader *r)
{
	return r->names.lists[PT_NAMES_TASK].n;
}

uint32_t pt_reader_cgroup_count(const struct pt_reader *r)
{
	return r->names.lists[PT_NAMES_CGROUP].n;
}

const struct pt_mount *pt_reader_mount(const struct pt_reader *r, uint32_t i)
{
	return pt_names_get(&r->names, PT_NAMES_MOUNT, i);
}

const struct pt_device *pt_reader_device(const struct pt_reader *r, uint32_t i)
{
	return pt_names_get(&r->names, PT_NAMES_DEVICE, i);
}

const struct pt_openfile *pt_reader_openfile(const struct pt_reader *r, uint32_t i)
{
	return pt_names_get(&r->names, PT_NAMES_OPEN, i);
}
