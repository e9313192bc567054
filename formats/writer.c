// SPDX-License-Identifier: GPL-2.0-or-later
/* Tapes being written: see writer.h. */
#include "formats/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "formats/columns.h"
#include "formats/definition.h"
#include "formats/frame.h"
#include "formats/keyring.h"
#include "formats/pack.h"
#include "formats/spool.h"
#include "formats/tail.h"
#include "util/cleanup.h"
#include "util/outfile.h"

#define DEFAULT_LEVEL 1 /* level 3 is half a percent smaller on recordings, and slower */

struct pt_writer {
	struct pt_sink sink;
	struct pt_outfile file;
	struct pt_spool spool;
	struct pt_columns *columns;
	struct pt_packer *packer;
	struct ZSTD_CCtx_s *zstd;
	int level, keep_part, failed; /* failed: 0 or what every later call returns */
	uint32_t unit_ns;
	char *head;
	struct pt_keyring files, tasks, cgroups;
	struct pt_buf definitions; /* of the open block */
	struct pt_packed packed;
	struct pt_buf out;
	uint64_t last_ns, events; /* events of the open block */
	uint64_t lost_events;     /* of the open block, as are: */
	uint32_t gaps, unknown_gaps;
	struct pt_totals totals;
	struct pt_buf index; /* struct pt_tail_block each */
	struct pt_buf seeks; /* struct pt_seek_entry each */
	struct pt_diag diag;
};

/* Note the first failure; everything after it fails alike. */
static int fail(struct pt_writer *w, int err, const char *what)
{
	if (err < 0 && !w->failed) {
		w->failed = err;
		pt_diag_errno(&w->diag, err, "%s", what);
		pt_diag_file(&w->diag, err, w->file.part ? w->file.part : w->file.path);
	}
	return err;
}

/* ---- Keys */

static int intern_file(void *ctx, const struct pt_file_key *key, uint32_t *ret_id)
{
	struct pt_writer *w = ctx;

	return pt_keyring_intern(&w->files, pt_names_file_key(key), key, ret_id);
}

static int intern_task(void *ctx, const struct pt_task_key *key, uint32_t *ret_id)
{
	struct pt_writer *w = ctx;

	return pt_keyring_intern(&w->tasks, pt_names_task_key(key), key, ret_id);
}

static int intern_cgroup(void *ctx, uint64_t cgroup, uint32_t *ret_id)
{
	struct pt_writer *w = ctx;

	return pt_keyring_intern(&w->cgroups, pt_names_number_key(cgroup), &cgroup, ret_id);
}

/* ---- Blocks */

/* A definition for each key that got none, so that a reader knows all ids when it has opened. */
static int announce(struct pt_writer *w)
{
	int r = 0;

	for (struct pt_keyring *k = &w->files; k->announced < k->n && r == 0; k->announced++) {
		struct pt_file def;

		pt_definition_blank(PT_NAMES_FILE, &def);
		def.key = ((struct pt_file_key *)k->v)[k->announced];
		if (!k->defined[k->announced])
			r = pt_definition_put(&w->definitions, PT_NAMES_FILE, &def, NULL);
	}
	for (struct pt_keyring *k = &w->tasks; k->announced < k->n && r == 0; k->announced++) {
		struct pt_task def;

		pt_definition_blank(PT_NAMES_TASK, &def);
		def.key = ((struct pt_task_key *)k->v)[k->announced];
		if (!k->defined[k->announced])
			r = pt_definition_put(&w->definitions, PT_NAMES_TASK, &def, NULL);
	}
	for (struct pt_keyring *k = &w->cgroups; k->announced < k->n && r == 0; k->announced++) {
		struct pt_cgroup def;

		pt_definition_blank(PT_NAMES_CGROUP, &def);
		def.id = ((uint64_t *)k->v)[k->announced];
		if (!k->defined[k->announced])
			r = pt_definition_put(&w->definitions, PT_NAMES_CGROUP, &def, NULL);
	}
	return r;
}

/* Compress @p behind what is in the out buffer, and note how large it was. */
static int compress(struct pt_writer *w, const struct pt_packed *p,
		    struct pt_blockhead_frame *ret_f)
{
	size_t before = w->out.len;
	int r = pt_frame_compress(w->zstd, w->level, p, &w->out);

	if (r == 0)
		*ret_f = (struct pt_blockhead_frame){ (uint32_t)(w->out.len - before),
						      (uint32_t)p->bytes.len };
	return r;
}

static int compress_records(struct pt_writer *w, struct pt_blockhead *h)
{
	const struct pt_keys keys = {
		.files = w->files.v,
		.tasks = w->tasks.v,
		.cgroups = w->cgroups.v,
		.n_files = w->files.n,
		.n_tasks = w->tasks.n,
		.n_cgroups = w->cgroups.n,
	};
	int r = pt_pack_data(w->packer, w->columns, &keys, &w->packed);

	if (r == 0)
		r = compress(w, &w->packed, &h->data);
	if (r == 0)
		r = pt_pack_times(w->packer, w->columns, h->first_ns, w->unit_ns, &w->packed);
	return r < 0 ? r : compress(w, &w->packed, &h->times);
}

static void describe(const struct pt_writer *w, struct pt_blockhead *h)
{
	const struct pt_columns *c = w->columns;

	*h = (struct pt_blockhead){
		.sequence = w->totals.blocks,
		.first_ns = c->n ? c->ts_ns[0] : w->last_ns,
		.last_ns = w->last_ns,
		.events = w->events,
		.lost_events = w->lost_events,
		.gaps = w->gaps,
		.unknown_gaps = w->unknown_gaps,
		.records = c->n,
		.flags = w->definitions.len ? PT_BLOCK_DEFINITIONS : 0,
	};
	h->first_ns -= h->first_ns % w->unit_ns;
	h->last_ns -= h->last_ns % w->unit_ns;
	for (unsigned int k = 0; k < PT_KIND_COUNT; k++) {
		h->counts[k] = c->rows[k].n;
		if (h->counts[k])
			h->kinds |= pt_kind_bit(k);
	}
}

static int add_seek(struct pt_writer *w, size_t size, size_t content)
{
	struct pt_seek_entry e = { (uint32_t)size, (uint32_t)content };

	return size ? pt_buf_put(&w->seeks, &e, sizeof(e)) : 0;
}

/* The header of @h and the frames in the out buffer go to the file, and into the index. */
static int put_block(struct pt_writer *w, const struct pt_blockhead *h)
{
	auto_buf struct pt_buf header = { 0 };
	struct pt_tail_block entry = {
		.offset = pt_spool_size(&w->spool),
		.first_ns = h->first_ns,
		.last_ns = h->last_ns,
		.kinds = h->kinds,
		.records = h->records,
		.flags = h->flags,
	};
	int r = pt_blockhead_put(&header, h);

	if (r < 0)
		return r;
	entry.extent = header.len + w->out.len;
	if (pt_spool_put(&w->spool, header.data, header.len) < 0 ||
	    pt_spool_put(&w->spool, w->out.data, w->out.len) < 0 ||
	    pt_buf_put(&w->index, &entry, sizeof(entry)) < 0 || add_seek(w, header.len, 0) < 0 ||
	    add_seek(w, h->definitions.size, h->definitions.content) < 0 ||
	    add_seek(w, h->data.size, h->data.content) < 0 ||
	    add_seek(w, h->times.size, h->times.content) < 0)
		return -ENOMEM;
	pt_totals_add(&w->totals, h);
	return pt_spool_flush(&w->spool);
}

static void begin_block(struct pt_writer *w)
{
	pt_columns_clear(w->columns);
	w->definitions.len = 0;
	w->events = w->lost_events = 0;
	w->gaps = w->unknown_gaps = 0;
}

static int end_block(struct pt_writer *w)
{
	struct pt_blockhead h;
	int r = announce(w);

	if (r < 0)
		return fail(w, r, "cannot write");
	describe(w, &h);
	w->out.len = 0;
	if (w->definitions.len) {
		const struct pt_packed p = { .bytes = w->definitions };

		r = compress(w, &p, &h.definitions);
	}
	if (r == 0 && w->columns->n)
		r = compress_records(w, &h);
	if (r == 0)
		r = put_block(w, &h);
	if (r < 0)
		return fail(w, r,
			    r == -EINVAL ? "a record has an id that was not given out"
					 : "cannot write");
	begin_block(w);
	return 0;
}

/* ---- The sink */

static int block_is_full(const struct pt_writer *w, uint64_t ts_ns)
{
	const struct pt_columns *c = w->columns;

	return c->n == PT_BLOCK_RECORDS || (c->n && ts_ns - c->ts_ns[0] >= PT_BLOCK_NS) ||
	       c->blob_bytes >= PT_TEXT_BLOCK;
}

static void count_gap(struct pt_writer *w, const struct pt_record *rec)
{
	w->gaps++;
	if (rec->value[0] == PT_UNKNOWN)
		w->unknown_gaps++;
	else
		w->lost_events += rec->value[0];
}

static int take_record(void *ctx, const struct pt_record *rec)
{
	struct pt_writer *w = ctx;
	int r;

	if (w->failed)
		return w->failed;
	if (rec->ts_ns < w->last_ns)
		return -EINVAL;
	if (block_is_full(w, rec->ts_ns)) {
		r = end_block(w);
		if (r < 0)
			return r;
	}
	r = pt_columns_add(w->columns, rec);
	if (r == -ENOMEM)
		return fail(w, r, "cannot write");
	if (r < 0)
		return r;
	w->last_ns = rec->ts_ns;
	if (rec->kind == PT_GAP)
		count_gap(w, rec);
	return 0;
}

static int define(struct pt_writer *w, enum pt_names_sort sort, const void *def,
		  const struct pt_definition_refs *refs)
{
	int r;

	if (w->failed)
		return w->failed;
	if (w->definitions.len >= PT_TEXT_BLOCK) {
		r = end_block(w);
		if (r < 0)
			return r;
	}
	r = pt_definition_put(&w->definitions, sort, def, refs);
	return r == -ENOMEM ? fail(w, r, "cannot write") : r;
}

static int define_file(void *ctx, const struct pt_file *def)
{
	struct pt_writer *w = ctx;
	uint32_t id;
	int r = intern_file(w, &def->key, &id);

	if (r == 0)
		r = define(w, PT_NAMES_FILE, def, NULL);
	if (r == 0)
		w->files.defined[id] = 1;
	return r;
}

static int define_task(void *ctx, const struct pt_task *def)
{
	struct pt_writer *w = ctx;
	struct pt_definition_refs refs = { .cgroup = PT_UNKNOWN };
	uint32_t id;
	int r = intern_task(w, &def->key, &id);

	if (r == 0 && def->cgroup != PT_UNKNOWN32) {
		if (def->cgroup >= w->cgroups.n)
			return -EINVAL;
		refs.cgroup = ((uint64_t *)w->cgroups.v)[def->cgroup];
	}
	if (r == 0)
		r = define(w, PT_NAMES_TASK, def, &refs);
	if (r == 0)
		w->tasks.defined[id] = 1;
	return r;
}

static int define_cgroup(void *ctx, const struct pt_cgroup *def)
{
	struct pt_writer *w = ctx;
	uint32_t id;
	int r = intern_cgroup(w, def->id, &id);

	if (r == 0)
		r = define(w, PT_NAMES_CGROUP, def, NULL);
	if (r == 0)
		w->cgroups.defined[id] = 1;
	return r;
}

static int define_mount(void *ctx, const struct pt_mount *def)
{
	return define(ctx, PT_NAMES_MOUNT, def, NULL);
}

static int define_device(void *ctx, const struct pt_device *def)
{
	return define(ctx, PT_NAMES_DEVICE, def, NULL);
}

static int define_open(void *ctx, const struct pt_openfile *def)
{
	struct pt_writer *w = ctx;
	struct pt_definition_refs refs = { .file.ino = PT_UNKNOWN };

	if (def->file != PT_UNKNOWN32) {
		if (def->file >= w->files.n)
			return -EINVAL;
		refs.file = ((struct pt_file_key *)w->files.v)[def->file];
	}
	return define(w, PT_NAMES_OPEN, def, &refs);
}

/* ---- From beginning to end */

static void init_sink(struct pt_writer *w)
{
	w->sink = (struct pt_sink){
		.ctx = w,
		.intern_file = intern_file,
		.intern_task = intern_task,
		.intern_cgroup = intern_cgroup,
		.record = take_record,
		.define_file = define_file,
		.define_task = define_task,
		.define_cgroup = define_cgroup,
		.define_mount = define_mount,
		.define_device = define_device,
		.define_open = define_open,
	};
}

static int put_head(struct pt_writer *w)
{
	auto_buf struct pt_buf frame = { 0 };
	size_t len = strlen(w->head), start;
	uint8_t fixed[PT_HEAD_FIXED] = { 0 };

	if (len > PT_HEAD_MAX)
		return -E2BIG;
	memcpy(fixed, PT_HEAD_SIGNATURE, 8);
	le16_put(fixed + 8, PT_VERSION_MAJOR);
	le16_put(fixed + 10, PT_VERSION_MINOR);
	le32_put(fixed + 12, (uint32_t)len);
	if (pt_frame_begin(&frame, PT_MAGIC_HEAD, &start) < 0 ||
	    pt_buf_put(&frame, fixed, sizeof(fixed)) < 0 || pt_buf_put(&frame, w->head, len) < 0 ||
	    pt_frame_end(&frame, start) < 0 || pt_spool_put(&w->spool, frame.data, frame.len) < 0 ||
	    add_seek(w, frame.len, 0) < 0)
		return -ENOMEM;
	return pt_spool_flush(&w->spool);
}

static int init(struct pt_writer *w, const struct pt_head *head,
		const struct pt_writer_options *opt)
{
	w->level = opt && opt->zstd_level ? opt->zstd_level : DEFAULT_LEVEL;
	w->unit_ns = opt && opt->time_resolution_ns ? opt->time_resolution_ns : 1;
	w->keep_part = opt && opt->keep_part_on_failure;
	w->totals = (struct pt_totals)PT_TOTALS_INIT;
	pt_keyring_init(&w->files, sizeof(struct pt_file_key));
	pt_keyring_init(&w->tasks, sizeof(struct pt_task_key));
	pt_keyring_init(&w->cgroups, sizeof(uint64_t));
	init_sink(w);
	w->head = pt_head_format(head);
	w->columns = calloc(1, sizeof(*w->columns));
	w->packer = pt_packer_new(pt_head_page_size(head));
	w->zstd = ZSTD_createCCtx();
	return w->head && w->columns && w->packer && w->zstd ? 0 : -ENOMEM;
}

int pt_writer_new(const char *path, const struct pt_head *head, const struct pt_writer_options *opt,
		  struct pt_writer **ret_w, struct pt_diag *diag)
{
	struct pt_writer *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->file = (struct pt_outfile)PT_OUTFILE_INIT;
	r = init(w, head, opt);
	if (r == 0)
		r = pt_outfile_open(&w->file, path, 0600, diag);
	if (r == 0) {
		pt_spool_init(&w->spool, w->file.fd, opt && opt->bypass_cache);
		r = put_head(w);
		if (r < 0)
			pt_diag_file(diag, pt_diag_errno(diag, r, "cannot write"), path);
	}
	if (r < 0) {
		pt_writer_free(w);
		return r;
	}
	*ret_w = w;
	return 0;
}

const struct pt_sink *pt_writer_sink(struct pt_writer *w)
{
	return &w->sink;
}

void pt_writer_count_events(struct pt_writer *w, uint64_t n)
{
	w->events += n;
}

static int is_pending(const struct pt_writer *w)
{
	return w->columns->n || w->definitions.len || w->files.announced < w->files.n ||
	       w->tasks.announced < w->tasks.n || w->cgroups.announced < w->cgroups.n;
}

int pt_writer_flush(struct pt_writer *w)
{
	if (w->failed)
		return w->failed;
	return is_pending(w) ? end_block(w) : 0;
}

static int put_tail(struct pt_writer *w, const char *head, int complete)
{
	auto_buf struct pt_buf out = { 0 };
	struct pt_tail t = {
		.totals = w->totals,
		.flags = complete && !w->totals.gaps ? PT_TAIL_COMPLETE : 0,
		.head = head,
		.head_len = strlen(head),
		.blocks = (struct pt_tail_block *)(void *)w->index.data,
		.n_blocks = w->index.len / sizeof(struct pt_tail_block),
	};
	int r = pt_tail_put(&out, &t);

	if (r == 0)
		r = add_seek(w, out.len, 0);
	if (r == 0)
		r = pt_seek_put(&out, (const struct pt_seek_entry *)(void *)w->seeks.data,
				w->seeks.len / sizeof(struct pt_seek_entry));
	return r < 0 ? r : pt_spool_put(&w->spool, out.data, out.len);
}

int pt_writer_finish(struct pt_writer *w, const struct pt_head *head, int complete)
{
	auto_free char *last = head ? pt_head_format(head) : strdup(w->head);
	int r;

	if (w->failed)
		return w->failed;
	if (!last)
		return fail(w, -ENOMEM, "cannot finish");
	if (is_pending(w) || w->events) {
		r = end_block(w);
		if (r < 0)
			return r;
	}
	r = put_tail(w, last, complete);
	if (r == 0)
		r = pt_spool_finish(&w->spool);
	if (r < 0)
		return fail(w, r, "cannot finish");
	r = pt_outfile_commit(&w->file, &w->diag);
	w->failed = r < 0 ? r : -EBADF; /* there is no more writing after the end */
	return r;
}

void pt_writer_stats(const struct pt_writer *w, struct pt_writer_stats *ret_stats)
{
	*ret_stats = (struct pt_writer_stats){
		.records = w->totals.records + w->columns->n,
		.events = w->totals.events + w->events,
		.lost_events = w->totals.lost_events + w->lost_events,
		.gaps = w->totals.gaps + w->gaps,
		.unknown_gaps = w->totals.unknown_gaps + w->unknown_gaps,
		.bytes = pt_spool_size(&w->spool),
		.blocks = w->totals.blocks,
	};
}

const struct pt_diag *pt_writer_diag(const struct pt_writer *w)
{
	return &w->diag;
}

void pt_writer_free(struct pt_writer *w)
{
	if (!w)
		return;
	pt_outfile_done(&w->file, w->keep_part);
	pt_spool_done(&w->spool);
	if (w->columns)
		pt_columns_done(w->columns);
	free(w->columns);
	pt_packer_free(w->packer);
	ZSTD_freeCCtx(w->zstd);
	free(w->head);
	pt_keyring_done(&w->files);
	pt_keyring_done(&w->tasks);
	pt_keyring_done(&w->cgroups);
	pt_packed_done(&w->packed);
	pt_buf_done(&w->definitions);
	pt_buf_done(&w->out);
	pt_buf_done(&w->index);
	pt_buf_done(&w->seeks);
	free(w);
}
