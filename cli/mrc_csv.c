// SPDX-License-Identifier: GPL-2.0-or-later
/* Miss-ratio curves as CSV: see mrc_print.h. */
#include <errno.h>
#include <string.h>

#include "analysis/tape_refaults.h"
#include "cli/mrc_print.h"
#include "util/cleanup.h"

struct pt_table *pt_mrc_csv_new(void)
{
	static const char *const columns[] = { "tape",   "owner",        "pages",
					       "policy", "memory_bytes", "miss_ratio" };

	return pt_table_new_as(columns, PT_ARRAY_SIZE(columns), PT_TABLE_CSV);
}

/* What the rows of one tape have in common. */
struct rows {
	struct pt_table *t;
	const char *path;
	uint32_t page_size;
};

/* @owner NULL: all accesses. */
static int row(const struct rows *r, const char *owner, uint64_t pages, const char *policy,
	       double ratio)
{
	int bad = pt_table_text(r->t, r->path);

	bad |= pt_table_text(r->t, owner);
	bad |= pt_table_count(r->t, pages);
	bad |= pt_table_text(r->t, policy);
	bad |= pt_table_size(r->t, pages * r->page_size);
	return bad | pt_table_percent(r->t, ratio, 2);
}

static int group_rows(const struct rows *r, const char *owner, const struct pt_mrc *m,
		      const struct pt_mrc_group *g)
{
	int bad = 0;

	for (size_t i = 0; i < m->nsizes && !bad; i++)
		bad = row(r, owner, m->sizes[i], "lru", pt_mrc_ratio(g->reuse, m->sizes[i]));
	return bad;
}

int pt_mrc_csv_add(struct pt_table *t, const char *path, const struct pt_reader *r,
		   const struct pt_mrc *m, enum pt_group_by by)
{
	const struct rows rows = { t, path, pt_head_page_size(pt_reader_head(r)) };
	int bad = 0;

	for (size_t i = 0; i < m->nsizes && !bad; i++) {
		bad = row(&rows, NULL, m->sizes[i], "lru", m->curve[i]);
		for (size_t p = 0; p < m->npolicies && !bad; p++)
			if (strcmp(m->names[p], "lru") != 0) /* that is the curve again */
				bad = row(&rows, NULL, m->sizes[i], m->names[p], m->policies[p][i]);
	}
	if (!bad && m->kernel.misses != PT_UNKNOWN)
		bad = row(&rows, NULL, m->kernel.pages, "kernel", m->kernel.miss_ratio);
	for (size_t i = 0; i < m->ngroups && !bad; i++) {
		auto_free char *owner = pt_refault_key_name(r, by, m->groups[i].key);

		bad = group_rows(&rows, owner ? owner : "(not known)", m, &m->groups[i]);
	}
	return bad ? -ENOMEM : 0;
}
