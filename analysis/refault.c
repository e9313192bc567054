// SPDX-License-Identifier: GPL-2.0-or-later
/* Refaults and their distances: see refault.h. Who reclaims for whom is in reclaimer.c. */
#include "analysis/refault.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/lrusizes.h"
#include "analysis/refault_state.h"

#define MEMORY_BYTES (UINT64_C(256) << 30) /* where the tape does not say how much there was */

int pt_refault_new(const struct pt_refault_options *opt, struct pt_refault **ret_r)
{
	struct pt_refault *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->opt = *opt;
	if (!r->opt.page_size)
		r->opt.page_size = 4096;
	r->resident_pages =
		(opt->memory_bytes ? opt->memory_bytes : MEMORY_BYTES) / r->opt.page_size;
	pt_lruvecs_init(&r->lruvecs);
	pt_generations_init(&r->generations);
	pt_reclaimers_init(&r->reclaimers, &r->lruvecs);
	pt_refault_groups_init(&r->groups, opt);
	r->tree = pt_pagetree_new();
	if (opt->predict && pt_activation_new(opt->with_swap, &r->predictions) < 0) {
		pt_refault_free(r);
		return -ENOMEM;
	}
	for (int i = 0; i < PT_DISTANCE_COUNT; i++)
		r->distances[i] = pt_log2hist_new();
	for (int i = 0; i < PT_DISTANCE_COUNT; i++) {
		if (!r->tree || !r->distances[i]) {
			pt_refault_free(r);
			return -ENOMEM;
		}
	}
	*ret_r = r;
	return 0;
}

void pt_refault_free(struct pt_refault *r)
{
	if (!r)
		return;
	for (int i = 0; i < PT_DISTANCE_COUNT; i++)
		free(r->distances[i]);
	pt_activation_free(r->predictions);
	pt_pagetree_free(r->tree);
	pt_refault_groups_done(&r->groups);
	pt_reclaimers_done(&r->reclaimers);
	pt_generations_done(&r->generations);
	pt_lruvecs_done(&r->lruvecs);
	free(r);
}

int pt_refault_define_task(struct pt_refault *r, uint32_t task, uint32_t cgroup)
{
	return pt_reclaimers_define(&r->reclaimers, task, cgroup);
}

int pt_refault_define_cgroup(struct pt_refault *r, uint32_t cgroup, uint32_t parent)
{
	return pt_lruvecs_set_parent(&r->lruvecs, cgroup, parent);
}

int pt_refault_limit_cgroup(struct pt_refault *r, uint32_t cgroup)
{
	return pt_lruvecs_set_limited(&r->lruvecs, cgroup, 1);
}

/* ---- What a record says */

static int extent_of(struct pt_refault *r, const struct pt_record *rec, struct pt_extent *ret_at)
{
	unsigned int order = rec->order == PT_UNKNOWN8 ? 0 : rec->order;

	if (rec->file == PT_UNKNOWN32 || rec->page > PT_TREE_MAX_PAGE ||
	    order > PT_TREE_MAX_ORDER) {
		r->malformed++;
		return -EINVAL;
	}
	*ret_at = (struct pt_extent){ .page = rec->page, .file = rec->file, .order = order };
	return 0;
}

static uint32_t node_of(const struct pt_refault *r, const struct pt_record *rec)
{
	return r->one_node || rec->node == PT_UNKNOWN16 ? 0 : rec->node;
}

/* The owning cgroup: the kernel's word, else the cgroup of the task that added. */
static uint32_t cgroup_of(const struct pt_refault *r, const struct pt_record *rec)
{
	if (rec->cgroup != PT_UNKNOWN32)
		return rec->cgroup;
	return pt_reclaimers_cgroup(&r->reclaimers, rec->task);
}

/* Whom a new tree node is charged to. */
static struct pt_owner owner_of(const struct pt_refault *r, const struct pt_record *rec)
{
	uint32_t cgroup = cgroup_of(r, rec);

	if (cgroup == PT_UNKNOWN32)
		return (struct pt_owner){ PT_OWNER_TASK, rec->task, node_of(r, rec) };
	return (struct pt_owner){ PT_OWNER_CGROUP, cgroup, node_of(r, rec) };
}

static int cause_place(uint8_t cause)
{
	return cause < PT_CAUSE_COUNT ? cause : PT_CAUSE_COUNT;
}

/* ---- Refaults */

static void count_refault(struct pt_refault_counts *c, const struct pt_refault_event *f)
{
	c->refaults += f->pages;
	c->refault_folios++;
	c->refaults_by_cause[f->cause] += f->pages;
	if (!f->dated)
		c->refaults_undated += f->pages;
}

static void add_lru_percent(struct pt_refault *r, const struct pt_refault_event *f)
{
	uint64_t lru = f->now.file > 0 ? (uint64_t)f->now.file : 0, percent;

	if (!f->sizes_known || !lru)
		return;
	if (__builtin_mul_overflow(f->evicted_pages, UINT64_C(100), &percent))
		percent = UINT64_MAX;
	pt_log2hist_add(r->distances[PT_DISTANCE_LRU_PERCENT], percent / lru, f->pages);
}

static int tell_refault(struct pt_refault *r, const struct pt_refault_event *f)
{
	const struct pt_refault_who who = { f->cgroup, f->file, f->task, f->node, f->page };
	const struct pt_refault_observer *o = r->opt.observer;
	struct pt_refault_group *g;
	int n = pt_refault_groups_find(&r->groups, &who, &g);

	if (n <= 0)
		return n;
	count_refault(&r->groups.total, f);
	if (g)
		count_refault(&g->counts, f);
	if (f->dated) {
		pt_log2hist_add(r->distances[PT_DISTANCE_EVICTED_PAGES], f->evicted_pages,
				f->pages);
		pt_log2hist_add(r->distances[PT_DISTANCE_NONRESIDENT_AGE], f->age, f->pages);
		pt_log2hist_add(r->distances[PT_DISTANCE_INTERVAL], f->interval_ns, f->pages);
		add_lru_percent(r, f);
		if (f->generations != PT_UNKNOWN)
			pt_log2hist_add(r->distances[PT_DISTANCE_GENERATIONS], f->generations,
					f->pages);
		if (g && pt_refault_group_distance(g, f->evicted_pages, f->pages) < 0)
			return -ENOMEM;
	}
	if (r->predictions && pt_activation_refaulted(r->predictions, f) < 0)
		return -ENOMEM;
	return o ? o->refaulted(o->ctx, f) : 0;
}

static int tell_activation(struct pt_refault *r, const struct pt_refault_who *who, uint64_t pages)
{
	struct pt_refault_group *g;
	int n = pt_refault_groups_find(&r->groups, who, &g);

	if (n <= 0)
		return n;
	r->groups.total.activations += pages;
	if (g)
		g->counts.activations += pages;
	return 0;
}

/* What the model knows of the refault of @shadow. */
static int measure(struct pt_refault *r, const struct pt_folio *shadow, const struct pt_record *rec,
		   struct pt_refault_event *f)
{
	const struct pt_lruvec *owner = &r->lruvecs.v[shadow->owner];
	struct pt_lruvec *target = &r->lruvecs.v[shadow->target];

	f->dated = shadow->ts_ns != PT_UNKNOWN;
	f->lruvec = shadow->target;
	f->evictor = target->cgroup;
	f->evicted_pages = owner->evictions - shadow->evictions;
	f->age = target->age - shadow->age;
	f->interval_ns = rec->ts_ns - shadow->ts_ns;
	f->generations = pt_generations_between(&r->generations, owner->cgroup, owner->node,
						shadow->ts_ns, rec->ts_ns);
	f->now = target->now;
	f->flushed = target->flushed;
	f->flushes = target->flushes;
	f->sizes_known = target->sizes_known;
	return pt_lruvec_refaulted(target, f->age, &f->rank);
}

static unsigned int tree_flags(const struct pt_refault *r, const struct pt_record *rec)
{
	if (rec->how != PT_CAUSE_DEMAND && rec->how != PT_CAUSE_FAULT)
		return 0;
	return pt_reclaimers_wanted(&r->reclaimers, rec) ? PT_TREE_USED
							 : PT_TREE_USED | PT_TREE_OWED;
}

static int count_add(struct pt_refault *r, const struct pt_refault_event *f,
		     const struct pt_found *found)
{
	const struct pt_refault_who who = { f->cgroup, f->file, f->task, f->node, f->page };
	uint64_t unknown =
		f->cause == PT_CAUSE_WRITE || found->has_shadow ? 0 : found->unknown_pages;
	struct pt_refault_group *g;
	int n = pt_refault_groups_find(&r->groups, &who, &g);

	if (n <= 0)
		return n;
	r->groups.total.adds[f->cause] += f->pages;
	r->groups.total.unknown_before_start += unknown;
	if (g) {
		g->counts.adds[f->cause] += f->pages;
		g->counts.unknown_before_start += unknown;
	}
	return 0;
}

static int on_add(struct pt_refault *r, const struct pt_record *rec)
{
	struct pt_folio folio = { .ts_ns = rec->ts_ns, .adder = rec->task, .cause = rec->how };
	struct pt_refault_event f = { .ts_ns = rec->ts_ns,
				      .file = rec->file,
				      .task = rec->task,
				      .cause = cause_place(rec->how),
				      .activated = -1 };
	struct pt_owner owner;
	struct pt_found found;
	struct pt_extent at;

	if (extent_of(r, rec, &at) < 0)
		return 0;
	if (rec->node == PT_UNKNOWN16)
		r->one_node = 1;
	owner = owner_of(r, rec);
	f.cgroup = cgroup_of(r, rec);
	f.node = owner.node;
	f.page = at.page;
	f.pages = UINT64_C(1) << at.order;
	if (pt_lruvecs_get(&r->lruvecs, f.cgroup, owner.node, &folio.owner) < 0 ||
	    pt_pagetree_add(r->tree, &at, &owner, &folio, tree_flags(r, rec), &found) < 0)
		return -ENOMEM;
	if (count_add(r, &f, &found) < 0)
		return -ENOMEM;
	if (found.has_shadow && rec->how != PT_CAUSE_WRITE) {
		if (measure(r, &found.shadow, rec, &f) < 0)
			return -ENOMEM;
		found.stored->refault = f.rank + 1;
		found.stored->target = f.lruvec;
	}
	pt_lruvecs_resize(&r->lruvecs, folio.owner, (int64_t)f.pages, 0);
	if (!found.has_shadow || rec->how == PT_CAUSE_WRITE)
		return 0;
	count_refault(&r->model, &f);
	if (!r->opt.kernel_word)
		return tell_refault(r, &f);
	r->check.model += f.pages;
	r->candidates[r->ncandidates++ % PT_REFAULT_CANDIDATES] = f;
	return 0;
}

/* What the model measured of the refault that the kernel speaks of; NULL: nothing. */
static struct pt_refault_event *find_candidate(struct pt_refault *r, const struct pt_record *rec)
{
	uint64_t n =
		r->ncandidates < PT_REFAULT_CANDIDATES ? r->ncandidates : PT_REFAULT_CANDIDATES;

	for (uint64_t i = 1; i <= n; i++) {
		struct pt_refault_event *c =
			&r->candidates[(r->ncandidates - i) % PT_REFAULT_CANDIDATES];

		if (c->file == rec->file && c->page == rec->page && c->pages)
			return c;
	}
	return NULL;
}

/* The kernel's word on an add: find what the model measured of it. */
static int on_refault(struct pt_refault *r, const struct pt_record *rec)
{
	uint64_t pages = rec->npages == PT_UNKNOWN ? 1 : rec->npages;
	struct pt_refault_event f = { .ts_ns = rec->ts_ns,
				      .page = rec->page,
				      .file = rec->file,
				      .task = rec->task,
				      .cause = PT_CAUSE_COUNT },
				*c;
	int activated = rec->flags == PT_UNKNOWN32 ? -1 : !!(rec->flags & PT_REFAULT_ACTIVATED);
	int err;

	if (!r->opt.kernel_word)
		return 0;
	c = find_candidate(r, rec);
	if (c) {
		f = *c;
		r->check.confirmed += pages < c->pages ? pages : c->pages;
		c->pages = 0; /* a candidate is confirmed once */
	} else {
		f.cgroup = cgroup_of(r, rec);
	}
	r->check.kernel += pages;
	f.pages = pages;
	f.activated = activated;
	err = tell_refault(r, &f);
	if (err < 0 || activated != 1)
		return err;
	if (c) {
		struct pt_lruvec_refault *recent =
			pt_lruvec_recall(&r->lruvecs.v[f.lruvec], f.rank);

		if (recent)
			recent->active = 1;
		pt_lruvecs_age(&r->lruvecs, f.lruvec, pages);
	}
	return tell_activation(
		r, &(struct pt_refault_who){ f.cgroup, f.file, f.task, f.node, f.page }, pages);
}

/* ---- Folios that leave */

static int on_evict(struct pt_refault *r, const struct pt_record *rec)
{
	struct pt_folio shadow = { .ts_ns = rec->ts_ns };
	struct pt_refault_group *g;
	struct pt_refault_who who;
	struct pt_owner owner;
	struct pt_found found;
	struct pt_extent at;
	uint64_t pages, resident_ns;
	int n;

	if (extent_of(r, rec, &at) < 0)
		return 0;
	pages = UINT64_C(1) << at.order;
	owner = owner_of(r, rec);
	if (pt_pagetree_evict(r->tree, &at, &owner, &shadow, &found) < 0)
		return -ENOMEM;
	if (rec->how == PT_RECLAIM_MEMCG &&
	    (pt_reclaimers_limit(&r->reclaimers, rec->task) < 0 ||
	     (found.has_folio && pt_reclaimers_limit(&r->reclaimers, found.folio.adder) < 0)))
		return -ENOMEM;
	who = (struct pt_refault_who){ rec->cgroup, rec->file, PT_UNKNOWN32, node_of(r, rec),
				       at.page };
	if (who.cgroup == PT_UNKNOWN32 && found.has_folio)
		who.cgroup = r->lruvecs.v[found.folio.owner].cgroup;
	if (pt_lruvecs_get(&r->lruvecs, who.cgroup, who.node, &shadow.owner) < 0 ||
	    pt_lruvecs_get(&r->lruvecs, pt_reclaimers_target(&r->reclaimers, rec, who.cgroup),
			   who.node, &shadow.target) < 0)
		return -ENOMEM;
	shadow.age = r->lruvecs.v[shadow.target].age;
	pt_lruvecs_age(&r->lruvecs, shadow.target, pages);
	r->lruvecs.v[shadow.owner].evictions += pages;
	shadow.evictions = r->lruvecs.v[shadow.owner].evictions;
	*found.stored = shadow;
	pt_lruvecs_resize(&r->lruvecs, found.has_folio ? found.folio.owner : shadow.owner,
			  -(int64_t)pages, 0);

	n = pt_refault_groups_find(&r->groups, &who, &g);
	if (n <= 0)
		return n;
	pt_refault_groups_evicted(&r->groups, g, &found, pages, rec->how == PT_RECLAIM_PAGEOUT);
	if (found.has_folio && found.folio.ts_ns != PT_UNKNOWN) {
		resident_ns = rec->ts_ns - found.folio.ts_ns;
		pt_log2hist_add(r->distances[PT_DISTANCE_RESIDENCY], resident_ns, pages);
	}
	return 0;
}

static int on_remove(struct pt_refault *r, const struct pt_record *rec)
{
	struct pt_refault_group *g;
	struct pt_refault_who who;
	struct pt_owner owner;
	struct pt_found found;
	struct pt_extent at;
	int n;

	if (extent_of(r, rec, &at) < 0)
		return 0;
	owner = owner_of(r, rec);
	if (pt_pagetree_remove(r->tree, &at, &owner, &found) < 0)
		return -ENOMEM;
	who = (struct pt_refault_who){ rec->cgroup, rec->file, PT_UNKNOWN32, owner.node, at.page };
	if (who.cgroup == PT_UNKNOWN32 && found.has_folio)
		who.cgroup = r->lruvecs.v[found.folio.owner].cgroup;
	if (found.has_folio)
		pt_lruvecs_resize(&r->lruvecs, found.folio.owner, -(INT64_C(1) << at.order), 0);
	n = pt_refault_groups_find(&r->groups, &who, &g);
	if (n <= 0)
		return n;
	r->groups.total.removals += UINT64_C(1) << at.order;
	if (g)
		g->counts.removals += UINT64_C(1) << at.order;
	return 0;
}

/* ---- Activations */

/*
 * A refaulted folio entered the LRU active. Either the kernel found its distance short, or it was
 * accessed twice while it waited in a CPU's batch: where the tape saw two accesses, the distance
 * decides, held against those at which refaults were activated lately.
 */
static int inserted_active(struct pt_refault *r, const struct pt_record *rec,
			   const struct pt_extent *at, const struct pt_found *found)
{
	struct pt_lruvec *target = &r->lruvecs.v[found->folio.target];
	struct pt_lruvec_refault *recent = pt_lruvec_recall(target, found->folio.refault - 1);
	uint64_t pages = UINT64_C(1) << at->order;
	struct pt_refault_who who = { r->lruvecs.v[found->folio.owner].cgroup, rec->file, rec->task,
				      r->lruvecs.v[found->folio.owner].node, at->page };
	const struct pt_refault_observer *o = r->opt.observer;
	int told;

	told = recent && recent->active; /* by the kernel's word */
	pt_lruvecs_resize(&r->lruvecs, found->folio.owner, 0, (int64_t)pages);
	if (!told)
		pt_lruvecs_age(&r->lruvecs, found->folio.target, pages);
	if (found->twice && (!recent || recent->distance > pt_lruvec_threshold(target)))
		return 0;
	if (recent)
		recent->active = 1;
	r->model.activations += pages;
	if (r->opt.kernel_word)
		return 0;
	if (r->predictions)
		pt_activation_activated(r->predictions, found->folio.target,
					found->folio.refault - 1);
	if (o && o->activated) {
		int err =
			o->activated(o->ctx, found->folio.target, found->folio.refault - 1, pages);

		if (err < 0)
			return err;
	}
	return tell_activation(r, &who, pages);
}

static int on_activate(struct pt_refault *r, const struct pt_record *rec)
{
	struct pt_found found;
	struct pt_extent at;
	uint32_t lruvec;

	if (extent_of(r, rec, &at) < 0)
		return 0;
	pt_pagetree_peek(r->tree, &at, &found);
	if (rec->how == PT_ACTIVATE_INSERT && found.has_folio && found.folio.refault)
		return inserted_active(r, rec, &at, &found);
	if (found.has_folio)
		lruvec = found.folio.owner;
	else if (pt_lruvecs_get(&r->lruvecs, cgroup_of(r, rec), node_of(r, rec), &lruvec) < 0)
		return -ENOMEM;
	pt_lruvecs_age(&r->lruvecs, lruvec, UINT64_C(1) << at.order);
	pt_lruvecs_resize(&r->lruvecs, lruvec, 0, INT64_C(1) << at.order);
	return 0;
}

/* ---- Reclaim's own records */

static int on_scan(struct pt_refault *r, const struct pt_record *rec)
{
	struct pt_reclaim_scope scope;
	uint64_t pages = 0;
	uint32_t lruvec;

	pt_reclaimers_scope(&r->reclaimers, rec, r->one_node, &scope);
	if (rec->how == PT_SCAN_SHADOWS) {
		if (rec->value[1] == PT_UNKNOWN)
			return 0;
		r->nodes_kernel += rec->value[1];
		r->nodes_model +=
			pt_pagetree_shrink(r->tree, rec->value[1], pt_reclaim_scope_has, &scope);
		return 0;
	}
	if (pt_lruvecs_get(&r->lruvecs, scope.cgroup, node_of(r, rec), &lruvec) < 0)
		return -ENOMEM;
	pt_lrusizes_scanned(&r->lruvecs, rec, lruvec);
	if (rec->value[2] != PT_UNKNOWN)
		pages += rec->value[2];
	if (rec->how == PT_SCAN_INACTIVE && rec->value[3] != PT_UNKNOWN)
		pages += rec->value[3];
	pt_lruvecs_age(&r->lruvecs, lruvec, pages);
	return 0;
}

/* ---- What else changes the tree */

static int on_access(struct pt_refault *r, const struct pt_record *rec)
{
	uint64_t npages = rec->npages == PT_UNKNOWN ? 1 : rec->npages;

	if (rec->file == PT_UNKNOWN32 || rec->page == PT_UNKNOWN)
		return 0;
	if (rec->how == PT_HOW_WINDOW) {
		pt_pagetree_map(r->tree, rec->file, rec->page, npages);
		return 0;
	}
	pt_pagetree_touch(r->tree, rec->file, rec->page, npages);
	return pt_reclaimers_accesses(&r->reclaimers, rec);
}

static uint64_t pages_up(const struct pt_refault *r, uint64_t bytes)
{
	return bytes / r->opt.page_size + (bytes % r->opt.page_size != 0);
}

/* Shadows in whole pages of the range go, and those behind a new end of file. */
static void on_truncate(struct pt_refault *r, const struct pt_record *rec)
{
	if (rec->file != PT_UNKNOWN32 && rec->len_bytes != PT_UNKNOWN)
		pt_pagetree_forget(r->tree, rec->file, pages_up(r, rec->len_bytes), UINT64_MAX);
}

static void on_advise(struct pt_refault *r, const struct pt_record *rec)
{
	const uint64_t dontneed = 4; /* POSIX_FADV_DONTNEED */
	uint64_t first, end;

	if (rec->how != PT_ADVISE_FADVISE || rec->value[0] != dontneed ||
	    rec->file == PT_UNKNOWN32 || rec->off_bytes == PT_UNKNOWN ||
	    rec->len_bytes == PT_UNKNOWN)
		return;
	first = pages_up(r, rec->off_bytes);
	end = !rec->len_bytes || rec->len_bytes > UINT64_MAX - rec->off_bytes
		      ? UINT64_MAX
		      : (rec->off_bytes + rec->len_bytes) / r->opt.page_size;
	if (end > first)
		pt_pagetree_forget(r->tree, rec->file, first, end - first);
}

/* Pages that were there when the tape began: folio by folio, when they came is not known. */
static int on_resident(struct pt_refault *r, const struct pt_record *rec)
{
	struct pt_folio folio = { .ts_ns = PT_UNKNOWN };
	int shadow = rec->flags != PT_UNKNOWN32 && (rec->flags & PT_RESIDENT_SHADOW);
	struct pt_owner owner = owner_of(r, rec);
	uint64_t npages = rec->npages;

	if (rec->how != PT_RESIDENT_START)
		return 0;
	if (rec->file == PT_UNKNOWN32 || rec->page > PT_TREE_MAX_PAGE ||
	    npages > r->resident_pages || npages > PT_TREE_MAX_PAGE - rec->page) {
		r->malformed++;
		return 0;
	}
	r->resident_pages -= npages;
	if (!shadow) {
		folio.adder = PT_UNKNOWN32;
		folio.cause = PT_UNKNOWN8;
	}
	if (pt_lruvecs_get(&r->lruvecs, cgroup_of(r, rec), owner.node, &folio.owner) < 0)
		return -ENOMEM;
	folio.target = folio.owner;
	for (uint64_t i = 0; i < npages; i++) {
		struct pt_extent at = { .page = rec->page + i, .file = rec->file };
		struct pt_found found;
		int err = shadow ? pt_pagetree_evict(r->tree, &at, &owner, &folio, &found)
				 : pt_pagetree_add(r->tree, &at, &owner, &folio, 0, &found);

		if (err < 0)
			return err;
	}
	return 0;
}

int pt_refault_feed(struct pt_refault *r, const struct pt_record *rec)
{
	r->groups.early = rec->ts_ns < r->opt.count_from_ns;
	switch (rec->kind) {
	case PT_ACCESS:
		return on_access(r, rec);
	case PT_ADD:
		return on_add(r, rec);
	case PT_EVICT:
		return on_evict(r, rec);
	case PT_REMOVE:
		return on_remove(r, rec);
	case PT_REFAULT:
		return on_refault(r, rec);
	case PT_ACTIVATE:
		return on_activate(r, rec);
	case PT_SCAN:
		return on_scan(r, rec);
	case PT_RESIDENT:
		return on_resident(r, rec);
	case PT_COUNTERS:
		if (rec->how == PT_COUNTERS_LRU_GEN)
			return pt_generations_read(&r->generations, rec);
		return pt_lrusizes_read(&r->lruvecs, rec, r->opt.page_size);
	case PT_RECLAIM_BEGIN:
	case PT_RECLAIM_END:
	case PT_ATTACH:
		return pt_reclaimers_feed(&r->reclaimers, rec);
	case PT_TRUNCATE:
		on_truncate(r, rec);
		return 0;
	case PT_ADVISE:
		on_advise(r, rec);
		return 0;
	default:
		return 0;
	}
}

void pt_refault_expect(const struct pt_refault *r, const struct pt_record *recs, int n)
{
	for (int step = 0; step < 2; step++)
		for (int i = 0; i < n; i++)
			if (recs[i].page != PT_UNKNOWN)
				pt_pagetree_expect(r->tree, recs[i].file, recs[i].page,
						   step && recs[i].kind != PT_ACCESS ? 2 : step);
}
