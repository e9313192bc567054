// SPDX-License-Identifier: GPL-2.0-or-later
/* Files by device and inode: see files.h. */
#include "capture/files.h"

#include <errno.h>
#include <stdlib.h>

#define DEV_MAJOR(dev) ((dev) >> 20) /* the kernel's own encoding */

static struct pt_map_key key_of(uint32_t dev, uint64_t ino)
{
	return (struct pt_map_key){ dev, ino };
}

void pt_files_init(struct pt_files *f, const struct pt_sink *sink)
{
	*f = (struct pt_files){ .sink = sink, .bdevfs = PT_UNKNOWN32 };
	pt_map_init(&f->by_key);
	pt_map_init(&f->devs);
}

void pt_files_done(struct pt_files *f)
{
	pt_map_done(&f->by_key);
	pt_map_done(&f->devs);
	free(f->all);
	f->all = NULL;
}

int pt_files_add_device(struct pt_files *f, uint32_t dev)
{
	if (!DEV_MAJOR(dev))
		return 0;
	return pt_map_put(&f->devs, key_of(0, dev), 1, NULL) ? 0 : -ENOMEM;
}

/*
 * A block device's inode has the device's number for its own and lives on bdevfs, of which there
 * is one: the first match tells which device number that is.
 */
static int is_block_device(struct pt_files *f, uint32_t dev, uint64_t ino)
{
	if (dev == f->bdevfs)
		return 1;
	if (DEV_MAJOR(dev) || f->bdevfs != PT_UNKNOWN32 || !pt_map_get(&f->devs, key_of(0, ino)))
		return 0;
	f->bdevfs = dev;
	return 1;
}

static int enter(struct pt_files *f, const struct pt_file_key *key, uint32_t place)
{
	struct pt_file def = {
		.key = *key,
		.size = PT_UNKNOWN,
		.blocks_512 = PT_UNKNOWN,
		.type = PT_FILE_BLOCKDEV,
		.mount = PT_UNKNOWN32,
		.stands_for = { .ino = PT_UNKNOWN, .dev = PT_UNKNOWN32, .gen = PT_UNKNOWN32 },
	};
	struct pt_seen_file *s = &f->all[place];
	int r = pt_files_add_device(f, key->dev);

	*s = (struct pt_seen_file){ .key = *key, .end_pages = PT_UNKNOWN };
	s->metadata = (uint32_t)is_block_device(f, key->dev, key->ino);
	if (r == 0)
		r = f->sink->intern_file(f->sink->ctx, key, &s->id);
	if (r == 0 && s->metadata && f->sink->define_file)
		r = f->sink->define_file(f->sink->ctx, &def);
	return r;
}

static int make_room(struct pt_files *f)
{
	uint32_t room = f->room ? f->room * 2 : 256;
	struct pt_seen_file *all;

	if (f->count < f->room)
		return 0;
	all = f->room < UINT32_MAX / 4 ? reallocarray(f->all, room, sizeof(*all)) : NULL;
	if (!all)
		return -ENOMEM;
	f->all = all;
	f->room = room;
	return 0;
}

uint32_t pt_files_get(struct pt_files *f, uint32_t dev, uint64_t ino, int *ret_error)
{
	struct pt_file_key key = { .ino = ino, .dev = dev };
	uint64_t *place;
	int added, r;

	place = pt_map_put(&f->by_key, key_of(dev, ino), PT_UNKNOWN, &added);
	if (place && *place != PT_UNKNOWN && *place >> 32 == 0)
		return (uint32_t)*place;
	r = place ? make_room(f) : -ENOMEM;
	if (r == 0) {
		/* A forgotten number comes back as the next generation (see forget). */
		key.gen = added ? 0 : (uint32_t)(*place >> 32);
		r = enter(f, &key, f->count);
	}
	if (r < 0) {
		*ret_error = r;
		return PT_NO_FILE;
	}
	*place = f->count;
	return f->count++;
}

uint32_t pt_files_find(const struct pt_files *f, uint32_t dev, uint64_t ino)
{
	const uint64_t *place = pt_map_get(&f->by_key, key_of(dev, ino));

	return place && *place >> 32 == 0 ? (uint32_t)*place : PT_NO_FILE;
}

void pt_files_forget(struct pt_files *f, uint32_t dev, uint64_t ino)
{
	uint64_t *place = pt_map_get(&f->by_key, key_of(dev, ino));

	/* Keep the next generation in the upper half: no place has that. */
	if (place && *place >> 32 == 0)
		*place = ((uint64_t)f->all[*place].key.gen + 1) << 32;
}
