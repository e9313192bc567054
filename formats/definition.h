/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Definitions as bytes: a tag, a length, then fields as in docs/format.md ("Definitions").
 *
 * A field that is unknown is left out; a reader skips tags and fields that it does not know.
 */
#ifndef PT_FORMATS_DEFINITION_H
#define PT_FORMATS_DEFINITION_H

#include "formats/names.h"
#include "util/bytes.h"
#include "util/diag.h"

/* The size of a sort's struct in memory. */
size_t pt_definition_size(enum pt_names_sort sort);

/* Everything unknown. */
void pt_definition_blank(enum pt_names_sort sort, void *def);

/* Free the strings, which must be from malloc. */
void pt_definition_release(enum pt_names_sort sort, void *def);

/* What ids in a definition stand for, for a writer: their keys. */
struct pt_definition_refs {
	struct pt_file_key file; /* of an open file */
	uint64_t cgroup;         /* of a task; PT_UNKNOWN where it has none */
};

/* Append one definition. 0, -E2BIG (a string over PT_STRING_MAX), -ENOMEM; then @out is as before.
 */
int pt_definition_put(struct pt_buf *out, enum pt_names_sort sort, const void *def,
		      const struct pt_definition_refs *refs);

/*
 * Take @len bytes of definitions into @names; the last one of a key wins. -EBADMSG with @diag
 * (offset within @data) where they are malformed, -ENOMEM; what came before is kept.
 */
int pt_definitions_parse(const uint8_t *data, size_t len, struct pt_names *names,
			 struct pt_diag *diag);

#endif
