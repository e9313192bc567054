/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What somebody wants to have compared: a kernel, and how it is set up.
 *
 * A SPEC is PATH[,name=NAME][,set=KNOB=VALUE]...[,append=PARAMETERS], a tree DIR[@REV] with the
 * same behind it. A comma ends a value only where one of these keys follows, so that values may
 * hold commas as kernel parameters do.
 */
#ifndef PT_REPLAY_LAB_CANDIDATE_H
#define PT_REPLAY_LAB_CANDIDATE_H

#include <jansson.h>
#include <stdbool.h>

#include "replay/lab/image.h"
#include "replay/lab/labname.h"
#include "util/diag.h"

#define PT_CANDIDATE_SETS 32

struct pt_candidate {
	char name[PT_LABNAME_SIZE]; /* "" until pt_candidate_name() where none was given */
	char *path;                 /* image, folder, or tree */
	char *rev;                  /* of a tree; NULL: as it is checked out */
	bool is_tree;
	char *sets[PT_CANDIDATE_SETS + 1]; /* "KNOB=VALUE", NULL-ended */
	size_t nsets;
	char *append; /* kernel parameters, NULL: none */
};

/*
 * Parse @spec into *@ret_c, to be released with pt_candidate_done(). 0, -ENOMEM, -E2BIG (settings),
 * or -EINVAL with @diag: no path, a name that is none, a setting without a value.
 */
int pt_candidate_parse(const char *spec, bool is_tree, struct pt_candidate *ret_c,
		       struct pt_diag *diag);
void pt_candidate_done(struct pt_candidate *c);

/*
 * Give it a name where it has none, different from those of the @n candidates before it: the
 * release's number ("6.12.95"), or else all of the release, with the beginning of the build-id
 * where it was built from a tree, and what is set. @image may be NULL: then the path's last part.
 * -EEXIST with @diag where a given name is taken.
 */
int pt_candidate_name(struct pt_candidate *c, const struct pt_image *image,
		      const struct pt_candidate *others, size_t n, struct pt_diag *diag);

/*
 * {name, kind "kernel" or "tree", path, rev, set [], append, boot, release, version, build_id};
 * null is what is not known, as all of the image is where @image is NULL. A new reference.
 */
json_t *pt_candidate_json(const struct pt_candidate *c, const struct pt_image *image);

#endif
