// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of some cgroups: see cgroupfilter.h. */
#include "analysis/cgroupfilter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pageids.h"
#include "analysis/pagetree.h"

struct pt_cgroupfilter {
	uint8_t *chosen; /* by cgroup */
	uint32_t ncgroups;
	uint32_t *cgroups; /* by task: where it is now */
	uint32_t ntasks;
	struct pt_pageids ids; /* of pages added without a known owner */
	uint8_t *theirs;       /* by id: added by one who was chosen */
	size_t ntheirs;
};

struct pt_cgroupfilter *pt_cgroupfilter_new(const struct pt_reader *r, const uint8_t *cgroups)
{
	struct pt_cgroupfilter *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->ncgroups = pt_reader_cgroup_count(r);
	f->ntasks = pt_reader_task_count(r);
	f->chosen = calloc((size_t)f->ncgroups + 1, 1);
	f->cgroups = calloc((size_t)f->ntasks + 1, sizeof(*f->cgroups));
	pt_pageids_init(&f->ids);
	if (!f->chosen || !f->cgroups) {
		pt_cgroupfilter_free(f);
		return NULL;
	}
	memcpy(f->chosen, cgroups, f->ncgroups);
	for (uint32_t i = 0; i < f->ntasks; i++)
		f->cgroups[i] = pt_reader_task(r, i)->cgroup;
	return f;
}

void pt_cgroupfilter_free(struct pt_cgroupfilter *f)
{
	if (!f)
		return;
	pt_pageids_done(&f->ids);
	free(f->chosen);
	free(f->cgroups);
	free(f->theirs);
	free(f);
}

static int is_chosen(const struct pt_cgroupfilter *f, uint32_t cgroup)
{
	return cgroup < f->ncgroups && f->chosen[cgroup];
}

static int has_task(const struct pt_cgroupfilter *f, uint32_t task)
{
	return task < f->ntasks && is_chosen(f, f->cgroups[task]);
}

static int make_room(struct pt_cgroupfilter *f)
{
	size_t n = 2 * (size_t)f->ids.n;
	uint8_t *theirs;

	if (f->ids.n <= f->ntheirs)
		return 0;
	theirs = realloc(f->theirs, n);
	if (!theirs)
		return -ENOMEM;
	memset(theirs + f->ntheirs, 0, n - f->ntheirs);
	f->theirs = theirs;
	f->ntheirs = n;
	return 0;
}

/* Where it is kept whose page that is; NULL with *@ret_err where it cannot be. */
static uint8_t *theirs_at(struct pt_cgroupfilter *f, uint32_t file, uint64_t page, int *ret_err)
{
	uint32_t id;

	*ret_err = pt_pageids_get(&f->ids, file, page, &id);
	if (!*ret_err)
		*ret_err = make_room(f);
	return *ret_err ? NULL : &f->theirs[id];
}

/* A folio whose owner the tape does not know is his who added it. */
static int has_folio(struct pt_cgroupfilter *f, const struct pt_record *rec)
{
	uint64_t npages, page;
	int err = 0, has = has_task(f, rec->task);

	if (rec->cgroup != PT_UNKNOWN32)
		return is_chosen(f, rec->cgroup);
	if (rec->file == PT_UNKNOWN32 || rec->page >= PT_TREE_MAX_PAGE ||
	    (rec->order != PT_UNKNOWN8 && rec->order > PT_TREE_MAX_ORDER))
		return 0;
	npages = rec->order == PT_UNKNOWN8 ? 1 : UINT64_C(1) << rec->order;
	page = rec->page & ~(npages - 1);
	if (rec->kind != PT_ADD) {
		uint8_t *theirs = theirs_at(f, rec->file, page, &err);

		return theirs ? *theirs : err;
	}
	for (uint64_t i = 0; i < npages; i++) {
		uint8_t *theirs = theirs_at(f, rec->file, page + i, &err);

		if (!theirs)
			return err;
		*theirs = (uint8_t)has;
	}
	return has;
}

int pt_cgroupfilter_has(struct pt_cgroupfilter *f, const struct pt_record *rec)
{
	switch (rec->kind) {
	case PT_ATTACH:
		if (rec->task < f->ntasks)
			f->cgroups[rec->task] = rec->cgroup;
		return 1;
	case PT_ACCESS:
	case PT_WRITE:
		return has_task(f, rec->task);
	case PT_ADD:
	case PT_EVICT:
	case PT_REMOVE:
		return has_folio(f, rec);
	default:
		return 1;
	}
}
