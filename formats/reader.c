// SPDX-License-Identifier: GPL-2.0-or-later
/* Tapes as streams of records: see reader.h. */
#include "formats/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/blockahead.h"
#include "formats/blockload.h"
#include "formats/definition.h"
#include "formats/frame.h"
#include "formats/tapefile.h"
#include "util/cleanup.h"

struct pt_reader {
	struct pt_tapefile file;
	struct pt_reader_options opt;
	struct pt_names names;
	struct pt_blockload_how how;
	struct pt_blockload own;     /* for one block at a time, and for definitions */
	struct pt_blockload *load;   /* what is being handed out: own, or one of those ahead */
	struct pt_blockahead *ahead; /* NULL: no threads are at work */
	size_t *order;               /* of the blocks ahead */
	int alone;                   /* no threads could be had */
	size_t next_block;
	uint64_t last_ns;        /* of the blocks read so far */
	size_t complained_block; /* one more than its number */
	char *path;
	struct pt_diag diag;
};

/* ---- Opening */

static int read_definitions(struct pt_reader *r, size_t i)
{
	struct pt_tapefile_block *b = &r->own.block;
	struct pt_buf *data = &r->own.data;
	int err = pt_tapefile_read(&r->file, i, PT_PART_DEFINITIONS, b, NULL);

	if (err < 0)
		return err;
	if (!b->definitions)
		return 0;
	err = pt_frame_decompress(r->own.zstd, b->definitions, b->head.definitions.size,
				  b->head.definitions.content, data);
	return err < 0 ? err : pt_definitions_parse(data->data, data->len, &r->names, NULL);
}

/* The keys that block @i uses. */
static int read_keys(struct pt_reader *r, size_t i)
{
	struct pt_tapefile_block *b = &r->own.block;
	const struct pt_blockhead *h = &b->head;
	struct pt_buf *data = &r->own.data;
	int err = pt_tapefile_read(&r->file, i, PT_PART_DATA, b, NULL);

	if (err < 0 || !b->data)
		return err;
	err = pt_frame_decompress(r->own.zstd, b->data, h->data.size, h->data.content, data);
	return err < 0 ? err : pt_unpack_keys(data->data, data->len, h->records, &r->names);
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
	r->load = &r->own;
	r->path = strdup(path);
	err = pt_tapefile_open(&r->file, path, !!(r->opt.flags & PT_READER_NO_INDEX), diag);
	if (pt_blockload_init(&r->own) < 0 || !r->path)
		err = err ? err : -ENOMEM;
	if (err == 0)
		err = read_all_definitions(r);
	if (err == 0)
		err = read_lost_keys(r);
	if (err < 0) {
		pt_diag_file(diag, err, path);
		pt_reader_close(r);
		return err;
	}
	r->how = (struct pt_blockload_how){
		.file = &r->file,
		.names = &r->names,
		.page_size = pt_head_page_size(&r->file.head),
		.without_times = !!(r->opt.flags & PT_READER_NO_TIME),
		.kinds = r->opt.kinds,
		.fields = r->opt.fields,
	};
	*ret_r = r;
	return 0;
}

void pt_reader_close(struct pt_reader *r)
{
	if (!r)
		return;
	pt_blockahead_close(r->ahead);
	free(r->order);
	pt_tapefile_close(&r->file);
	pt_names_done(&r->names);
	pt_blockload_done(&r->own);
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

/* Note what is wrong with block @i, and go on behind it. */
static int complain(struct pt_reader *r, size_t i, int err, const char *what)
{
	r->load->unpacked.n = r->load->unpacked.at = 0;
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

/* Which blocks are to come, in order, from the next one on. */
static int plan_ahead(struct pt_reader *r)
{
	size_t n = 0;

	free(r->order);
	r->order = calloc(r->file.n_blocks + 1, sizeof(*r->order));
	if (!r->order)
		return -ENOMEM;
	for (size_t i = r->next_block; i < r->file.n_blocks; i++)
		if (is_wanted(r, &r->file.blocks[i]))
			r->order[n++] = i;
	return pt_blockahead_open(&r->how, r->order, n, r->opt.threads - 1, &r->ahead);
}

/* Load block @i, or have it from those who did; r->load is that. -ENOMEM, or 0 (see its err). */
static int get_block(struct pt_reader *r, size_t i)
{
	int err = 0;

	if (r->opt.threads > 1 && !r->ahead && !r->alone) {
		err = plan_ahead(r);
		r->alone = err == -EAGAIN; /* then without threads */
	}
	if (err == -ENOMEM)
		return err;
	if (r->ahead) {
		r->load = pt_blockahead_next(r->ahead);
	} else {
		r->load = &r->own;
		pt_blockload_read(r->load, &r->how, i);
	}
	return 0;
}

static int load_block(struct pt_reader *r, size_t i)
{
	const struct pt_diag *diag;
	int err;

	r->next_block = i;
	err = get_block(r, i);
	r->next_block = i + 1;
	if (err < 0)
		return complain(r, i, err, "cannot be read");
	err = r->load->err;
	diag = &r->load->diag;
	if (err < 0)
		return complain(r, i, err, diag->text[0] ? diag->text : "cannot be read");
	if (r->load->block.head.first_ns < r->last_ns)
		return complain(r, i, -EBADMSG, "its times go back");
	r->last_ns = r->load->block.head.last_ns;
	return 0;
}

/* The next block that is wanted: 1, 0 or -ENODATA at the end, or a failure. */
static int next_block(struct pt_reader *r)
{
	while (r->next_block < r->file.n_blocks) {
		size_t i = r->next_block;
		int err = old_damage(r, i);

		if (err < 0)
			return err;
		if (!is_wanted(r, &r->file.blocks[i])) {
			r->next_block++;
			continue;
		}
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

	return rec->ts_ns >= o->from_ns && (!o->to_ns || rec->ts_ns < o->to_ns);
}

int pt_reader_next(struct pt_reader *r, struct pt_record *ret_rec)
{
	for (;;) {
		int err;

		while (pt_unpacked_next(&r->load->unpacked, ret_rec))
			if (is_selected(r, ret_rec))
				return 1;
		err = next_block(r);
		if (err <= 0)
			return err;
	}
}

int pt_reader_next_some(struct pt_reader *r, struct pt_record *ret_recs, int max)
{
	int n = pt_reader_next(r, ret_recs);

	if (n <= 0)
		return n;
	while (n < max && pt_unpacked_next(&r->load->unpacked, &ret_recs[n]))
		n += is_selected(r, &ret_recs[n]);
	return n;
}

int pt_reader_next_block(struct pt_reader *r, struct pt_reader_block *ret_b)
{
	const struct pt_unpacked *u;
	int err = next_block(r);

	if (err <= 0)
		return err;
	u = &r->load->unpacked;
	*ret_b = (struct pt_reader_block){ u->n, u->kinds, u->has_times ? u->ts_ns : NULL,
					   u->by_kind };
	return 1;
}

int pt_reader_rewind(struct pt_reader *r)
{
	pt_blockahead_close(r->ahead);
	r->ahead = NULL;
	r->load = &r->own;
	r->next_block = 0;
	r->last_ns = 0;
	r->complained_block = 0;
	r->own.unpacked.n = r->own.unpacked.at = 0;
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

uint64_t pt_reader_limit_bytes(const struct pt_reader *r)
{
	for (uint32_t i = 0; i < pt_reader_task_count(r); i++) {
		const struct pt_task *t = pt_reader_task(r, i);
		uint64_t bytes;

		if (t->flags == PT_UNKNOWN32 || !(t->flags & PT_TASK_SUBJECT) ||
		    t->cgroup >= pt_reader_cgroup_count(r))
			continue;
		bytes = pt_reader_cgroup(r, t->cgroup)->max_bytes;
		return bytes == PT_NO_LIMIT ? PT_UNKNOWN : bytes;
	}
	return PT_UNKNOWN;
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
